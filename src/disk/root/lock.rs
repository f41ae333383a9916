//! The lock of a root: an OS file lock on a file below it, so that it ends with the process that holds it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags, openat, statat, unlinkat};
use rustix::io::Errno;

use super::{FOLDER, LINK, Root, RootError, SPECIAL};
use crate::disk::fs_op;
use crate::disk::patience::Patience;

/// The lock; released when dropped.
#[derive(Debug)]
pub struct RootLock {
    root: Root,
    path: PathBuf,
    _file: File,
}

impl Drop for RootLock {
    fn drop(&mut self) {
        // The next process reuses a remaining lock file.
        if let Ok(Some((folder, name))) = self.root.parent(&self.path) {
            let _ = fs_op::finalize_with(|| Ok(unlinkat(&folder, name, AtFlags::empty())?));
        }
    }
}

impl Root {
    /// Acquires the lock of the folder itself, which needs no lock file, waiting up to `patience` for another process.
    /// It is held as long as the file is open.
    ///
    /// # Errors
    /// [`RootError::Held`] when that one does not end in time.
    pub fn lock_itself(&self, patience: Duration) -> Result<File, RootError> {
        let failed = |error| self.failed("lock", Path::new(""), error);
        let opened = openat(&self.folder, ".", FOLDER, Mode::empty());
        let file = File::from(opened.map_err(|error| failed(error.into()))?);
        let mut patience = Patience::new(patience);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if patience.is_over() => {
                    return Err(RootError::Held("unknown".to_owned()));
                }
                Err(TryLockError::WouldBlock) => patience.pause().map_err(failed)?,
            }
        }
    }

    /// Acquires the lock of the file at `path`, which contains `holder` meanwhile, waiting up to `patience` for another
    /// process.
    ///
    /// # Errors
    /// [`RootError::Held`] when that one does not end in time, and when the file is not trusted or cannot be made.
    pub fn lock(&self, path: &Path, holder: &str, patience: Duration) -> Result<RootLock, RootError> {
        let failed = |error| self.failed("lock", path, error);
        let mut patience = Patience::new(patience);
        loop {
            let (folder, name) = self.made_parent(path)?;
            let flags = OFlags::RDWR
                | OFlags::CREATE
                | OFlags::NOFOLLOW
                | OFlags::NONBLOCK
                | OFlags::NOCTTY
                | OFlags::CLOEXEC;
            let opened = fs_op::create_using(|| {
                Ok(File::from(openat(&folder, name, flags, Mode::from_raw_mode(0o666))?))
            });
            let mut file = opened.map_err(|error| match error.raw_os_error() {
                Some(code) if code == Errno::LOOP.raw_os_error() => self.untrusted(path, LINK),
                Some(code)
                    if [Errno::NXIO, Errno::ISDIR].iter().any(|errno| code == errno.raw_os_error()) =>
                {
                    self.untrusted(path, SPECIAL)
                }
                _ => failed(error),
            })?;
            let meta = file.metadata().map_err(failed)?;
            if !meta.is_file() {
                return Err(self.untrusted(path, SPECIAL));
            }
            self.must_own(path, meta.uid())?;
            match file.try_lock() {
                Ok(()) => {
                    let there = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
                    if there.is_ok_and(|there| there.st_ino == meta.ino() && there.st_dev == meta.dev()) {
                        note(&mut file, holder).map_err(failed)?;
                        return Ok(RootLock { root: self.clone(), path: path.to_owned(), _file: file });
                    }
                    // A process that just ended removed this file.
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if patience.is_over() => {
                    let mut text = String::new();
                    let known = file.by_ref().take(200).read_to_string(&mut text).is_ok();
                    let holder = if known { text.trim() } else { "" };
                    return Err(RootError::Held(
                        if holder.is_empty() { "unknown" } else { holder }.to_owned(),
                    ));
                }
                Err(TryLockError::WouldBlock) => patience.pause().map_err(failed)?,
            }
        }
    }
}

/// Writes the holder to the lock file.
fn note(file: &mut File, holder: &str) -> io::Result<()> {
    fs_op::set_size(file, 0)?;
    file.rewind()?;
    fs_op::write(file, holder.as_bytes())
}
