//! Finds edits that git does not notice. Git compares the times in its index by the second, so it misses an edit of the
//! same size with a forged time, within the second in which it last checked the file. The index also has the
//! nanoseconds of the change time, which no program can set: if those differ, the content is compared. The same applies
//! to every file written since shortly before the first scan, since clocks are coarse.

use std::collections::BTreeSet;

use crate::disk::root::Root;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::changes::index_entries::{self, IndexEntry};
use crate::runtime::child;
use crate::runtime::git::{Repository, records};

/// How often git is called again after a file that it cannot read.
const MOST_UNREADABLE: usize = 20;

/// Whether git may wrongly treat a file as unchanged.
fn is_suspect(entry: &IndexEntry<'_>, root: &Root, since: i64) -> bool {
    let Some(now) = entry.times(root) else { return false };
    // For any other difference, git compares the content itself.
    now.changed.0 >= since
        || entry.times.as_ref().is_none_or(|then| {
            let is_quiet = then.written == now.written && then.size == now.size;
            is_quiet && then.changed.0 == now.changed.0 && then.changed.1 != now.changed.1
        })
}

/// The names of tracked files whose content differs from git's index although git reports them as unchanged. `since` is
/// when the first scan began, in seconds since 1970.
///
/// # Errors
/// When git fails.
pub(super) fn hidden_edits(repository: &Repository, since: i64) -> Result<BTreeSet<String>, CallFailure> {
    let Some(root) = Root::open_tree(&repository.top).ok().flatten() else { return Ok(BTreeSet::new()) };
    let listed = repository.must(&index_entries::QUESTION)?;
    let mut suspects = index_entries::entries(&listed);
    suspects.retain(|entry| is_suspect(entry, &root, since));
    if suspects.is_empty() {
        return Ok(BTreeSet::new());
    }
    let known = repository.must(&["diff-files", "-z", "--name-only"])?;
    let known: BTreeSet<&[u8]> = order::set(records(&known));
    suspects.retain(|entry| !known.contains(entry.name));
    let (links, files): (Vec<_>, Vec<_>) = suspects.into_iter().partition(|entry| entry.is_link);
    // A file may be present as git stores it, whatever its attributes say.
    let differing = other_files(repository, files, &[])?;
    let mut differing = other_files(repository, differing, &["--no-filters"])?;
    differing.extend(other_links(repository, links, &root)?);
    Ok(differing.iter().map(|entry| String::from_utf8_lossy(entry.name).into_owned()).collect())
}

/// The files whose content differs from the index, or cannot be read.
fn other_files<'a>(
    repository: &Repository,
    mut files: Vec<IndexEntry<'a>>,
    options: &[&str],
) -> Result<Vec<IndexEntry<'a>>, CallFailure> {
    let mut differing = Vec::new();
    for _ in 0..MOST_UNREADABLE {
        if files.is_empty() {
            break;
        }
        let names: Vec<u8> = files.iter().flat_map(|entry| quoted_name(entry.name)).collect();
        let words = [&["hash-object", "--stdin-paths"], options].concat();
        let command = repository.git(words)?.input(names);
        let ended = child::run(repository.environment(), "git", &command)?;
        let objects: Vec<&[u8]> =
            ended.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
        // Git stops at the first file that it cannot read.
        let rest = files.split_off((objects.len() + 1).min(files.len()));
        let compared = files.into_iter().enumerate();
        differing.extend(
            compared.filter(|(at, entry)| objects.get(*at) != Some(&entry.object)).map(|(_, entry)| entry),
        );
        files = rest;
    }
    differing.append(&mut files);
    Ok(differing)
}

/// The links whose target differs from the index.
fn other_links<'a>(
    repository: &Repository,
    mut links: Vec<IndexEntry<'a>>,
    root: &Root,
) -> Result<Vec<IndexEntry<'a>>, CallFailure> {
    if links.is_empty() {
        return Ok(links);
    }
    let objects: Vec<u8> = links.iter().flat_map(|entry| [entry.object, b"\n"].concat()).collect();
    let command = repository.git(["cat-file", "--batch"])?.input(objects);
    let ended = child::run(repository.environment(), "git", &command)?;
    let mut rest = &ended.stdout[..];
    links.retain(|entry| {
        let stored = next_object(&mut rest);
        stored.is_none() || root.link(entry.path()).as_ref().map(|target| target.to_bytes()) != stored
    });
    Ok(links)
}

/// The content of the next object of `git cat-file --batch`: a line with its name, kind and size, then the content and
/// a line feed.
fn next_object<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = memchr::memchr(b'\n', rest)?;
    let (line, after) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
    let size = line.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
    let Some(content) = size.and_then(|size| after.get(..size)) else {
        *rest = after;
        return None;
    };
    *rest = after.get(content.len() + 1..).unwrap_or_default();
    Some(content)
}

/// A quoted name on a separate line, as git parses it.
fn quoted_name(name: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in name {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            0..0x20 | 0x7f => out.extend(format!("\\{byte:03o}").into_bytes()),
            _ => out.push(*byte),
        }
    }
    out.extend(b"\"\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_git_reads_them() {
        assert_eq!(quoted_name(b"a \"b\"\n"), b"\"a \\\"b\\\"\\012\"\n");
    }

    #[test]
    fn objects_are_told_apart_by_their_sizes() {
        let mut rest = &b"ab blob 3\na\nb\ncd missing\nef blob 0\n\n12 blob 1\nx\n"[..];
        let found: Vec<_> = (0..5).map(|_| next_object(&mut rest)).collect();
        assert_eq!(found, [Some(&b"a\nb"[..]), None, Some(b""), Some(b"x"), None]);
    }
}
