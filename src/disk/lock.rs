//! One build at a time per output folder. The lock is the system's own, so that it ends with the
//! process that holds it, however that ends.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::DiskError;

/// How long a build waits for another one.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
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

/// Takes the lock of the output folder `folder`, waiting up to `patience` for another build.
///
/// # Errors
/// [`LockError::Held`] with the other process when it does not end in time.
pub fn acquire(folder: &Path, patience: Duration) -> Result<Lock, LockError> {
    fs::create_dir_all(folder).map_err(|error| DiskError::new("create", folder, error))?;
    let path = folder.join(".plugcast.lock");
    let failed = |error| DiskError::new("lock", &path, error);
    let mut file =
        File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(5);
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                let mut holder = String::new();
                let known = file.read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
                let holder = if known { holder.trim().to_owned() } else { "unknown".to_owned() };
                return Err(LockError::Held { folder: folder.to_owned(), holder });
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(200));
            }
        }
    }
    let note = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(std::process::id().to_string().as_bytes())
    };
    note(&mut file).map_err(failed)?;
    Ok(Lock { _file: file })
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
}
