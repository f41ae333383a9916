//! Reads Markdown line by line: top-level frontmatter keys, and the names in the body that mean
//! something to the source host.

use super::components::{Component, Root};

/// Tools that the source host offers to the model.
const TOOLS: [&str; 13] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "Read",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// The names that a text may use.
pub struct Names {
    /// Skills, commands and agents of the source, as the source host shows them.
    qualified: Vec<String>,
}

impl Names {
    /// The names of some plugins.
    pub fn from_roots(roots: &[Root]) -> Self {
        Self { qualified: roots.iter().flat_map(Root::qualified).collect() }
    }
}

/// Splits a text into frontmatter lines and body, at the first three dashes behind the first line; the body comes with the
/// byte offset of its start.
fn split(text: &str) -> (Vec<&str>, usize) {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let first = text[mark..].split_inclusive('\n').next().unwrap_or_default();
    let yaml = mark + first.len();
    let closing = text[yaml..].find("---").filter(|_| first.trim_end() == "---" && first.ends_with('\n'));
    match closing {
        Some(at) => (text[yaml..yaml + at].split_inclusive('\n').collect(), yaml + at + 3),
        None => (Vec::new(), mark),
    }
}

/// The keys at the left margin between the `---` lines, in order and without repetition.
pub fn frontmatter_keys(text: &str) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for line in split(text).0 {
        if line.starts_with([' ', '\t', '#', '-', '\r', '\n']) {
            continue;
        }
        let end = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len));
        let Some(key) = end.map(|end| line[..end].trim_matches(['"', '\''])) else { continue };
        let plain = |c: char| c.is_alphanumeric() || "-_.$ /".contains(c);
        if !key.is_empty() && key.chars().all(plain) && !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    keys
}

/// The frontmatter's `name`, where it stands on one line.
pub fn frontmatter_name(text: &str) -> Option<String> {
    let line = split(text).0.into_iter().find_map(|line| line.strip_prefix("name:"))?;
    let name = line.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Every use of a name in the body, with its byte offset in the file.
pub fn references(text: &str, kind: Component, names: &Names) -> Vec<(String, usize)> {
    let start = split(text).1;
    let body = &text[start..];
    let mut found = Vec::new();
    for name in &names.qualified {
        let uses = body.match_indices(name.as_str()).filter(|(at, _)| stands_alone(body, *at, name));
        found.extend(uses.map(|(at, _)| (name.clone(), start + at)));
    }
    for (at, _) in body.match_indices("${CLAUDE_") {
        if let Some(length) = body[at..].find('}')
            && !body[..at].ends_with('\\')
            && body[at + 2..at + length]
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        {
            found.push((body[at..=at + length].to_owned(), start + at));
        }
    }
    if matches!(kind, Component::Skill | Component::Command) {
        let word = "$ARGUMENTS";
        let alone =
            |at: usize| !body[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let uses = body.match_indices(word).filter(|(at, _)| alone(*at) && !body[..*at].ends_with('\\'));
        found.extend(uses.map(|(at, _)| (word.to_owned(), start + at)));
    }
    found.extend(tools(body).into_iter().map(|(name, at)| (name, start + at)));
    found
}

/// Whether an occurrence is the whole name and no part of a longer one: a full stop or a colon after it
/// ends a sentence unless a letter follows.
fn stands_alone(body: &str, at: usize, name: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let after = body[at + name.len()..].trim_start_matches(['-', ':', '.']);
    // `$plugin:name` is how another host calls a skill.
    let before = |c: char| letter(c) || matches!(c, '-' | ':' | '$');
    !after.starts_with(letter) && !body[..at].ends_with(before)
}

/// Tool names that are a whole code span, outside fences.
fn tools(body: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut fence: Option<String> = None;
    let mut offset = 0;
    for line in body.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let marker: String = ['`', '~']
            .iter()
            .map(|mark| trimmed.chars().take_while(|c| c == mark).collect::<String>())
            .find(|marker| marker.len() >= 3)
            .unwrap_or_default();
        match &fence {
            Some(open) => {
                let closes = marker.starts_with(open.as_str()) && trimmed.trim_end() == marker;
                fence = fence.filter(|_| !closes);
            }
            None if !marker.is_empty() => fence = Some(marker),
            None => {
                for tool in TOOLS {
                    let span = format!("`{tool}`");
                    for (at, _) in line.match_indices(&span) {
                        let after = &line[at + span.len()..];
                        if !line[..at].ends_with('`') && !after.starts_with('`') {
                            found.push((tool.to_owned(), offset + at + 1));
                        }
                    }
                }
            }
        }
        offset += line.len();
    }
    found
}
