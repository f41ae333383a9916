//! The only reader of files: it accepts only regular files, checked on the open handle, up to a size limit by kind.
//! Opening never blocks, so that a named pipe cannot hang the program and a device cannot fill the memory.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::missing_name::existing_path;
use super::{DiskError, open_beneath};

/// The maximum size of a file that is read completely, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeLimit {
    /// Settings that the user writes: 4 MiB.
    Settings,
    /// Documents, texts and everything else: 64 MiB.
    Document,
    /// Programs that ship in a bundle: 512 MiB.
    Program,
}

impl SizeLimit {
    /// The limit in bytes.
    pub fn bytes(self) -> u64 {
        self.mebibytes() * 1024 * 1024
    }

    fn mebibytes(self) -> u64 {
        match self {
            SizeLimit::Settings => 4,
            SizeLimit::Document => 64,
            SizeLimit::Program => 512,
        }
    }

    /// The error for a larger file.
    pub fn too_large_error(self) -> io::Error {
        io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", self.mebibytes()))
    }
}

/// Opens a regular file for reading, following links.
///
/// # Errors
/// When it cannot be opened, or is a folder, a pipe, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(path).map_err(unopened)?;
    must_be_regular(&file)?;
    Ok(file)
}

/// Replaces the error about a socket, which cannot be opened at all, by a clear one.
pub(super) fn unopened(error: io::Error) -> io::Error {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) {
        return not_a_file_error("a socket or a device");
    }
    error
}

/// Checks that an open file is a regular one.
///
/// # Errors
/// When it is not.
pub(super) fn must_be_regular(file: &File) -> io::Result<Metadata> {
    let meta = file.metadata()?;
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(meta);
    }
    #[cfg(unix)]
    if kind.is_dir() {
        return Err(rustix::io::Errno::ISDIR.into());
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&kind) {
        return Err(not_a_file_error("a named pipe"));
    }
    Err(not_a_file_error("a device or another special file"))
}

fn not_a_file_error(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a regular file"))
}

/// Reads a whole file; `None` if there is no such file.
///
/// # Errors
/// When it exists and is not a regular file, cannot be read, or is larger than `limit`.
pub fn read(path: &Path, limit: SizeLimit) -> Result<Option<Vec<u8>>, DiskError> {
    existing_path(open(path).and_then(|file| read_file(&file, limit)))
        .map_err(|error| DiskError::unread("read", path, error))
}

/// Reads the file at `path`, which had no link in it when it was found.
///
/// # Errors
/// When it cannot be read, is larger than `limit`, or a link has replaced it.
pub(super) fn read_in_place(path: &Path, limit: SizeLimit) -> io::Result<Vec<u8>> {
    open_beneath::open_in_place(path).and_then(|(file, _)| read_file(&file, limit))
}

/// Reads an open file to its end.
pub(super) fn read_file(mut file: &File, limit: SizeLimit) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > limit.bytes() {
        return Err(limit.too_large_error());
    }
    // A file below `/proc` reports size 0.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    read_stream(&mut file, limit, &mut bytes)?;
    Ok(bytes)
}

/// Reads a stream to its end, such as standard input.
///
/// # Errors
/// When it cannot be read, or with [`io::ErrorKind::FileTooLarge`] when it contains more than `limit`.
pub fn read_stream(stream: &mut impl Read, limit: SizeLimit, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = stream.take(limit.bytes() + 1).read_to_end(bytes)?;
    if read as u64 > limit.bytes() { Err(limit.too_large_error()) } else { Ok(()) }
}

/// Whether a standard stream was closed when the program started. The standard library opens the null device in its
/// place, for reading and writing, while a real input is opened for reading only.
#[cfg(unix)]
pub fn was_closed(stream: impl std::os::fd::AsFd) -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};
    let (Ok(own), Ok(null), Ok(flags)) = (fstat(&stream), stat("/dev/null"), fcntl_getfl(&stream)) else {
        return true;
    };
    let is_null =
        FileType::from_raw_mode(own.st_mode) == FileType::CharacterDevice && own.st_rdev == null.st_rdev;
    is_null && flags & OFlags::RWMODE == OFlags::RDWR
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_named_pipe_a_device_and_a_folder_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o644),
            0,
        );
        made.unwrap();
        let refused = |path: &Path| read(path, SizeLimit::Document).unwrap_err().to_string();
        assert!(refused(&pipe).ends_with("it is a named pipe, not a regular file"));
        assert!(refused(Path::new("/dev/zero")).ends_with("not a regular file"));
        assert!(refused(folder.path()).contains("s a directory"));
        let socket = folder.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(refused(&socket).ends_with("it is a socket or a device, not a regular file"));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert!(refused(&link).ends_with("not a regular file"));
    }

    #[test]
    fn a_file_over_its_limit_is_refused_with_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let file = fs::File::create(&path).unwrap();
        file.set_len(SizeLimit::Settings.bytes()).unwrap();
        assert_eq!(read(&path, SizeLimit::Settings).unwrap().unwrap().len(), 4 * 1024 * 1024);
        file.set_len(SizeLimit::Settings.bytes() + 1).unwrap();
        let error = read(&path, SizeLimit::Settings).unwrap_err();
        assert!(error.to_string().ends_with("it is larger than 4 MiB"), "{error}");
        assert_eq!(error.help(), "make it smaller, or check the path");
        let endless = &mut io::repeat(0);
        let error = read_stream(endless, SizeLimit::Settings, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(!read(Path::new("/proc/self/stat"), SizeLimit::Settings).unwrap().unwrap().is_empty());
        assert_eq!(read(&folder.path().join("none"), SizeLimit::Settings).unwrap(), None);
    }
}
