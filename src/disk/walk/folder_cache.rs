//! What the walks of one source found in its folders: a source is first searched for plugins and then read plugin by
//! plugin, and no folder is listed twice for that, and no ignore file above several plugins is read for each of them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::Gitignore;
use rustix::fs::FileType;

use super::SkipPolicy;
use crate::disk::{DiskError, FileSystem};

/// The names in a folder, sorted, and what each of them is.
pub(super) type FolderNames = Arc<[(OsString, FileType)]>;

/// Names and ignore files of folders, as they were when they were first asked for. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct FolderCache {
    canonical: Arc<Mutex<BTreeMap<OsString, PathBuf>>>,
    names: Arc<Mutex<BTreeMap<OsString, FolderNames>>>,
    ignores: Arc<Mutex<BTreeMap<OsString, Option<Arc<Gitignore>>>>>,
    has_ignored: Arc<AtomicBool>,
}

impl FolderCache {
    /// Whether a walk left something out because a `.gitignore` matches it.
    pub fn has_ignored(&self) -> bool {
        self.has_ignored.load(Ordering::Relaxed)
    }

    /// Records that a walk left something out because a `.gitignore` matches it.
    pub(super) fn record_ignored(&self) {
        self.has_ignored.store(true, Ordering::Relaxed);
    }

    /// The absolute path of a folder, without links.
    ///
    /// # Errors
    /// As [`FileSystem::canonical`].
    pub(super) fn canonical(&self, file_system: &FileSystem, path: &Path) -> Result<PathBuf, DiskError> {
        cached(&self.canonical, path.as_os_str(), || file_system.canonical(path))
    }

    /// The names in the folder at `real`, a path without links.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub(super) fn names(&self, file_system: &FileSystem, real: &Path) -> io::Result<FolderNames> {
        cached(&self.names, real.as_os_str(), || {
            let mut names = file_system.list_in_place(real)?;
            names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            Ok(names.into())
        })
    }

    /// What the `.gitignore` of `folder`, which lies at `real` in `root`, ignores.
    ///
    /// # Errors
    /// As [`SkipPolicy::gitignore`].
    pub(super) fn gitignore(
        &self,
        file_system: &FileSystem,
        policy: SkipPolicy,
        root: &Path,
        (folder, real): (&Path, &Path),
    ) -> io::Result<Option<Arc<Gitignore>>> {
        if policy == SkipPolicy::Nothing {
            return Ok(None);
        }
        cached(&self.ignores, folder.as_os_str(), || {
            Ok(policy.gitignore(file_system, root, folder, real)?.map(Arc::new))
        })
    }
}

/// What `cache` has for `key`, which `found` finds where it has nothing. An error is not kept.
fn cached<T: Clone, E>(
    cache: &Mutex<BTreeMap<OsString, T>>,
    key: &OsStr,
    found: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let locked = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(key) {
        return Ok(known.clone());
    }
    let found = found()?;
    locked().insert(key.to_owned(), found.clone());
    Ok(found)
}
