//! Splits a streamed diff into its files and hashes each, so that two diffs can be compared file by file.

use std::collections::BTreeMap;

use memchr::memmem;
use sha2::{Digest, Sha256};

/// The beginnings of headers; no other line of a diff starts like this.
const HEADERS: [&[u8]; 2] = [b"diff --git ", b"diff --cc "];
/// What precedes every header but the first.
const HEADER_PREFIX: &[u8] = b"\ndiff --";

/// The sha256 of each file's diff, by the names in its header (`a/old b/new`).
pub type FileHashes = BTreeMap<String, String>;

/// Splits pieces of a diff into files.
pub(super) struct DiffCutter {
    /// Whether the next piece begins a line.
    fresh: bool,
}

impl Default for DiffCutter {
    fn default() -> Self {
        Self { fresh: true }
    }
}

/// A part of one file, with the names of its header if it begins the file.
pub(super) type DiffPart<'a> = (&'a [u8], Option<&'a [u8]>);

impl DiffCutter {
    /// The parts of a piece; a header is never split between pieces.
    pub(super) fn parts<'a>(&mut self, piece: &'a [u8]) -> Vec<DiffPart<'a>> {
        let mut begins: Vec<usize> =
            memmem::find_iter(piece, HEADER_PREFIX).map(|before| before + 1).collect();
        begins.insert(0, 0);
        let mut parts = Vec::with_capacity(begins.len());
        for (nth, at) in begins.iter().enumerate() {
            let part = &piece[*at..begins.get(nth + 1).copied().unwrap_or(piece.len())];
            let header = HEADERS.iter().find_map(|header| part.strip_prefix(*header));
            parts.push((part, header.filter(|_| self.fresh || nth > 0)));
        }
        self.fresh = piece.last().map_or(self.fresh, |last| *last == b'\n');
        parts
    }
}

/// The names in a header.
pub(super) fn names(header: &[u8]) -> String {
    let line = header.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).trim_end().to_owned()
}

/// Hashes the files of a diff, part by part.
#[derive(Default)]
pub(super) struct DiffHasher {
    open: Option<(String, Sha256)>,
    done: FileHashes,
}

impl DiffHasher {
    /// Adds a piece of a diff.
    pub(super) fn update(&mut self, cutter: &mut DiffCutter, piece: &[u8]) {
        cutter.parts(piece).into_iter().for_each(|(part, header)| self.add(part, header));
    }

    pub(super) fn add(&mut self, part: &[u8], header: Option<&[u8]>) {
        if let Some(header) = header {
            self.close();
            self.open = Some((names(header), Sha256::new()));
        }
        if let Some((_, hash)) = &mut self.open {
            hash.update(part);
        }
    }

    fn close(&mut self) {
        if let Some((names, hash)) = self.open.take() {
            // A type change is shown as two files.
            *self.done.entry(names).or_default() += &crate::disk::hex(&hash.finalize());
        }
    }

    pub(super) fn finish(mut self) -> FileHashes {
        self.close();
        self.done
    }
}
