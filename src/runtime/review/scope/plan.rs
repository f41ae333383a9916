//! The plan that a change follows: the one that was named, else one that the pull request links, else one whose
//! name holds the words of the branch.

use schemars::JsonSchema;
use serde::Serialize;

use crate::disk;
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;

/// Where plans lie.
const FOLDER: &str = "docs/plans";
/// Words of branches that say nothing about a plan.
const EMPTY: [&str; 10] =
    ["feat", "feature", "features", "bugfix", "hotfix", "chore", "docs", "refactor", "test", "branch"];

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Plan {
    /// Relative to the repository's top.
    pub path: String,
    /// What told it.
    pub source: Source,
    /// Whether somebody named it: only then its requirements decide.
    pub explicit: bool,
}

/// What told a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `--plan`.
    Option,
    /// The text of the pull request.
    PullRequest,
    /// The name of the branch.
    Branch,
}

/// Finds the plan. A link that leads nowhere is passed over, with a note.
pub(super) fn find(
    repository: &Repository,
    named: Option<&str>,
    request: Option<&PullRequest>,
    branch: Option<&str>,
    notes: &mut Vec<String>,
) -> Option<Plan> {
    let mut there = |path: &str| {
        let found = disk::is_file(&repository.top.join(path));
        if !found {
            notes.push(format!("the plan `{path}` is not here: passed over"));
        }
        found
    };
    if let Some(path) = named.filter(|path| there(path)) {
        return Some(Plan { path: path.to_owned(), source: Source::Option, explicit: true });
    }
    let mut linked = request.map(|request| links(&request.body)).unwrap_or_default();
    linked.retain(|path| there(path));
    if let Some(path) = linked.first() {
        let explicit = linked.len() == 1;
        return Some(Plan { path: path.clone(), source: Source::PullRequest, explicit });
    }
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
    let found: Vec<String> = plans.into_iter().map(|(name, _)| name).filter(fits).collect();
    match found.as_slice() {
        [one] => Some(Plan { path: format!("{FOLDER}/{one}"), source: Source::Branch, explicit: false }),
        _ => None,
    }
}

/// The plans that a text names, each once, in its order.
fn links(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("docs/plans/") {
        let rest = &text[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_./".contains(c))).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches('.');
        if path.ends_with(".md") && !path.contains("..") && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
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
        assert_eq!(links(text), ["docs/plans/a-b.md", "docs/plans/c.md"]);
        assert!(links("docs/plans/ and docs/plans/é").is_empty());
    }
}
