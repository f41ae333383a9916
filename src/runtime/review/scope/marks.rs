//! Files of which git's diff does not say what is in the working tree: those that its index is told to look at no more,
//! those that were edited behind its back, and those that a filter changes on their way, which no review runs. Their
//! content is hashed, so that content decides.

use std::collections::BTreeSet;
use std::path::Path;

use super::hashes::FileHashes;
use super::untracked::IndexFlags;
use crate::disk;
use crate::disk::reader::SizeLimit;
use crate::disk::root::Root;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{Repository, records};

/// What stands before the name of a file that git does not look at.
const HIDDEN: &str = "//hidden/";
/// What stands before the name of a file that a filter changes.
const FILTERED: &str = "//filtered/";
/// How many files of a kind are hashed.
const MOST: usize = 1000;

/// The marks of a working tree.
#[derive(Debug, Default)]
pub(super) struct TreeMarks {
    pub(super) hashes: FileHashes,
    /// Files that were edited so that no diff shows it.
    pub(super) hidden_edits: Vec<String>,
}

/// The marks of a working tree, with `edits` that git does not see.
pub(super) fn read(
    repository: &Repository,
    listing: &IndexFlags,
    edits: BTreeSet<String>,
) -> Result<TreeMarks, CallFailure> {
    let mut marks = FileHashes::new();
    let Some(root) = Root::open_tree(&repository.top).ok().flatten() else { return Ok(TreeMarks::default()) };
    let mut mark = |before: &str, name: &str| {
        let path = Path::new(name);
        let hash = match (root.link(path), root.read(path, SizeLimit::Document)) {
            (Some(target), _) => disk::sha256(target.as_bytes()),
            (None, Ok(Some(bytes))) => disk::sha256(&bytes),
            // In no part of the tree that is checked out.
            (None, Ok(None)) => return,
            (None, Err(_)) => "unreadable".to_owned(),
        };
        marks.insert(format!("{before}{name}"), hash);
    };
    edits.iter().chain(listing.flagged.iter().take(MOST)).for_each(|name| mark(HIDDEN, name));
    for filter in repository.filters()? {
        // Of a name that git cannot look for, the diff alone decides.
        let listed =
            repository.ask(&["ls-files", "-z", "--", &format!(":(top,attr:filter={filter})")])?.stdout;
        let names = records(&listed).take(MOST).map(|name| String::from_utf8_lossy(name).into_owned());
        names.for_each(|name| mark(FILTERED, &name));
    }
    // A filter is a reason of its own for another content.
    let is_filtered = |name: &String| marks.contains_key(&format!("{FILTERED}{name}"));
    let (filtered, hidden_edits): (Vec<_>, Vec<_>) = edits.into_iter().partition(is_filtered);
    filtered.iter().for_each(|name| drop(marks.remove(&format!("{HIDDEN}{name}"))));
    Ok(TreeMarks { hashes: marks, hidden_edits })
}

/// The name of a mark of what git does not look at.
pub(super) fn hidden(name: &str) -> String {
    format!("{HIDDEN}{name}")
}

/// The marks of repositories below this one that git does not track: that they are there.
pub(super) fn nested(names: &[String]) -> FileHashes {
    names.iter().map(|name| (format!("{HIDDEN}{name}"), "a repository".to_owned())).collect()
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
    [HIDDEN, FILTERED].iter().find_map(|before| names.strip_prefix(before))
}

/// Whether a file that a filter changes has the same content on both sides, whatever git says of it.
pub(in crate::runtime::review) fn is_same_content(file: &str, one: &FileHashes, other: &FileHashes) -> bool {
    let hash = |hashes: &FileHashes| hashes.get(&format!("{FILTERED}{file}")).cloned();
    hash(one).is_some_and(|known| hash(other) == Some(known))
}
