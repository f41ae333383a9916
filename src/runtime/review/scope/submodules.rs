//! Submodules whose state git's diff does not show: those with uncommitted changes, and those at another commit that
//! the index is told to ignore.

use std::path::Path;

use super::hashes::FileHashes;
use super::marks;
use super::untracked::IndexFlags;
use crate::disk;
use crate::runtime::answer::{CallFailure, INTERRUPTED};
use crate::runtime::changes;
use crate::runtime::git::{Repository, records};

/// The maximum number of submodules to check.
const MOST: usize = 100;

/// Submodules whose content no diff shows.
#[derive(Debug, Default)]
pub(super) struct HiddenSubmodules {
    pub(super) names: Vec<String>,
    /// Hashes of their state, to detect further changes.
    pub(super) hashes: FileHashes,
}

/// Checks the submodules that are checked out.
pub(super) fn hidden_submodules(
    repository: &Repository,
    listing: &IndexFlags,
) -> Result<HiddenSubmodules, CallFailure> {
    let listed = repository.must(&["ls-files", "--stage", "-z", "--full-name"])?;
    let links = records(&listed).filter_map(|record| {
        let text = str::from_utf8(record).ok()?;
        let (commit, name) = text.strip_prefix("160000 ")?.split_once('\t')?;
        Some((commit.split(' ').next()?, name))
    });
    let mut found = HiddenSubmodules::default();
    for (commit, name) in links.take(MOST) {
        let top = repository.top.join(name);
        if disk::kind(&top.join(".git")).is_none() {
            continue;
        }
        let is_flagged = listing.flagged.iter().any(|flagged| flagged == name);
        if let Some(state) = state(repository, &top, (commit, is_flagged))? {
            found.hashes.insert(marks::hidden_mark(name), disk::sha256(state.as_bytes()));
            found.names.push(name.to_owned());
        }
    }
    Ok(found)
}

/// The state of a submodule beyond its recorded commit; none if nothing is hidden.
fn state(
    repository: &Repository,
    top: &Path,
    (recorded, is_flagged): (&str, bool),
) -> Result<Option<String>, CallFailure> {
    let read = || -> Result<(Option<String>, Vec<u8>), CallFailure> {
        let inner = Repository::find(repository.environment(), top)?;
        let without = changes::FilteredFiles::find(&inner)?.exclusion_pathspecs();
        let mut words = vec!["status", "--porcelain", "-z", "--ignore-submodules=dirty", "--"];
        words.extend(without.iter().map(String::as_str));
        Ok((inner.commit("HEAD")?, inner.must(&words)?))
    };
    match read() {
        Ok((head, changed)) => {
            let is_moved = is_flagged && head.as_deref() != Some(recorded);
            let head = head.unwrap_or_default();
            let is_hidden = is_moved || !changed.is_empty();
            Ok(is_hidden.then(|| format!("{head}\0{}", String::from_utf8_lossy(&changed))))
        }
        Err(failure) if failure.exit == INTERRUPTED => Err(failure),
        // A submodule that cannot be checked counts as changed.
        Err(failure) => Ok(Some(failure.error.code.to_string())),
    }
}
