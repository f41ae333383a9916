//! Files whose working tree content git's diff does not show: those that the index is told to ignore, those with edits
//! hidden from git, and those with a filter, which no review runs. Their content is hashed and compared instead.

use std::collections::BTreeSet;
use std::path::Path;

use super::hashes::FileHashes;
use super::untracked::IndexFlags;
use crate::disk;
use crate::disk::reader::SizeLimit;
use crate::disk::root::Root;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{Repository, records};

/// The prefix for files that git does not check.
const HIDDEN_PREFIX: &str = "//hidden/";
/// The prefix for files with a filter.
const FILTERED: &str = "//filtered/";
/// The maximum number of files of a kind to hash.
const MOST: usize = 1000;

/// The marks of a working tree.
#[derive(Debug, Default)]
pub(super) struct TreeMarks {
    pub(super) hashes: FileHashes,
    /// Files with edits that no diff shows.
    pub(super) hidden_edits: Vec<String>,
}

/// Reads the marks of a working tree, with the hidden `edits`.
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
            // Not in the checked-out part of a sparse tree.
            (None, Ok(None)) => return,
            (None, Err(_)) => "unreadable".to_owned(),
        };
        marks.insert(format!("{before}{name}"), hash);
    };
    edits.iter().chain(listing.flagged.iter().take(MOST)).for_each(|name| mark(HIDDEN_PREFIX, name));
    for filter in repository.filters()? {
        // If git cannot match the filter's name, the diff alone decides.
        let listed =
            repository.ask(&["ls-files", "-z", "--", &format!(":(top,attr:filter={filter})")])?.stdout;
        let names = records(&listed).take(MOST).map(|name| String::from_utf8_lossy(name).into_owned());
        names.for_each(|name| mark(FILTERED, &name));
    }
    // A filter explains different content by itself.
    let is_filtered = |name: &String| marks.contains_key(&format!("{FILTERED}{name}"));
    let (filtered, hidden_edits): (Vec<_>, Vec<_>) = edits.into_iter().partition(is_filtered);
    filtered.iter().for_each(|name| drop(marks.remove(&format!("{HIDDEN_PREFIX}{name}"))));
    Ok(TreeMarks { hashes: marks, hidden_edits })
}

/// The name of the mark of a file that git does not check.
pub(super) fn hidden_mark(name: &str) -> String {
    format!("{HIDDEN_PREFIX}{name}")
}

/// The marks of untracked repositories below this one: only their existence.
pub(super) fn nested(names: &[String]) -> FileHashes {
    names.iter().map(|name| (format!("{HIDDEN_PREFIX}{name}"), "a repository".to_owned())).collect()
}

/// The hashes of the diff alone, without marks.
pub(in crate::runtime::review) fn without_marks(hashes: &FileHashes) -> FileHashes {
    hashes
        .iter()
        .filter(|(names, _)| file(names).is_none())
        .map(|(names, hash)| (names.clone(), hash.clone()))
        .collect()
}

/// The file of a mark.
pub(in crate::runtime::review) fn file(names: &str) -> Option<&str> {
    [HIDDEN_PREFIX, FILTERED].iter().find_map(|before| names.strip_prefix(before))
}

/// Whether a file with a filter has the same content on both sides, whatever git reports.
pub(in crate::runtime::review) fn is_same_content(file: &str, one: &FileHashes, other: &FileHashes) -> bool {
    let hash = |hashes: &FileHashes| hashes.get(&format!("{FILTERED}{file}")).cloned();
    hash(one).is_some_and(|known| hash(other) == Some(known))
}
