//! Files that pass through a filter and that nobody edited. No filter is run here, so git reports such a file as
//! changed as soon as it compares contents. Two things prove it unchanged: its times match the index to the nanosecond,
//! or the index holds a Git LFS pointer with the hash and size of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::index_entries;
use crate::disk;
use crate::disk::reader::SizeLimit;
use crate::disk::root::Root;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::child;
use crate::runtime::git::{Repository, records};

/// At most this many files are examined.
const MOST: usize = 1000;
/// The largest size of a pointer, in bytes.
const POINTER: usize = 1024;
const VERSION: &str = "version https://git-lfs.github.com/spec/v1\n";

/// Files with a filter that git reports as changed.
#[derive(Debug, Default)]
pub struct FilteredFiles {
    /// Unedited files, with their blobs in the index.
    as_indexed: BTreeMap<String, String>,
    /// Files that may or may not have been edited.
    pub unproven: Vec<String>,
}

impl FilteredFiles {
    /// Finds the files with a filter.
    ///
    /// # Errors
    /// When git fails.
    pub fn find(repository: &Repository) -> Result<Self, CallFailure> {
        let mut found = Self::default();
        let Some(root) = Root::open_tree(&repository.top).ok().flatten() else { return Ok(found) };
        let mut files = BTreeMap::new();
        for filter in repository.filters()? {
            let named = format!(":(top,attr:filter={filter})");
            // If git cannot match the filter's name, its own report stands.
            let listed = repository.ask(&["diff-files", "--raw", "--no-abbrev", "-z", "--", &named])?;
            let mut edits = modified(&listed.stdout);
            if edits.is_empty() {
                continue;
            }
            let listed = repository.ask(&[&index_entries::QUESTION[..], &["--", &named]].concat())?;
            let entries = index_entries::entries(&listed.stdout);
            let as_seen =
                entries.iter().filter(|entry| entry.times.is_some() && entry.times == entry.times(&root));
            let as_seen: BTreeSet<&[u8]> = order::set(as_seen.map(|entry| entry.name));
            let proven = edits.extract_if(.., |(name, _)| as_seen.contains(name.as_bytes()));
            found.as_indexed.extend(proven.take(MOST));
            files.extend(edits.into_iter().take(MOST));
        }
        let pointers = pointers(repository, files.values())?;
        for (name, blob) in files {
            let content = root.read(Path::new(&name), SizeLimit::Program).ok().flatten();
            let is_same = content.zip(pointers.get(&blob)).is_some_and(|(content, (hash, size))| {
                content.len() == *size && disk::sha256(&content) == *hash
            });
            if is_same {
                found.as_indexed.insert(name, blob);
            } else {
                found.unproven.push(name);
            }
        }
        Ok(found)
    }

    /// Pathspecs that exclude the unedited files, for a call of git at the working tree's top.
    pub fn exclusion_pathspecs(&self) -> Vec<String> {
        self.as_indexed.keys().map(|name| exclude(name)).collect()
    }

    /// The same, but only for files that are identical in the commit `from` and the index: any other belongs in the
    /// diff.
    ///
    /// # Errors
    /// When git fails.
    pub fn excluded_since(&self, repository: &Repository, from: &str) -> Result<Vec<String>, CallFailure> {
        if self.as_indexed.is_empty() {
            return Ok(Vec::new());
        }
        let mut words = vec!["ls-tree", "-z", "--full-tree", from, "--"];
        words.extend(self.as_indexed.keys().map(String::as_str));
        let listed = repository.must(&words)?;
        let same = records(&listed).filter_map(|record| {
            let (entry, name) = std::str::from_utf8(record).ok()?.split_once('\t')?;
            let blob = entry.split(' ').nth(2)?;
            (self.as_indexed.get(name).is_some_and(|own| own == blob)).then(|| exclude(name))
        });
        Ok(same.collect())
    }
}

fn exclude(name: &str) -> String {
    format!(":(top,exclude,literal){name}")
}

/// The names and blobs of a list of `git diff-files --raw -z`; a name that is not valid UTF-8 is left out.
fn modified(listed: &[u8]) -> Vec<(String, String)> {
    let mut fields = listed.split(|byte| *byte == 0).map(|field| std::str::from_utf8(field).ok());
    let mut found = Vec::new();
    while let Some((entry, name)) = fields.next().zip(fields.next()) {
        let Some((entry, name)) = entry.zip(name) else { continue };
        let words: Vec<&str> = entry.split(' ').collect();
        // A changed mode is an edit: filters do not touch modes.
        if let [old, new, blob, _, "M"] = words[..]
            && old.strip_prefix(':') == Some(new)
        {
            found.push((name.to_owned(), blob.to_owned()));
        }
    }
    found
}

/// The hashes and sizes in pointers, by blob.
fn pointers<'a>(
    repository: &Repository,
    blobs: impl Iterator<Item = &'a String> + Clone,
) -> Result<BTreeMap<String, (String, usize)>, CallFailure> {
    if blobs.clone().next().is_none() {
        return Ok(BTreeMap::new());
    }
    let small = |line: &str| {
        let mut words = line.split(' ');
        let (blob, kind, size) = (words.next()?, words.next()?, words.next()?.parse::<usize>().ok()?);
        (kind == "blob" && size <= POINTER).then(|| (blob.to_owned(), size))
    };
    let sizes = batch(repository, "--batch-check", blobs)?;
    let small: Vec<(String, usize)> = String::from_utf8_lossy(&sizes).lines().filter_map(small).collect();
    let texts = batch(repository, "--batch", small.iter().map(|(blob, _)| blob))?;
    let mut rest = &texts[..];
    let mut found = BTreeMap::new();
    for (blob, size) in small {
        // A line with the blob, its kind and its size, then the content and a line feed.
        let Some(at) = memchr::memchr(b'\n', rest) else { break };
        let Some(text) = rest.get(at + 1..at + 1 + size) else { break };
        if let Some(pointer) = pointer(&String::from_utf8_lossy(text)) {
            found.insert(blob, pointer);
        }
        rest = rest.get(at + size + 2..).unwrap_or_default();
    }
    Ok(found)
}

fn batch<'a>(
    repository: &Repository,
    how: &str,
    blobs: impl Iterator<Item = &'a String>,
) -> Result<Vec<u8>, CallFailure> {
    let input: String = blobs.map(|blob| format!("{blob}\n")).collect();
    let command = repository.git(["cat-file", how])?.input(input);
    let ended = child::run(repository.environment(), "git", &command)?;
    if ended.succeeded() { Ok(ended.stdout) } else { Err(repository.failed("cat-file", &ended)) }
}

/// The hash and the size in a pointer; none if the text holds anything else.
fn pointer(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix(VERSION)?.strip_prefix("oid sha256:")?;
    let (hash, rest) = rest.split_once('\n')?;
    let size = rest.strip_prefix("size ")?.strip_suffix('\n')?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((hash.to_owned(), size.parse().ok().filter(|_| is_hash)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_one_only_if_it_says_nothing_else() {
        let hash = "a".repeat(64);
        let whole = format!("{VERSION}oid sha256:{hash}\nsize 12\n");
        assert_eq!(pointer(&whole), Some((hash.clone(), 12)));
        for text in [
            format!("{VERSION}ext-0-x sha256:{hash}\noid sha256:{hash}\nsize 12\n"),
            format!("{VERSION}oid sha256:{hash}\nsize 12\nx\n"),
            format!("{VERSION}oid sha256:{}\nsize 12\n", &hash[1..]),
            format!("{VERSION}oid sha256:{hash}\nsize -1\n"),
            format!("oid sha256:{hash}\nsize 12\n"),
        ] {
            assert_eq!(pointer(&text), None, "{text}");
        }
    }

    #[test]
    fn of_a_list_the_edits_count() {
        let listed = b":100644 100644 aa 00 M\0a b\0:100644 100755 bb 00 M\0x\0:100644 000000 cc 00 D\0y\0:100644 100644 dd 00 M\0\xff\0";
        assert_eq!(modified(listed), [("a b".to_owned(), "aa".to_owned())]);
    }
}
