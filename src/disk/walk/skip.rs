//! What a walk skips: ignored files by the `.gitignore` of each folder, and installed packages.

use std::io;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::{FileSystem, reader};

/// What a walk skips without anybody having excluded it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SkipPolicy {
    /// What the source's `.gitignore` files ignore.
    #[default]
    Ignored,
    /// That, and installed packages.
    IgnoredAndPackages,
    /// Nothing.
    Nothing,
}

impl SkipPolicy {
    /// What the `.gitignore` of `folder`, which lies at `real` in `root`, ignores.
    ///
    /// # Errors
    /// When the file cannot be read, or is too large: nobody knows then what the author meant to keep back.
    pub(super) fn gitignore(
        self,
        file_system: &FileSystem,
        root: &Path,
        folder: &Path,
        real: &Path,
    ) -> io::Result<Option<Gitignore>> {
        if self == SkipPolicy::Nothing {
            return Ok(None);
        }
        let file = file_system.real(&real.join(".gitignore")).ok();
        let Some(file) = file.filter(|file| file.starts_with(root) && file_system.is_file(file)) else {
            return Ok(None);
        };
        let bytes = file_system.read_in_place(&file, reader::SizeLimit::Settings)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.trim_start_matches('\u{feff}').lines() {
            // A pattern that does not parse is skipped, as git does; the others count.
            let _ = builder.add_line(None, line);
        }
        Ok(builder.build().ok())
    }
}
