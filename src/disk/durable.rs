//! A file that is filled piece by piece and must survive a power cut, such as the output of a child.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use super::{DiskError, fs_op};

/// A file that grows.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
}

impl AppendFile {
    /// A file that was just made at `path`.
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        fs_op::write(&mut self.file, bytes)
    }

    /// The file itself, for somebody else to fill.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Flushes what was written.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self) -> Result<(), DiskError> {
        self.file.sync_all().map_err(|error| DiskError::new("write", &self.path, error))
    }
}
