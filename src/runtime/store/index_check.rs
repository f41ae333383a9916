//! A quick check that git's index tracks nothing in the folder of runs and records, since git itself would read it
//! entry by entry. Unusual indexes are left to git.

use std::path::Path;

use memchr::memmem;

use crate::disk::reader::{self, SizeLimit};
use crate::disk::{self, FileKind};

/// The extensions of an index that store entries elsewhere, or folders in place of entries.
const EXTERNAL_ENTRIES: [&[u8]; 2] = [b"link\0", b"sdir\0"];
/// The versions of an index that store complete names.
const COMPLETE_NAMES: [&[u8]; 2] = [b"DIRC\0\0\0\x02", b"DIRC\0\0\0\x03"];

/// Whether no path in the index is below `root`.
pub(super) fn is_surely_untracked(root: &Path) -> bool {
    let Some(top) = root.ancestors().find(|folder| disk::kind(&folder.join(".git")).is_some()) else {
        return false;
    };
    let below = root.strip_prefix(top).ok().and_then(Path::to_str).filter(|below| !below.is_empty());
    let (Some(below), Some(FileKind::Folder)) = (below, disk::kind(&top.join(".git"))) else { return false };
    let read = reader::read(&top.join(".git/index"), SizeLimit::Document);
    let Ok(Some(index)) = read else { return false };
    let has = |part: &[u8]| memmem::find(&index, part).is_some();
    let is_plain = COMPLETE_NAMES.iter().any(|head| index.starts_with(head))
        && !EXTERNAL_ENTRIES.iter().any(|part| has(part));
    is_plain && !has(format!("{below}/").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_index_without_the_folder_says_so() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join(".plugcast");
        let index = |bytes: &[u8]| {
            disk::plain_files::write(&top.path().join(".git/index"), bytes, false).unwrap();
            is_surely_untracked(&root)
        };
        assert!(!is_surely_untracked(&root), "there is no repository");
        disk::plain_files::make_folder(&top.path().join(".git")).unwrap();
        assert!(!is_surely_untracked(&root), "there is no index");
        assert!(index(b"DIRC\0\0\0\x02....src/a.rs\0"));
        for (bytes, what) in [
            (&b"DIRC\0\0\0\x02....plugcast/runs/x\0"[..], "it is tracked"),
            (b"DIRC\0\0\0\x04....src/a.rs\0", "names are cut"),
            (b"DIRC\0\0\0\x02....link\0\0\0\x14", "entries are elsewhere"),
            (b"DIRC\0\0\0\x03....sdir\0\0\0\0", "folders stand for entries"),
            (b"", "it is none"),
        ] {
            assert!(!index(bytes), "{what}");
        }
        assert!(!is_surely_untracked(top.path()), "the top is the root");
    }
}
