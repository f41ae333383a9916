//! The checks before a release: versions, changelog, counts, the inventory compared with the last release, bundles,
//! losses. One small file per check, and one table of them; each finding names a file, a line and how to fix it.

mod automation;
mod bumps;
mod bundles;
mod changelog;
mod context;
mod counts;
mod history;
mod inventory;
mod losses;
mod ownership;
pub mod pages;
mod published_values;
mod session;
mod tags;
mod units;
mod values;
mod versions;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::build::BuildError;
use crate::check_session::CheckError;
use crate::compare::{DiffReport, Impact};
use crate::diagnostic::{self, Applicability, Diagnostic, RuleId, Severity};
use crate::disk::edit::EditError;
use crate::git::GitError;
use context::{ReleaseContext, ReleaseRequest};
pub use session::{ReleaseExamination, ReleaseOptions, ReleaseSession};

/// Why a release could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A source or a bundle cannot be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A rule cannot be run, or a host is unknown.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A fix cannot be written.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file cannot be read.
    #[error(transparent)]
    Disk(#[from] crate::disk::DiskError),
    /// The configuration is invalid.
    #[error("{message}")]
    Config {
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: String,
    },
}

type ReleaseCheck = fn(&ReleaseContext<'_>, &mut Vec<Diagnostic>) -> Result<(), ReleaseError>;

/// Every check, in the order of a user's workflow.
const CHECKS: [ReleaseCheck; 7] = [
    versions::check,
    changelog::check,
    counts::check,
    inventory::check,
    bundles::check,
    losses::check,
    ownership::check,
];

/// Runs every check.
///
/// # Errors
/// When git, a source or a bundle cannot be read.
fn check(context: &ReleaseContext<'_>) -> Result<Vec<Diagnostic>, ReleaseError> {
    let mut out = Vec::new();
    for check in CHECKS {
        check(context, &mut out)?;
    }
    diagnostic::sort(&mut out);
    Ok(out)
}

/// A finding about a whole file, with a path relative to the top of the repository.
fn file_finding(path: &Utf8Path, severity: Severity, rule: RuleId, message: String) -> Diagnostic {
    let path = if path.as_str().is_empty() { Utf8Path::new(".") } else { path };
    Diagnostic::for_file(path, severity, rule, message)
}

/// Converts the paths of a finding from relative to `place` to relative to the top of the repository.
fn shifted(mut found: Diagnostic, place: &Utf8Path) -> Diagnostic {
    let below = |path: &mut String| {
        let whole = if path == "." { place.to_owned() } else { place.join(path.as_str()) };
        *path = if whole.as_str().is_empty() { ".".to_owned() } else { whole.into_string() };
    };
    below(&mut found.path);
    found.fix.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| below(&mut edit.path));
    found.related.iter_mut().for_each(|related| below(&mut related.path));
    found
}

/// What `release check --format json` prints: `plugcast.release/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReleaseReport {
    /// `plugcast.release/1`.
    pub schema: String,
    /// Everything with its own version: every plugin, and packages that release automation versions separately.
    pub released: Vec<ReleasedUnit>,
    /// The findings; paths are relative to the top of the repository.
    pub diagnostics: Vec<Diagnostic>,
    /// Counts.
    pub summary: ReleaseSummary,
}

/// A plugin or package with its own version.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReleasedUnit {
    /// The plugin's name, or that of the package.
    pub name: String,
    /// Its folder, relative to the top of the repository; empty for the top.
    pub path: String,
    /// Its version.
    pub version: Option<String>,
    /// The tag of its last release.
    pub last: Option<String>,
    /// The version change that the changes since then require.
    pub needs: Impact,
    /// The lowest version that allows them; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<String>,
    /// The changes since then for the users of each host; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<DiffReport>,
}

/// Counts of a run of `release check`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReleaseSummary {
    /// Findings that fail the run.
    pub errors: usize,
    /// Findings that do not.
    pub warnings: usize,
    /// Findings for information only.
    pub infos: usize,
    /// Findings that `--fix` fixes.
    pub fixable: usize,
    /// Findings that only `--fix --unsafe-fixes` fixes.
    pub unsafe_fixable: usize,
    /// Findings that this run has fixed.
    pub fixed: usize,
}

impl ReleaseSummary {
    /// Counts `found`.
    pub fn from_findings(found: &[Diagnostic], fixed: usize) -> Self {
        let count = |severity| found.iter().filter(|found| found.severity == severity).count();
        let with = |kind| {
            let fixes = found.iter().filter_map(|found| found.fix.as_ref());
            fixes.filter(|fix| fix.applicability == kind).count()
        };
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
            fixable: with(Applicability::Safe),
            unsafe_fixable: with(Applicability::Unsafe),
            fixed,
        }
    }
}
