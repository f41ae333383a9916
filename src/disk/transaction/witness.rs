//! Distinguishes a journal of this user from one that came with a repository by its hash in the user's state folder.

use std::path::{Path, PathBuf};

use crate::disk::folder::Folder;
use crate::disk::reader::SizeLimit;
use crate::disk::root::{Root, RootError, RootLink};
use crate::disk::{self, DiskError};

/// The store of the hashes of this user's journals. A journal is in the tree that it changes, and may have come with
/// it.
#[derive(Debug, Clone, Copy)]
pub struct JournalWitness<'a>(pub Option<&'a Path>);

/// The folder of the hashes below the user's state folder.
const HASH_FOLDER: &str = "plugcast/promoting";

impl JournalWitness<'_> {
    /// The file name of the hash for a tree.
    fn name(root: &Folder) -> Option<PathBuf> {
        let place = disk::canonical(root.path()).ok()?;
        Some(format!("{}.sha256", disk::sha256(place.as_os_str().as_encoded_bytes())).into())
    }

    /// Records `journal` as started by this user below `root`. Without a state folder to record it in, only the user
    /// can complete it.
    pub(super) fn remember(self, root: &Folder, journal: &str) -> Result<(), DiskError> {
        let (Some(state), Some(name)) = (self.0, Self::name(root)) else { return Ok(()) };
        let known = Root::create(state, RootLink::Followed)
            .and_then(|state| state.create_inner(Path::new(HASH_FOLDER)))
            .and_then(|known| known.replace(&name, disk::sha256(journal.as_bytes()).as_bytes()));
        known.map_err(|error| match error {
            RootError::Disk(error) => error,
            error => DiskError::new("write", &state.join(HASH_FOLDER), std::io::Error::other(error)),
        })
    }

    /// Removes the record of a completed journal.
    pub(super) fn forget(self, root: &Folder) {
        let remove = || {
            let state = Root::open(self.0?, RootLink::Followed).ok()??;
            state.subfolder(Path::new(HASH_FOLDER)).ok()??.remove(&Self::name(root)?).ok()
        };
        // A remaining hash is harmless: its journal no longer exists.
        let _ = remove();
    }

    /// Whether this user started `journal` below `root`.
    pub(super) fn has_started(self, root: &Folder, journal: &str) -> bool {
        let known = || {
            let state = Root::open(self.0?, RootLink::Followed).ok()??;
            let known = state.subfolder(Path::new(HASH_FOLDER)).ok()??;
            known.read(&Self::name(root)?, SizeLimit::Settings).ok()?
        };
        known().is_some_and(|hash| hash == disk::sha256(journal.as_bytes()).as_bytes())
    }
}
