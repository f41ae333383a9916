//! The open folders along a path. Sorted paths share prefixes, so that each folder is opened once.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// The open folders from a root to a path.
pub(super) struct TreeTrail<'a> {
    root: BorrowedFd<'a>,
    /// The current path.
    path: OsString,
    open: Vec<(OsString, OwnedFd)>,
}

impl<'a> TreeTrail<'a> {
    /// A trail that starts at an open folder.
    pub(super) fn new(root: BorrowedFd<'a>) -> Self {
        Self { root, path: OsString::new(), open: Vec::new() }
    }

    /// The folder at `path`. `enter` opens one folder in another.
    ///
    /// # Errors
    /// When `enter` fails.
    pub(super) fn descend(
        &mut self,
        path: &Path,
        mut enter: impl FnMut(BorrowedFd<'_>, &OsStr) -> io::Result<OwnedFd>,
    ) -> io::Result<BorrowedFd<'_>> {
        if path.as_os_str() != self.path {
            let mut names = path.iter().peekable();
            let mut shared = 0;
            while names.next_if(|name| self.open.get(shared).is_some_and(|(open, _)| open == name)).is_some()
            {
                shared += 1;
            }
            self.open.truncate(shared);
            // After a failure, the open folders do not match any path.
            self.path.clear();
            for name in names {
                let next = enter(self.last(), name)?;
                self.open.push((name.to_owned(), next));
            }
            self.path.push(path);
        }
        Ok(self.last())
    }

    fn last(&self) -> BorrowedFd<'_> {
        self.open.last().map_or(self.root, |(_, folder)| folder.as_fd())
    }
}
