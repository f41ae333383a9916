//! Reads one file of a walk: text into memory, everything else left on disk.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::FileSystem;
use crate::disk::open_beneath;
use crate::source::{
    Exclusion, ExclusionReason, FileContent, LineIndex, Position, SourceFile, is_markdown, script_kind_of,
};

/// Files up to this size are read, to see whether they are text.
const SMALL: u64 = 1024 * 1024;
/// Files whose ending says that they are text, and scripts, are read up to this size.
const LARGE_TEXT: u64 = 64 * 1024 * 1024;

/// Reads one file through `buffer`, which the next one uses again.
pub(super) fn read(
    file_system: &FileSystem,
    path: Utf8PathBuf,
    real: PathBuf,
    buffer: &mut Vec<u8>,
) -> Result<SourceFile, Exclusion> {
    let large = || FileContent::NotText {
        reason: format!("is larger than {} MiB", LARGE_TEXT >> 20),
        position: Position { line: 1, column: 1 },
    };
    let is_text = is_text_name(&path) || has_text_ending(&path);
    let unread = |error: io::Error| {
        let reason = ExclusionReason::Unreadable(error.to_string());
        Exclusion { path: path.clone(), reason, fault: true }
    };
    if let Some(place) = file_system.in_memory(&real) {
        let node = place.node_in_place().map_err(unread)?;
        let bytes = node.bytes().map_err(unread)?;
        let size = bytes.len() as u64;
        let reads_more = is_text || script_kind_of(&path).is_some() || bytes.starts_with(b"#!");
        let content = match size <= if reads_more { LARGE_TEXT } else { SMALL } {
            true => decode(bytes, &path),
            false if is_text_name(&path) => large(),
            false => FileContent::OnDisk,
        };
        let executable = node.is_executable();
        return Ok(SourceFile::new(path, real, executable, size, content));
    }
    let read = open_beneath::open_in_place(&real).and_then(|(mut file, meta)| {
        let mut size = meta.len();
        let reads_more = is_text || size > SMALL && is_script(&path, &mut file)?;
        let limit = if reads_more { LARGE_TEXT } else { SMALL };
        let content = if size <= limit {
            let bytes = super::super::read_whole(&mut (&file).take(limit + 1), size, buffer)?;
            size = bytes.len() as u64;
            if size > limit {
                return Err(super::super::changed_error());
            }
            decode(bytes, &path)
        } else if is_text_name(&path) {
            large()
        } else {
            FileContent::OnDisk
        };
        Ok((meta, size, content))
    });
    match read {
        Ok((meta, size, content)) => Ok(SourceFile::new(path, real, executable(&meta), size, content)),
        Err(error) => Err(unread(error)),
    }
}

fn decode(bytes: &[u8], path: &Utf8Path) -> FileContent {
    let (valid, fault) = match std::str::from_utf8(bytes) {
        Ok(text) => match memchr::memchr(0, text.as_bytes()) {
            Some(at) if !is_markdown(path) || is_mostly_nul(bytes) => {
                (at, format!("is not text: byte {at} is NUL"))
            }
            _ => return FileContent::Text(Arc::from(text)),
        },
        Err(error) => (
            error.valid_up_to(),
            format!("is not valid UTF-8: invalid byte at offset {}", error.valid_up_to()),
        ),
    };
    if !is_text_name(path) && script_kind_of(path).is_none() && !is_other_text(path, bytes) {
        return FileContent::OnDisk;
    }
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let position = LineIndex::new(&before).position(&before, before.len());
    // Hosts load skills with NUL characters (Claude Code 2.1.330, Codex 0.169.0, OpenCode 1.18.33), and show U+FFFD for
    // bytes that are not valid UTF-8 (Claude Code, OpenCode).
    if is_markdown(path) && !is_mostly_nul(bytes) {
        let text = Arc::from(String::from_utf8_lossy(bytes));
        return FileContent::Repaired { text, reason: format!("{fault}, read as U+FFFD"), position };
    }
    FileContent::NotText { reason: fault, position }
}

/// Whether so many bytes are NUL that the file was not written as text.
fn is_mostly_nul(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0, bytes).count() > bytes.len() / 8
}

fn is_text_name(path: &Utf8Path) -> bool {
    is_markdown(path) || matches!(path.extension(), Some("json" | "toml" | "yaml" | "yml"))
}

/// Whether a file without its own reader is text: by its ending, or as a program without one.
fn is_other_text(path: &Utf8Path, bytes: &[u8]) -> bool {
    has_text_ending(path) || path.extension().is_none() && bytes.starts_with(b"#!")
}

fn has_text_ending(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("txt" | "mdx" | "html" | "xml" | "css"))
}

/// Whether the file is a script by its ending or by its first two bytes.
fn is_script(path: &Utf8Path, file: &mut fs::File) -> io::Result<bool> {
    if script_kind_of(path).is_some() {
        return Ok(true);
    }
    let mut start = Vec::new();
    (&*file).take(2).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == b"#!")
}

#[cfg(unix)]
fn executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &fs::Metadata) -> bool {
    false
}
