//! 1: a tree that no git writes, with a link and a folder of one name, is refused before anything is laid out.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::demo;
use crate::support::git::{committed, git};
use crate::support::run::Plugcast;

/// Asks git to make an object of what is given to it.
fn made(folder: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git can be started");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

#[test]
fn case_1_a_commit_is_never_written_through_a_link() {
    let folder = committed(&demo());
    let at = folder.path();
    let outside = tempfile::TempDir::new().expect("a folder");
    let blob = |text: &str| made(at, &["hash-object", "-w", "--stdin"], text);
    let (link, file) = (blob(outside.path().to_str().expect("UTF-8")), blob("planted"));
    let inner = made(at, &["mktree"], &format!("100644 blob {file}\tplanted\n"));
    let whole =
        git(at, &["ls-tree", "HEAD:in"]) + &format!("120000 blob {link}\tz\n040000 tree {inner}\tz\n");
    let source = made(at, &["mktree"], &whole);
    let top = made(at, &["mktree"], &format!("040000 tree {source}\tin\n"));
    let commit = git(at, &["commit-tree", "-m", "planted", &top]).trim().to_owned();
    git(at, &["tag", "v1.0.0", &commit]);
    let next = git(at, &["commit-tree", "-m", "next", "-p", &commit, "HEAD^{tree}"]);
    git(at, &["reset", "-q", "--soft", next.trim()]);
    for arguments in
        [&["diff", "v1.0.0:in", "in", "--to", "codex"][..], &["release", "check", "in", "--base", "v1.0.0"]]
    {
        let finished = Plugcast::new(at, arguments).run().expect_code(2);
        let said = "the tree of `v1.0.0` has two entries at `in/z`";
        assert!(finished.stderr.contains(said), "{arguments:?}: {}", finished.stderr);
        assert_eq!(std::fs::read_dir(outside.path()).expect("it is there").count(), 0, "{arguments:?}");
    }
}
