//! Changes below a root: atomic, flushed, and through the same gate as every other change of the file system.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Stat, linkat, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::{MOST_DEPTH, Root, RootError, split_name};
use crate::disk::durable::AppendFile;
use crate::disk::missing_name::ok_if_missing;
use crate::disk::{FileKind, folder, fs_op};

impl Root {
    /// Replaces the content of a file in one step, keeping its mode, and creates its missing folders.
    ///
    /// # Errors
    /// When the existing file is not trusted, or it cannot be written; the old file is kept then.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), RootError> {
        self.replace_if(path, bytes, &|| true).map(|_| ())
    }

    /// The same, but no other user may read a new file.
    ///
    /// # Errors
    /// As [`Root::replace`].
    pub fn replace_secret(&self, path: &Path, bytes: &[u8]) -> Result<(), RootError> {
        self.replace_as(path, bytes, 0o600, &|| true).map(|_| ())
    }

    /// The same, but only if `may` returns true after the bytes are on disk: a concurrent save is lost only if it
    /// happens between that call and the rename right after it. Returns `false` otherwise.
    ///
    /// # Errors
    /// As [`Root::replace`].
    pub fn replace_if(&self, path: &Path, bytes: &[u8], may: &dyn Fn() -> bool) -> Result<bool, RootError> {
        self.replace_as(path, bytes, 0o666, may)
    }

    fn replace_as(
        &self,
        path: &Path,
        bytes: &[u8],
        mode: u32,
        may: &dyn Fn() -> bool,
    ) -> Result<bool, RootError> {
        let (folder, name) = self.made_parent(path)?;
        self.must_be_replaceable(&folder, name, path)?;
        let new = PathBuf::from(format!(".{}.plugcast-new", name.display()));
        let old = folder::stat(&folder, name);
        // Meanwhile, nobody may read more than before.
        let written = create_new(&folder, &new, old.map_or(mode, |old| old.st_mode & 0o666))
            .and_then(|mut file| {
                fs_op::write(&mut file, bytes)?;
                old.map_or(Ok(()), |old| keep_access(&file, &old))?;
                file.sync_all()
            })
            .and_then(|()| match may() {
                true => fs_op::finalize_with(|| Ok(renameat(&folder, &new, &folder, name)?)).map(|()| true),
                false => remove_at(&folder, &new).map(|()| false),
            })
            .and_then(|is_replaced| flush(&folder).map(|()| is_replaced));
        written.map_err(|error| {
            // The first error is the one to report.
            let _ = remove_at(&folder, &new);
            self.failed("write", path, error)
        })
    }

    /// Creates a file that no other user may read, if there is none yet: of several processes only one creates it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create_secret(&self, path: &Path, bytes: &[u8]) -> Result<(), RootError> {
        let (folder, name) = self.made_parent(path)?;
        let new = PathBuf::from(format!(".{}.{}.plugcast-new", name.display(), std::process::id()));
        let written = create_new(&folder, &new, 0o600)
            .and_then(|mut file| fs_op::write(&mut file, bytes).and_then(|()| file.sync_all()))
            .and_then(|()| {
                fs_op::create_using(|| Ok(linkat(&folder, &new, &folder, name, AtFlags::empty())?))
            });
        let _ = remove_at(&folder, &new);
        match written {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.failed("write", path, error))
            }
            _ => Ok(()),
        }
    }

    /// Creates a new file that is written incrementally, replacing an existing one.
    ///
    /// # Errors
    /// As [`Root::replace`].
    pub fn create_file(&self, path: &Path) -> Result<AppendFile, RootError> {
        let (folder, name) = self.made_parent(path)?;
        self.must_be_replaceable(&folder, name, path)?;
        let file = create_new(&folder, name, 0o666).map_err(|error| self.failed("write", path, error))?;
        Ok(AppendFile::new(file, self.path.join(path)))
    }

    /// The folder at `path` in it as a separate root, created if it does not exist.
    ///
    /// # Errors
    /// As [`Root::subfolder`], and when it cannot be created.
    pub fn create_inner(&self, path: &Path) -> Result<Self, RootError> {
        self.claim_folder(path)?;
        self.subfolder(path)?.ok_or_else(|| self.failed("open", path, io::ErrorKind::NotFound.into()))
    }

    /// Creates a new folder and its missing parents; `false` if it already exists.
    ///
    /// # Errors
    /// When a part of the path is not trusted, or it cannot be created.
    pub fn claim_folder(&self, path: &Path) -> Result<bool, RootError> {
        let (folder, name) = self.made_parent(path)?;
        match make_folder(&folder, name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.inspect(&folder, name, path).map(|_| false)
            }
            Err(error) => Err(self.failed("create", path, error)),
        }
    }

    /// Removes a file; a missing one is not an error.
    ///
    /// # Errors
    /// When it is not trusted, or cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<(), RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(()) };
        if self.inspect(&folder, name, path)?.is_none() {
            return Ok(());
        }
        remove_at(&folder, name).map_err(|error| self.failed("remove", path, error))
    }

    /// Renames a file within its folder; the new name must not exist yet.
    ///
    /// # Errors
    /// When one of them is not trusted, or it cannot be renamed.
    pub fn rename(&self, path: &Path, to: &str) -> Result<(), RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(()) };
        self.inspect(&folder, name, path)?;
        let to = Path::new(to);
        if self.inspect(&folder, to, &path.with_file_name(to))?.is_some() {
            return Err(self.failed("rename", path, io::ErrorKind::AlreadyExists.into()));
        }
        let renamed = fs_op::finalize_with(|| Ok(renameat(&folder, name, &folder, to)?));
        renamed.map_err(|error| self.failed("rename", path, error))
    }

    /// Removes a folder with its content, without following links. It is renamed first, so that a kill leaves nothing
    /// that looks complete.
    ///
    /// # Errors
    /// When a part of the path is not trusted, or something cannot be removed.
    pub fn remove_folder(&self, path: &Path) -> Result<(), RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(()) };
        if self.inspect(&folder, name, path)? != Some(FileKind::Folder) {
            return Ok(());
        }
        let going = PathBuf::from(format!(".{}.plugcast-old", name.display()));
        let renamed = fs_op::finalize_with(|| Ok(renameat(&folder, name, &folder, &going)?));
        renamed.map_err(|error| self.failed("remove", path, error))?;
        self.empty(&folder, &going, &path.with_file_name(&going), 0)
    }

    fn empty(&self, folder: &OwnedFd, name: &Path, at: &Path, depth: usize) -> Result<(), RootError> {
        if depth == MOST_DEPTH {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it is more than 32 folders deep");
            return Err(self.failed("remove", at, error));
        }
        if let Some(inner) = self.enter(folder, name, at)? {
            for name in self.names(&inner, at)? {
                let (name, at) = (Path::new(&name), at.join(&name));
                let removed = remove_at(&inner, name);
                match removed {
                    // The errors for a folder on Linux and on other systems.
                    Err(error)
                        if [Errno::ISDIR, Errno::PERM]
                            .iter()
                            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) =>
                    {
                        self.empty(&inner, name, &at, depth + 1)?;
                    }
                    removed => removed.map_err(|error| self.failed("remove", &at, error))?,
                }
            }
        }
        let removed = fs_op::finalize_with(|| Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?));
        removed.map_err(|error| self.failed("remove", at, error))
    }

    /// The folder that contains `path`, created if it does not exist, and its name there.
    pub(super) fn made_parent<'a>(&self, path: &'a Path) -> Result<(OwnedFd, &'a Path), RootError> {
        let (parent, name) = split_name(path).ok_or_else(|| self.untrusted(path, "leaves its folder"))?;
        let cloned = self.folder.try_clone();
        let mut open = cloned.map_err(|error| self.failed("open", Path::new(""), error))?;
        let mut at = PathBuf::new();
        for part in parent.iter() {
            at.push(part);
            let part = Path::new(part);
            open = match self.enter(&open, part, &at)? {
                Some(next) => next,
                None => {
                    match make_folder(&open, part) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(self.failed("create", &at, error));
                        }
                        _ => {}
                    }
                    let gone = || self.failed("create", &at, io::ErrorKind::NotFound.into());
                    self.enter(&open, part, &at)?.ok_or_else(gone)?
                }
            };
        }
        Ok((open, name))
    }

    fn must_be_replaceable(&self, folder: &OwnedFd, name: &Path, path: &Path) -> Result<(), RootError> {
        match self.inspect(folder, name, path)? {
            Some(FileKind::Folder | FileKind::Link) => Err(self.untrusted(path, "is not a regular file")),
            Some(FileKind::File) | None => Ok(()),
        }
    }
}

fn make_folder(folder: &OwnedFd, name: &Path) -> io::Result<()> {
    fs_op::create_using(|| Ok(mkdirat(folder, name, Mode::from_raw_mode(0o777))?))
}

fn remove_at(folder: &OwnedFd, name: &Path) -> io::Result<()> {
    fs_op::finalize_with(|| Ok(unlinkat(folder, name, AtFlags::empty())?))
}

/// Creates a new file; replaces a leftover of a killed run, and never follows a link.
fn create_new(folder: &OwnedFd, name: &Path, mode: u32) -> io::Result<File> {
    ok_if_missing(remove_at(folder, name))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    fs_op::create_using(|| Ok(File::from(openat(folder, name, flags, Mode::from_raw_mode(mode))?)))
}

/// Gives a file the mode of the one that it replaces, and its owner where this user may do so: root's own file with the
/// same mode could hide it from its owner.
fn keep_access(file: &File, old: &Stat) -> io::Result<()> {
    let (new, mode) = (file.metadata()?, old.st_mode & 0o7777);
    if (new.uid(), new.gid()) != (old.st_uid, old.st_gid) {
        let _ = fs_op::finalize_with(|| fchown(file, Some(old.st_uid), Some(old.st_gid)));
    }
    // Some file systems have one mode for all files, and refuse to set it.
    if new.mode() & 0o7777 == mode { Ok(()) } else { fs_op::set_mode(file, mode) }
}

/// Flushes a folder.
fn flush(folder: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::fsync(folder)?)
}
