//! Every change of the file system, one small function each: it takes a name in an open folder and follows no links.
//! All of them pass one gate, where an interrupt stops operations that only add (cleanup continues), and where the
//! feature `fault` counts.

#[cfg(feature = "fault")]
mod fault;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, chmodat, fchmod, linkat, mkdirat, openat,
    renameat, symlinkat, unlinkat, utimensat,
};
use rustix::path::Arg;

use super::Fingerprint;
use crate::process::interrupt;

/// The class of an operation for the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FsOperation {
    /// Creates something new, which takes space and can be skipped.
    Create,
    /// Moves, removes or sets a mode, which an interrupt must not leave half done.
    Finalize,
}

fn before_operation(step: FsOperation) -> io::Result<()> {
    interrupt::enter_critical_section();
    if step == FsOperation::Create {
        interrupt::check()?;
    }
    #[cfg(feature = "fault")]
    fault::pass(step)?;
    Ok(())
}

/// Runs an operation of another module that creates something.
pub(super) fn create_using<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    before_operation(FsOperation::Create)?;
    change()
}

/// Runs an operation of another module that moves or removes something.
pub(super) fn finalize_with<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    before_operation(FsOperation::Finalize)?;
    change()
}

/// Creates a folder in an open one.
pub(super) fn make_folder(at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Create)?;
    Ok(mkdirat(at, name, Mode::from_raw_mode(0o777))?)
}

/// Creates a folder in an open one that no other user may enter.
pub(super) fn make_private_folder(at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Create)?;
    Ok(mkdirat(at, name, Mode::from_raw_mode(0o700))?)
}

/// Creates a new file.
pub(super) fn create(at: impl AsFd, name: impl Arg) -> io::Result<File> {
    create_mode(at, name, 0o666)
}

/// Creates a new executable file, subject to the umask.
pub(super) fn create_program(at: impl AsFd, name: impl Arg) -> io::Result<File> {
    create_mode(at, name, 0o777)
}

fn create_mode(at: impl AsFd, name: impl Arg, mode: u32) -> io::Result<File> {
    before_operation(FsOperation::Create)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(at, name, flags, Mode::from_raw_mode(mode))?))
}

/// Opens a regular file for reading and writing, never through a link, and creates it if it does not exist.
pub(super) fn open(at: impl AsFd, name: impl Arg) -> io::Result<File> {
    before_operation(FsOperation::Create)?;
    // Follow no link, and do not block on a pipe without a reader.
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    let file = File::from(openat(at, name, flags, Mode::from_raw_mode(0o666))?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Writes bytes at the current position of a file.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let passed = before_operation(FsOperation::Create);
    #[cfg(feature = "fault")]
    if fault::cuts_writes() && passed.is_err() {
        file.write_all(&bytes[..bytes.len() / 2])?;
    }
    passed?;
    file.write_all(bytes)
}

/// Writes the content of another file, up to `most` bytes, and returns the fingerprint of what was written.
pub(super) fn write_copy(file: &mut File, from: &mut File, most: u64) -> io::Result<Fingerprint> {
    before_operation(FsOperation::Create)?;
    super::fingerprint_of(from, most, |bytes| file.write_all(bytes))
}

/// Sets the size of an open file.
pub(super) fn set_size(file: &File, size: u64) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    file.set_len(size)
}

/// Creates a hard link to a file; of a symlink, to the symlink itself.
pub(super) fn link(from: impl AsFd, name: impl Arg, to: impl AsFd, new: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Create)?;
    Ok(linkat(from, name, to, new, AtFlags::empty())?)
}

/// Copies an open file with its mode to a new name.
pub(super) fn copy(from: &mut File, at: impl AsFd, name: impl Arg) -> io::Result<()> {
    let mode = from.metadata()?.permissions().mode() & 0o777;
    let mut to = create(at, name)?;
    io::copy(from, &mut to)?;
    set_mode(&to, mode)
}

/// Creates a symbolic link.
pub(super) fn symlink(target: impl Arg, at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Create)?;
    Ok(symlinkat(target, at, name)?)
}

/// Sets the permission bits of something that is open.
pub(super) fn set_mode(open: impl AsFd, mode: u32) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    Ok(fchmod(open, Mode::from_raw_mode(mode))?)
}

/// Gives the owner access to a folder that nobody may list; links are rejected.
pub(super) fn unlock_folder(at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    let mode = Mode::from_raw_mode(0o700);
    #[cfg(target_os = "linux")]
    {
        // The system call follows links, unless it is applied to an open handle.
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let closed = openat(at, name, flags, Mode::empty())?;
        let itself = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&closed));
        Ok(chmodat(CWD, itself, mode, AtFlags::empty())?)
    }
    #[cfg(not(target_os = "linux"))]
    Ok(chmodat(at, name, mode, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Sets the times of a file to now, never through a link.
///
/// # Errors
/// When it is gone, or belongs to another user.
pub fn renew_times(path: &std::path::Path) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Moves a file or folder; a file replaces an existing one.
pub(super) fn rename(from: impl AsFd, name: impl Arg, to: impl AsFd, new: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    Ok(renameat(from, name, to, new)?)
}

/// Exchanges two names in a folder in one step; `false` if the system does not support it.
pub(super) fn exchange(at: impl AsFd, a: impl Arg, b: impl Arg) -> io::Result<bool> {
    before_operation(FsOperation::Finalize)?;
    #[cfg(feature = "fault")]
    if fault::forbids_exchange() {
        return Ok(false);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        Ok(renameat_with(&at, a, &at, b, RenameFlags::EXCHANGE).is_ok())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (at, a, b);
        Ok(false)
    }
}

/// Removes a file or link.
pub(super) fn remove_file(at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    Ok(unlinkat(at, name, AtFlags::empty())?)
}

/// Removes an empty folder.
pub(super) fn remove_folder(at: impl AsFd, name: impl Arg) -> io::Result<()> {
    before_operation(FsOperation::Finalize)?;
    Ok(unlinkat(at, name, AtFlags::REMOVEDIR)?)
}
