//! Whether a server that a configuration starts would listen on all addresses of the machine.

use super::read::LaunchConfig;

/// The address that means all of them, as version 4 of the protocol writes it.
const ALL: &str = "0.0.0.0";
/// Options that name the address to listen on; without a value some servers take all.
const OPTIONS: [&str; 8] =
    ["--host", "--hostname", "--bind", "--binding", "--address", "--listen", "-H", "-b"];

/// The word that makes a server listen on all addresses.
pub(super) fn public(config: &LaunchConfig) -> Option<String> {
    // A shell's script is one argument.
    let words: Vec<&str> =
        config.runtime_args.iter().flat_map(|argument| argument.split_whitespace()).collect();
    let next = |at: usize| words.get(at + 1).copied().filter(|next| !next.starts_with('-'));
    for (at, word) in words.iter().enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, next(at)),
        };
        let names_one = OPTIONS.contains(&option);
        let without = option == "--host" && matches!(value, None | Some("" | "true"));
        if without || names_one && value.is_some_and(is_any) {
            return Some(match value {
                Some(value) => format!("{option} {value}"),
                None => option.to_owned(),
            });
        }
        if has_all(word) {
            return Some((*word).to_owned());
        }
    }
    let mut variables = config.env.iter().map(|(key, value)| (key.as_str(), value.trim()));
    let is_address = |key: &str| {
        let key = key.to_ascii_uppercase();
        ["HOST", "BIND", "ADDR", "LISTEN"].iter().any(|word| key.contains(word))
    };
    let found = variables.find(|(key, value)| has_all(value) || is_address(key) && is_any(value));
    found.map(|(key, value)| format!("{key}={value}"))
}

/// Whether a value of an option for addresses means all of them, with a port or without.
fn is_any(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let host = match value.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && host != ":" => host,
        _ => value,
    };
    ["*", "::", "[::]", "0", "", ALL].contains(&host) && !value.is_empty() || has_all(value)
}

/// Whether a word has the address that means all, and not as a part of another one.
fn has_all(word: &str) -> bool {
    let part_of_one = |c: char| c.is_ascii_digit() || c == '.';
    word.match_indices(ALL)
        .any(|(at, _)| !word[..at].ends_with(part_of_one) && !word[at + ALL.len()..].starts_with(part_of_one))
        || word.contains("[::]:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<String> {
        let runtime_args = text.split(' ').map(str::to_owned).collect();
        let (name, cwd) = ("web".to_owned(), ".".to_owned());
        let env = std::collections::BTreeMap::new();
        public(&LaunchConfig { name, runtime_executable: None, runtime_args, port: None, cwd, env })
    }

    #[test]
    fn tells_public_from_local() {
        for text in [
            "dev --host",
            "dev --host 0.0.0.0",
            "dev --host=0.0.0.0",
            "--host --port 3",
            "s -b 0.0.0.0",
            "s -b0.0.0.0",
            "s -b tcp://0.0.0.0:3000",
            "-H ::",
            "--bind [::]:3000",
            "--bind *",
            "--host true",
            "--listen :::3000",
            "--bind 0",
            "--host 0.0.0.0:80",
        ] {
            assert!(words(text).is_some(), "{text}");
        }
        for text in [
            "dev",
            "dev --host 127.0.0.1",
            "dev --host localhost",
            "-H ::1",
            "--port 3000",
            "-b [::1]:3000",
            "v10.0.0.0.1",
            "--host=127.0.0.1 --x",
            "-b 127.0.0.1:3000",
            "--version 1.0.0.0.0",
        ] {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
