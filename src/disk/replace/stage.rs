//! Fills the folder that will take the place of an output folder: the files of the bundle, and those of
//! others linked into it.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use camino::Utf8PathBuf;

use super::super::foreign::{Found, foreign};
use super::super::{DiskError, Payload, beneath, step};
use super::OutputFile;

/// Builds the new tree of `folder` in `stage`. An error names the place in `folder`, which is what a
/// person knows.
pub(super) fn fill(
    folder: &Path,
    stage: &Path,
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
) -> Result<(), DiskError> {
    let mut stage = Stage { root: stage, made: BTreeSet::new(), folders: None, files: None, programs: None };
    stage.make_root().map_err(|error| DiskError::new("create", folder, error))?;
    for file in files {
        let failed = |error| DiskError::new("write", &folder.join(&file.path), error);
        stage.make_folders(file.path.as_std_path().parent()).map_err(failed)?;
        stage.write(file, &folder.join(&file.path))?;
    }
    let mut modes = Vec::new();
    for entry in foreign(folder, owned)? {
        let (from, to) = (folder.join(&entry.path), stage.root.join(&entry.path));
        let failed = |error| DiskError::new("keep", &from, error);
        stage.make_folders(entry.path.parent()).map_err(failed)?;
        match entry.kind {
            Found::Folder => {
                stage.make_folders(Some(&entry.path)).map_err(failed)?;
                modes.extend(mode_of(&from).filter(|mode| *mode != FOLDER).map(|mode| (from, to, mode)));
            }
            Found::Link => step::copy_symlink(&from, &to).map_err(failed)?,
            Found::File => keep(&from, &to).map_err(failed)?,
        }
    }
    // Only now: a folder that nobody may write to can still be filled before.
    for (from, to, mode) in modes.iter().rev() {
        step::set_mode(to, *mode).map_err(|error| DiskError::new("keep", from, error))?;
    }
    Ok(())
}

const FOLDER: u32 = 0o755;
const FILE: u32 = 0o644;
const PROGRAM: u32 = 0o755;

struct Stage<'a> {
    root: &'a Path,
    /// The folders that are there, as they are written: telling paths apart part by part is slow.
    made: BTreeSet<OsString>,
    folders: Born,
    files: Born,
    programs: Born,
}

/// Whether the first of its kind was made with its mode. If so, the others are, too: nothing but the
/// process's mask and what the root hands down decides, and both stay the same.
type Born = Option<bool>;

impl Stage<'_> {
    fn make_root(&mut self) -> io::Result<()> {
        step::make_folder(self.root)?;
        settle(&mut self.folders, self.root, FOLDER)
    }

    /// Makes `folder` and those above it, each once.
    fn make_folders(&mut self, folder: Option<&Path>) -> io::Result<()> {
        let Some(folder) = folder.filter(|folder| !self.made.contains(folder.as_os_str())) else {
            return Ok(());
        };
        let parts: Vec<&Path> = folder.ancestors().collect();
        for part in parts.into_iter().rev().filter(|part| !part.as_os_str().is_empty()) {
            if self.made.insert(part.as_os_str().to_owned()) {
                let path = self.root.join(part);
                step::make_folder(&path)?;
                settle(&mut self.folders, &path, FOLDER)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the new tree, whose place is `place` in the end.
    fn write(&mut self, file: &OutputFile, place: &Path) -> Result<(), DiskError> {
        let failed = |error| DiskError::new("write", place, error);
        let path = self.root.join(&file.path);
        let to = if file.executable { step::create_program(&path) } else { step::create(&path) };
        let mut to = to.map_err(failed)?;
        match &file.payload {
            Payload::Text(text) => step::write(&mut to, text.as_bytes()).map_err(failed)?,
            Payload::CopyOf { path: from, fingerprint } => {
                let unread = |error| DiskError::new("read", from, error);
                let (mut source, _) = beneath::open_in_place(from).map_err(unread)?;
                match step::write_copy(&mut to, &mut source, fingerprint.size) {
                    Ok(written) if written == *fingerprint => {}
                    Ok(_) => return Err(unread(super::super::changed())),
                    Err(error) if super::super::is_changed(&error) => return Err(unread(error)),
                    Err(error) => return Err(failed(error)),
                }
            }
        }
        match file.executable {
            true => settle(&mut self.programs, &path, PROGRAM),
            false => settle(&mut self.files, &path, FILE),
        }
        .map_err(failed)
    }
}

/// Sets the mode of something new, unless it was made with it: asking is cheaper than setting, and the
/// first answer holds for all.
fn settle(born: &mut Born, path: &Path, mode: u32) -> io::Result<()> {
    if *born.get_or_insert_with(|| mode_of(path) == Some(mode)) { Ok(()) } else { step::set_mode(path, mode) }
}

/// Links a file of others into the new tree; on a file system without links, copies it.
fn keep(from: &Path, to: &Path) -> io::Result<()> {
    match step::link(from, to) {
        Err(error) if copying_helps(&error) && fs::symlink_metadata(from)?.is_file() => step::copy(from, to),
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

#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).ok().map(|meta| meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> Option<u32> {
    None
}
