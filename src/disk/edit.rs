//! Changes a file of the user's own tree in one step: readers see the old text or the new one, the
//! mode stays, and nothing is written through a link or outside the folder that was named.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use camino::Utf8Path;

use super::reader::{self, SizeLimit};
use super::step;
use crate::source::UNFINISHED_ENDING;

/// Why a file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// A link leads to it, or it is no plain file.
    #[error("`{}` is no plain file below the folder, or a link leads to it", .0.display())]
    NotPlain(PathBuf),
    /// It holds something else than what was read.
    #[error("`{}` was changed by somebody else meanwhile", .0.display())]
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

/// Gives the file at `path`, relative to `root`, the text `new` if it still holds `old`.
///
/// # Errors
/// When it is no plain file, holds something else, or cannot be written; the old text stays then.
pub fn rewrite(root: &Path, path: &Utf8Path, old: &str, new: &str) -> Result<(), EditError> {
    must_hold(root, path, old)?;
    let full = root.join(path);
    let mode = fs::metadata(&full).map(|meta| mode(&meta));
    mode.and_then(|mode| replace(&full, new.as_bytes(), mode))
        .map_err(|source| EditError::Failed { path: full, source })
}

/// Sees that the file at `path` is a plain one below `root` and holds `old`.
pub(super) fn must_hold(root: &Path, path: &Utf8Path, old: &str) -> Result<(), EditError> {
    let full = root.join(path);
    if !is_plain(root, path) {
        return Err(EditError::NotPlain(full));
    }
    match reader::open(&full).and_then(|file| reader::read_file(&file, SizeLimit::Document)) {
        Ok(bytes) if bytes == old.as_bytes() => Ok(()),
        Ok(_) => Err(EditError::Changed(full)),
        Err(source) => Err(EditError::Failed { path: full, source }),
    }
}

/// Writes a file, or replaces a plain one with its mode kept, in one step.
///
/// # Errors
/// When something else than a file stands there, or it cannot be written; what was there stays then.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), EditError> {
    let mode = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => mode(&meta),
        Ok(_) => return Err(EditError::NotPlain(path.to_owned())),
        Err(_) => 0o644,
    };
    replace(path, bytes, mode).map_err(|source| EditError::Failed { path: path.to_owned(), source })
}

/// Whether every part of `path` below `root` is what it seems: folders, and at the end a file.
fn is_plain(root: &Path, path: &Utf8Path) -> bool {
    let mut at = root.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, camino::Utf8Component::Normal(_)) {
            return false;
        }
        at.push(part.as_str());
        let wanted = |meta: fs::Metadata| if parts.peek().is_some() { meta.is_dir() } else { meta.is_file() };
        if !fs::symlink_metadata(&at).is_ok_and(wanted) {
            return false;
        }
    }
    true
}

fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let new = path.with_file_name(format!(".{name}{UNFINISHED_ENDING}"));
    // What an earlier run left when it was killed; a link there is removed, never followed.
    if fs::symlink_metadata(&new).is_ok() {
        step::remove_file(&new)?;
    }
    let written = step::create(&new)
        .and_then(|mut file| step::write(&mut file, bytes))
        .and_then(|()| step::set_mode(&new, mode))
        .and_then(|()| step::rename(&new, path));
    written.inspect_err(|_| {
        // The first error is the one to report.
        let _ = step::remove_file(&new);
    })
}

#[cfg(unix)]
pub(super) fn mode(meta: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
pub(super) fn mode(_: &fs::Metadata) -> u32 {
    0o644
}

#[cfg(all(test, unix))]
mod tests {
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
