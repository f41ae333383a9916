//! One build at a time per output folder. The lock is an OS file lock, so that it ends with the process that holds it
//! in any case; the lock file exists only while a build runs.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use camino::Utf8Path;

use super::folder::{self, Folder};
use super::missing_name::none_if_missing;
use super::patience::Patience;
use super::{DiskError, fs_op, open_beneath};

/// How long a build waits for another one to finish.
pub const PATIENCE: Duration = Duration::from_secs(10);

const NAME: &str = ".plugcast.lock";

/// The lock and its folder; released when dropped.
#[derive(Debug)]
pub struct OutputLock {
    folder: Folder,
    file: File,
    _made: CreatedFolders,
}

impl OutputLock {
    /// The folder, which stays open: the holder of the lock writes there, even if the path is replaced.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // The next build reuses a remaining lock file.
        let _ = fs_op::remove_file(&self.folder, NAME);
    }
}

/// Folders that were created for a lock, outermost first, each as a name in an open folder. Those that are still empty
/// are removed at the end.
#[derive(Debug, Default)]
struct CreatedFolders(Vec<(OwnedFd, OsString)>);

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        while self.0.pop().is_some_and(|(at, name)| fs_op::remove_folder(at, name.as_os_str()).is_ok()) {}
    }
}

/// Why a lock was not acquired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another build holds it.
    #[error("another build (process {holder}) is writing `{}`", .folder.display())]
    Held {
        /// The output folder.
        folder: PathBuf,
        /// The other process, or `unknown`.
        holder: String,
    },
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// The path of a folder to write to, and whether the user named it.
#[derive(Debug, Clone)]
pub struct OutputFolder {
    path: PathBuf,
    base: Option<PathBuf>,
}

impl OutputFolder {
    /// A folder that the user named: links are followed.
    pub fn named(path: &Path) -> Self {
        Self { path: path.to_owned(), base: None }
    }

    /// The folder at `path`, which is relative to `base` and comes from a file, not from the user: no link below `base`
    /// is followed.
    pub fn below(base: &Path, path: &Path) -> Self {
        Self { path: base.join(path), base: Some(base.to_owned()) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is reached through a link below its base, or is itself a link.
    pub fn is_linked(&self) -> bool {
        let Some(base) = &self.base else { return false };
        let linked = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let below = self.path.ancestors().take_while(|part| *part != base);
        below.into_iter().any(linked)
    }
}

/// Acquires the lock of the output folder `folder`, waiting up to `patience` for another build. Creates the folder, and
/// removes it again if it is empty at the end.
///
/// # Errors
/// [`LockError::Held`] with the other process when it does not end in time.
pub fn acquire(folder: &OutputFolder, patience: Duration) -> Result<OutputLock, LockError> {
    let holder = std::process::id().to_string();
    let (base, folder) = (folder.base.as_deref(), folder.path());
    let path = folder.join(NAME);
    let failed = |error| DiskError::new("lock", &path, error);
    let mut patience = Patience::new(patience);
    let mut made = CreatedFolders::default();
    loop {
        let opened = open_or_make(folder, base, &mut made)
            .and_then(|open| fs_op::open(&open, NAME).map(|file| (open, file)).map_err(failed));
        let (open, mut file) = match opened {
            // A build that just ended removed the folders that it had created.
            Err(error) if error.source.kind() == io::ErrorKind::NotFound && !patience.is_over() => continue,
            opened => opened?,
        };
        match file.try_lock() {
            // A file with a second hard link must not be written: remove this name, and create a new file at the next
            // attempt.
            Ok(())
                if folder::is_same(&open, NAME, &file)
                    && file.metadata().is_ok_and(|meta| meta.nlink() > 1) =>
            {
                fs_op::remove_file(&open, NAME).map_err(failed)?;
            }
            Ok(()) if folder::is_same(&open, NAME, &file) => {
                let mut lock = OutputLock { folder: open, file, _made: made };
                note(&mut lock.file, &holder).map_err(failed)?;
                return Ok(lock);
            }
            // A build that just ended removed this file.
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
            Err(TryLockError::WouldBlock) if patience.is_over() => return Err(held_by(folder, &mut file)),
            Err(TryLockError::WouldBlock) => patience.pause().map_err(failed)?,
        }
    }
}

/// Waits up to `patience` for the build that holds the lock of `folder`, if one does. Writes nothing.
///
/// # Errors
/// [`LockError::Held`] with the other process when it does not end in time.
pub fn wait(folder: &Path, patience: Duration) -> Result<(), LockError> {
    let path = folder.join(NAME);
    let failed = |error| DiskError::new("lock", &path, error);
    let mut patience = Patience::new(patience);
    loop {
        let opened = none_if_missing(open_beneath::open(folder, Utf8Path::new(NAME))).map_err(failed)?;
        let Some(mut file) = opened else { return Ok(()) };
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
            Err(TryLockError::WouldBlock) if patience.is_over() => return Err(held_by(folder, &mut file)),
            Err(TryLockError::WouldBlock) => patience.pause().map_err(failed)?,
        }
    }
}

/// The holder of the lock, according to the lock file.
fn held_by(folder: &Path, file: &mut File) -> LockError {
    let mut holder = String::new();
    let known = (&mut *file).take(64).read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
    let holder = if known { holder.trim().to_owned() } else { "unknown".to_owned() };
    LockError::Held { folder: folder.to_owned(), holder }
}

/// Opens `folder`, following existing links unless they are below `base`, and creates its missing parts, outermost
/// first: each created part, and each part below `base`, must be a folder and not a link.
fn open_or_make(folder: &Path, base: Option<&Path>, made: &mut CreatedFolders) -> Result<Folder, DiskError> {
    let is_there = |part: &&Path| part.as_os_str().is_empty() || fs::metadata(part).is_ok();
    let there = base.or_else(|| folder.ancestors().find(is_there)).unwrap_or(Path::new(""));
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| DiskError::new("create", &path, error)
    };
    let below = folder.strip_prefix(there).unwrap_or(Path::new(""));
    let mut at = there.to_owned();
    let first = below.components().next().map_or(folder.to_owned(), |part| there.join(part));
    let mut open: OwnedFd = match Folder::open(there) {
        Ok(open) => open.into(),
        Err(error) if below.as_os_str().is_empty() && error.source.kind() == io::ErrorKind::NotADirectory => {
            return Err(DiskError::new("write to", folder, error.source));
        }
        Err(error) => return Err(failed(&first)(error.source)),
    };
    for part in below.components() {
        let name = part.as_os_str();
        at.push(name);
        if matches!(part, Component::Normal(_)) && !folder::is_folder(&open, name) {
            match fs_op::make_folder(&open, name) {
                Ok(()) => made.0.push((open.try_clone().map_err(failed(&at))?, name.to_owned())),
                // Another build created it, or it is not a folder: the next step will tell.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&at)(error)),
            }
        }
        open = folder::enter(&open, name).map_err(failed(&at))?;
    }
    Ok(Folder::new(open, folder.to_owned()))
}

/// Writes the holder to the lock file.
fn note(file: &mut File, holder: &str) -> io::Result<()> {
    fs_op::set_size(file, 0)?;
    file.rewind()?;
    fs_op::write(file, holder.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_build_learns_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let held = acquire(&OutputFolder::named(folder.path()), Duration::ZERO).unwrap();
        let error = acquire(&OutputFolder::named(folder.path()), Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        assert!(acquire(&OutputFolder::named(folder.path()), Duration::ZERO).is_ok());
    }

    #[test]
    fn only_folders_that_hold_something_stay() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a/b");
        drop(acquire(&OutputFolder::named(&folder), Duration::ZERO).unwrap());
        assert!(!above.path().join("a").exists());
        let held = acquire(&OutputFolder::named(&folder), Duration::ZERO).unwrap();
        fs::write(above.path().join("a/mine"), "").unwrap();
        drop(held);
        assert!(above.path().join("a/mine").exists() && !folder.exists());
    }

    #[test]
    fn many_builds_take_turns() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("out");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _held = acquire(&OutputFolder::named(&folder), PATIENCE).unwrap();
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn below_a_base_no_link_is_followed() {
        let above = tempfile::tempdir().unwrap();
        let at = |path: &str| above.path().join(path);
        fs::create_dir_all(at("outside/inner")).unwrap();
        fs::create_dir(at("base")).unwrap();
        std::os::unix::fs::symlink("../outside", at("base/link")).unwrap();
        for path in ["link", "link/inner", "link/new"] {
            let folder = OutputFolder::below(&at("base"), Path::new(path));
            assert!(folder.is_linked() && acquire(&folder, Duration::ZERO).is_err(), "{path}");
            assert!(acquire(&OutputFolder::named(folder.path()), Duration::ZERO).is_ok(), "{path}");
        }
        for path in ["new", "a/b", "a/../c", ""] {
            let folder = OutputFolder::below(&at("base"), Path::new(path));
            assert!(!folder.is_linked() && acquire(&folder, Duration::ZERO).is_ok(), "{path}");
        }
        assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 1);
    }
}
