//! A folder of plugcast in a place where other users can write: everything below it is opened part by part, beneath the
//! open folder, without following links. A link, a special file or a file of another user below it is not trusted, and
//! nothing is read, written or removed through it.

mod change;
mod lock;

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;

use super::reader::{self, SizeLimit};
use super::{DiskError, FileKind};
use crate::order;

pub use lock::RootLock;

/// The maximum number of names in one folder.
const MOST_NAMES: usize = 100_000;
/// The maximum depth of a tree below the root.
const MOST_DEPTH: usize = 32;

/// An open folder.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
    folder: Arc<OwnedFd>,
    /// The required owner of everything below, if it is checked.
    owner: Option<u32>,
}

/// Why an operation below a root failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// Another user may have put it there.
    #[error("`{}` {what}", .path.display())]
    Untrusted {
        /// The untrusted path.
        path: PathBuf,
        /// Why it is not trusted.
        what: &'static str,
    },
    /// Another process holds the lock: the content of the lock file.
    #[error("process {0} holds the lock")]
    Held(String),
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// How to treat a root that is itself a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootLink {
    /// It is followed: the user named the path.
    Followed,
    /// It is not trusted.
    Refused,
}

/// The metadata of a file or link, read without opening it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileTimes {
    /// The change time (ctime), in seconds since 1970 and nanoseconds. No program can set it.
    pub changed: (i64, i64),
    /// The modification time (mtime), in seconds. Programs can set it.
    pub written: i64,
    /// Its size in bytes.
    pub size: u64,
}

impl Root {
    /// Opens the folder at `path`, below which everything must belong to this user; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is a refused link, not a folder, or cannot be opened.
    pub fn open(path: &Path, link: RootLink) -> Result<Option<Self>, RootError> {
        let owner = Some(rustix::process::geteuid().as_raw());
        Self::open_for(path, link, owner)
    }

    /// Opens the folder at `path`, regardless of who owns its content; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not a folder, or cannot be opened.
    pub fn open_tree(path: &Path) -> Result<Option<Self>, RootError> {
        Self::open_for(path, RootLink::Followed, None)
    }

    fn open_for(path: &Path, link: RootLink, owner: Option<u32>) -> Result<Option<Self>, RootError> {
        let mut flags = FOLDER;
        flags.set(OFlags::NOFOLLOW, link == RootLink::Refused);
        match openat(CWD, path, flags, Mode::empty()) {
            Ok(folder) => Ok(Some(Self { path: path.to_owned(), folder: Arc::new(folder), owner })),
            Err(Errno::NOENT) => match super::kind(path) {
                Some(FileKind::Link) => Err(untrusted(path, "is a broken link")),
                _ => Ok(None),
            },
            Err(Errno::NOTDIR | Errno::LOOP) if super::kind(path) == Some(FileKind::Link) => {
                Err(untrusted(path, LINK))
            }
            Err(error) => Err(DiskError::new("open", path, error.into()).into()),
        }
    }

    /// Opens the folder at `path`; creates it with its parents if it does not exist.
    ///
    /// # Errors
    /// As [`Root::open`], and when it cannot be created.
    pub fn create(path: &Path, link: RootLink) -> Result<Self, RootError> {
        if let Some(root) = Self::open(path, link)? {
            return Ok(root);
        }
        super::plain_files::make_folder(path).map_err(|error| DiskError::new("create", path, error))?;
        Self::open(path, link)?
            .ok_or_else(|| DiskError::new("open", path, io::ErrorKind::NotFound.into()).into())
    }

    /// The folder at `path` in it as a separate root; `None` if it does not exist.
    ///
    /// # Errors
    /// When a part of it is not trusted, or cannot be opened.
    pub fn subfolder(&self, path: &Path) -> Result<Option<Self>, RootError> {
        let open = |folder| Self { path: self.path.join(path), folder: Arc::new(folder), owner: self.owner };
        Ok(self.folder(path)?.map(open))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that identifies the folder as long as it exists, and that no copy shares.
    ///
    /// # Errors
    /// When it is not available.
    pub fn identity(&self) -> Result<u64, RootError> {
        let file =
            File::from(self.folder.try_clone().map_err(|error| self.unread("read", Path::new(""), error))?);
        let meta = file.metadata().map_err(|error| self.unread("read", Path::new(""), error))?;
        Ok(meta.ino())
    }

    /// Reads a whole file; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not trusted, cannot be read, or is larger than `limit`.
    pub fn read(&self, path: &Path, limit: SizeLimit) -> Result<Option<Vec<u8>>, RootError> {
        let Some(file) = self.opened(path)? else { return Ok(None) };
        reader::read_file(&file, limit).map(Some).map_err(|error| self.unread("read", path, error))
    }

    /// Opens a file; `None` if it does not exist.
    fn opened(&self, path: &Path) -> Result<Option<File>, RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(None) };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(self.untrusted(path, LINK)),
            Err(Errno::NXIO) => return Err(self.untrusted(path, SPECIAL)),
            Err(error) => return Err(self.unread("read", path, error.into())),
        };
        let meta = file.metadata().map_err(|error| self.unread("read", path, error))?;
        if !meta.is_file() {
            return Err(self.untrusted(path, SPECIAL));
        }
        self.must_own(path, meta.uid())?;
        Ok(Some(file))
    }

    /// Reads the last bytes of a file, at most `most`; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not trusted, or cannot be read.
    pub fn read_end(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>, RootError> {
        let Some(mut file) = self.opened(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let size = file.metadata().map_or(0, |meta| meta.len());
        let read = file.seek(SeekFrom::Start(size.saturating_sub(most)));
        let read = read.and_then(|_| file.take(most).read_to_end(&mut bytes));
        read.map_err(|error| self.unread("read", path, error))?;
        Ok(Some(bytes))
    }

    /// Reads a file that no other user may read or write; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Root::read`], and when other users have access.
    pub fn read_secret(&self, path: &Path, limit: SizeLimit) -> Result<Option<Vec<u8>>, RootError> {
        if let Some((folder, name)) = self.parent(path)?
            && let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
            && stat.st_mode & 0o077 != 0
        {
            return Err(self.untrusted(path, "may be read by others"));
        }
        self.read(path, limit)
    }

    /// The kind of file at a path; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not trusted, or cannot be determined.
    pub fn kind(&self, path: &Path) -> Result<Option<FileKind>, RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(None) };
        self.inspect(&folder, name, path)
    }

    /// The names in a folder with their kinds, sorted; empty if the folder does not exist. Names that are not valid
    /// UTF-8 are left out.
    ///
    /// # Errors
    /// When the folder or something in it is not trusted, it cannot be listed, or contains more than 100,000 names.
    pub fn list(&self, path: &Path) -> Result<Vec<(String, FileKind)>, RootError> {
        let Some(folder) = self.folder(path)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in self.names(&folder, path)? {
            if let Ok(name) = name.into_string()
                && let Some(kind) = self.inspect(&folder, Path::new(&name), &path.join(&name))?
            {
                found.push((name, kind));
            }
        }
        order::sort_by(&mut found, |one, other| one.0.cmp(&other.0));
        Ok(found)
    }

    /// When a file was last changed; `None` if it does not exist.
    ///
    /// # Errors
    /// When it is not trusted.
    pub fn modified(&self, path: &Path) -> Result<Option<SystemTime>, RootError> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(None) };
        if self.inspect(&folder, name, path)?.is_none() {
            return Ok(None);
        }
        let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
        let stat = stat.map_err(|error| self.unread("read", path, error.into()))?;
        let seconds = u64::try_from(stat.st_mtime).unwrap_or_default();
        Ok(Some(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds)))
    }

    /// The metadata of a file or link, read without opening it; `None` if it does not exist.
    pub fn times(&self, path: &Path) -> Option<FileTimes> {
        let stat = statat(&self.folder, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        #[allow(clippy::useless_conversion, reason = "the types differ by system")]
        Some(FileTimes {
            changed: (stat.st_ctime, stat.st_ctime_nsec.try_into().ok()?),
            written: stat.st_mtime,
            size: stat.st_size.try_into().ok()?,
        })
    }

    /// The target of a link; `None` if it is not a link.
    pub fn link(&self, path: &Path) -> Option<CString> {
        let (folder, name) = self.parent(path).ok()??;
        readlinkat(&folder, name, Vec::new()).ok()
    }

    /// The folder that contains `path`, and its name there; `None` if the folder does not exist.
    fn parent<'a>(&self, path: &'a Path) -> Result<Option<(OwnedFd, &'a Path)>, RootError> {
        let (folder, name) = split_name(path).ok_or_else(|| self.untrusted(path, "leaves its folder"))?;
        Ok(self.folder(folder)?.map(|folder| (folder, name)))
    }

    /// A folder, opened part by part; `None` if it does not exist.
    fn folder(&self, path: &Path) -> Result<Option<OwnedFd>, RootError> {
        let cloned = self.folder.try_clone();
        let mut open = cloned.map_err(|error| self.failed("open", Path::new(""), error))?;
        let mut at = PathBuf::new();
        for part in path.components() {
            let Component::Normal(part) = part else { return Err(self.untrusted(path, "leaves its folder")) };
            at.push(part);
            match self.enter(&open, Path::new(part), &at)? {
                Some(next) => open = next,
                None => return Ok(None),
            }
        }
        Ok(Some(open))
    }

    /// Opens a folder in another one.
    fn enter(&self, folder: &OwnedFd, name: &Path, at: &Path) -> Result<Option<OwnedFd>, RootError> {
        match openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(next) => {
                let stat = rustix::fs::fstat(&next).map_err(|error| self.failed("open", at, error.into()))?;
                self.must_own(at, stat.st_uid)?;
                Ok(Some(next))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
                let link = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
                Err(self.untrusted(at, if link { LINK } else { "is not a folder" }))
            }
            Err(error) => Err(self.failed("open", at, error.into())),
        }
    }

    /// The kind of file at a name, if it is trusted.
    fn inspect(&self, folder: &OwnedFd, name: &Path, at: &Path) -> Result<Option<FileKind>, RootError> {
        let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.unread("read", at, error.into())),
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Folder,
            FileType::Symlink => return Err(self.untrusted(at, LINK)),
            _ => return Err(self.untrusted(at, SPECIAL)),
        };
        self.must_own(at, stat.st_uid)?;
        Ok(Some(kind))
    }

    fn names(&self, folder: &OwnedFd, at: &Path) -> Result<Vec<std::ffi::OsString>, RootError> {
        use std::os::unix::ffi::OsStringExt;
        let failed = |error: Errno| self.unread("list", at, error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(folder.as_fd()).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_bytes().to_vec();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == MOST_NAMES {
                let error =
                    io::Error::new(io::ErrorKind::FileTooLarge, "it contains more than 100,000 names");
                return Err(self.unread("list", at, error));
            }
            names.push(std::ffi::OsString::from_vec(name));
        }
        Ok(names)
    }

    fn must_own(&self, path: &Path, owner: u32) -> Result<(), RootError> {
        match self.owner {
            Some(own) if own != owner => Err(self.untrusted(path, "belongs to another user")),
            _ => Ok(()),
        }
    }

    fn untrusted(&self, path: &Path, what: &'static str) -> RootError {
        untrusted(&self.path.join(path), what)
    }

    fn failed(&self, verb: &'static str, path: &Path, error: io::Error) -> RootError {
        DiskError::new(verb, &self.path.join(path), error).into()
    }

    fn unread(&self, verb: &'static str, path: &Path, error: io::Error) -> RootError {
        DiskError::unread(verb, &self.path.join(path), error).into()
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
const LINK: &str = "is a link";
const SPECIAL: &str = "is not a regular file";

fn untrusted(path: &Path, what: &'static str) -> RootError {
    RootError::Untrusted { path: path.to_owned(), what }
}

/// Splits a path without `..` into folder and name.
fn split_name(path: &Path) -> Option<(&Path, &Path)> {
    let down = path.components().all(|part| matches!(part, Component::Normal(_)));
    let name = path.file_name().filter(|_| down)?;
    Some((path.parent().unwrap_or(Path::new("")), Path::new(name)))
}

#[cfg(test)]
mod tests;
