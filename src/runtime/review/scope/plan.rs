//! Finds the plan that a change follows: the one that was named, else one linked in the pull request, else one whose
//! name contains the words of the branch.

mod links;

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::root::{Root, RootError};
use crate::disk::{self, FileKind};
use crate::runtime::git::Repository;
use crate::runtime::github::PullRequest;
use crate::runtime::review::findings::plain_path;

use super::ScopeFile;
use crate::source::is_markdown;

/// The folder of plans.
const FOLDER: &str = "docs/plans";
/// Words of branches that say nothing about a plan.
const EMPTY: [&str; 10] =
    ["feat", "feature", "features", "bugfix", "hotfix", "chore", "docs", "refactor", "test", "branch"];

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewPlan {
    /// Relative to the repository's top.
    pub path: String,
    /// How it was found.
    pub source: PlanSource,
    /// Whether it was named explicitly: only then are its requirements binding.
    pub explicit: bool,
}

/// How a plan was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanSource {
    /// `plan:PATH`.
    Argument,
    /// The description of the pull request.
    PullRequest,
    /// The name of the branch.
    Branch,
}

/// The plan of a change, or a named one that does not exist.
#[derive(Debug, Default)]
pub(in crate::runtime) struct FoundPlan {
    pub(in crate::runtime) plan: Option<ReviewPlan>,
    pub(super) missing: Option<String>,
    /// What else prevents the best verdict.
    pub(super) unseen: Vec<String>,
}

/// Finds the plan. If one was named in the arguments or the pull request but does not exist, nothing is used in its
/// place.
pub(in crate::runtime) fn find(
    repository: &Repository,
    named: Option<&str>,
    request: Option<&PullRequest>,
    (branch, files): (Option<&str>, &[ScopeFile]),
    notes: &mut Vec<String>,
) -> FoundPlan {
    // An absolute path in the working tree, or a leading `./`, names the same file.
    let top = format!("{}/", repository.top.display());
    let named = named.map(|path| plain_path(path.strip_prefix(&top).unwrap_or(path)));
    let named = named.as_deref();
    let mut there = |path: &str| {
        notes.push(match kind_of(repository, path) {
            Ok(Some(FileKind::File)) => return true,
            Ok(Some(FileKind::Folder)) => {
                format!("the plan `{path}` is a folder: name its file with plan:PATH")
            }
            Err(RootError::Untrusted { path: at, what }) => {
                let at = at.strip_prefix(&repository.top).unwrap_or(&at).display();
                format!("the plan `{path}` is not read: `{at}` {what}: name the file itself with plan:PATH")
            }
            _ => format!("the plan `{path}` does not exist"),
        });
        false
    };
    if let Some(path) = named {
        return match there(path) {
            true => FoundPlan::new(path, PlanSource::Argument, true),
            false => FoundPlan { missing: Some(path.to_owned()), ..FoundPlan::default() },
        };
    }
    let removed = |path: &str| {
        files.iter().any(|ScopeFile { change, .. }| {
            (change.status == 'D' && change.path == path) || change.old_path.as_deref() == Some(path)
        })
    };
    let (linked, elsewhere) = request.map(|request| links::find(&request.body)).unwrap_or_default();
    // A file that the change removes, or that the text describes as gone, is not meant as the plan.
    let meant = linked.into_iter().filter(|link| {
        let is_named = link.is_document || is_folder(repository, &link.path);
        is_plain_file(repository, &link.path) || (is_named && !(link.gone || removed(&link.path)))
    });
    let linked: Vec<String> = meant.map(|link| link.path).collect();
    let (found, gone): (Vec<String>, Vec<String>) = linked.into_iter().partition(|path| there(path));
    notes.extend(elsewhere.iter().map(|address| {
        format!("the pull request names `{address}` as a plan, which is not a file of this repository: it is not compared")
    }));
    if found.len() > 1 {
        let named = found.join("`, `");
        notes.push(format!(
            "the pull request names several plans, `{named}`: `unmet` must cover each of them"
        ));
    }
    let explicit = found.len() == 1 && gone.is_empty();
    let mut gone = gone.into_iter();
    let missing = gone.next();
    let unseen = gone.map(|path| missing_plan(&path)).collect();
    let named = found.first().map(|path| FoundPlan::new(path, PlanSource::PullRequest, explicit));
    let found = match (named, &missing) {
        (Some(found), _) => found,
        (None, Some(_)) => FoundPlan::default(),
        (None, None) => FoundPlan { plan: branch_plan(repository, branch), ..FoundPlan::default() },
    };
    FoundPlan { missing, unseen, ..found }
}

/// The message for a missing plan.
pub(in crate::runtime::review) fn missing_plan(path: &str) -> String {
    format!("the plan `{path}` was named but is not a file of this repository")
}

/// Whether a path is a regular file of the working tree, with no link on the way to it.
fn is_plain_file(repository: &Repository, path: &str) -> bool {
    matches!(kind_of(repository, path), Ok(Some(FileKind::File)))
}

fn is_folder(repository: &Repository, path: &str) -> bool {
    matches!(kind_of(repository, path.trim_end_matches('/')), Ok(Some(FileKind::Folder)))
}

/// What is at a path of the working tree, with no link on the way to it.
fn kind_of(repository: &Repository, path: &str) -> Result<Option<FileKind>, RootError> {
    let inside = Path::new(path).components().all(|part| match part {
        Component::Normal(name) => name != ".git",
        part => part == Component::CurDir,
    });
    let root = Root::open_tree(&repository.top)?.filter(|_| inside);
    root.map_or(Ok(None), |root| root.kind(Path::new(path)))
}

impl FoundPlan {
    fn new(path: &str, source: PlanSource, explicit: bool) -> Self {
        let plan = Some(ReviewPlan { path: path.to_owned(), source, explicit });
        Self { plan, ..Self::default() }
    }
}

/// The only plan whose name contains the words of the branch.
fn branch_plan(repository: &Repository, branch: Option<&str>) -> Option<ReviewPlan> {
    let [path] = <[String; 1]>::try_from(branch_plans(repository, branch)).ok()?;
    Some(ReviewPlan { path, source: PlanSource::Branch, explicit: false })
}

/// The plans whose names contain the words of the branch, the newest last: names begin with a date by convention, and a
/// checkout changes the times of files.
pub(in crate::runtime) fn branch_plans(repository: &Repository, branch: Option<&str>) -> Vec<String> {
    let branch = branch.unwrap_or_default().to_lowercase();
    let words: Vec<&str> = branch
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 && !EMPTY.contains(word))
        .collect();
    let plans = disk::list(&repository.top.join(FOLDER)).unwrap_or_default();
    let fits = |name: &String| {
        is_markdown(name) && !words.is_empty() && words.iter().all(|word| name.to_lowercase().contains(word))
    };
    let plans = plans.into_iter().map(|(name, _)| name).filter(fits);
    let found: Vec<String> =
        plans.map(|name| format!("{FOLDER}/{name}")).filter(|path| is_plain_file(repository, path)).collect();
    let is_dated = |path: &str| path[FOLDER.len() + 1..].starts_with(|c: char| c.is_ascii_digit());
    let (dated, undated): (Vec<String>, Vec<String>) = found.into_iter().partition(|path| is_dated(path));
    undated.into_iter().chain(dated).collect()
}
