//! 2 and 5: a repository's own configuration names folders and files, and small objects of git stand for large trees. No
//! command of either program reads or writes elsewhere for that, and none fills the disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::demo;
use crate::runtime::fixture::HELPER;
use crate::support::git::{commit, committed, git};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

fn helper(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(HELPER)
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output()
        .expect("the helper");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A repository below a folder that its configuration takes for its work tree; that folder may be one, too.
fn misled(outer: bool) -> TempDir {
    let market = "{ \"name\": \"m\", \"owner\": { \"name\": \"x\" }, \"plugins\": [{ \"name\": \"demo\", \"source\": \"./a/repo\", \"version\": \"0.5.0\" }] }\n";
    let folder = Tree::new().file(".claude-plugin/marketplace.json", market).temporary();
    let repository = folder.path().join("a/repo");
    demo().below("in").write(&repository);
    git(&repository, &["init", "-q"]);
    commit(&repository, "first");
    git(&repository, &["tag", "v1.0.0"]);
    git(&repository, &["config", "core.worktree", "../../.."]);
    if outer {
        git(folder.path(), &["init", "-q"]);
    }
    folder
}

/// `release check --fix` once rewrote a file above the repository.
#[test]
fn case_5_the_work_tree_is_where_the_repository_lies() {
    for outer in [false, true] {
        let folder = misled(outer);
        let repository = folder.path().join("a/repo");
        let market = folder.path().join(".claude-plugin/marketplace.json");
        let before = fs::read_to_string(&market).unwrap();
        for arguments in [
            &["release", "check", "."][..],
            &["release", "check", ".", "--fix"],
            &["check", ".", "--since", "v1.0.0"],
            &["diff", "v1.0.0", ".", "--to", "codex"],
        ] {
            let finished = Plugcast::new(&repository, arguments).run().expect_code(2);
            assert!(finished.stderr.contains("git takes `"), "{arguments:?}: {}", finished.stderr);
            assert!(finished.stderr.contains("remove `core.worktree`"), "{arguments:?}: {}", finished.stderr);
            assert!(!finished.stderr.contains("0.5.0"), "{arguments:?}: {}", finished.stderr);
        }
        for words in [
            &["repo", "base"][..],
            &["review", "scope"],
            &["repo", "surfaces", "--worktree", "--base", "v1.0.0"],
        ] {
            let answer = helper(&repository, words);
            assert!(answer.contains("core.worktree"), "{words:?}: {answer}");
        }
        assert_eq!(fs::read_to_string(&market).unwrap(), before);
    }
}

/// A linked work tree and a submodule have their repository elsewhere, and say so.
#[test]
fn case_5_linked_work_trees_and_submodules_work_as_before() {
    let (folder, elsewhere) = (committed(&demo()), TempDir::new().expect("a folder"));
    let (at, linked) = (folder.path(), elsewhere.path().join("linked"));
    git(at, &["worktree", "add", "-q", linked.to_str().expect("UTF-8"), "-b", "linked"]);
    Plugcast::new(&linked, &["check", "in", "--since", "HEAD"]).run().expect_code(0);
    let answer = helper(&linked, &["repo", "base"]);
    assert!(answer.contains("\"status\":\"ok\""), "{answer}");
    let above = committed(&Tree::new().file("a", "a"));
    git(above.path(), &["submodule", "add", "-q", at.to_str().expect("UTF-8"), "sub"]);
    Plugcast::new(&above.path().join("sub"), &["check", "in", "--since", "HEAD"]).run().expect_code(0);
}

/// A filter was once run because its name could not be written on a command line as text.
#[test]
fn case_2_a_filter_with_a_name_that_is_not_utf_8_is_not_run() {
    let folder = committed(&demo());
    let (at, marker) = (folder.path(), folder.path().join(".git/ran"));
    let mut config = fs::read(at.join(".git/config")).unwrap();
    config.extend(b"[filter \"\xff\"]\n\tclean = sh -c 'touch ");
    config.extend(marker.to_str().expect("UTF-8").bytes());
    config.extend(b"; cat'\n");
    fs::write(at.join(".git/config"), config).unwrap();
    fs::write(at.join(".git/info/attributes"), b"*.md filter=\xff\n").unwrap();
    fs::write(at.join("in/skills/s/SKILL.md"), "changed\n").unwrap();
    for words in [&["review", "scope"][..], &["repo", "surfaces", "--worktree", "--base", "HEAD"]] {
        let answer = helper(at, words);
        assert!(answer.contains("is not UTF-8"), "{words:?}: {answer}");
    }
    for arguments in
        [&["check", "in", "--since", "HEAD"][..], &["diff", "HEAD", "in"], &["release", "check", "in"]]
    {
        let finished = Plugcast::new(at, arguments).run().expect_code(2);
        assert!(finished.stderr.contains("rename it, or remove it"), "{arguments:?}: {}", finished.stderr);
    }
    assert!(!marker.exists(), "the filter was run");
}

/// The first line of a file was once quoted in the answer, as the name of an object.
#[test]
fn case_5_no_list_of_objects_that_a_repository_names_is_read() {
    let origin = committed(&demo());
    let folder = TempDir::new().expect("a folder");
    let at = folder.path();
    git(at, &["clone", "-q", origin.path().to_str().expect("UTF-8"), "work"]);
    commit_more(origin.path());
    fs::write(at.join("secret"), "hunter2 is the secret\n").unwrap();
    let work = at.join("work");
    git(&work, &["config", "fetch.fsckObjects", "true"]);
    git(&work, &["config", "fetch.fsck.skipList", at.join("secret").to_str().expect("UTF-8")]);
    for words in [&["repo", "base", "--base", "origin/main"][..], &["review", "scope"]] {
        let answer = helper(&work, words);
        assert!(!answer.contains("hunter2"), "{words:?}: {answer}");
    }
}

fn commit_more(folder: &Path) {
    fs::write(folder.join("more"), "more").unwrap();
    commit(folder, "second");
}

/// Asks git to make an object of what is given to it.
fn made(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
    use std::io::Write;
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git can be started");
    child.stdin.take().expect("a pipe").write_all(input).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

/// A repository whose tag `v1.0.0` holds `tree` beside its files.
fn bombed(tree: impl Fn(&Path) -> String) -> TempDir {
    let folder = committed(&demo());
    let at = folder.path();
    let bomb = tree(at);
    let top = git(at, &["ls-tree", "HEAD:in"]) + &format!("040000 tree {bomb}\tzbomb\n");
    let source = made(at, &["mktree"], top.as_bytes());
    let top = made(at, &["mktree"], format!("040000 tree {source}\tin\n").as_bytes());
    let bombed = git(at, &["commit-tree", "-m", "bomb", &top]).trim().to_owned();
    git(at, &["tag", "v1.0.0", &bombed]);
    let next = git(at, &["commit-tree", "-m", "next", "-p", &bombed, "HEAD^{tree}"]);
    git(at, &["reset", "-q", "--soft", next.trim()]);
    folder
}

#[track_caller]
fn refused(folder: &TempDir, expected: &str) {
    let temporary = TempDir::new().expect("a folder");
    for arguments in
        [&["diff", "v1.0.0:in", "in", "--to", "codex"][..], &["release", "check", "in", "--base", "v1.0.0"]]
    {
        let run = Plugcast::new(folder.path(), arguments).env("TMPDIR", temporary.path().to_str().unwrap());
        // No file that it writes may become larger than this, in blocks of 512 bytes.
        let finished = run.below("sh", &["-c", "ulimit -f 200000; exec \"$0\" \"$@\""]).run().expect_code(2);
        assert!(finished.stderr.contains(expected), "{arguments:?}: {}", finished.stderr);
        assert!(finished.stderr.contains("name a folder within it"), "{arguments:?}: {}", finished.stderr);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
}

/// Ten trees that hold each other ten times.
#[test]
fn case_1_a_tree_of_too_many_files_is_not_listed_to_its_end() {
    let folder = bombed(|at| {
        let mut object = ("100644 blob", made(at, &["hash-object", "-w", "--stdin"], b"x"));
        for _ in 0..10 {
            let names: String = (0..10).map(|n| format!("{} {}\tf{n}\n", object.0, object.1)).collect();
            object = ("040000 tree", made(at, &["mktree"], names.as_bytes()));
        }
        object.1
    });
    refused(&folder, "the tree of `v1.0.0` has too many files");
}

/// One content under a thousand names.
#[test]
fn case_1_files_that_are_too_large_together_are_not_asked_for() {
    let folder = bombed(|at| {
        let blob = made(at, &["hash-object", "-w", "--stdin"], &vec![0; 1_000_000]);
        let names: String = (0..1000).map(|n| format!("100644 blob {blob}\tf{n}\n")).collect();
        made(at, &["mktree"], names.as_bytes())
    });
    refused(&folder, "the files of `v1.0.0` are larger than 512 MiB in total");
}
