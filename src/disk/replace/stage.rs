//! Fills the folder that will replace an output folder: the files of the bundle, and links to foreign files. Both
//! folders are open, and no link below them is followed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use rustix::fs::{fstat, readlinkat};

use super::super::folder::{self, Folder};
use super::super::foreign_files::{ForeignEntry, ForeignKind, foreign};
use super::super::{DiskError, Payload, fs_op, open_beneath};
use super::trail::TreeTrail;
use super::{OWN_FOLDER, OutputFile};
use crate::progress::Progress;

/// The folder to fill.
pub(super) struct StagedTree {
    /// The open folder.
    pub(super) root: OwnedFd,
    modes: CreatedModes,
}

/// Which kinds of new files were created with the right mode.
#[derive(Default)]
struct CreatedModes {
    folders: ModeCheck,
    files: ModeCheck,
    programs: ModeCheck,
}

/// Whether the first of its kind was created with the right mode. If so, the others are, too: only the umask and the
/// defaults inherited from the root determine it, and both stay the same.
type ModeCheck = Option<bool>;

const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;
const PROGRAM: u32 = 0o755;

impl StagedTree {
    /// Creates the folder `name` in `out`, which no other user may enter until it is filled.
    ///
    /// # Errors
    /// When it cannot be created, or something replaces it.
    pub(super) fn make(out: &Folder, name: &str) -> io::Result<Self> {
        fs_op::make_private_folder(out, name)?;
        Ok(Self { root: folder::enter(out, name)?, modes: CreatedModes::default() })
    }

    /// Builds the new tree of the folder at `place`, which currently contains `old`. An error refers to `place`, the
    /// path that the user knows.
    pub(super) fn build_tree(
        &mut self,
        place: &Path,
        files: &[OutputFile],
        old: Option<&Folder>,
        owned: &BTreeSet<Utf8PathBuf>,
        progress: &Progress,
    ) -> Result<(), DiskError> {
        let mut trail = TreeTrail::new(self.root.as_fd());
        // Plugcast's own documents identify the tree, so they are written first.
        let (own, others): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| file.path.starts_with(OWN_FOLDER));
        for file in own.into_iter().chain(others) {
            let failed = |error| DiskError::new("write", &place.join(&file.path), error);
            let parent = file.path.parent().map(|parent| parent.as_std_path()).unwrap_or(Path::new(""));
            let at = trail
                .descend(parent, |at, name| open_created(&mut self.modes.folders, at, name))
                .map_err(failed)?;
            write(&mut self.modes, at, file, place)?;
            progress.step();
        }
        if let Some(old) = old {
            keep(&mut trail, &mut self.modes, old, &foreign(old, owned)?)?;
        }
        fs_op::set_mode(&self.root, FOLDER).map_err(|error| DiskError::new("write", place, error))
    }
}

/// Links the foreign files of `old` into the new tree.
fn keep(
    trail: &mut TreeTrail<'_>,
    modes: &mut CreatedModes,
    old: &Folder,
    entries: &[ForeignEntry],
) -> Result<(), DiskError> {
    let mut from = TreeTrail::new(old.as_fd());
    let mut closed: Vec<(&PathBuf, u32)> = Vec::new();
    for entry in entries {
        let failed = |error| DiskError::new("keep", &old.path().join(&entry.path), error);
        let (Some(parent), Some(name)) = (entry.path.parent(), entry.path.file_name()) else { continue };
        let there = from.descend(parent, |at, name| folder::enter(at, name)).map_err(failed)?;
        let mut make = |at: BorrowedFd<'_>, name: &OsStr| open_created(&mut modes.folders, at, name);
        match entry.kind {
            ForeignKind::Folder => {
                trail.descend(&entry.path, &mut make).map_err(failed)?;
                let mode = folder::stat(there, name).map(|stat| stat.st_mode & 0o7777);
                closed.extend(mode.filter(|mode| *mode != FOLDER).map(|mode| (&entry.path, mode)));
            }
            ForeignKind::Link => {
                let at = trail.descend(parent, &mut make).map_err(failed)?;
                let target = readlinkat(there, name, Vec::new()).map_err(|error| failed(error.into()))?;
                fs_op::symlink(&target, at, name).map_err(failed)?;
            }
            ForeignKind::File => {
                let at = trail.descend(parent, &mut make).map_err(failed)?;
                link(there, at, name).map_err(failed)?;
            }
        }
    }
    // Set modes last: a read-only folder could not be filled afterwards.
    for (path, mode) in closed.into_iter().rev() {
        let open = trail.descend(path, |at, name| folder::enter(at, name));
        open.and_then(|folder| fs_op::set_mode(folder, mode))
            .map_err(|error| DiskError::new("keep", &old.path().join(path), error))?;
    }
    Ok(())
}

/// Creates and opens a folder in another one; an existing one was created by this build.
fn open_created(born: &mut ModeCheck, at: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    match fs_op::make_folder(at, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder::enter(at, name),
        result => {
            result?;
            let folder = folder::enter(at, name)?;
            set_mode(born, &folder, FOLDER)?;
            Ok(folder)
        }
    }
}

/// Writes a file of the new tree, which will end up in the folder at `place`.
fn write(
    modes: &mut CreatedModes,
    at: BorrowedFd<'_>,
    file: &OutputFile,
    place: &Path,
) -> Result<(), DiskError> {
    let failed = |error| DiskError::new("write", &place.join(&file.path), error);
    let name = file.path.file_name().unwrap_or_default();
    let to = if file.executable { fs_op::create_program(at, name) } else { fs_op::create(at, name) };
    let mut to = to.map_err(failed)?;
    match &file.payload {
        Payload::Text(text) => fs_op::write(&mut to, text.as_bytes()).map_err(failed)?,
        Payload::CopyOf { path: from, fingerprint } => {
            let unread = |error| DiskError::unread("read", from, error);
            let (mut source, _) = open_beneath::open_in_place(from).map_err(unread)?;
            match fs_op::write_copy(&mut to, &mut source, fingerprint.size) {
                Ok(written) if written == *fingerprint => {}
                Ok(_) => return Err(unread(super::super::changed_error())),
                Err(error) if super::super::is_changed(&error) => return Err(unread(error)),
                Err(error) => return Err(failed(error)),
            }
        }
    }
    match file.executable {
        true => set_mode(&mut modes.programs, &to, PROGRAM),
        false => set_mode(&mut modes.files, &to, FILE),
    }
    .map_err(failed)
}

/// Sets the mode of a new file, unless it was created with it: reading the mode is cheaper than setting it, and the
/// first result holds for all.
fn set_mode(born: &mut ModeCheck, open: impl AsFd, mode: u32) -> io::Result<()> {
    let has_it = |open: &dyn AsFd| fstat(open.as_fd()).is_ok_and(|stat| stat.st_mode & 0o7777 == mode);
    if *born.get_or_insert_with(|| has_it(&open)) { Ok(()) } else { fs_op::set_mode(open, mode) }
}

/// Links a foreign file into the new tree; on a file system without hard links, copies it.
fn link(from: BorrowedFd<'_>, to: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    match fs_op::link(from, name, to, name) {
        Err(error) if copying_helps(&error) => match open_beneath::open_one(from, name) {
            Ok(mut file) => fs_op::copy(&mut file, to, name),
            Err(_) => Err(error),
        },
        result => result,
    }
}

fn copying_helps(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::CrossesDevices
            | io::ErrorKind::TooManyLinks
    )
}
