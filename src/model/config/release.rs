//! `[release]`: how a repository releases, for `plugcast release check`.

use serde::Deserialize;

use super::DeniedLosses;

/// Where release automation records what it released last, relative to the repository's top.
pub const RECORDS: [&str; 2] = [".release-please-manifest.json", ".github/.release-please-manifest.json"];

/// `[release]`; every key has a default that suits a plain plugin repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReleaseConfig {
    /// The tag format, with `{version}` and optionally `{plugin}`; by default that of release automation, else
    /// the usual ones.
    pub tag: Option<String>,
    /// More files that carry the version, relative to the folder of this file: `PATH` or, for JSON and TOML,
    /// `PATH#key.key`.
    pub versions: Vec<String>,
    /// The changelog, relative to the folder of this file, perhaps with `{plugin}`; without it `CHANGELOG.md` in
    /// the plugin's folder, else in one above it.
    pub changelog: Option<String>,
    /// The form of its headings; without it any of them.
    pub changelog_form: Option<ChangelogForm>,
    /// What only a release may change: `versions`, `changelog`, or globs relative to the repository's top;
    /// without it `versions`, and what release automation writes.
    pub owned: Option<Vec<OwnedFiles>>,
    /// Folders with committed bundles, relative to the folder of this file; without it the output folder, where
    /// it is committed.
    pub bundles: Option<Vec<String>>,
    /// Whether committed bundles need a recorded verification; true by default.
    pub verified: Option<bool>,
    /// Classes of losses that fail a release, besides those that fail a build.
    pub deny_loss: Vec<DeniedLosses>,
    /// Whether a loss that the last release did not have fails this one; true by default.
    pub deny_new_losses: Option<bool>,
}

/// What only a release may change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub enum OwnedFiles {
    /// The versions.
    Versions,
    /// The changelog.
    Changelog,
    /// The files that match a glob.
    Matching(String),
}

impl From<String> for OwnedFiles {
    fn from(word: String) -> Self {
        match word.as_str() {
            "versions" => Self::Versions,
            "changelog" => Self::Changelog,
            _ => Self::Matching(word),
        }
    }
}

/// How the headings of a changelog are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangelogForm {
    /// `## [1.2.3] - 2026-01-31`
    KeepAChangelog,
    /// `## [1.2.3](https://…) (2026-01-31)`
    ReleasePlease,
    /// `## 1.2.3`
    Plain,
}
