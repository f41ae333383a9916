//! Whether a path that a text mentions is meant to exist. Most missing paths are examples, placeholders, or files that
//! the text says to create, and a diagnostic must not be a false positive.

mod list;
mod planned;

use camino::Utf8Path;

pub use list::list_intro;
pub use planned::{is_called_planned, is_planned};

use super::shell_names::{is_interpreter, is_shell};
use crate::source::last_line;

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
    let before = last_line(&text[from..start]);
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

/// Whether a word, in lower case, is a placeholder.
pub fn is_placeholder(word: &str) -> bool {
    PLACEHOLDERS.contains(&word)
        || ["your-", "my-", "foo-", "bar-"].iter().any(|start| word.starts_with(start))
        || (word.starts_with("example") && word != "examples")
        || word.contains("xxx")
}

/// Whether a text is among examples or templates, whose paths belong to other projects.
pub fn in_examples(path: &Utf8Path) -> bool {
    folders(path).any(|part| matches!(part, "examples" | "example" | "templates" | "assets"))
}

/// The names of the folders in a plain path.
pub fn folders(path: &Utf8Path) -> impl Iterator<Item = &str> {
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
    }
}
