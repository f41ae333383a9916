//! Streams the diff into the run's folder, in one file or in several, never truncated; or only counts it.

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::hashes::{DiffCutter, DiffHasher, FileHashes, names};
use crate::disk;
use crate::disk::durable::AppendFile;
use crate::runtime::answer::CallFailure;
use crate::runtime::changes::{self, ChangeRequest, TreeDifference, UncommittedChanges};
use crate::runtime::child;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::hosts::SandboxAccess;
use crate::runtime::review::run_folder::RunFolder;
use crate::runtime::store::Store;

/// One file of a diff that has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffChunk {
    /// Its path, absolute.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The changed files in it, as named in their headers.
    pub files: Vec<String>,
}

/// A written diff, and its content.
#[derive(Default)]
pub(super) struct WrittenDiff {
    pub(super) difference: TreeDifference,
    pub(super) uncommitted: UncommittedChanges,
    pub(super) path: Option<String>,
    pub(super) argv: Option<Vec<String>>,
    pub(super) chunks: Vec<DiffChunk>,
    pub(super) hashes: FileHashes,
}

/// How much is written at once.
const BUFFER: usize = 1024 * 1024;

/// Takes the diff of the working tree since a commit.
pub(super) fn write(
    repository: &Repository,
    from: &str,
    folder: Option<&RunFolder>,
    most: Option<u64>,
) -> Result<WrittenDiff, CallFailure> {
    let Some(folder) = folder else {
        let (mut cutter, mut hashes) = (DiffCutter::default(), DiffHasher::default());
        let mut sink = |piece: &[u8]| {
            hashes.update(&mut cutter, piece);
            Ok(())
        };
        let (difference, uncommitted) = changes::uncommitted_since(repository, from, true, Some(&mut sink))?;
        let question =
            ChangeRequest { from, to: None, shown: true, without: &difference.without, as_text: false };
        let argv = repository.with_attributes_of(from).argv(&question.words())?;
        let hashes = hashes.finish();
        return Ok(WrittenDiff {
            difference,
            uncommitted,
            argv: Some(argv),
            hashes,
            ..WrittenDiff::default()
        });
    };
    let failed = |error: io::Error| {
        let message = format!("the diff cannot be written: {error}");
        let hint = disk::remedy(error.kind()).map_or("make the folder writable", |remedy| remedy.or_root);
        let unwritable = || CallFailure::environment(ErrorCode::StateUnwritable, &*message, hint);
        child::sandbox_refusal(repository.environment(), SandboxAccess::Write, &message)
            .unwrap_or_else(unwritable)
    };
    let mut writer = DiffWriter {
        folder: &folder.path,
        store: &folder.store,
        most,
        open: None,
        chunks: Vec::new(),
        buffer: Vec::new(),
    };
    let (mut cutter, mut hashes) = (DiffCutter::default(), DiffHasher::default());
    let mut sink = |piece: &[u8]| {
        for (part, header) in cutter.parts(piece) {
            hashes.add(part, header);
            writer.write_part(part, header).map_err(failed)?;
        }
        Ok(())
    };
    let (difference, uncommitted) = changes::uncommitted_since(repository, from, true, Some(&mut sink))?;
    let chunks = writer.finish().map_err(failed)?;
    let diff = WrittenDiff { difference, uncommitted, hashes: hashes.finish(), ..WrittenDiff::default() };
    match chunks.as_slice() {
        [one] => Ok(WrittenDiff { path: Some(one.path.clone()), ..diff }),
        _ => Ok(WrittenDiff { chunks, ..diff }),
    }
}

/// The hashes of the diff that [`write()`] would write, and the uncommitted changes.
pub(super) fn hashes(
    repository: &Repository,
    from: &str,
) -> Result<(FileHashes, UncommittedChanges), CallFailure> {
    let diff = write(repository, from, None, None)?;
    Ok((diff.hashes, diff.uncommitted))
}

/// Writes a diff, and starts a new chunk at a changed file once the current one is half full.
struct DiffWriter<'a> {
    folder: &'a Path,
    store: &'a Store,
    most: Option<u64>,
    open: Option<AppendFile>,
    chunks: Vec<DiffChunk>,
    /// Data not yet written to the open file.
    buffer: Vec<u8>,
}

impl DiffWriter<'_> {
    /// Writes a part of one changed file, starting with its header if it has one.
    fn write_part(&mut self, part: &[u8], header: Option<&[u8]>) -> io::Result<()> {
        let full =
            self.chunks.last().zip(self.most).is_some_and(|(chunk, most)| chunk.bytes >= most.div_ceil(2));
        if self.open.is_none() || (header.is_some() && full) {
            self.begin()?;
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.bytes += part.len() as u64;
            chunk.files.extend(header.map(names));
        }
        self.buffer.extend_from_slice(part);
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
        self.open =
            Some(self.store.create_file(&path).map_err(|failure| io::Error::other(failure.error.message))?);
        self.chunks.push(DiffChunk { path: path.display().to_string(), bytes: 0, files: Vec::new() });
        Ok(())
    }

    fn finish(mut self) -> io::Result<Vec<DiffChunk>> {
        if self.open.is_none() {
            self.begin()?;
        }
        self.close()?;
        Ok(self.chunks)
    }
}
