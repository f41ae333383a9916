//! Whether a server that a configuration starts would listen on all addresses of the machine.

use std::net::Ipv6Addr;

use super::read::LaunchConfig;

/// The IPv4 address that means all addresses.
const ALL: &str = "0.0.0.0";
/// Options that name the address to listen on; without a value, some servers listen on all.
const OPTIONS: [&str; 8] =
    ["--host", "--hostname", "--bind", "--binding", "--address", "--listen", "-H", "-b"];

/// The word of a configuration that makes a server listen on all addresses.
pub(super) fn public_address(config: &LaunchConfig) -> Option<String> {
    // A shell script may be a single argument.
    let words: Vec<&str> =
        config.runtime_args.iter().flat_map(|argument| argument.split_whitespace()).collect();
    let mut variables = config.env.iter();
    address_word(&words).or_else(|| variables.find_map(|(key, value)| variable(key, value)))
}

/// The word of a command line that makes a server listen on all addresses.
pub(super) fn address_word(words: &[&str]) -> Option<String> {
    let ends = |word: &str| word.starts_with(['-', '&', '|', ';', '<', '>']);
    let next = |at: usize| words.get(at + 1).copied().filter(|next| !ends(next));
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
        let assigned = word.split_once('=').filter(|(key, _)| !key.starts_with('-'));
        if has_all(word) || is_pair(word) {
            return Some((*word).to_owned());
        }
        if let Some(found) = assigned.and_then(|(key, value)| variable(key, value)) {
            return Some(found);
        }
    }
    None
}

/// A variable that makes a server listen on all addresses.
fn variable(key: &str, value: &str) -> Option<String> {
    let value = value.trim();
    let upper = key.to_ascii_uppercase();
    let is_address = ["HOST", "BIND", "ADDR", "LISTEN"].iter().any(|word| upper.contains(word));
    (has_all(value) || is_address && is_any(value)).then(|| format!("{key}={value}"))
}

/// Whether a value of an option for addresses means all of them, with a port or without.
fn is_any(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let host = match value.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && host != ":" => host,
        _ => value,
    };
    let is_all = |host: &str| host == "*" || is_unspecified(host);
    !value.is_empty() && (host.is_empty() || is_all(host) || is_all(value)) || has_all(value)
}

/// Whether a word is such an address with a port, such as `0:8000` for Django, which needs no option.
fn is_pair(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    word.rsplit_once(':').is_some_and(|(host, port)| {
        let is_port = port.len() > 1 && port.parse::<u16>().is_ok();
        let is_host = host == "*" || host.starts_with('[') || !host.contains(':');
        is_port && is_host && (host == "*" || is_unspecified(host))
    })
}

/// Whether a host is the address that means all addresses, in any form: `0`, `0x0`, `0.0`, `::`, `::0`,
/// `0:0:0:0:0:0:0:0`.
fn is_unspecified(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_zero = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte == b'0')
    };
    bare.parse::<Ipv6Addr>().is_ok_and(|address| address.is_unspecified())
        || bare.split('.').count() <= 4 && bare.split('.').all(is_zero)
}

/// Whether a word contains the address that means all, but not as part of a longer one.
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
        public_address(&LaunchConfig { name, runtime_executable: None, runtime_args, port: None, cwd, env })
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
            "--host ::0",
            "--host 0:0:0:0:0:0:0:0",
            "--host 0x0",
            "--host 0.0",
            "-H [::0]",
            "manage.py runserver 0:8000",
            "manage.py runserver [::]:8000",
            "-S 0:8000",
            "HOST=0.0.0.0 npm start",
            "HOST=:: node server.js",
            "vite --host && echo",
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
            "--user 0:0",
            "runserver 8000",
            "runserver 127.0.0.1:8000",
            "HOST=localhost node server.js",
            "--at 10:30",
            "--host ::1",
            "--host 10.0",
        ] {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
