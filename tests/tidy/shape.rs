//! The shape of files: a paragraph on top, few lines, ordered collections, names that say something.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::files::SourceFile;
use super::rust::{Token, tokens};

/// Most lines of one file.
const LINES: usize = 400;
/// The median must stay below this many lines.
pub const MEDIAN: usize = 200;

/// A file that does not begin with a `//!` paragraph.
pub fn undescribed(file: &SourceFile) -> Vec<String> {
    let first = file.text.lines().next().unwrap_or_default();
    let is_described = first.strip_prefix("//! ").is_some_and(|words| words.split_whitespace().count() >= 3);
    let place = &file.path;
    (!is_described)
        .then(|| format!("{place}:1: begin with `//!` and a sentence on what the file is for"))
        .into_iter()
        .collect()
}

/// A file over the limit.
pub fn long(file: &SourceFile) -> Vec<String> {
    let lines = file.text.lines().count();
    let place = &file.path;
    (lines > LINES)
        .then(|| format!("{place}:{LINES}: {lines} lines: split it by topic, at most {LINES}"))
        .into_iter()
        .collect()
}

/// The median number of lines.
pub fn median(files: &[SourceFile]) -> usize {
    let mut lines: Vec<usize> = files.iter().map(|file| file.text.lines().count()).collect();
    lines.sort_unstable();
    lines.get(lines.len() / 2).copied().unwrap_or_default()
}

/// Collections whose order differs from run to run.
pub fn unordered(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    for (line, token) in tokens(&file.text) {
        if token.named("HashMap") || token.named("HashSet") {
            found.push(format!(
                "{}:{line}: use `BTreeMap` or `BTreeSet`: order reaches the output",
                file.path
            ));
        }
    }
    found
}

/// A hash of a debug print, which may change with the compiler and with any type.
pub fn hashed_debug(file: &SourceFile) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter(|(_, line)| line.contains("sha256(") && line.contains(":?}"));
    found.map(|(at, _)| format!("{}:{}: hash the bytes of a serialized value", file.path, at + 1)).collect()
}

/// What one place computes, as others would write it, and whom to ask instead.
const COMPUTED_ONCE: [(&str, &str, &str); 15] = [
    ("memrchr(b'\\n'", "src/source/lines.rs", "`source::line_start`"),
    ("find('\\n').map_or(", "src/source/lines.rs", "`source::line_start`, `line_end` or `next_line`"),
    ("find('\\n').unwrap_or(", "src/source/lines.rs", "`source::line_end`"),
    ("memchr(b'\\n', &bytes[", "src/source/lines.rs", "`source::line_end` or `next_line`"),
    ("rsplit('\\n').next().unwrap_or", "src/source/lines.rs", "`source::last_line`"),
    (".pointer(format!(", "src/read/pointer.rs", "`JsonPointer::key`"),
    ("pointer}/{", "src/read/pointer.rs", "`JsonPointer::key`"),
    ("format!(\"{}/{}\", self.other.pointer", "src/read/pointer.rs", "`JsonPointer::key`"),
    ("\"_-./\"", "src/read/path_words.rs", "`path_words::is_path_char`"),
    ("';|&", "src/read/path_words.rs", "`path_words::ends_in_command` or `is_edge`"),
    ("extension() == Some(\"md\")", "src/source/markdown_path.rs", "`source::is_markdown`"),
    ("extension() != Some(\"md\")", "src/source/markdown_path.rs", "`source::is_markdown`"),
    ("eq_ignore_ascii_case(\"md\")", "src/source/markdown_path.rs", "`source::is_markdown`"),
    (".ends_with(\".md\")", "src/source/markdown_path.rs", "`source::is_markdown`"),
    ("format!(\"{}:{}\", plugin.name", "src/model/qualified_name.rs", "`qualified_name::qualify`"),
];

/// Line starts, JSON pointers, ends of paths and qualified names that are put together by hand: they differ then from
/// place to place.
pub fn computed_again(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    for (written, owner, ask) in COMPUTED_ONCE.iter().filter(|(_, owner, _)| *owner != file.path) {
        let lines = file.text.lines().enumerate().filter(|(_, line)| line.contains(written));
        found.extend(lines.map(|(at, _)| format!("{}:{}: use {ask} ({owner})", file.path, at + 1)));
    }
    found
}

/// The rows that handle names of components.
const NAME_ROWS: [&str; 5] = ["model", "lower", "check", "build", "drivers"];

/// The files of those rows that split something else at a colon.
const OTHER_COLONS: [(&str, &str); 12] = [
    ("src/model/qualified_name.rs", "the owner"),
    ("src/model/names.rs", "the parts of a name become folders"),
    ("src/model/plugin/find.rs", "the parts of a name, each with its own fault"),
    ("src/model/manifest/fields.rs", "the scheme of an address"),
    ("src/model/server/fields.rs", "the scheme of an address"),
    ("src/lower/place.rs", "the parts of a name become folders"),
    ("src/lower/field_leaves.rs", "the key of a line of YAML"),
    ("src/lower/hooks/tool_call.rs", "`plugin:PLUGIN:SERVER`"),
    ("src/lower/native_actions/read_only.rs", "the words of a table"),
    ("src/check/suppress.rs", "a rule and its reason"),
    ("src/check/dispatch.rs", "any part of a name"),
    ("src/drivers/installation.rs", "the folders of a search path"),
];

/// Qualified names that are taken apart by hand.
pub fn split_names(file: &SourceFile) -> Vec<String> {
    let row = file.path.strip_prefix("src/").and_then(|path| path.split(['/', '.']).next());
    let is_exempt = OTHER_COLONS.iter().any(|(path, _)| *path == file.path);
    if is_exempt || !row.is_some_and(|row| NAME_ROWS.contains(&row)) {
        return Vec::new();
    }
    const SPLITS: [&str; 4] = ["split_once(':')", "rsplit_once(':')", "rsplit(':')", ".split(':')"];
    let splits = |line: &str| SPLITS.iter().any(|split| line.contains(split));
    let lines = file.text.lines().enumerate().filter(|(_, line)| splits(line));
    let ask = "use `parts_of`, `prefix_of` or `last_of` (src/model/qualified_name.rs)";
    lines.map(|(at, _)| format!("{}:{}: {ask}", file.path, at + 1)).collect()
}

/// The owners of state that all of a process shares: the interrupt, and two of the programs that fail or wait as a test
/// wants, which nobody else builds.
const STATE_OWNERS: [&str; 3] =
    ["src/process/interrupt.rs", "src/disk/fs_op/fault.rs", "src/progress/hold.rs"];

/// A static that can change: two callers in one process would share it.
pub fn global_state(file: &SourceFile) -> Vec<String> {
    if STATE_OWNERS.contains(&file.path.as_str()) {
        return Vec::new();
    }
    const CHANGING: [&str; 5] = ["Atomic", "Mutex<", "RwLock<", "Cell<", "static mut "];
    let is_static = |line: &str| {
        let before = line.split_once("static ").map(|(before, _)| before.trim());
        before.is_some_and(|before| before.is_empty() || before.starts_with("pub"))
            || line.trim_start().starts_with("thread_local!")
    };
    let changes =
        |line: &str| CHANGING.iter().any(|word| line.contains(word)) || line.contains("thread_local!");
    let found = file.text.lines().enumerate().filter(|(_, line)| is_static(line) && changes(line));
    found.map(|(at, _)| format!("{}:{}: hand the state down as a value", file.path, at + 1)).collect()
}

/// A sort of the standard library in the helper, which would carry it twice.
pub fn own_sort(file: &SourceFile) -> Vec<String> {
    if !file.path.starts_with("src/runtime") {
        return Vec::new();
    }
    let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().enumerate().filter(|(_, line)| line.contains(".sort"));
    lines.map(|(at, _)| format!("{}:{}: sort with `order`, which is small", file.path, at + 1)).collect()
}

/// A file or folder whose name would fit anything.
pub fn empty_name(file: &SourceFile) -> Vec<String> {
    const EMPTY: [&str; 7] = ["utils", "util", "common", "helpers", "misc", "shared", "stuff"];
    let stems = file.path.split('/').map(|part| part.trim_end_matches(".rs"));
    let empty = stems.flat_map(|stem| stem.split('_')).find(|word| EMPTY.contains(word));
    let place = &file.path;
    empty
        .map(|word| format!("{place}:1: `{word}` says nothing: name the file after what it holds"))
        .into_iter()
        .collect()
}

/// The file with the lines of the rules that other modules report.
const REPORTED: &str = "reported.rs";

/// Rules without a page of the same name, and the reverse. A folder that is not there has none.
pub fn rule_pages(folder: &Path) -> Vec<String> {
    let mut code = BTreeSet::new();
    let mut pages = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == REPORTED {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let pages = text.split("include_str!(\"").skip(1);
            code.extend(pages.filter_map(|page| Some(page.split_once(".md")?.0.replace('_', "-"))));
        } else if let Some(stem) = name.strip_suffix(".rs") {
            code.insert(stem.replace('_', "-"));
        } else if let Some(stem) = name.strip_suffix(".md") {
            pages.insert(stem.replace('_', "-"));
        }
    }
    let unpaired = code.symmetric_difference(&pages);
    unpaired.map(|rule| format!("src/check/rules: `{rule}` needs both a `.rs` and a `.md` file")).collect()
}

#[test]
fn shapeless_files_are_found() {
    let found = |check: fn(&SourceFile) -> Vec<String>, path: &str, text: &str| {
        check(&SourceFile::new(path, text)).len()
    };
    assert_eq!(found(undescribed, "a.rs", "use std::fs;\n"), 1);
    assert_eq!(found(undescribed, "a.rs", "//! Todo\n"), 1);
    assert_eq!(found(undescribed, "a.rs", "//! Reads a file.\n"), 0);
    assert_eq!(found(long, "a.rs", &"x\n".repeat(401)), 1);
    assert_eq!(found(long, "a.rs", &"x\n".repeat(400)), 0);
    assert_eq!(found(unordered, "a.rs", "use std::collections::HashMap;\nlet a: HashSet<u8>;"), 2);
    assert_eq!(found(unordered, "a.rs", "// HashMap\nlet a = \"HashMap\";"), 0);
    assert_eq!(found(empty_name, "src/read/utils.rs", ""), 1);
    assert_eq!(found(empty_name, "src/common/yaml.rs", ""), 1);
    assert_eq!(found(empty_name, "src/yaml_helpers.rs", ""), 1);
    assert_eq!(found(empty_name, "src/helper.rs", ""), 0);
    let file = |lines: usize| SourceFile::new("a.rs", &"x\n".repeat(lines));
    assert_eq!(median(&[file(9), file(1), file(3)]), 3);
}

#[test]
fn unpaired_rules_are_found() {
    let tree =
        crate::support::tree::Tree::new().file("one.rs", "").file("one.md", "").file("two_words.rs", "");
    let found = rule_pages(tree.temporary().path());
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("`two-words`"));
    assert!(matches!(tokens("a")[0].1, Token::Name(_)));
}
