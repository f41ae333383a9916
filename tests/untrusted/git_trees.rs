//! 1: trees that no git writes. One with a link and a folder of one name is refused before anything is laid out; what
//! has a name that leads elsewhere, or is something else than its mode says, is left out, and a line says so.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::demo;
use crate::support::git::{committed, git};
use crate::support::run::Plugcast;

/// Asks git to make an object of what is given to it.
fn made(folder: &Path, arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git can be started");
    child.stdin.take().expect("a pipe").write_all(input.as_ref()).expect("git reads");
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
    let inner = made(at, &["mktree"], format!("100644 blob {file}\tplanted\n"));
    let whole =
        git(at, &["ls-tree", "HEAD:in"]) + &format!("120000 blob {link}\tz\n040000 tree {inner}\tz\n");
    let source = made(at, &["mktree"], whole);
    let top = made(at, &["mktree"], format!("040000 tree {source}\tin\n"));
    let commit = git(at, &["commit-tree", "-m", "planted", &top]).trim().to_owned();
    git(at, &["tag", "v1.0.0", &commit]);
    let next = git(at, &["commit-tree", "-m", "next", "-p", &commit, "HEAD^{tree}"]);
    git(at, &["reset", "-q", "--soft", next.trim()]);
    for arguments in
        [&["diff", "v1.0.0:in", "in", "--to", "codex"][..], &["release", "check", "in", "--base", "v1.0.0"]]
    {
        let finished = Plugcast::new(at, arguments).run().expect_code(2);
        let expected = "the tree of `v1.0.0` has two entries at `in/z`";
        assert!(finished.stderr.contains(expected), "{arguments:?}: {}", finished.stderr);
        assert_eq!(std::fs::read_dir(outside.path()).expect("it is there").count(), 0, "{arguments:?}");
    }
}

/// A tree as git keeps it, with entries that `git mktree` refuses.
fn raw_tree(folder: &Path, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, object) in entries {
        bytes.extend([mode.as_bytes(), b" ", name, b"\0"].concat());
        let pairs = object.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("hexadecimal"));
        bytes.extend(pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")));
    }
    made(folder, &["hash-object", "-w", "-t", "tree", "--stdin", "--literally"], bytes)
}

#[test]
fn case_1_entries_that_git_writes_nowhere_are_left_out_and_named() {
    let folder = committed(&demo());
    let at = folder.path();
    let file =
        made(at, &["hash-object", "-w", "--stdin"], "---\nname: t\ndescription: Says it\n---\n\nSay it.\n");
    let inner = raw_tree(at, &[("100644", b"SKILL.md", &file)]);
    let skills = git(at, &["rev-parse", "HEAD:in/skills"]);
    let manifest = git(at, &["rev-parse", "HEAD:in/.claude-plugin"]);
    let own = [("40000", &b".claude-plugin"[..], manifest.trim()), ("40000", b"skills", skills.trim())];
    for (entry, expected) in [
        (("100644", &b"README.md"[..], inner.as_str()), "`in/README.md`"),
        (("120000", b"README.md", &inner), "`in/README.md`"),
        (("100644", b"..", &file), "`..`"),
        (("100644", b".git", &file), "`.git`"),
        (("40000", b"..", &inner), "`../SKILL.md`"),
        (("40000", b".GIT", &inner), "`.GIT/SKILL.md`"),
        (("100644", b"/etc/planted", &file), "`/etc/planted`"),
        (("100644", b"a\xff\nb", &file), "`a\u{fffd}\\nb`"),
    ] {
        let mut entries = own.to_vec();
        entries.insert(usize::from(entry.1 > &b".claude-plugin"[..]), entry);
        let source = raw_tree(at, &entries);
        let top = raw_tree(at, &[("40000", b"in", &source)]);
        let commit = git(at, &["commit-tree", "-m", "planted", &top]).trim().to_owned();
        git(at, &["tag", "-f", "v0.9.0", &commit]);
        let next = git(at, &["commit-tree", "-m", "next", "-p", &commit, "HEAD^{tree}"]);
        git(at, &["reset", "-q", "--soft", next.trim()]);
        for (arguments, code) in [
            (&["diff", "v0.9.0:in", "in", "--to", "codex"][..], 0),
            (&["release", "check", "in", "--base", "v0.9.0"], 0),
        ] {
            let finished = Plugcast::new(at, arguments).run().expect_code(code);
            let line = finished.stderr.lines().find(|line| line.contains("are skipped"));
            let line = line.unwrap_or_else(|| panic!("{arguments:?} {expected}: {}", finished.stderr));
            assert!(
                line.starts_with("warning: the tree of `v0.9.0") && line.ends_with(expected),
                "{expected}: {line}"
            );
        }
    }
    Plugcast::new(at, &["diff", "HEAD:in", "in"]).run().expect_code(0);
}
