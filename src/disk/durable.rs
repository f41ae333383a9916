//! A file that is written incrementally and must survive a power failure, such as the output of a child.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use super::{DiskError, fs_op};

/// A file that is appended to.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
}

impl AppendFile {
    /// A file that was just created at `path`.
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        fs_op::write(&mut self.file, bytes)
    }

    /// Writes all of a file that can be made again: nothing waits for the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn fill(mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.add(bytes).map_err(|error| DiskError::new("write", &self.path, error))
    }

    /// The file itself, for another process to write.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Flushes the file to disk.
    ///
    /// # Errors
    /// When the file cannot be flushed.
    pub fn finish(self) -> Result<(), DiskError> {
        self.file.sync_all().map_err(|error| DiskError::new("write", &self.path, error))
    }
}
