//! What `git diff --raw` lists, one file per line: modes, status, names. Git quotes names with special characters,
//! there and in the headers of the diff.

use data_encoding::BASE64;

use super::ChangedFile;

/// One file of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileListEntry {
    pub(super) status: char,
    pub(super) submodule: bool,
    /// The name before a rename or copy, as git writes it.
    old: Option<Vec<u8>>,
    /// The name, as git writes it.
    name: Vec<u8>,
}

impl FileListEntry {
    /// Reads a line such as `:100644 100644 <id> <id> R090\told\tnew`.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let mut fields = line.strip_prefix(b":")?.split(|byte| *byte == b'\t');
        let words: Vec<&[u8]> = fields.next()?.split(|byte| *byte == b' ').collect();
        let status = words.get(4).and_then(|word| word.first()).map(|byte| char::from(*byte))?;
        let (first, second) = (fields.next()?.to_vec(), fields.next().map(<[u8]>::to_vec));
        let submodule = words.iter().take(2).any(|mode| *mode == b"160000");
        let (old, name) = match second {
            Some(second) => (Some(first), second),
            None => (None, first),
        };
        Some(Self { status, submodule, old, name })
    }

    /// Whether this line of a diff begins the section of this file.
    pub(super) fn is_header(&self, line: &[u8]) -> bool {
        if let Some(name) = line.strip_prefix(UNMERGED) {
            return self.status == 'U' && name == self.name;
        }
        let old = self.old.as_deref().unwrap_or(&self.name);
        line.strip_prefix(HEADER)
            .and_then(|rest| without_prefix(rest, b"a/", old))
            .and_then(|rest| rest.strip_prefix(b" "))
            .and_then(|rest| without_prefix(rest, b"b/", &self.name))
            .is_some_and(<[u8]>::is_empty)
    }

    /// The name's bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        unquoted_name(&self.name)
    }

    /// The name as an argument; `None` if it is not valid UTF-8.
    pub(super) fn argument(&self) -> Option<String> {
        String::from_utf8(self.bytes()).ok()
    }

    /// The change, without its counts.
    pub(super) fn change(&self) -> ChangedFile {
        let name = self.bytes();
        let raw_b64 = std::str::from_utf8(&name).is_err().then(|| BASE64.encode(&name));
        ChangedFile {
            path: lossy(name),
            raw_b64,
            status: self.status,
            submodule: self.submodule,
            old_path: self.old.as_deref().map(|old| lossy(unquoted_name(old))),
            ..ChangedFile::default()
        }
    }
}

/// Reads the list as it arrives: one line per file, then an empty line.
#[derive(Debug, Default)]
pub(super) struct FileListReader {
    pub(super) files: Vec<FileListEntry>,
    /// The beginning of an incomplete line.
    kept: Vec<u8>,
    whole: bool,
}

impl FileListReader {
    /// Whether nothing has arrived.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.kept.is_empty()
    }

    /// Reads a piece, and returns what follows the list.
    ///
    /// # Errors
    /// A line that is not a list entry.
    pub(super) fn feed<'a>(&mut self, piece: &'a [u8]) -> Result<Option<&'a [u8]>, Vec<u8>> {
        let mut rest = piece;
        while !self.whole {
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.kept.extend_from_slice(rest);
                return Ok(None);
            };
            self.kept.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.kept);
            self.whole = line.is_empty();
            if !self.whole {
                self.files.push(FileListEntry::read(&line).ok_or(line)?);
            }
        }
        Ok(Some(rest))
    }
}

/// What the diff of a file begins with.
pub(super) const HEADER: &[u8] = b"diff --git ";
/// What the diff has instead for a file in conflict.
pub(super) const UNMERGED: &[u8] = b"* Unmerged path ";

/// What follows the prefixed name; the prefix is inside the quotes.
fn without_prefix<'a>(text: &'a [u8], prefix: &[u8], name: &[u8]) -> Option<&'a [u8]> {
    match name.strip_prefix(b"\"") {
        Some(inner) => text.strip_prefix(b"\"")?.strip_prefix(prefix)?.strip_prefix(inner),
        None => text.strip_prefix(prefix)?.strip_prefix(name),
    }
}

/// A name without the quotes and escapes of git.
fn unquoted_name(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) else {
        return name.to_vec();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next() {
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(first @ b'0'..=b'7') => bytes.by_ref().take(2).fold(first - b'0', |number, digit| {
                number.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
            }),
            Some(other) => other,
            None => b'\\',
        });
    }
    out
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind_are_read() {
        for (line, status, path, old) in [
            (&b":100644 100644 a b M\ta b"[..], 'M', "a b", None),
            (b":100644 100644 a a R100\told \tnew", 'R', "new", Some("old ")),
            (b":000000 100644 0 b A\t\"a\\\"\\\\\\n\\001\\377.png\"", 'A', "a\"\\\n\u{1}\u{fffd}.png", None),
            (b":000000 000000 0 0 U\tc", 'U', "c", None),
        ] {
            let change = FileListEntry::read(line).unwrap().change();
            let found = (change.status, change.path.as_str(), change.old_path.as_deref());
            assert_eq!(found, (status, path, old));
            assert_eq!(change.raw_b64.is_some(), path.contains('\u{fffd}'));
        }
        assert!(FileListEntry::read(b":160000 160000 a b M\tsub").unwrap().submodule);
        assert_eq!(
            (FileListEntry::read(b""), FileListEntry::read(b":x"), FileListEntry::read(b"a\tb")),
            (None, None, None)
        );
    }

    #[test]
    fn headers_are_those_of_one_file() {
        let plain = FileListEntry::read(b":1 1 a a R100\ta b\tc d").unwrap();
        assert!(plain.is_header(b"diff --git a/a b b/c d"));
        assert!(!plain.is_header(b"diff --git a/a b b/c d e") && !plain.is_header(b"diff --git a/a b/c d"));
        let quoted = FileListEntry::read(b":1 1 a a M\t\"t\\tb\"").unwrap();
        assert!(quoted.is_header(b"diff --git \"a/t\\tb\" \"b/t\\tb\""));
        let conflict = FileListEntry::read(b":0 0 0 0 U\tc").unwrap();
        assert!(conflict.is_header(b"* Unmerged path c") && !plain.is_header(b"* Unmerged path c d"));
    }
}
