//! The current state of a working tree as its diff would show it, and the stored diff; both are compared with what the
//! reviewers were shown.

use std::path::Path;

use serde_json::Value;

use super::diff;
use super::hashes::{DiffCutter, DiffHasher, FileHashes};
use super::untracked::{self, IndexFlags, UntrackedFiles};
use super::{marks, racy, submodules};
use crate::disk::reader::SizeLimit;
use crate::runtime::answer::CallFailure;
use crate::runtime::changes::{IndexState, UncommittedChanges};
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::review::evidence::ShownFiles;
use crate::runtime::review::run_folder::RunFolder;

/// The current state of a working tree.
#[derive(Debug, Default)]
pub(in crate::runtime::review) struct CurrentTree {
    /// The hashes of its diff.
    pub(in crate::runtime::review) hashes: FileHashes,
    /// Whether everything is committed.
    pub(in crate::runtime::review) committed: bool,
    /// Untracked files; for a run, those added since it began.
    pub(in crate::runtime::review) untracked: Vec<String>,
    /// Untracked repositories; for a run, those added since it began.
    pub(in crate::runtime::review) nested: Vec<String>,
    /// What the index holds that differs from the working tree.
    pub(in crate::runtime::review) index: IndexState,
    /// Files created by tools.
    pub(in crate::runtime::review) tools: Vec<String>,
}

impl CurrentTree {
    fn new(hashes: FileHashes, uncommitted: UncommittedChanges, new: UntrackedFiles) -> Self {
        let (committed, untracked) = (uncommitted.clean, new.names());
        let (nested, tools) = (new.nested, new.tools);
        Self { hashes, committed, untracked, nested, index: uncommitted.index, tools }
    }
}

/// The current state of the working tree of a run.
pub(in crate::runtime::review) fn now_of_run(
    folder: &RunFolder,
    environment: &Environment,
    shown: &ShownFiles,
) -> Result<CurrentTree, CallFailure> {
    let repository = Repository::find(environment, Path::new(&folder.record.tree))?;
    let base = folder.record.base_sha.clone().unwrap_or_default();
    let listing = IndexFlags::read(&repository)?;
    let new = listing.new_files(&shown.left_out);
    let looked = untracked::with_index(&repository, folder, &new, |repository| {
        Ok((diff::hashes(repository, &base)?, racy::hidden_edits(repository, shown.since)?))
    });
    let ((mut hashes, uncommitted), edits) = looked?;
    hashes.extend(marks::read(&repository, &listing, edits)?.hashes);
    hashes.extend(submodules::hidden_submodules(&repository, &listing)?.hashes);
    hashes.extend(marks::nested(&new.nested));
    Ok(CurrentTree::new(hashes, uncommitted, new))
}

/// The current state of a working tree without a run. `since` is when the first scan of it began, in seconds since
/// 1970.
pub(in crate::runtime::review) fn current_state(
    repository: &Repository,
    base: &str,
    since: i64,
) -> Result<CurrentTree, CallFailure> {
    let (mut hashes, uncommitted) = diff::hashes(repository, base)?;
    let listing = IndexFlags::read(repository)?;
    hashes.extend(marks::read(repository, &listing, racy::hidden_edits(repository, since)?)?.hashes);
    hashes.extend(submodules::hidden_submodules(repository, &listing)?.hashes);
    Ok(CurrentTree::new(hashes, uncommitted, listing.new_files(&[])))
}

/// The hashes of the diff in the folder of a run; none if it cannot be read.
pub(in crate::runtime::review) fn stored(folder: &RunFolder) -> Option<FileHashes> {
    let scope = folder.document::<Value>("scope.json").ok()??;
    let scope = &scope["scope"];
    let chunks = scope["chunks"].as_array()?.iter().map(|chunk| &chunk["path"]);
    let paths = std::iter::once(&scope["diff_path"]).chain(chunks).filter_map(Value::as_str);
    let mut hashes = DiffHasher::default();
    for path in paths {
        // A diff may be larger than a document.
        let bytes = folder.store.bytes_up_to(Path::new(path), SizeLimit::Program).ok()??;
        hashes.update(&mut DiffCutter::default(), &bytes);
    }
    Some(hashes.finish())
}
