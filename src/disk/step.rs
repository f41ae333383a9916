//! Every change of the file system, one small function each. All of them pass one gate, where an
//! interrupt stops what only adds (what tidies up goes on), and where the feature `fault` counts.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

#[cfg(feature = "fault")]
mod fault;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

#[cfg(unix)]
use rustix::fs::OFlags;

use super::Fingerprint;
use crate::process::interrupt;

/// What a step is to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It makes something new, which takes room and can be left undone.
    Adds,
    /// It moves, removes or sets a mode, which an interrupt must not leave half done.
    Settles,
}

fn gate(step: Step) -> io::Result<()> {
    interrupt::busy();
    if step == Step::Adds {
        interrupt::check()?;
    }
    #[cfg(feature = "fault")]
    fault::pass(step)?;
    Ok(())
}

/// Makes something new that no path names, such as below an open folder.
pub(super) fn adding<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    gate(Step::Adds)?;
    change()
}

/// Moves or removes something that no path names.
pub(super) fn settling<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    gate(Step::Settles)?;
    change()
}

/// Makes a folder, whose parent is there.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    gate(Step::Adds)?;
    fs::create_dir(path)
}

/// Makes a file that is not there yet.
pub(super) fn create(path: &Path) -> io::Result<File> {
    gate(Step::Adds)?;
    File::create_new(path)
}

/// Makes a file that is not there yet, which others may run as far as the process's mask lets them.
pub(super) fn create_program(path: &Path) -> io::Result<File> {
    gate(Step::Adds)?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o777);
    options.open(path)
}

/// Opens a regular file for reading and writing, never through a link, and makes it if it is not there.
pub(super) fn open(path: &Path) -> io::Result<File> {
    gate(Step::Adds)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        // Neither through a link nor into a pipe that nobody reads.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Writes bytes at the current place of a file.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let passed = gate(Step::Adds);
    #[cfg(feature = "fault")]
    if fault::cuts_writes() && passed.is_err() {
        file.write_all(&bytes[..bytes.len() / 2])?;
    }
    passed?;
    file.write_all(bytes)
}

/// Writes all of another file, up to `most` bytes, and says what was written.
pub(super) fn write_copy(file: &mut File, from: &mut File, most: u64) -> io::Result<Fingerprint> {
    gate(Step::Adds)?;
    super::fingerprint_of(from, most, |bytes| file.write_all(bytes))
}

/// Sets the size of an open file.
pub(super) fn set_size(file: &File, size: u64) -> io::Result<()> {
    gate(Step::Settles)?;
    file.set_len(size)
}

/// Gives a file a second name.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    gate(Step::Adds)?;
    fs::hard_link(from, to)
}

/// Copies a file with its mode.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    gate(Step::Adds)?;
    fs::copy(from, to).map(drop)
}

/// Makes a symbolic link that says what another one says.
pub(super) fn copy_symlink(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return symlink(&fs::read_link(from)?, to);
    #[cfg(not(unix))]
    copy(from, to)
}

/// Makes a symbolic link; where there are none, a file that names the target, as git does there.
pub(super) fn symlink(target: &Path, at: &Path) -> io::Result<()> {
    gate(Step::Adds)?;
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, at);
    #[cfg(not(unix))]
    fs::write(at, target.to_string_lossy().as_bytes())
}

/// Sets permission bits, where the system has them.
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    gate(Step::Settles)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, mode);
        Ok(())
    }
}

/// Moves a file or folder; a file takes the place of another one.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    gate(Step::Settles)?;
    fs::rename(from, to)
}

/// Exchanges two folders in one step; `false` where the system cannot.
pub(super) fn exchange(a: &Path, b: &Path) -> io::Result<bool> {
    gate(Step::Settles)?;
    #[cfg(feature = "fault")]
    if fault::forbids_exchange() {
        return Ok(false);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (a, b);
        Ok(false)
    }
}

/// Removes a file or link.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    gate(Step::Settles)?;
    fs::remove_file(path)
}

/// Removes an empty folder.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    gate(Step::Settles)?;
    fs::remove_dir(path)
}
