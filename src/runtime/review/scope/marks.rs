//! Files of which git's diff does not say what is in the working tree: those that its index is told to look at no more,
//! those that a filter changes on their way, which no review runs, and those that were written so shortly before that
//! their times cannot tell an edit. Their content is hashed, so that content decides.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::hashes::FileHashes;
use super::untracked::Listing;
use crate::disk;
use crate::disk::reader::SizeLimit;
use crate::disk::root::Root;
use crate::runtime::answer::Failure;
use crate::runtime::git::{Repository, records};

/// What stands before the name of a file that git does not look at.
const HIDDEN: &str = "//hidden/";
/// What stands before the name of a file that a filter changes.
const FILTERED: &str = "//filtered/";
/// What stands before the name of a file that was written shortly before somebody looked at it.
const RECENT: &str = "//recent/";
/// How many files of the first two kinds are hashed.
const MOST: usize = 1000;

/// The marks of a working tree.
pub(super) fn of(repository: &Repository, listing: &Listing) -> Result<FileHashes, Failure> {
    let mut marks = FileHashes::new();
    let Some(root) = Root::open_tree(&repository.top).ok().flatten() else { return Ok(marks) };
    let mut mark = |before: &str, name: &str| {
        let hash = match root.read(Path::new(name), SizeLimit::Document) {
            Ok(Some(bytes)) => disk::sha256(&bytes),
            // In no part of the tree that is checked out.
            Ok(None) => return,
            Err(_) => "unreadable".to_owned(),
        };
        marks.insert(format!("{before}{name}"), hash);
    };
    listing.flagged.iter().take(MOST).for_each(|name| mark(HIDDEN, name));
    let attributes = root.read(Path::new(".gitattributes"), SizeLimit::Settings).ok().flatten();
    if attributes.is_some_and(|text| memchr::memmem::find(&text, b"filter=").is_some()) {
        for filter in repository.filters()? {
            // Of a name that git cannot look for, the diff alone decides.
            let listed =
                repository.ask(&["ls-files", "-z", "--", &format!(":(top,attr:filter={filter})")])?.stdout;
            let names = records(&listed).take(MOST).map(|name| String::from_utf8_lossy(name).into_owned());
            names.for_each(|name| mark(FILTERED, &name));
        }
    }
    Ok(marks)
}

/// Of which files git's index cannot tell an edit of the same size by its times. Git compares seconds: a file whose times
/// are those of the index has been written in that second, or before. So it is enough to know the content of the files
/// that were written in the second before the look, or later.
#[derive(Debug)]
pub(in crate::runtime::review) enum Recent<'a> {
    /// Those that were written at a time or later, and some that are known.
    Since(i64, &'a BTreeSet<String>),
    /// Those that are known.
    Known(&'a BTreeSet<String>),
    /// Those that were written between two times.
    Within(i64, i64),
}

impl Recent<'_> {
    fn has(&self, name: &str, written: impl FnOnce() -> Option<i64>) -> bool {
        match self {
            Recent::Since(since, known) => {
                known.contains(name) || written().is_some_and(|written| written >= *since)
            }
            Recent::Known(known) => known.contains(name),
            Recent::Within(since, until) => {
                written().is_some_and(|written| (*since..=*until).contains(&written))
            }
        }
    }
}

/// The marks of such files; the content of a link is where it leads.
pub(super) fn recent(repository: &Repository, listing: &Listing, recent: &Recent<'_>) -> FileHashes {
    let mut marks = FileHashes::new();
    let Some(root) = Root::open_tree(&repository.top).ok().flatten() else { return marks };
    for bytes in &listing.tracked {
        let (path, name) = (Path::new(OsStr::from_bytes(bytes)), String::from_utf8_lossy(bytes));
        if !recent.has(&name, || root.status_changed(path)) {
            continue;
        }
        let hash = match root.link(path) {
            Some(target) => disk::sha256(target.as_bytes()),
            None => match root.read(path, SizeLimit::Program) {
                Ok(Some(bytes)) => disk::sha256(&bytes),
                // The diff says that it is gone.
                Ok(None) => continue,
                Err(_) => "unreadable".to_owned(),
            },
        };
        marks.insert(format!("{RECENT}{name}"), hash);
    }
    marks
}

/// The names of files that were marked for having been written recently.
pub(in crate::runtime::review) fn recent_names(hashes: &FileHashes) -> impl Iterator<Item = &str> {
    hashes.keys().filter_map(|names| names.strip_prefix(RECENT))
}

/// Whether both sides have a hash, or none has to: what one look hashes because it came shortly after, another need not.
pub(in crate::runtime::review) fn is_both_or_none(names: &str, one: &FileHashes, other: &FileHashes) -> bool {
    !names.starts_with(RECENT) || (one.contains_key(names) && other.contains_key(names))
}

/// The marks of files that were written recently, or all but them.
fn split(hashes: &FileHashes, is_recent: bool) -> FileHashes {
    let wanted = hashes.iter().filter(|(names, _)| names.starts_with(RECENT) == is_recent);
    wanted.map(|(names, hash)| (names.clone(), hash.clone())).collect()
}

/// The marks of files that were written recently.
pub(in crate::runtime::review) fn only_recent(hashes: &FileHashes) -> FileHashes {
    split(hashes, true)
}

/// Everything but those marks.
pub(in crate::runtime::review) fn without_recent(hashes: &FileHashes) -> FileHashes {
    split(hashes, false)
}

/// What a diff alone says.
pub(in crate::runtime::review) fn without(hashes: &FileHashes) -> FileHashes {
    hashes
        .iter()
        .filter(|(names, _)| file(names).is_none())
        .map(|(names, hash)| (names.clone(), hash.clone()))
        .collect()
}

/// The file of a mark.
pub(in crate::runtime::review) fn file(names: &str) -> Option<&str> {
    [HIDDEN, FILTERED, RECENT].iter().find_map(|before| names.strip_prefix(before))
}

/// Whether a file that a filter changes has the same content on both sides, whatever git says of it.
pub(in crate::runtime::review) fn is_same_content(file: &str, one: &FileHashes, other: &FileHashes) -> bool {
    let hash = |hashes: &FileHashes| hashes.get(&format!("{FILTERED}{file}")).cloned();
    hash(one).is_some_and(|known| hash(other) == Some(known))
}
