//! Files and links in git's index, with the file times that git last saw.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::disk::root::{FileTimes, Root};

/// The arguments of the call whose output [`entries`] parses.
pub const QUESTION: [&str; 5] = ["ls-files", "--stage", "--debug", "-z", "--full-name"];

/// One file or link in the index.
pub struct IndexEntry<'a> {
    /// Its name, relative to the repository's top.
    pub name: &'a [u8],
    /// Its object.
    pub object: &'a [u8],
    /// Whether it is a link.
    pub is_link: bool,
    /// The times that git last saw; none if git prints an unknown format.
    pub times: Option<FileTimes>,
}

impl IndexEntry<'_> {
    /// Its path, relative to the top.
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.name))
    }

    /// Its current times, as the index would store them: with the low 32 bits of the size.
    pub fn times(&self, root: &Root) -> Option<FileTimes> {
        let now = root.times(self.path())?;
        Some(FileTimes { size: now.size & u64::from(u32::MAX), ..now })
    }
}

/// The files and links of a listing: `MODE OBJECT STAGE\tNAME`, a NUL byte, and lines with details.
pub fn entries(listed: &[u8]) -> Vec<IndexEntry<'_>> {
    let mut found = Vec::new();
    let mut rest = listed;
    while let Some(end) = memchr::memchr(0, rest) {
        let (record, after) = (&rest[..end], &rest[end + 1..]);
        let lines = lines_of(after);
        rest = &after[lines.len()..];
        let Some(tab) = memchr::memchr(b'\t', record) else { continue };
        let words: Vec<&[u8]> = record[..tab].split(|byte| *byte == b' ').collect();
        if let [mode, object, b"0"] = words[..]
            && (mode.starts_with(b"100") || mode == b"120000")
        {
            let is_link = mode == b"120000";
            found.push(IndexEntry { name: &record[tab + 1..], object, is_link, times: parse_times(lines) });
        }
    }
    found
}

/// The lines about one file: each begins with two spaces.
fn lines_of(text: &[u8]) -> &[u8] {
    let mut end = 0;
    while text[end..].starts_with(b"  ")
        && let Some(length) = memchr::memchr(b'\n', &text[end..])
    {
        end += length + 1;
    }
    &text[..end]
}

/// Parses lines such as `  ctime: SECONDS:NANOSECONDS` and `  size: BYTES\tflags: 0`.
fn parse_times(lines: &[u8]) -> Option<FileTimes> {
    let text = std::str::from_utf8(lines).ok()?;
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("{key}: "))?;
        rest.split(['\t', '\n']).next()
    };
    let (seconds, rest) = value("ctime")?.split_once(':')?;
    let (written, _) = value("mtime")?.split_once(':')?;
    Some(FileTimes {
        changed: (seconds.parse().ok()?, rest.parse().ok()?),
        written: written.parse().ok()?,
        size: value("size")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_lists_is_read_and_another_form_proves_nothing() {
        let listed = b"100644 ab 0\ta \"b\"\n\0  ctime: 7:9\n  mtime: 1:2\n  size: 3\tflags: 0\n160000 cd 0\tsub\0  ctime: 0:0\n\
            100755 ef 0\tx\x00100644 01 1\ty\x00120000 23 0\tz\0";
        let found = entries(listed);
        let names: Vec<(&[u8], bool)> = found.iter().map(|entry| (entry.name, entry.is_link)).collect();
        assert_eq!(names, [(&b"a \"b\"\n"[..], false), (b"x", false), (b"z", true)]);
        let seen = FileTimes { changed: (7, 9), written: 1, size: 3 };
        assert_eq!((found[0].object, &found[0].times, &found[1].times), (&b"ab"[..], &Some(seen), &None));
    }
}
