//! Files of which git's diff does not say what is in the working tree: those that its index is told to look at no more, and
//! those that a filter changes on their way, which no review runs. Their content is hashed, so that content decides.

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
/// How many files of each kind are hashed.
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

/// What a diff alone says.
pub(in crate::runtime::review) fn without(hashes: &FileHashes) -> FileHashes {
    let is_mark = |names: &str| names.starts_with(HIDDEN) || names.starts_with(FILTERED);
    hashes
        .iter()
        .filter(|(names, _)| !is_mark(names))
        .map(|(names, hash)| (names.clone(), hash.clone()))
        .collect()
}

/// The file of a mark.
pub(in crate::runtime::review) fn file(names: &str) -> Option<&str> {
    names.strip_prefix(HIDDEN).or_else(|| names.strip_prefix(FILTERED))
}

/// Whether a file that a filter changes has the same content on both sides, whatever git says of it.
pub(in crate::runtime::review) fn is_same_content(file: &str, one: &FileHashes, other: &FileHashes) -> bool {
    let hash = |hashes: &FileHashes| hashes.get(&format!("{FILTERED}{file}")).cloned();
    hash(one).is_some_and(|known| hash(other) == Some(known))
}
