//! The diff itself: streamed into the run's folder, in one file or in several, never cut; or only counted.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::disk::durable::{self, Growing};
use crate::runtime::answer::Failure;
use crate::runtime::child;
use crate::runtime::git::Repository;
use crate::runtime::hosts::Access;
use crate::runtime::review::run_folder::RunFolder;

/// One file of a diff that has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Chunk {
    /// Where it is, absolute.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The changed files in it, as their headers name them.
    pub files: Vec<String>,
}

/// Where a diff went.
#[derive(Default)]
pub(super) struct Diff {
    pub(super) path: Option<String>,
    pub(super) argv: Option<Vec<String>>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) bytes: u64,
}

/// What every header begins with; no other line of a diff does.
const HEADERS: [&[u8]; 2] = [b"diff --git ", b"diff --cc "];
/// More of a line is not needed to know a header and its names.
const LINE: usize = 64 * 1024;
/// How much is written at once.
const BUFFER: usize = 1024 * 1024;

/// Takes the diff of the working tree since a commit.
pub(super) fn take(
    repository: &Repository,
    from: &str,
    folder: Option<&RunFolder>,
    most: Option<u64>,
) -> Result<Diff, Failure> {
    let words = [
        "diff",
        "-U10",
        "-M",
        "--no-ext-diff",
        "--no-textconv",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        from,
        "--",
    ];
    let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    let Some(folder) = folder else {
        let mut bytes = 0;
        repository.stream(&arguments, &mut |piece| {
            bytes += piece.len() as u64;
            Ok(())
        })?;
        let fixed = ["git", "-c", "core.quotePath=false", "--no-pager", "--no-optional-locks"];
        let argv = fixed.iter().chain(&words).map(|word| (*word).to_owned()).collect();
        return Ok(Diff { bytes, argv: Some(argv), ..Diff::default() });
    };
    let mut writer = Writer {
        folder: &folder.path,
        most,
        open: None,
        chunks: Vec::new(),
        buffer: Vec::new(),
        line: Vec::new(),
        inside: false,
    };
    repository.stream(&arguments, &mut |piece| writer.add(piece))?;
    let chunks = writer.finish().map_err(|error| {
        let message = format!("the diff cannot be written: {error}");
        let unwritable = || Failure::environment("state_unwritable", &*message, "make the folder writable");
        child::refused(repository.surroundings(), Access::Write, &message).unwrap_or_else(unwritable)
    })?;
    let bytes = chunks.iter().map(|chunk| chunk.bytes).sum();
    match chunks.as_slice() {
        [one] => Ok(Diff { path: Some(one.path.clone()), bytes, ..Diff::default() }),
        _ => Ok(Diff { chunks, bytes, ..Diff::default() }),
    }
}

/// Writes a diff, and begins another file between two changed ones when the open one is half full.
struct Writer<'a> {
    folder: &'a Path,
    most: Option<u64>,
    open: Option<Growing>,
    chunks: Vec<Chunk>,
    /// What is not written yet of the open file.
    buffer: Vec<u8>,
    /// The beginning of a line that is not whole yet.
    line: Vec<u8>,
    /// The line began in a part that is gone already.
    inside: bool,
}

impl Writer<'_> {
    fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            let whole = part.ends_with(b"\n");
            if whole || self.line.len() > LINE {
                self.take_line()?;
                self.inside = !whole;
            }
        }
        Ok(())
    }

    fn take_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let header = HEADERS.iter().find_map(|header| line.strip_prefix(*header)).filter(|_| !self.inside);
        let full =
            self.chunks.last().zip(self.most).is_some_and(|(chunk, most)| chunk.bytes >= most.div_ceil(2));
        if self.open.is_none() || (header.is_some() && full) {
            self.begin()?;
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.bytes += line.len() as u64;
            chunk.files.extend(header.map(|names| String::from_utf8_lossy(names).trim_end().to_owned()));
        }
        self.buffer.extend_from_slice(&line);
        if self.buffer.len() > BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(open) = &mut self.open
            && !self.buffer.is_empty()
        {
            open.add(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.flush()?;
        match self.open.take() {
            Some(open) => open.finish().map_err(|error| error.source),
            None => Ok(()),
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.close()?;
        let name = match self.chunks.len() {
            0 => "diff.patch".to_owned(),
            before => format!("diff-{:04}.patch", before + 1),
        };
        let path = self.folder.join(name);
        self.open = Some(durable::create(&path).map_err(|error| error.source)?);
        self.chunks.push(Chunk { path: path.display().to_string(), bytes: 0, files: Vec::new() });
        Ok(())
    }

    fn finish(mut self) -> io::Result<Vec<Chunk>> {
        if !self.line.is_empty() || self.open.is_none() {
            self.take_line()?;
        }
        self.close()?;
        Ok(self.chunks)
    }
}
