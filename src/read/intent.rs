//! Whether a path that a text mentions is meant to exist. Most missing paths are examples, placeholders, or files that
//! the text says to create, and a diagnostic must not be a false positive.

mod list;
mod planned;

use camino::Utf8Path;

pub use list::list_intro;
pub use planned::{is_called_planned, is_planned};

use super::shell_names::{is_interpreter, is_shell};
use crate::source::line_start;

/// Words before a path that say to use an existing file.
const USES: [&str; 14] = [
    "see",
    "read",
    "follow",
    "load",
    "run",
    "runs",
    "execute",
    "invoke",
    "consult",
    "open",
    "source",
    "according",
    "per",
    "npx",
];

/// Words before a path that say to create it, or that it is a placeholder.
const CREATING_WORDS: [&str; 18] = [
    "create",
    "creates",
    "write",
    "writes",
    "save",
    "saves",
    "generate",
    "generates",
    "output",
    "outputs",
    "touch",
    "mkdir",
    "add",
    "e.g",
    "example",
    "like",
    "would",
    "your",
];

/// Placeholders for any name.
const PLACEHOLDERS: [&str; 8] = ["your", "my", "foo", "bar", "baz", "xxx", "example", "name"];

/// More placeholders, for parts of a path.
const PATH_STANDS: [&str; 6] = ["path", "file", "filename", "to", "some", "script"];

/// More placeholders, for agents.
const AGENT_STANDS: [&str; 11] = [
    "agent",
    "agents",
    "agent-name",
    "agent_name",
    "agent-type",
    "agent_type",
    "type",
    "the",
    "string",
    "custom",
    "none",
];

/// Whether the line, before byte `at`, says to use what is named there.
pub fn uses(text: &str, at: usize) -> bool {
    let tells = |word: &str| USES.contains(&word) || is_shell(word) || is_interpreter(word);
    words_before(text, at).iter().any(|word| tells(word))
}

/// Whether the line, before byte `at`, says to create what is named there or that it is a placeholder, or redirects the
/// output of a command to it.
pub fn is_created(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(['"', '\'', ' ']);
    contains_any(text, at, &CREATING_WORDS)
        || before.ends_with('>')
        || before.ends_with("-o")
        || before.ends_with("--output")
}

/// Whether the line, before byte `at`, joins what is named there to the folder of a program's own file: such a path is
/// relative to wherever the program lies.
pub fn is_joined(text: &str, at: usize) -> bool {
    let before = line_around(text, at, at).0;
    let last = ["__file__", "__dirname", "import.meta"].iter().filter_map(|own| before.rfind(own)).max();
    last.is_some_and(|from| !before[from..].contains(';'))
}

/// How many bytes of a line are read on each side of an offset: a whole file may be one line, with a path in every
/// word.
const NEAR_LINE: usize = 1000;

/// The line before byte `start` and after byte `end`; only the nearest part of a very long line.
pub fn line_around(text: &str, start: usize, end: usize) -> (&str, &str) {
    let from = text.ceil_char_boundary(start.saturating_sub(NEAR_LINE));
    let to = text.floor_char_boundary(end.saturating_add(NEAR_LINE).min(text.len()));
    let before = text[from..start].rsplit('\n').next().unwrap_or_default();
    (before, text[end..to].split('\n').next().unwrap_or_default())
}

/// The words of the line before byte `at`, in lower case; only the last ones of a very long line.
pub fn words_before(text: &str, at: usize) -> Vec<String> {
    let line = line_around(text, at, at).0.to_lowercase();
    let word = |c: char| !(c.is_alphanumeric() || c == '.' || c == '-');
    line.split(word).map(|word| word.trim_matches('.').to_owned()).filter(|word| !word.is_empty()).collect()
}

fn contains_any(text: &str, at: usize, list: &[&str]) -> bool {
    words_before(text, at).iter().any(|word| list.contains(&word.as_str()))
}

/// Whether a part of a path is a placeholder. `examples` is not: it is a real folder name.
pub fn stands_for_any(part: &str) -> bool {
    let (written, part) = (part, part.to_lowercase());
    let stem = part.split('.').next().unwrap_or_default();
    PATH_STANDS.contains(&stem)
        || stem.contains("yyyy")
        || is_placeholder(stem)
        || has_number_to_fill(written)
}

/// Whether a part of a path has letters for a number: `NNN-title.md`, `vX.Y.Z.md`, `vN.md`.
fn has_number_to_fill(part: &str) -> bool {
    let is_run = |word: &str| word.len() > 1 && word.bytes().all(|byte| matches!(byte, b'N' | b'X'));
    let mut words = part.split(|c: char| !c.is_ascii_alphanumeric());
    part.contains("X.Y") || words.any(|word| is_run(word) || matches!(word, "vN" | "vX"))
}

/// Whether a part of an agent's name is a placeholder.
pub fn stands_for_any_agent(part: &str) -> bool {
    let part = part.to_lowercase();
    AGENT_STANDS.contains(&part.as_str()) || is_placeholder(&part)
}

/// Whether a word, in lower case, is a placeholder.
fn is_placeholder(word: &str) -> bool {
    PLACEHOLDERS.contains(&word)
        || ["your-", "my-", "foo-", "bar-"].iter().any(|start| word.starts_with(start))
        || (word.starts_with("example") && word != "examples")
        || word.contains("xxx")
}

/// Whether a text is among examples or templates, whose paths belong to other projects.
pub fn in_examples(path: &Utf8Path) -> bool {
    folders(path).any(|part| matches!(part, "examples" | "example" | "templates" | "assets"))
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

/// The names of the folders in a plain path.
fn folders(path: &Utf8Path) -> impl Iterator<Item = &str> {
    path.as_str().rsplit_once('/').into_iter().flat_map(|(folders, _)| folders.split('/'))
}

/// Names of changelogs, without their extension, in upper case.
const CHANGELOGS: [&str; 7] =
    ["CHANGELOG", "CHANGES", "HISTORY", "NEWS", "RELEASES", "RELEASE-NOTES", "RELEASE_NOTES"];

/// Whether a text is a changelog: it describes the past, and what it names may be gone.
pub fn is_changelog(path: &Utf8Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    CHANGELOGS.iter().any(|name| name.eq_ignore_ascii_case(stem))
}

/// Names of files for maintainers of the plugin, without their extension, in upper case.
const MAINTAINING: [&str; 6] =
    ["CONTRIBUTING", "DEVELOPMENT", "DEVELOPING", "MAINTAINING", "MAINTAINERS", "RELEASING"];

/// Whether a text is for maintainers of the plugin: it mentions files of the source repository, past or present.
pub fn is_for_maintainers(path: &Utf8Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_ascii_uppercase();
    is_changelog(path) || MAINTAINING.contains(&stem.as_str())
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
    const FOLDERS: [&str; 7] =
        ["test", "tests", "__tests__", "fixtures", "testdata", "test-files", "test_files"];
    path.parent().into_iter().flat_map(Utf8Path::components).any(|part| FOLDERS.contains(&part.as_str()))
}

/// The text within 200 bytes of a span that begins at `start` and ends at `end`.
pub fn surrounding_text(text: &str, start: usize, end: usize) -> &str {
    let edge = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    &text[edge(start.saturating_sub(200))..edge((end + 200).min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_line_tell() {
        let text = "Do not create it.\nRead `a.md`, then echo x > b.md";
        let at = |path: &str| text.find(path).unwrap();
        assert!(uses(text, at("a.md")) && !is_created(text, at("a.md")) && is_created(text, at("b.md")));
        assert!(stands_for_any("your-file.md") && stands_for_any("YYYY-MM.md") && !stands_for_any("how.md"));
        assert!(stands_for_any("example.md") && !stands_for_any("examples"));
        assert!(stands_for_any_agent("Agent-Name") && !stands_for_any_agent("script"));
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
