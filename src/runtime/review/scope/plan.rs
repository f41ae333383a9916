//! The plan that a change follows: the one that was named, else one that the pull request links, else one whose
//! name holds the words of the branch.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::root::Root;
use crate::disk::{self, Kind};
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::review::findings::plain_path;

use super::File;

/// Where plans lie.
const FOLDER: &str = "docs/plans";
/// Words of branches that say nothing about a plan.
const EMPTY: [&str; 10] =
    ["feat", "feature", "features", "bugfix", "hotfix", "chore", "docs", "refactor", "test", "branch"];

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Relative to the repository's top.
    pub path: String,
    /// What told it.
    pub source: Source,
    /// Whether somebody named it: only then its requirements decide.
    pub explicit: bool,
}

/// What told a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `plan:PATH`.
    Argument,
    /// The text of the pull request.
    PullRequest,
    /// The name of the branch.
    Branch,
}

/// The plan of a change, and one that was named and is not there.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) plan: Option<Plan>,
    pub(super) missing: Option<String>,
}

/// Finds the plan. Of what was named, in the arguments or by the pull request, nothing stands in for a file that is
/// not there.
pub(super) fn find(
    repository: &Repository,
    named: Option<&str>,
    request: Option<&PullRequest>,
    (branch, files): (Option<&str>, &[File]),
    notes: &mut Vec<String>,
) -> Found {
    // The working tree's own absolute path, and `./`, name the same file.
    let top = format!("{}/", repository.top.display());
    let named = named.map(|path| plain_path(path.strip_prefix(&top).unwrap_or(path)));
    let named = named.as_deref();
    let mut there = |path: &str| {
        let found = is_plain_file(repository, path);
        if !found {
            notes.push(format!("the plan `{path}` is not here"));
        }
        found
    };
    if let Some(path) = named {
        return match there(path) {
            true => Found::of(path, Source::Argument, true),
            false => Found { plan: None, missing: Some(path.to_owned()) },
        };
    }
    let removed = |path: &str| {
        files.iter().any(|File { change, .. }| {
            (change.status == 'D' && change.path == path) || change.old_path.as_deref() == Some(path)
        })
    };
    let linked = request.map(|request| links(&request.body)).unwrap_or_default();
    // What the change takes away, or the text says is gone, is named and not meant as the plan.
    let meant = linked
        .into_iter()
        .filter(|(path, gone)| is_plain_file(repository, path) || !(*gone || removed(path)));
    let linked: Vec<String> = meant.map(|(path, _)| path).collect();
    let (found, gone): (Vec<String>, Vec<String>) = linked.into_iter().partition(|path| there(path));
    let explicit = found.len() == 1 && gone.is_empty();
    match (found.first(), gone.into_iter().next()) {
        (Some(path), _) => Found::of(path, Source::PullRequest, explicit),
        (None, Some(missing)) => Found { plan: None, missing: Some(missing) },
        (None, None) => Found { plan: of_branch(repository, branch), missing: None },
    }
}

/// Whether a path is a regular file of the working tree, with no link on the way to it.
fn is_plain_file(repository: &Repository, path: &str) -> bool {
    let inside = Path::new(path).components().all(|part| match part {
        Component::Normal(name) => name != ".git",
        part => part == Component::CurDir,
    });
    let root = Root::open_tree(&repository.top).ok().flatten().filter(|_| inside);
    root.is_some_and(|root| matches!(root.kind(Path::new(path)), Ok(Some(Kind::File))))
}

impl Found {
    fn of(path: &str, source: Source, explicit: bool) -> Self {
        Self { plan: Some(Plan { path: path.to_owned(), source, explicit }), missing: None }
    }
}

/// The one plan whose name holds the words of the branch.
fn of_branch(repository: &Repository, branch: Option<&str>) -> Option<Plan> {
    let branch = branch?.to_lowercase();
    let words: Vec<&str> = branch
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 && !EMPTY.contains(word))
        .collect();
    let plans = disk::list(&repository.top.join(FOLDER)).unwrap_or_default();
    let fits = |name: &String| {
        name.ends_with(".md")
            && !words.is_empty()
            && words.iter().all(|word| name.to_lowercase().contains(word))
    };
    let plans = plans.into_iter().map(|(name, _)| name).filter(fits);
    let found: Vec<String> =
        plans.filter(|name| is_plain_file(repository, &format!("{FOLDER}/{name}"))).collect();
    match found.as_slice() {
        [one] => Some(Plan { path: format!("{FOLDER}/{one}"), source: Source::Branch, explicit: false }),
        _ => None,
    }
}

/// Words of a sentence that says a file is gone.
const GONE: [&str; 8] =
    ["removed", "deleted", "dropped", "obsolete", "renamed", "moved", "superseded", "replaced"];

/// Whether the sentence around a place of a text says that something is gone.
fn is_gone(text: &str, at: usize) -> bool {
    let ends = ["\n", ". ", "! ", "? "];
    let begin = ends.iter().filter_map(|end| text[..at].rfind(end)).max().map_or(0, |at| at + 1);
    let end =
        ends.iter().filter_map(|end| text[at..].find(end)).min().map_or(text.len(), |length| at + length);
    let words = text[begin..end].split(|c: char| c.is_whitespace() || ",;:()".contains(c));
    words
        .filter(|word| !word.contains('/'))
        .any(|word| GONE.iter().any(|gone| word.eq_ignore_ascii_case(gone)))
}

/// The plans that a text names, each once, in its order, and whether it says that they are gone.
fn links(text: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    for (at, _) in text.match_indices("docs/plans/") {
        let rest = &text[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_./".contains(c))).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches('.');
        if path.ends_with(".md") && !path.contains("..") && !found.iter().any(|(known, _)| known == path) {
            found.push((path.to_owned(), is_gone(text, at)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_found_in_texts() {
        let text = "See [it](https://x/blob/main/docs/plans/a-b.md), docs/plans/c.md. docs/plans/a-b.md docs/plans/../x.md";
        let names: Vec<String> = links(text).into_iter().map(|(path, _)| path).collect();
        assert_eq!(names, ["docs/plans/a-b.md", "docs/plans/c.md"]);
        assert!(links("docs/plans/ and docs/plans/é").is_empty());
    }

    #[test]
    fn a_plan_that_a_text_says_is_gone_is_told_from_one_that_it_follows() {
        let gone = |text: &str| links(text).into_iter().map(|(_, gone)| gone).collect::<Vec<bool>>();
        for text in [
            "We removed docs/plans/old.md",
            "docs/plans/a.md was renamed. Fine",
            "x\n- Deleted: docs/plans/a.md",
        ] {
            assert_eq!(gone(text), [true], "{text}");
        }
        for text in [
            "Plan: docs/plans/removed.md",
            "It was removed. Plan: docs/plans/a.md",
            "docs/plans/a.md\nremoved x",
        ] {
            assert_eq!(gone(text), [false], "{text}");
        }
    }
}
