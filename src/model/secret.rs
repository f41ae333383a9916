//! Credentials that stand in a source in clear: well-known shapes in the headers and the environment
//! of a server. They are found so that no bundle carries them on.

/// How well-known credentials begin, and how many characters at least follow.
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

/// Headers whose value is a credential whatever it looks like.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "x-api-key", "cookie"];

/// The part of `value` that is a credential in clear: the value itself, or what follows `Bearer `.
/// A value with a variable is none.
pub fn in_clear<'a>(key: &str, value: &'a str, header: bool) -> Option<&'a str> {
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

/// Whether a value is no credential but the place for one: `xxxxxxxx`, `YOUR_API_KEY`, `<token>`.
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

/// A name for the variable that takes the place of a credential.
pub fn variable(server: &str, key: &str, header: bool) -> String {
    let whole = if header { format!("{server}_{key}") } else { key.to_owned() };
    let name: String =
        whole.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up value of a known shape, put together here so that no scanner takes it for a real one.
    fn made_up(start: &str) -> String {
        format!("{start}{}", "a1".repeat(20))
    }

    #[test]
    fn finds_known_shapes_and_headers_that_are_credentials() {
        for start in ["sk-", "ghp_", "github_pat_", "xoxb-", "AKIA"] {
            let value = made_up(start);
            assert_eq!(in_clear("KEY", &value, false), Some(value.as_str()), "{start}");
        }
        assert_eq!(in_clear("Authorization", "Bearer abcdefgh12", true), Some("abcdefgh12"));
        for (key, value) in
            [("KEY", "sk-short"), ("KEY", "sk-learn and much more"), ("Accept", "application/json")]
        {
            assert_eq!(in_clear(key, value, true), None, "{value}");
        }
        assert_eq!(in_clear("Authorization", "Bearer ${TOKEN}", true), None);
        for value in ["ghp_xxxxxxxxxxxxxxxxxxxx", "sk-your-api-key-goes-here", "Bearer <your token>"] {
            assert_eq!(in_clear("Authorization", value, true), None, "{value}");
        }
        assert_eq!(variable("my-api", "X-Api-Key", true), "MY_API_X_API_KEY");
    }
}
