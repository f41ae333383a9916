//! One build at a time per output folder. The lock is the system's own, so that it ends with the
//! process that holds it, however that ends; its file is there only while a build runs.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use camino::Utf8Path;

use super::{DiskError, beneath, step};
use crate::process::interrupt;

/// How long a build waits for another one.
pub const PATIENCE: Duration = Duration::from_secs(10);

const NAME: &str = ".plugcast.lock";
/// The first pause between two tries.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
    _made: Made,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays is taken over by the next build.
        let _ = step::remove_file(&self.path);
    }
}

/// Folders that were made for a lock, outermost first. Those that are empty in the end go again.
#[derive(Debug, Default)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        while self.0.pop().is_some_and(|folder| step::remove_folder(&folder).is_ok()) {}
    }
}

/// Why a lock was not had.
#[derive(Debug, thiserror::Error)]
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

/// Takes the lock of the output folder `folder`, waiting up to `patience` for another build. Makes
/// the folder, and removes it again if it is empty in the end.
///
/// # Errors
/// [`LockError::Held`] with the other process when it does not end in time.
pub fn acquire(folder: &Path, patience: Duration) -> Result<Lock, LockError> {
    acquire_as(folder, NAME, &std::process::id().to_string(), patience)
}

/// As [`acquire`], by a file of another name that holds `holder` while the lock is held.
///
/// # Errors
/// [`LockError::Held`] with what the file holds when the other process does not end in time.
pub fn acquire_as(folder: &Path, name: &str, holder: &str, patience: Duration) -> Result<Lock, LockError> {
    let path = folder.join(name);
    let failed = |error| DiskError::new("lock", &path, error);
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    let mut made = Made::default();
    loop {
        make_folders(folder, &mut made)?;
        let mut file = match step::open(&path) {
            Ok(file) => file,
            // The build that ended just now removed the folder that it had made.
            Err(error) if error.kind() == io::ErrorKind::NotFound && start.elapsed() < patience => continue,
            Err(error) => return Err(failed(error).into()),
        };
        match file.try_lock() {
            Ok(()) if is_at(&file, &path) => {
                let mut lock = Lock { path: path.clone(), file, _made: made };
                note(&mut lock.file, holder).map_err(failed)?;
                return Ok(lock);
            }
            // The build that ended just now removed this file.
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Err(held(folder, &mut file));
            }
            Err(TryLockError::WouldBlock) => pause = wait_for(pause).map_err(failed)?,
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
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        let mut file = match beneath::open(folder, Utf8Path::new(NAME)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error).into()),
        };
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Err(held(folder, &mut file));
            }
            Err(TryLockError::WouldBlock) => pause = wait_for(pause).map_err(failed)?,
        }
    }
}

/// Who holds the lock, as its file says.
fn held(folder: &Path, file: &mut File) -> LockError {
    let mut holder = String::new();
    let known = (&mut *file).take(64).read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
    let holder = if known { holder.trim().to_owned() } else { "unknown".to_owned() };
    LockError::Held { folder: folder.to_owned(), holder }
}

/// Pauses, and returns how long to pause the next time.
fn wait_for(pause: Duration) -> io::Result<Duration> {
    interrupt::check()?;
    std::thread::sleep(pause);
    Ok((pause * 2).min(Duration::from_millis(200)))
}

/// Makes what is missing of `folder`, from the outermost.
fn make_folders(folder: &Path, made: &mut Made) -> Result<(), DiskError> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|part| !part.as_os_str().is_empty() && fs::metadata(part).is_err())
        .collect();
    for part in missing.into_iter().rev() {
        match step::make_folder(part) {
            Ok(()) => made.0.push(part.to_owned()),
            // Another build made it, and may have removed it by now: what follows will tell.
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && (part.is_dir() || fs::symlink_metadata(part).is_err()) => {}
            Err(error) => return Err(DiskError::new("create", part, error)),
        }
    }
    match fs::metadata(folder) {
        Ok(meta) if !meta.is_dir() => {
            Err(DiskError::new("write to", folder, io::ErrorKind::NotADirectory.into()))
        }
        _ => Ok(()),
    }
}

/// Whether `path` still names the open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(named)) if same(&open, &named))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Says in the file who holds it.
fn note(file: &mut File, holder: &str) -> io::Result<()> {
    step::set_size(file, 0)?;
    file.rewind()?;
    step::write(file, holder.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_build_learns_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let held = acquire(folder.path(), Duration::ZERO).unwrap();
        let error = acquire(folder.path(), Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        assert!(acquire(folder.path(), Duration::ZERO).is_ok());
    }

    #[test]
    fn only_folders_that_hold_something_stay() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a/b");
        drop(acquire(&folder, Duration::ZERO).unwrap());
        assert!(!above.path().join("a").exists());
        let held = acquire(&folder, Duration::ZERO).unwrap();
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
                        let _held = acquire(&folder, PATIENCE).unwrap();
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
