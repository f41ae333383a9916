//! Releases of a repository without tags: the commits that changed the version in a plugin's manifest or marketplace
//! entry.

use camino::Utf8Path;
use semver::Version;

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::found_version::FoundVersion;
use super::history::Release;
use super::unit::VersionPlace;
use super::unit::VersionedUnit;
use super::values;

/// The maximum number of commits examined: only the last two versions of a plugin matter.
const MOST_COMMITS: &str = "100";
/// The number of releases that are needed.
const ENOUGH: usize = 2;
/// The number of digits of a commit id in reports.
const SHORT_COMMIT: usize = 10;

/// The last releases of `unit`, newest first. The initial version of a manifest is not a release.
pub(super) fn find(context: &ReleaseContext<'_>, unit: &VersionedUnit) -> Result<Vec<Release>, ReleaseError> {
    let Some(place) = place(unit) else { return Ok(Vec::new()) };
    let listed = context.git.answer(&[
        "log",
        "--no-ext-diff",
        "--no-textconv",
        "--format=%H",
        "-G\"version\"",
        "-n",
        MOST_COMMITS,
        "HEAD",
        "--",
        &format!(":(top){}", place.path),
    ])?;
    let mut out = Vec::new();
    let mut newer: Option<(String, Version)> = None;
    for commit in String::from_utf8_lossy(&listed).lines() {
        let version = version_at(context, unit, commit)?;
        let before =
            newer.take().filter(|(_, newer)| version.as_ref().is_some_and(|version| version != newer));
        out.extend(before.map(|(commit, version)| {
            let tag = commit.get(..SHORT_COMMIT).unwrap_or(&commit).to_owned();
            Release { tag, commit, version }
        }));
        if out.len() >= ENOUGH {
            break;
        }
        newer = version.map(|version| (commit.to_owned(), version));
    }
    Ok(out)
}

/// The version in the manifest of `unit` at `commit`.
pub(super) fn version_at(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    commit: &str,
) -> Result<Option<Version>, ReleaseError> {
    let Some(place) = place(unit) else { return Ok(None) };
    let text = context.git.text(commit, &place.path)?.unwrap_or_default();
    let found = values::find(place.path.as_str(), &text, &place.at);
    Ok(found.into_iter().find_map(|found| match found {
        FoundVersion::Version(version, _) => Version::parse(&version).ok(),
        _ => None,
    }))
}

/// The place of the version of a plugin that commits change.
fn place(unit: &VersionedUnit) -> Option<&VersionPlace> {
    let stated = unit.stated().map(|(place, ..)| place);
    let is_raised = |path: &Utf8Path| matches!(path.file_name(), Some("plugin.json" | "marketplace.json"));
    stated.filter(|place| unit.is_plugin && is_raised(&place.path))
}
