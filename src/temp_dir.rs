//! Temporary folders: outside every project, private, and removed when dropped.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::disk::plain_files;
use crate::process::interrupt;
use crate::process::temporary::{self, temporary};

/// A fresh folder outside every project, removed with its content when dropped.
#[derive(Debug)]
pub struct TempFolder {
    folder: tempfile::TempDir,
}

impl TempFolder {
    /// Creates the folder.
    ///
    /// # Errors
    /// When the system's folder for temporary files cannot be written to.
    pub fn new() -> io::Result<Self> {
        interrupt::enter_critical_section();
        interrupt::check()?;
        // Its files may be private, and no other user may swap names in it.
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(temporary::PREFIX).permissions(private).tempdir();
        let folder = temporary(folder)?;
        Ok(Self { folder })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Creates a folder inside, with its parents, and returns its path.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn folder(&self, relative: &str) -> io::Result<PathBuf> {
        let path = self.path().join(relative);
        plain_files::make_folder(&path)?;
        Ok(path)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test inspects what was created")]
mod tests {
    use super::*;

    /// Regression test: its mode was 0777 reduced by the umask.
    #[test]
    fn a_temporary_folder_is_closed_to_others() {
        let scratch = TempFolder::new().unwrap();
        assert_eq!(std::fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
