//! What changes while a walk is on its way: between the listing of a folder and the reading of its files.
#![expect(clippy::disallowed_methods, reason = "tests of the one owner of files")]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::source::{ExclusionReason, SourceFile, by_parts};

/// A walk that has seen every folder and read no file.
fn listed(root: &Path) -> (TreeWalk, FoundEntries) {
    find_files(root, "".into(), &WalkOptions::default()).unwrap()
}

fn source() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in ["src/a/x.md", "src/a/y.bin", "src/b.md", "elsewhere/x.md", "elsewhere/y.bin"] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, path.strip_prefix(folder.path()).unwrap().to_string_lossy().as_bytes()).unwrap();
    }
    symlink("b.md", folder.path().join("src/link.md")).unwrap();
    folder
}

fn left_out(tree: &SourceTree) -> Vec<(&str, &ExclusionReason)> {
    tree.exclusions.iter().map(|left_out| (left_out.path.as_str(), &left_out.reason)).collect()
}

#[test]
fn a_folder_that_became_a_link_is_not_read() {
    let folder = source();
    let src = folder.path().join("src");
    let mut tree = SourceTree::default();
    let (walk, found) = listed(&src);
    fs::rename(src.join("a"), folder.path().join("away")).unwrap();
    symlink("../elsewhere", src.join("a")).unwrap();
    walk.read(found, &mut tree);
    let reason = &ExclusionReason::Unreadable("a link took its place".to_owned());
    assert_eq!(left_out(&tree), [("a/x.md", reason), ("a/y.bin", reason)]);
    // A link that was there is followed, as far as it stays inside.
    assert_eq!(tree.get("link.md").and_then(SourceFile::text), Some("src/b.md"));
}

#[test]
fn a_file_that_became_a_link_is_not_read() {
    let folder = source();
    let src = folder.path().join("src");
    let mut tree = SourceTree::default();
    let (walk, found) = listed(&src);
    for name in ["a/x.md", "b.md"] {
        fs::remove_file(src.join(name)).unwrap();
        symlink(folder.path().join("elsewhere/x.md"), src.join(name)).unwrap();
    }
    walk.read(found, &mut tree);
    let reason = &ExclusionReason::Unreadable("a link took its place".to_owned());
    assert_eq!(left_out(&tree), [("a/x.md", reason), ("b.md", reason), ("link.md", reason)]);
}

/// Its size was once that of before, and its text that of afterwards.
#[test]
fn a_file_that_grew_has_the_size_of_what_was_read() {
    let folder = source();
    let src = folder.path().join("src");
    let mut tree = SourceTree::default();
    let (walk, found) = listed(&src);
    fs::write(src.join("b.md"), "longer than before").unwrap();
    walk.read(found, &mut tree);
    let file = tree.get("b.md").unwrap();
    assert_eq!((file.size, file.text().map(str::len)), (18, Some(18)));
}

#[test]
fn a_folder_that_leaves_the_source_is_not_walked() {
    let folder = source();
    let src = folder.path().join("src");
    symlink("../elsewhere", src.join("out")).unwrap();
    let mut tree = SourceTree::default();
    let error = walk(&src, "out".into(), &WalkOptions::default(), &mut tree).unwrap_err();
    assert!(error.to_string().ends_with("the link leaves the source"), "{error}");
    assert_eq!(tree.files().count(), 0);
}

/// A file in a linked folder is not a link itself, and was once read wherever that folder lies.
#[test]
fn one_file_is_not_read_through_a_folder_that_leaves_the_source() {
    let folder = source();
    let src = folder.path().join("src");
    symlink("../elsewhere", src.join("out")).unwrap();
    let mut tree = SourceTree::default();
    read_one(&FileSystem::default(), &src, "out/x.md".into(), &mut tree).unwrap();
    assert_eq!(left_out(&tree), [("out/x.md", &ExclusionReason::LinkLeavesSource)]);
}

/// A source of many plugins had each of its folders opened twice, and the ignore file at its top read for every plugin.
#[test]
fn walks_that_share_a_cache_look_into_a_folder_once() {
    let folder = source();
    let src = folder.path().join("src");
    let options = WalkOptions::default();
    let before = paths(&src, "".into(), &options).unwrap().0;
    fs::write(src.join("a/later.md"), "x").unwrap();
    fs::write(src.join(".gitignore"), "b.md\n").unwrap();
    assert_eq!(paths(&src, "".into(), &options).unwrap().0, before);
    let fresh = paths(&src, "".into(), &WalkOptions::default()).unwrap().0;
    assert!(fresh.contains(&"a/later.md".into()) && !fresh.contains(&"b.md".into()), "{fresh:?}");
}

/// So many folders are listed side by side.
#[test]
fn many_folders_are_listed_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..60 {
        let inner = folder.path().join(format!("d{number:02}/a"));
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("x.md"), "x").unwrap();
        fs::write(folder.path().join(format!("d{number:02}-.md")), "x").unwrap();
    }
    let (found, exclusions) = paths(folder.path(), "".into(), &WalkOptions::default()).unwrap();
    let ordered = |pair: &[Utf8PathBuf]| by_parts(pair[0].as_str(), pair[1].as_str()).is_lt();
    assert!(found.windows(2).all(ordered), "{found:?}");
    assert_eq!((found.len(), exclusions.len()), (120, 0));
}
