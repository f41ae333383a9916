//! The open folders on the way to a path. Paths that come in order share the part of the way that they have in common,
//! so that each folder is opened once.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A way into a tree.
pub(super) struct TreeTrail<'a> {
    root: BorrowedFd<'a>,
    /// The folder that was gone to last.
    path: OsString,
    open: Vec<(OsString, OwnedFd)>,
}

impl<'a> TreeTrail<'a> {
    /// A way that begins at an open folder.
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
            // What fails on the way leaves no folder of this path.
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
