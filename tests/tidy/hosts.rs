//! Hosts are data: outside the drivers and the helper's own table, code names no host.

use super::files::SourceFile;
use super::rust::{Token, tokens};

/// The names. In a string they count as whole words, in an identifier as parts of it.
const HOSTS: [&str; 4] = ["claude-code", "claude", "codex", "opencode"];

/// Where hosts may be named: one file per host, and the helper's table of them.
const OWNERS: [&str; 4] = ["src/drivers/", "src/drivers.rs", "src/runtime/", "src/runtime.rs"];

/// Host names in string literals and identifiers, unit tests left out.
pub fn named_hosts(file: &SourceFile) -> Vec<String> {
    if OWNERS.iter().any(|owner| file.path.starts_with(owner)) || is_test_file(&file.path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, token) in without_tests(tokens(&file.text)) {
        let named = match &token {
            Token::Text(text) => in_text(text),
            Token::Name(name) => in_name(name),
            Token::Mark(_) => None,
        };
        if let Some(host) = named {
            let place = &file.path;
            found.push(format!("{place}:{line}: `{host}` in code: hosts are data, put the fact into targets/<host>/target.toml"));
        }
    }
    found
}

pub(super) fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Cuts unit test modules off: they read the real tables.
pub(super) fn without_tests(tokens: Vec<(usize, Token)>) -> Vec<(usize, Token)> {
    let plain: Vec<&Token> = tokens.iter().map(|(_, token)| token).collect();
    let start = (0..plain.len()).find(|at| {
        let names: Vec<&str> = plain[*at..]
            .iter()
            .take(10)
            .filter_map(|token| if let Token::Name(name) = token { Some(name.as_str()) } else { None })
            .collect();
        let is_module = matches!(names.get(2), Some(&"mod" | &"expect"));
        plain[*at].is('#') && names.starts_with(&["cfg", "test"]) && is_module
    });
    tokens.into_iter().take(start.unwrap_or(usize::MAX)).collect()
}

/// A host as a word of a string. The embedding of `targets/<host>/…` does not count.
fn in_text(text: &str) -> Option<&'static str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let lower = text.to_ascii_lowercase();
    HOSTS.into_iter().find(|host| {
        lower.match_indices(host).any(|(at, _)| {
            let (before, after) = (&lower[..at], &lower[at + host.len()..]);
            !before.ends_with(part) && !after.starts_with(part) && !before.ends_with("targets/")
        })
    })
}

/// A host as a part of an identifier.
fn in_name(name: &str) -> Option<&'static str> {
    let mut parts = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !parts.ends_with(|last: char| last.is_uppercase() || last == '_') {
            parts.push('_');
        }
        parts.push(character);
    }
    let parts = parts.to_lowercase();
    HOSTS.into_iter().find(|host| parts.split('_').any(|part| part == *host))
}

#[test]
fn named_hosts_are_found() {
    let found = |text: &str| named_hosts(&SourceFile::new("src/lower.rs", text)).len();
    assert_eq!(found("if target == \"codex\" {}"), 1);
    assert_eq!(found("let a = \"run `opencode` again\";"), 1);
    assert_eq!(found("let a = \"~/.claude/skills\";"), 1);
    assert_eq!(found("fn lower_for_codex() {}"), 1);
    assert_eq!(found("enum Target { ClaudeCode, OpenCode }"), 1);
    assert_eq!(found("const CODEX: u8 = 1;"), 1);
}

#[test]
fn facts_about_hosts_may_be_said_in_comments() {
    let found = |path: &str, text: &str| named_hosts(&SourceFile::new(path, text)).len();
    assert_eq!(found("src/lower.rs", "/// codex 0.169.0 drops links\nfn lower() {}"), 0);
    assert_eq!(found("src/model.rs", "let a = \".claude-plugin/plugin.json\";"), 0);
    assert_eq!(found("src/target.rs", "include_str!(\"../targets/codex/target.toml\")"), 0);
    assert_eq!(found("src/drivers/codex.rs", "let a = \"codex\";"), 0);
    assert_eq!(found("src/lower.rs", "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = \"codex\"; }"), 0);
}
