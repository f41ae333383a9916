//! Walks over every change that the helper's store makes to the file system: a kill or a failing disk leaves what
//! belongs together old or new as soon as the next command takes the lock, and every file whole.

use std::path::Path;
use std::process::Command;

use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

use super::binary;

/// How often a walk may go on at most.
const MOST: usize = 200;

fn helper(folder: &Path, words: &[&str], fault: Option<&str>) -> FinishedRun {
    // The key by which a journal is known as one's own stays from run to run.
    let state = folder.join("state").display().to_string();
    let run = Plugcast::with_program(binary::faulty_helper(), folder, words).env("XDG_STATE_HOME", &state);
    match fault {
        Some(fault) => run.env(binary::VARIABLE, fault).run(),
        None => run.run(),
    }
}

fn old() -> Tree {
    Tree::new()
        .file("s/one", "old one")
        .file("s/deep/two", "old two")
        .file("s/three", "old three")
        .file("s/four", "old four")
}

fn text(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join("s").join(name)).ok()
}

/// One use of everything, with `fault` at every step.
fn walk(fault: &str, ended: impl Fn(&FinishedRun, &str)) {
    for step in 1..MOST {
        let fault = format!("{fault}@{step}");
        let folder = old().temporary();
        let at = folder.path();
        let finished = helper(at, &["store", "s", "all"], Some(&fault));
        for (name, kinds) in [
            ("one", ["old one", "new one"]),
            ("deep/two", ["old two", "new two"]),
            ("four", ["old four", "new four"]),
        ] {
            let found = text(at, name).unwrap_or_default();
            assert!(kinds.contains(&found.as_str()), "{fault}: `{name}` is half written: {found}");
        }
        let through = finished.code == Some(0);
        if !through {
            ended(&finished, &fault);
        }
        // The next command, whatever it does, finishes or forgets what was begun.
        helper(at, &["store", "s"], None).expect_code(0);
        let together = [text(at, "one"), text(at, "deep/two"), text(at, "three")];
        let was = ["old one", "old two", "old three"].map(|text| Some(text.to_owned()));
        let is = [Some("new one".to_owned()), Some("new two".to_owned()), None];
        assert!(together == was || together == is, "{fault}: not together: {together:?}");
        assert!(text(at, "local/journal.json").is_none(), "{fault}: the journal is left");
        if through {
            assert_eq!(together, is, "{fault}");
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

#[test]
fn the_store_can_be_killed_anywhere() {
    walk("abort", |finished, fault| assert_eq!(finished.code, None, "{fault}"));
}

#[test]
fn a_failing_disk_is_said_and_leaves_the_store_whole() {
    for fault in ["EIO", "full"] {
        walk(fault, |finished, fault| assert_eq!(finished.code, Some(5), "{fault}"));
    }
}

/// A repository with a review whose findings are merged.
fn reviewed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
        let done = Command::new("git").args(identity).args(words).current_dir(folder.path()).output();
        assert!(done.expect("git").status.success(), "{words:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    // A finding keeps its place, and so its way to a todo, only where the file is.
    std::fs::write(folder.path().join("a.rs"), "one\n").expect("it can be written");
    git(&["add", "a.rs"]);
    git(&["commit", "-q", "-m", "start"]);
    let started = helper(folder.path(), &["review", "start", "--mode", "autofix"], None).expect_code(0);
    let started: serde_json::Value = serde_json::from_str(&started.stdout).expect("JSON");
    let run = started["run_dir"].as_str().expect("a folder");
    let finding = serde_json::json!({
        "title": "t", "severity": "P2", "file": "a.rs", "line": 1, "why_it_matters": "w", "autofix_class": "manual",
        "owner": "downstream-resolver", "requires_verification": false, "confidence": 0.9, "evidence": ["e"],
        "pre_existing": false,
    });
    let returned =
        serde_json::json!({"reviewer": "a", "findings": [finding], "residual_risks": [], "testing_gaps": []});
    std::fs::write(folder.path().join("a.json"), returned.to_string()).expect("it can be written");
    helper(folder.path(), &["review", "merge", "--run", run, "a.json"], None).expect_code(0);
    std::os::unix::fs::symlink(run, folder.path().join("run")).expect("a link");
    folder
}

#[test]
fn the_end_of_a_review_can_be_killed_anywhere() {
    for step in 1..MOST {
        let fault = format!("abort@{step}");
        let folder = reviewed();
        let finish = ["review", "finish", "--run", "run"];
        let through = helper(folder.path(), &finish, Some(&fault)).code == Some(0);
        let metadata = || std::fs::read_to_string(folder.path().join("run/metadata.json")).ok();
        if let Some(text) = metadata() {
            let whole: serde_json::Value = serde_json::from_str(&text).expect("metadata is whole");
            assert_eq!(whole["status"], "done", "{fault}");
        }
        // Either it was never ended, or it is as soon as anybody takes the lock.
        helper(folder.path(), &["store", ".plugcast"], None).expect_code(0);
        let ended = metadata().is_some();
        let again = helper(folder.path(), &finish, None);
        assert_eq!(again.code, Some(if ended { 6 } else { 0 }), "{fault}: {}", again.stdout);
        assert!(!folder.path().join(".plugcast/local/journal.json").exists(), "{fault}: the journal is left");
        let todos =
            std::fs::read_dir(folder.path().join(".plugcast/todos")).expect("what is left to do").count();
        assert_eq!(todos, 1, "{fault}");
        helper(folder.path(), &["review", "start", "--mode", "headless"], None).expect_code(0);
        if through {
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

/// failed-begin-keeps-the-tree: a run that began on a full disk was locked out for an hour.
#[test]
fn a_begin_that_fails_on_a_full_disk_gives_the_tree_back() {
    for step in 1..MOST {
        let fault = format!("full@{step}");
        let folder = reviewed();
        let ended = helper(folder.path(), &["review", "abandon", "--run", "run"], None);
        ended.expect_code(0);
        let begin = ["review", "begin", "--stdin", "--include-untracked"];
        let through = helper(folder.path(), &begin, Some(&fault)).code == Some(0);
        if through {
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
        let again = helper(folder.path(), &begin, None);
        assert_eq!(again.code, Some(0), "{fault}: {}", again.stdout);
    }
    panic!("no end of the walk");
}
