//! Independent readers of frontmatter against `[yaml.dialect]`: what our reader says for a host, and what the parser
//! that the host stands on says, over `tests/fixtures/dialects` and the public plugins. Each difference has its reason
//! in a table, and a reason that explains nothing any more fails, too.

pub mod codex;
mod opencode;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plugcast::target::Targets;

use crate::support::corpus::public;
use crate::support::tree::Tree;
use crate::support::{none_left, print_line, root};

/// What a reader has of a file: its top-level scalar values as text, or nothing, because it refuses the file.
type Answer = Option<BTreeMap<String, String>>;

/// Why an independent reader says something else about some files.
struct ExplainedDifference {
    /// The files, as [`texts`] names them.
    files: &'static [&'static str],
    /// Why, and which of the two is what the host does.
    reason: &'static str,
}

/// Every text with frontmatter, by `dialects/<name>` or `<corpus>/<path>`.
fn texts() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let dialects = Tree::read(&root().join("tests/fixtures/dialects/skills"));
    for (path, entry) in dialects.entries() {
        if let Some(name) = path.strip_suffix("/SKILL.md") {
            found.insert(format!("dialects/{name}"), entry.text());
        }
    }
    for corpus in public() {
        markdown(&corpus.source, corpus.name, &mut found);
    }
    found
}

fn markdown(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            markdown(&entry.path(), &path, found);
        } else if path.ends_with(".md")
            && let Ok(text) = std::fs::read_to_string(entry.path())
            && text.trim_start_matches('\u{feff}').starts_with("---")
        {
            found.insert(path, text);
        }
    }
}

/// Compares our reader under the dialect of `host` with `oracle` over every text.
fn compare(host: &str, oracle: fn(&str) -> Answer, explained: &[ExplainedDifference]) {
    let targets = Targets::embedded().expect("the embedded targets load");
    let yaml = &targets.get(host).expect("the host").yaml;
    let texts = texts();
    let mut findings = Vec::new();
    let mut differing = BTreeSet::new();
    for (file, text) in &texts {
        let ours = yaml.read(text).ok();
        if let Some(difference) = difference(&ours, &oracle(text)) {
            differing.insert(file.as_str());
            if !explained.iter().any(|row| row.files.contains(&file.as_str())) {
                findings.push(format!("{file}: {difference}"));
            }
        }
    }
    for row in explained {
        assert!(!row.reason.is_empty() && !row.files.is_empty(), "a reason and its files");
        let gone = row.files.iter().filter(|file| !differing.contains(*file));
        findings.extend(
            gone.map(|file| format!("{file}: both readers agree, so this no longer holds: {}", row.reason)),
        );
    }
    print_line(&format!("{host}: {} texts, {} differ", texts.len(), differing.len()));
    assert!(texts.len() > 1000, "the corpora are there");
    none_left("our reader and the host's parser", &findings);
}

/// The first difference between two answers.
fn difference(ours: &Answer, theirs: &Answer) -> Option<String> {
    let (ours, theirs) = match (ours, theirs) {
        (None, None) => return None,
        (Some(_), None) => return Some("we read it, and the parser refuses it".to_owned()),
        (None, Some(_)) => return Some("we refuse it, and the parser reads it".to_owned()),
        (Some(ours), Some(theirs)) => (ours, theirs),
    };
    let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let key = keys.into_iter().find(|key| ours.get(*key) != theirs.get(*key))?;
    Some(format!("`{key}`: we read {:?}, the parser {:?}", ours.get(key), theirs.get(key)))
}

#[test]
fn a_difference_is_found_wherever_it_is() {
    let answer = |fields: &[(&str, &str)]| -> Answer {
        Some(fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    };
    assert_eq!(difference(&answer(&[("name", "a")]), &answer(&[("name", "a")])), None);
    assert_eq!(difference(&None, &None), None);
    for (ours, theirs) in [
        (answer(&[("name", "a")]), answer(&[("name", "b")])),
        (answer(&[("name", "a")]), answer(&[])),
        (answer(&[]), answer(&[("name", "a")])),
        (answer(&[]), None),
        (None, answer(&[])),
    ] {
        assert!(difference(&ours, &theirs).is_some(), "{ours:?} and {theirs:?}");
    }
}
