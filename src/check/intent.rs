//! What a text means to do with what it shows or names: examples to recognise, entries with an explanation, templates.
//! Only rules ask.

use camino::Utf8Path;

use crate::read::intent::{folders, is_placeholder, line_around, surrounding_text};
use crate::source::line_start;

/// Placeholders for any agent, skill or command.
const AGENT_STANDS: [&str; 19] = [
    "agent",
    "agents",
    "agent-name",
    "agent_name",
    "agent-type",
    "agent_type",
    "command-name",
    "command_name",
    "plugin-name",
    "plugin_name",
    "skill-name",
    "skill_name",
    "target-name",
    "target_name",
    "type",
    "the",
    "string",
    "custom",
    "none",
];

/// Whether a part of an agent's name is a placeholder.
pub fn stands_for_any_agent(part: &str) -> bool {
    let part = part.to_lowercase();
    AGENT_STANDS.contains(&part.as_str()) || is_placeholder(&part)
}

/// Whether a text is a template by its name, such as `readme_template.md`, or has `template` elsewhere in its name and
/// contains placeholders to be filled in. Its links are meant for the file that is made from it.
pub fn is_template(path: &Utf8Path, text: &str) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_ascii_lowercase();
    let mut words = stem.split(['_', '-', '.']).rev().map(|word| matches!(word, "template" | "templates"));
    words.next().unwrap_or_default() || words.any(|is_one| is_one) && text.contains("{{")
}

/// Whether a text is among the expected outputs of a skill: its links lead to files that the skill creates.
pub fn in_expected_output(path: &Utf8Path) -> bool {
    const NAMES: [&str; 6] =
        ["expected_output", "expected_outputs", "sample_output", "sample_outputs", "golden", "goldens"];
    let is_same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b) || (a, b) == (b'-', b'_');
    let is_name = |part: &str, name: &str| {
        part.len() == name.len() && part.bytes().zip(name.bytes()).all(|(a, b)| is_same(a, b))
    };
    folders(path).any(|part| NAMES.iter().any(|name| is_name(part, name)))
}

/// Whether the name at a span is a list entry or the first cell of a row, followed by an explanation.
pub fn is_explained(text: &str, start: usize, end: usize) -> bool {
    let before = &text[line_start(text, start)..start];
    let mark = before.trim_matches(['`', '*', ' ', '\t']);
    let listed = match mark {
        "|" | "-" | "+" => true,
        // The `trim_matches` above removed the mark of such a list.
        "" => before.trim_start().starts_with("* "),
        number => number.strip_suffix(['.', ')']).is_some_and(|number| number.parse::<u8>().is_ok()),
    };
    let after = text[end..].trim_start_matches(['`', '*', ' ', '\t']);
    listed && after.starts_with(['|', ':', '-', '–', '—', '='])
}

/// Whether the code span at these bytes is one of several in a row: a text that enumerates things asks for none of
/// them.
pub fn is_one_of_several(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: char| c.is_whitespace() || c == ',' || c == '/';
    let before = text[..start].strip_suffix('`').map(|before| {
        let before = before.trim_end_matches(joins);
        before
            .strip_suffix("or")
            .or_else(|| before.strip_suffix("and"))
            .unwrap_or(before)
            .trim_end_matches(joins)
    });
    let after = text[end..].strip_prefix('`').map(|after| {
        let after = after.trim_start_matches(joins);
        after
            .strip_prefix("or ")
            .or_else(|| after.strip_prefix("and "))
            .unwrap_or(after)
            .trim_start_matches(joins)
    });
    before.is_some_and(|before| before.ends_with('`')) && after.is_some()
        || before.is_some() && after.is_some_and(|after| after.starts_with('`'))
}

/// Whether a line says that what it lists may not exist.
pub fn is_conditional(line: &str) -> bool {
    let line = line.to_lowercase();
    let mut words = line.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == "if") && ["exist", "available", "present"].iter().any(|word| line.contains(word))
}

/// Folders of the user's repository, after a preposition.
const USERS_FOLDERS: [&str; 8] = [
    "project root",
    "project's root",
    "root of the project",
    "repo root",
    "repository root",
    "root of the repo",
    "target repo",
    "target project",
];

/// Whether the words around the path at a span say that it is one of the user's project: "the project's" before it, or
/// "from the project root" after it or at the beginning of its sentence.
pub fn is_of_users_project(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = around_path(text, start, end);
    let owners = ["project's", "project’s", "repo's", "repository's"];
    if owners.iter().any(|owner| before.ends_with(owner)) {
        return true;
    }
    let is_place = |words: &str| {
        let words = words.trim_start_matches([' ', '*', '(']);
        let place = ["from ", "in ", "at "].iter().find_map(|word| words.strip_prefix(word));
        let article = |place: &str| {
            ["the ", "your ", "their "].iter().find_map(|word| place.strip_prefix(word).map(str::to_owned))
        };
        let place = place.map(|place| article(place).unwrap_or_else(|| place.to_owned()));
        place.is_some_and(|place| USERS_FOLDERS.iter().any(|folder| place.starts_with(folder)))
    };
    let sentence = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    is_place(&after) || is_place(sentence)
}

/// Whether the sentence of the path at a span says what to do if it exists.
pub fn is_if_there(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = around_path(text, start, end);
    let sentence = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    let is_there = ["exist", "is present", "is available", "is there"];
    words.any(|word| matches!(word, "if" | "when" | "where"))
        && is_there.iter().any(|word| after.trim_start().starts_with(word))
}

/// The line before and after a path, without its code span, in lower case.
fn around_path(text: &str, start: usize, end: usize) -> (String, String) {
    let (before, after) = line_around(text, start, end);
    let is_code = before.matches('`').count() % 2 == 1;
    let before = if is_code { before.rsplit_once('`').map_or(before, |(before, _)| before) } else { before };
    let after = if is_code { after.split_once('`').map_or(after, |(_, after)| after) } else { after };
    (before.trim_end_matches([' ', '*']).to_lowercase(), after.to_lowercase())
}

/// Words of texts about attacks, which show things to recognise, not to do.
const ATTACKS: [&str; 9] = [
    "attack",
    "malicious",
    "malware",
    "injection",
    "exfiltrat",
    "payload",
    "red flag",
    "suspicious",
    "exploit",
];

/// Whether the words around a span are about attacks.
pub fn is_about_attacks(text: &str, start: usize, end: usize) -> bool {
    let around = surrounding_text(text, start, end).to_lowercase();
    ATTACKS.iter().any(|word| around.contains(word))
}

/// Words of texts about invisible characters.
const HIDDEN_CHARACTER_WORDS: [&str; 4] = ["zero-width", "invisible character", "hidden character", "u+200"];

/// Whether a text is about invisible characters, so that it may contain some on purpose.
pub fn is_about_hidden_characters(text: &str) -> bool {
    let lower = text.to_lowercase();
    HIDDEN_CHARACTER_WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a text is about prompt injection, or about the characters that hide it.
pub fn is_about_injection(text: &str) -> bool {
    is_about_hidden_characters(text) || text.to_lowercase().contains("prompt injection")
}

/// Whether a text is among tests.
pub fn in_tests(path: &Utf8Path) -> bool {
    const FOLDERS: [&str; 8] =
        ["test", "tests", "__tests__", "evals", "fixtures", "testdata", "test-files", "test_files"];
    path.parent().into_iter().flat_map(Utf8Path::components).any(|part| FOLDERS.contains(&part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_agents_are_known() {
        assert!(stands_for_any_agent("Agent-Name") && !stands_for_any_agent("script"));
    }

    #[test]
    fn words_around_a_path_say_whose_it_is() {
        let at = |text: &str| (text.find("s/x.sh").unwrap(), text.find("s/x.sh").unwrap() + 6);
        for text in [
            "Run `bash s/x.sh --all` from the project root.",
            "Run the project's `s/x.sh`.",
            "Run s/x.sh in the target repository.",
            "First. From your repo root, run `s/x.sh`.",
        ] {
            assert!(is_of_users_project(text, at(text).0, at(text).1), "{text}");
        }
        for text in ["Read `s/x.sh` to find the project root.", "Check the project's style with `s/x.sh`."] {
            assert!(!is_of_users_project(text, at(text).0, at(text).1), "{text}");
        }
        let text = "If `s/x.sh` exists, run it.";
        assert!(is_if_there(text, at(text).0, at(text).1));
        for text in ["If Docker is available, run `s/x.sh`.", "Run `s/x.sh`, which exists."] {
            assert!(!is_if_there(text, at(text).0, at(text).1), "{text}");
        }
    }

    #[test]
    fn a_name_is_explained_where_its_meaning_stands_behind_it() {
        let explained = |text: &str| {
            let start = text.find('$').unwrap();
            is_explained(text, start, start + 2)
        };
        for text in
            ["- `$X`: the x", "| `$X` | the x |", "* **$X** – the x", "a\n  1. $X: the x", "+ $X — the x"]
        {
            assert!(explained(text), "{text}");
        }
        for text in
            ["- Write to `$X`: the x", "Read `$X`: the x", "- `$X`", "- `$X/a`: the x", "| a | `$X` |"]
        {
            assert!(!explained(text), "{text}");
        }
    }
}
