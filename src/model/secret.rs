//! Finds credentials in plain text: well-known formats in the headers and the environment of a server, in its arguments
//! and address, and in the command of a hook. They are found so that no bundle carries them.

use std::ops::Range;

/// The prefixes of well-known credentials, and the minimum number of characters after each.
const BEGINNINGS: [(&str, usize); 16] = [
    ("sk-", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("AKIA", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("AIza", 30),
    ("npm_", 30),
    ("hf_", 20),
    ("eyJ", 40),
];

/// Headers whose value is always a credential.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "x-api-key", "cookie"];

/// The part of `value` that is a credential in plain text: the value itself, or the text after `Bearer `. A value with
/// a variable is not a credential.
pub fn plain_credential<'a>(key: &str, value: &'a str, header: bool) -> Option<&'a str> {
    if value.contains("${") {
        return None;
    }
    let scheme = ["Bearer ", "bearer ", "Basic ", "Token ", "token "];
    let bare = scheme.iter().find_map(|scheme| value.strip_prefix(scheme));
    let part = bare.unwrap_or(value).trim();
    let shaped = BEGINNINGS.iter().any(|(start, length)| {
        part.strip_prefix(start).is_some_and(|rest| {
            rest.len() >= *length
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
                && !stands_for_any(rest)
        })
    });
    let named = header
        && HEADERS.contains(&key.to_ascii_lowercase().as_str())
        && part.len() >= 8
        && !stands_for_any(part);
    (shaped || named).then_some(part)
}

/// Whether a value is a placeholder for a credential: `xxxxxxxx`, `YOUR_API_KEY`, `<token>`.
fn stands_for_any(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut letters: Vec<char> = lower.chars().filter(|c| c.is_alphanumeric()).collect();
    letters.sort_unstable();
    letters.dedup();
    let spoken = ["your", "example", "placeholder", "changeme", "change-me", "replace", "insert", "dummy"];
    letters.len() < 2
        || value.contains(['<', '>', '…', '$', '{'])
        || value.contains("...")
        || lower.contains("xxxx")
        || spoken.iter().any(|word| lower.contains(word))
}

/// The endings of names of options, parameters and headers that hold a credential.
const ENDINGS: [&str; 8] =
    ["apikey", "token", "secret", "password", "passwd", "authorization", "accesskey", "privatekey"];

/// The first plain-text credential in an argument, an address or a command: a well-known format, the value of an
/// option, a parameter or a header whose name suggests a credential, or the password of an address. Returned with that
/// name, if there is one; `before` is the argument before the text.
pub fn find_credential(text: &str, before: Option<&str>) -> Option<(Range<usize>, Option<String>)> {
    let whole = before.filter(|option| option.starts_with('-')).and_then(name_before);
    if let Some(name) = whole
        && is_mixed(text, 16)
    {
        return Some((0..text.len(), Some(name)));
    }
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !is_part(c)) {
        let bare = word.trim_end_matches(|c: char| !is_part(c) || c == '.');
        let range = at..at + bare.len();
        at += word.len();
        let shaped = BEGINNINGS
            .iter()
            .any(|(start, length)| bare.strip_prefix(start).is_some_and(|rest| is_mixed(rest, *length)));
        let name = || name_before(&text[..range.start]);
        let next = text[range.end..].chars().next();
        let ends = next.is_none_or(|c| c.is_whitespace() || "\"'&#;@)`\\".contains(c));
        if shaped || (ends && is_mixed(bare, 16) && name().is_some()) {
            return Some((range.clone(), name()));
        }
        if next == Some('@') && is_password(&text[..range.start], bare) {
            return Some((range, Some("password".to_owned())));
        }
    }
    None
}

/// Whether text after `text` would be inside single quotes in a shell.
pub fn in_single_quotes(text: &str) -> bool {
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
    }
    single
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// Whether a text mixes letters and digits as ordinary words seldom do, and is not a placeholder.
fn is_mixed(text: &str, length: usize) -> bool {
    text.len() >= length
        && text.chars().all(is_part)
        && text.bytes().filter(u8::is_ascii_digit).count() >= if length < 16 { 2 } else { 3 }
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !stands_for_any(text)
}

/// The name of the option, parameter or header that `text` ends with, if the name suggests a credential.
fn name_before(text: &str) -> Option<String> {
    let text = text.trim_end_matches(['"', '\'', ' ']);
    let scheme = ["Bearer", "bearer", "Basic", "Token", "token"];
    let text = match scheme.iter().find_map(|scheme| text.strip_suffix(scheme)) {
        Some(rest) if rest.ends_with([' ', ':']) => rest.trim_end(),
        _ => text,
    };
    let text = text.trim_end_matches(['=', ':', ' ']);
    let word = text.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
    let name = word.trim_start_matches('-');
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    ENDINGS.iter().any(|ending| plain.ends_with(ending)).then(|| name.to_owned())
}

/// Whether `word` is the password of an address, after `scheme://user:`.
fn is_password(before: &str, word: &str) -> bool {
    let user = before.strip_suffix(':').and_then(|rest| rest.rsplit_once("://")).map(|(_, user)| user);
    user.is_some_and(|user| user.chars().all(is_part) && user != word && is_mixed(word, 8))
}

/// A name for the variable that replaces a credential.
pub fn variable(server: &str, key: &str, header: bool) -> String {
    let whole = if header { format!("{server}_{key}") } else { key.to_owned() };
    let name: String =
        whole.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up value of a known format, assembled here so that no scanner takes it for a real one.
    fn made_up(start: &str) -> String {
        format!("{start}{}", "a1".repeat(20))
    }

    #[test]
    fn a_sign_of_several_bytes_ends_an_option() {
        let value = "a1b2c3d4e5f6a7b8";
        assert_eq!(find_credential(value, Some("-y\u{feff}")), None);
        assert_eq!(
            find_credential(value, Some("-y…token")),
            Some((0..value.len(), Some("token".to_owned())))
        );
    }

    #[test]
    fn finds_credentials_inside_of_longer_texts() {
        let value = made_up("ghp_");
        let plain = "a1b2c3d4e5f6a7b8";
        let name = |name: &str| Some(name.to_owned());
        for (text, before, part, named) in [
            (format!("--header=Authorization: Bearer {value}"), None, value.as_str(), name("Authorization")),
            (format!("curl -H 'X-Api-Key: {plain}' https://e.org"), None, plain, name("X-Api-Key")),
            (format!("curl -H 'X-Trace: {value}'"), None, &value, None),
            (value.clone(), None, &value, None),
            (plain.to_owned(), Some("--api-key"), plain, name("api-key")),
            (format!("--access-token={plain}"), None, plain, name("access-token")),
            (format!("https://e.org/mcp?api_key={plain}&x=1"), None, plain, name("api_key")),
            (format!("postgres://me:{plain}@e.org/db"), None, plain, name("password")),
            (format!("TOKEN=\"{plain}\" node x.js"), None, plain, name("TOKEN")),
        ] {
            let (range, found) = find_credential(&text, before).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((&text[range], found), (part, named), "{text}");
        }
        for (text, before) in [
            ("--token-file=/run/secrets/token1234567890abcdef", None),
            ("a1b2c3d4e5f6a7b8", Some("--commit")),
            ("--api-key=YOUR_API_KEY_1234567890", None),
            ("https://e.org/?token=${TOKEN}", None),
            ("@scope/sk-learn-and-much-more-words", None),
            ("postgres://postgres:postgres@localhost/db", None),
            ("--max-tokens=1234567890123456", None),
            ("TOKEN=$(cat ~/.tokens/a1b2c3d4e5f6a7b8) x", None),
            ("mytask-sk-a1b2c3d4e5f6a7b8c9", None),
        ] {
            assert_eq!(find_credential(text, before), None, "{text}");
        }
        assert!(in_single_quotes("curl -H 'a \"b") && !in_single_quotes("a \"it's \\\" "));
    }

    #[test]
    fn finds_known_shapes_and_headers_that_are_credentials() {
        for start in ["sk-", "ghp_", "github_pat_", "xoxb-", "AKIA"] {
            let value = made_up(start);
            assert_eq!(plain_credential("KEY", &value, false), Some(value.as_str()), "{start}");
        }
        assert_eq!(plain_credential("Authorization", "Bearer abcdefgh12", true), Some("abcdefgh12"));
        for (key, value) in
            [("KEY", "sk-short"), ("KEY", "sk-learn and much more"), ("Accept", "application/json")]
        {
            assert_eq!(plain_credential(key, value, true), None, "{value}");
        }
        assert_eq!(plain_credential("Authorization", "Bearer ${TOKEN}", true), None);
        for value in ["ghp_xxxxxxxxxxxxxxxxxxxx", "sk-your-api-key-goes-here", "Bearer <your token>"] {
            assert_eq!(plain_credential("Authorization", value, true), None, "{value}");
        }
        assert_eq!(variable("my-api", "X-Api-Key", true), "MY_API_X_API_KEY");
    }
}
