//! What `release check` prints as JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::{DiffReport, Impact};
use crate::diagnostic::{Applicability, Diagnostic, Severity};

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
