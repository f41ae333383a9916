//! Tests of the operations of a root, and of what it rejects.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn root() -> (tempfile::TempDir, Root, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "kept").unwrap();
    let root = Root::create(&folder.path().join("state"), RootLink::Refused).unwrap();
    (folder, root, outside)
}

fn is_untrusted<T: std::fmt::Debug>(result: Result<T, RootError>) -> bool {
    matches!(result, Err(RootError::Untrusted { .. }))
}

#[test]
fn files_are_written_read_listed_and_removed() {
    let (_folder, root, _) = root();
    let path = Path::new("a/b/state.json");
    root.replace(path, b"old").unwrap();
    root.replace(path, b"new").unwrap();
    assert_eq!(root.read(path, SizeLimit::Settings).unwrap().unwrap(), b"new");
    assert_eq!(root.list(Path::new("a/b")).unwrap(), [("state.json".to_owned(), FileKind::File)]);
    assert!(root.claim_folder(Path::new("a/c")).unwrap() && !root.claim_folder(Path::new("a/c")).unwrap());
    assert!(root.modified(path).unwrap().is_some());
    root.rename(path, "aside.json").unwrap();
    assert_eq!(root.kind(path).unwrap(), None);
    root.remove_folder(Path::new("a")).unwrap();
    root.remove(path).unwrap();
    assert_eq!((root.list(Path::new("")).unwrap(), root.list(path).unwrap()), (Vec::new(), Vec::new()));
}

#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, root, _) = root();
    let path = Path::new("a/state.json");
    root.replace(path, b"old").unwrap();
    let full = root.path().join(path);
    let mode = || fs::metadata(&full).unwrap().permissions().mode() & 0o7777;
    let first = mode();
    root.replace(path, b"new").unwrap();
    assert_eq!(mode(), first);
    for given in [0o600, 0o640, 0o666, 0o444, 0o400, 0o755] {
        fs::set_permissions(&full, fs::Permissions::from_mode(given)).unwrap();
        root.replace(path, b"newer").unwrap();
        assert_eq!(mode(), given, "{given:o}");
    }
}

#[test]
fn links_below_are_never_followed() {
    let (_folder, root, outside) = root();
    let state = root.path().to_owned();
    symlink(&outside, state.join("runs")).unwrap();
    symlink(outside.join("kept"), state.join("file")).unwrap();
    let below = Path::new("runs/kept");
    for path in [below, Path::new("file")] {
        assert!(is_untrusted(root.read(path, SizeLimit::Settings)), "{path:?}");
        assert!(is_untrusted(root.replace(path, b"x")), "{path:?}");
        assert!(is_untrusted(root.create_file(path)), "{path:?}");
        assert!(is_untrusted(root.remove(path)), "{path:?}");
        assert!(is_untrusted(root.kind(path)), "{path:?}");
        assert!(is_untrusted(root.lock(path, "1", std::time::Duration::ZERO)), "{path:?}");
    }
    assert!(is_untrusted(root.claim_folder(Path::new("runs/new"))));
    assert!(is_untrusted(root.list(Path::new("runs"))) && is_untrusted(root.list(Path::new(""))));
    assert!(is_untrusted(root.remove_folder(Path::new("runs"))));
    for path in ["../outside/kept", "/etc/passwd", "a/../../outside/kept"] {
        assert!(is_untrusted(root.read(Path::new(path), SizeLimit::Settings)), "{path}");
    }
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_folder_is_removed_with_its_links_as_links() {
    let (_folder, root, outside) = root();
    root.replace(Path::new("run/deep/file"), b"x").unwrap();
    symlink(&outside, root.path().join("run/deep/link")).unwrap();
    root.remove_folder(Path::new("run")).unwrap();
    assert_eq!(root.list(Path::new("")).unwrap(), []);
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
}

#[test]
fn a_root_that_is_a_link_is_refused_unless_it_was_named() {
    let (folder, _, outside) = root();
    let link = folder.path().join("link");
    symlink(&outside, &link).unwrap();
    assert!(is_untrusted(Root::open(&link, RootLink::Refused)));
    assert!(is_untrusted(Root::create(&link, RootLink::Refused)));
    assert!(Root::open(&link, RootLink::Followed).unwrap().is_some());
    assert!(Root::open(&folder.path().join("none"), RootLink::Refused).unwrap().is_none());
}

#[test]
fn what_belongs_to_another_user_is_not_trusted() {
    let (_folder, mut root, _) = root();
    root.replace(Path::new("a/file"), b"x").unwrap();
    root.owner = root.owner.map(|own| own + 1);
    for path in ["a", "a/file"] {
        assert!(is_untrusted(root.kind(Path::new(path))), "{path}");
    }
    assert!(is_untrusted(root.replace(Path::new("a/file"), b"y")));
}

#[test]
fn one_process_at_a_time_has_the_lock() {
    let (_folder, root, _) = root();
    let path = Path::new("local/store.lock");
    let lock = root.lock(path, "12", std::time::Duration::ZERO).unwrap();
    let held = root.lock(path, "13", std::time::Duration::ZERO);
    assert!(matches!(held, Err(RootError::Held(holder)) if holder == "12"));
    drop(lock);
    root.lock(path, "13", std::time::Duration::ZERO).unwrap();
}
