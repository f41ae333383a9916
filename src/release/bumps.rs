//! Releases of a repository without tags: the commits that changed the version of a plugin's manifest.

use camino::Utf8PathBuf;
use semver::Version;

use super::ReleaseError;
use super::context::{ReleaseContext, VersionedUnit};
use super::history::Release;
use crate::read::json;
use crate::read::tree::Node;

/// How many commits of a manifest are looked at: the last two of its versions are all that counts.
const MOST_COMMITS: &str = "100";
/// How many releases are enough.
const ENOUGH: usize = 2;
/// How many digits of a commit's name a report has.
const SHORT: usize = 10;

/// The last releases of `unit`, the newest first. The version that a manifest began with was no change.
pub(super) fn find(context: &ReleaseContext<'_>, unit: &VersionedUnit) -> Result<Vec<Release>, ReleaseError> {
    let Some(path) = manifest(unit) else { return Ok(Vec::new()) };
    let listed = context.git.answer(&[
        "log",
        "--format=%H",
        "-n",
        MOST_COMMITS,
        "HEAD",
        "--",
        &format!(":(top){path}"),
    ])?;
    let mut out = Vec::new();
    let mut newer: Option<(String, Version)> = None;
    for commit in String::from_utf8_lossy(&listed).lines() {
        let version = version_at(context, unit, commit)?;
        let before =
            newer.take().filter(|(_, newer)| version.as_ref().is_some_and(|version| version != newer));
        out.extend(before.map(|(commit, version)| {
            let tag = commit.get(..SHORT).unwrap_or(&commit).to_owned();
            Release { tag, commit, version }
        }));
        if out.len() >= ENOUGH {
            break;
        }
        newer = version.map(|version| (commit.to_owned(), version));
    }
    Ok(out)
}

/// The version that the manifest of `unit` names in `commit`.
pub(super) fn version_at(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    commit: &str,
) -> Result<Option<Version>, ReleaseError> {
    let Some(path) = manifest(unit) else { return Ok(None) };
    let text = context.git.text(commit, &path)?.unwrap_or_default();
    let node = json::parse(&text).0;
    Ok(node.and_then(|node| Version::parse(node.get("version").and_then(Node::as_str)?).ok()))
}

/// The manifest that names the version of a plugin.
fn manifest(unit: &VersionedUnit) -> Option<Utf8PathBuf> {
    let stated = unit.stated().map(|(place, _, _)| place.path.clone());
    stated.filter(|path| unit.is_plugin && path.file_name() == Some("plugin.json"))
}
