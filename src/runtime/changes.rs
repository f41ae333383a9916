//! What changed between two commits, or a commit and the working tree, file by file: from one call of
//! git, NUL-separated, so that every name arrives as it is.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Failure;
use super::git::Repository;

/// One changed file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Relative to the repository's top; `�` where a name is no UTF-8.
    pub path: String,
    /// The name's bytes in base64, where they are no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_b64: Option<String>,
    /// `A` added, `M` changed, `D` deleted, `R` renamed, `C` copied, `T` of another type, `U` in conflict.
    pub status: char,
    /// Lines added; 0 for binaries and submodules.
    pub added: u64,
    /// Lines deleted; 0 for binaries and submodules.
    pub deleted: u64,
    /// Whether git takes it for a binary.
    pub binary: bool,
    /// Whether it is a submodule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub submodule: bool,
    /// The name before a rename or copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

/// Everything that changed since the commit `from`: up to HEAD, or with what is not committed.
///
/// # Errors
/// When git fails.
pub fn since(repository: &Repository, from: &str, worktree: bool) -> Result<Vec<Change>, Failure> {
    let mut arguments =
        vec!["diff", "--raw", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-abbrev"];
    arguments.extend(["--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/", from]);
    if !worktree {
        arguments.push("HEAD");
    }
    arguments.push("--");
    Ok(read(&repository.must(&arguments)?))
}

/// Reads `--raw --numstat -z`: first one record a file with modes and status, then one with counts, in
/// the same order.
fn read(bytes: &[u8]) -> Vec<Change> {
    let mut fields = bytes.split(|byte| *byte == 0).peekable();
    let mut changes: Vec<Change> = Vec::new();
    let mut counted = 0;
    while let Some(field) = fields.next() {
        if let Some(raw) = field.strip_prefix(b":") {
            let words: Vec<&[u8]> = raw.split(|byte| *byte == b' ').collect();
            let submodule = words.iter().take(2).any(|mode| *mode == b"160000");
            let status = words.get(4).and_then(|word| word.first()).map_or('M', |byte| char::from(*byte));
            let mut change = Change { status, submodule, ..Change::default() };
            if matches!(status, 'R' | 'C') {
                change.old_path = fields.next().map(lossy);
            }
            let name = fields.next().unwrap_or_default();
            change.path = lossy(name);
            change.raw_b64 = std::str::from_utf8(name).is_err().then(|| base64(name));
            changes.push(change);
        } else if !field.is_empty() {
            let mut parts = field.splitn(3, |byte| *byte == b'\t');
            let (added, deleted) = (parts.next(), parts.next());
            if parts.next().is_none_or(<[u8]>::is_empty) {
                // A rename: both names follow.
                fields.next();
                fields.next();
            }
            if let Some(change) = changes.get_mut(counted) {
                let number = |part: Option<&[u8]>| {
                    part.and_then(|part| std::str::from_utf8(part).ok()?.parse().ok()).unwrap_or(0)
                };
                change.binary = added == Some(b"-");
                if !change.submodule {
                    (change.added, change.deleted) = (number(added), number(deleted));
                }
            }
            counted += 1;
        }
    }
    changes
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_every_kind_are_read() {
        let raw: &[u8] = b":100644 100644 a b M\0a\nb\0:100644 100644 a a R100\0old \0n\xe9w\0\
            :000000 100644 0 b A\0l.png\0:160000 160000 a b M\0sub\0\
            3\t1\ta\nb\x000\t0\t\0old \0n\xe9w\0-\t-\tl.png\x001\t1\tsub\0";
        let changes = read(raw);
        let short: Vec<_> =
            changes.iter().map(|c| (c.path.as_str(), c.status, c.added, c.deleted, c.binary)).collect();
        assert_eq!(
            short,
            [
                ("a\nb", 'M', 3, 1, false),
                ("n\u{fffd}w", 'R', 0, 0, false),
                ("l.png", 'A', 0, 0, true),
                ("sub", 'M', 0, 0, false)
            ]
        );
        assert_eq!(changes[1].old_path.as_deref(), Some("old "));
        assert_eq!(changes[1].raw_b64.as_deref(), Some("bul3"));
        assert_eq!(read(b""), []);
        assert_eq!((base64(b"a"), base64(b"ab"), base64(b"")), ("YQ==".into(), "YWI=".into(), "".into()));
    }
}
