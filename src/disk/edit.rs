//! Changes a file of the user's tree in one step: readers see the old text or the new one, the mode is kept, and
//! nothing is written through a link or outside of the given folder.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use rustix::fs::FileType;

use super::folder::{self, Folder};
use super::reader::{self, SizeLimit};
use super::{DiskError, open_beneath};

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is reached through a link, or is not a plain file.
    #[error("`{}` is not a plain file below the folder, or a link leads to it", .0.display())]
    NotPlain(PathBuf),
    /// Its content differs from what was read.
    #[error("`{}` changed since it was read", .0.display())]
    Changed(PathBuf),
    /// A file operation failed.
    #[error("cannot change `{}`: {source}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Replaces the text of the file at `path`, relative to `root`, by `new` if it is still `old`.
///
/// # Errors
/// When it is not a plain file, has different content, or cannot be written; the old text is kept then.
pub fn rewrite(root: &Path, path: &Utf8Path, old: &str, new: &str) -> Result<(), EditError> {
    let failed = |source| EditError::Failed { path: root.join(path), source };
    let root = Folder::open(root).map_err(|error| failed(error.source))?;
    let file = find_plain(&root, path, old)?;
    folder::replace(&file.folder, file.name, new.as_bytes(), file.mode).map_err(failed)
}

/// A plain file: a name in an open folder.
pub(super) struct PlainFile<'a> {
    pub(super) folder: OwnedFd,
    pub(super) name: &'a str,
    pub(super) mode: u32,
}

/// Finds the plain file at `path` below `root`, whose text must be `old`.
pub(super) fn find_plain<'a>(
    root: &Folder,
    path: &'a Utf8Path,
    old: &str,
) -> Result<PlainFile<'a>, EditError> {
    let full = root.path().join(path);
    let Ok((folder, name)) = root.parent_of(path) else { return Err(EditError::NotPlain(full)) };
    let stat = folder::stat(&folder, name).filter(|stat| folder::kind(stat) == FileType::RegularFile);
    let Some(stat) = stat else { return Err(EditError::NotPlain(full)) };
    let file = open_beneath::open_one(&folder, name);
    match file.and_then(|file| reader::read_file(&file, SizeLimit::Document)) {
        Ok(bytes) if bytes == old.as_bytes() => Ok(PlainFile { folder, name, mode: stat.st_mode & 0o7777 }),
        Ok(_) => Err(EditError::Changed(full)),
        Err(source) => Err(EditError::Failed { path: full, source }),
    }
}

/// Writes a file, or replaces a plain one keeping its mode, in one step.
///
/// # Errors
/// When something other than a file is there, or it cannot be written; the old file is kept then.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), EditError> {
    let failed = |source| EditError::Failed { path: path.to_owned(), source };
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name else { return Err(EditError::NotPlain(path.to_owned())) };
    let open = Folder::open(path.parent().unwrap_or(Path::new("")));
    let folder = open.map_err(|DiskError { source, .. }| failed(source))?;
    let mode = match folder::stat(&folder, name) {
        Some(stat) if folder::kind(&stat) == FileType::RegularFile => stat.st_mode & 0o7777,
        Some(_) => return Err(EditError::NotPlain(path.to_owned())),
        None => 0o644,
    };
    folder::replace(&folder, name, bytes, mode).map_err(failed)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn changes_plain_files_with_their_mode_and_nothing_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(root.join("a/x"), "old").unwrap();
        fs::set_permissions(root.join("a/x"), fs::Permissions::from_mode(0o750)).unwrap();
        fs::write(outside.join("y"), "old").unwrap();
        symlink(&outside, root.join("link")).unwrap();
        symlink(outside.join("y"), root.join("a/y")).unwrap();

        rewrite(&root, Utf8Path::new("a/x"), "old", "new").unwrap();
        assert_eq!(fs::read_to_string(root.join("a/x")).unwrap(), "new");
        assert_eq!(fs::metadata(root.join("a/x")).unwrap().permissions().mode() & 0o7777, 0o750);
        let changed = rewrite(&root, Utf8Path::new("a/x"), "old", "newer").unwrap_err();
        assert!(matches!(changed, EditError::Changed(_)), "{changed}");
        for path in ["link/y", "a/y", "../outside/y", "a", "a/none"] {
            let refused = rewrite(&root, Utf8Path::new(path), "old", "new").unwrap_err();
            assert!(matches!(refused, EditError::NotPlain(_)), "{path}: {refused}");
        }
        assert_eq!(fs::read_to_string(outside.join("y")).unwrap(), "old");
        assert_eq!(fs::read_dir(root.join("a")).unwrap().count(), 2, "nothing else is left");
    }
}
