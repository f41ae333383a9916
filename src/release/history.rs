//! Earlier releases of everything with a version, and the changes since then for the users of each host.

use std::collections::BTreeMap;
use std::rc::Rc;

use camino::Utf8PathBuf;
use semver::Version;

use super::unit::VersionedUnit;
use crate::compare::DiffReport;

/// An existing release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release {
    /// The tag; without tags, the abbreviated commit that set the version.
    pub(super) tag: String,
    /// Its commit.
    pub(super) commit: String,
    /// The version.
    pub(super) version: Version,
}

/// The release history of one unit.
#[derive(Debug, Clone, Default)]
pub(super) struct VersionHistory {
    /// The last release before this commit.
    pub(super) last: Option<Release>,
    /// Tags of this commit, if nothing has changed since.
    pub(super) here: Vec<Release>,
    /// Its changes since the last release; `None` if that commit has no such source.
    pub(super) difference: Option<DiffReport>,
}

/// The release history of a repository.
#[derive(Debug, Default)]
pub(super) struct ReleaseHistory {
    /// By the folder of the unit.
    pub(super) histories: BTreeMap<Utf8PathBuf, VersionHistory>,
    /// Whether the clone is shallow.
    pub(super) shallow: bool,
    /// The merge base of this branch and `--base`.
    pub(super) base: Option<String>,
    /// The changes since then; `None` without `--base`, or if that commit has no such source.
    pub(super) since_base: Option<Rc<DiffReport>>,
    /// What was skipped in the examined commits.
    pub(super) remarks: Vec<String>,
}

impl ReleaseHistory {
    /// The history of `unit`.
    pub(super) fn unit_history(&self, unit: &VersionedUnit) -> Option<&VersionHistory> {
        self.histories.get(&unit.root)
    }

    /// The last release of `unit`, including one of this commit.
    pub(super) fn released(&self, unit: &VersionedUnit) -> Option<&Release> {
        let known = self.unit_history(unit)?;
        let version = unit.version();
        let here =
            known.here.iter().find(|here| version.as_deref() == Some(here.version.to_string().as_str()));
        here.or(known.last.as_ref())
    }

    /// The changes of `unit` since the reported release; `None` if that is this commit.
    pub(super) fn changes(&self, unit: &VersionedUnit) -> Option<&DiffReport> {
        let known = self.unit_history(unit)?;
        let held_against = self.released(unit) == known.last.as_ref();
        known.difference.as_ref().filter(|difference| held_against && !difference.is_unnoticed())
    }
}
