//! A promotion that ends at any single change of the file system, or whose disk fails there: the
//! repository is the old one, or the same command makes the new one of it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use tempfile::TempDir;

use super::{binary, error};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const COMMAND: [&str; 6] = ["promote", "plan-beta", "src", "--replace", "--format", "json"];
const JOURNAL: &str = "src/.plugcast-promote.json";

fn repository() -> Tree {
    let skill =
        |name: &str, body: &str| format!("---\nname: {name}\ndescription: Does a thing.\n---\n{body}\n");
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/plan/SKILL.md", skill("plan", "Plan."))
        .file("src/skills/plan/old/deep.md", "# Deep\n")
        .file("src/skills/plan-beta/SKILL.md", skill("plan-beta", "Plan anew."))
        .file("src/skills/plan-beta/a/new.md", "# plan-beta\n")
        .script("src/skills/plan-beta/run.sh", "#!/bin/sh\n")
        .file("src/README.md", "Run `/demo:plan-beta`.\n")
        .file("src/skills/draft/SKILL.md", skill("draft", "Run `/plan-beta`."))
}

/// What a folder holds besides what a run that was killed may leave beside files that it would change.
fn held(folder: &Path) -> Tree {
    let tree = Tree::read(folder);
    let stays = |path: &str| !path.ends_with(".plugcast-new") && !path.ends_with(".plugcast.lock");
    tree.entries()
        .filter(|(path, _)| stays(path))
        .fold(Tree::new(), |kept, (path, entry)| kept.with_entry(path, entry.clone()))
}

/// A run of the command, by a user whose own files are in `home`.
fn run(folder: &Path, home: &TempDir) -> Plugcast {
    Plugcast::new(folder, &COMMAND).env("XDG_STATE_HOME", home.path().to_str().expect("UTF-8"))
}

fn new() -> Tree {
    let folder = repository().temporary();
    Plugcast::new(folder.path(), &COMMAND).run().expect_code(0);
    Tree::read(folder.path())
}

fn walk(fault: &str, check: impl Fn(&FinishedRun, &Tree, &str)) {
    let (old, new) = (repository(), new());
    for step in 1..200 {
        let fault = format!("{fault}@{step}");
        let (folder, home) = (old.temporary(), TempDir::new().expect("a home"));
        let faulty = run(folder.path(), &home).binary(binary::faulty()).env(binary::VARIABLE, &fault);
        let ended = faulty.run();
        let found = held(folder.path());
        if found.get(JOURNAL).is_none() {
            assert!(found == old || found == new, "{fault}: half a repository\n{}", found.text());
        }
        check(&ended, &found, &fault);
        run(folder.path(), &home).run().expect_code(0);
        assert_eq!(Tree::read(folder.path()).text(), new.text(), "{fault}: after the same command");
        if ended.code == Some(0) {
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

#[test]
fn a_promotion_can_be_killed_anywhere() {
    walk("abort", |ended, _, fault| {
        assert!(matches!(ended.code, None | Some(0)), "{fault}: {}", ended.stdout)
    });
}

#[test]
fn a_promotion_on_a_full_disk_changes_nothing() {
    let old = repository();
    walk("full", |ended, found, fault| {
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(2), "{fault}: {}", ended.stdout);
            assert!(ended.stdout.contains("No space left on device"), "{fault}: {}", ended.stdout);
            assert_eq!(found.text(), old.text(), "{fault}");
        }
    });
}

#[test]
fn a_promotion_on_a_failing_disk_says_how_to_complete_it() {
    walk("EIO", |ended, found, fault| {
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(2), "{fault}: {}", ended.stdout);
            let half = found.get(JOURNAL).is_some();
            assert_eq!(
                ended.stdout.contains("run the same command again"),
                half,
                "{fault}: {}",
                ended.stdout
            );
        }
    });
}

#[test]
fn an_interrupted_promotion_is_made_or_not() {
    let (old, new) = (repository(), new());
    for step in (1..).step_by(3) {
        let folder = old.temporary();
        let run = Plugcast::new(folder.path(), &COMMAND).binary(binary::faulty());
        let mut started = run.env(binary::VARIABLE, &format!("hold@{step}")).start();
        let mut line = String::new();
        BufReader::new(started.child.stderr.take().expect("a pipe")).read_line(&mut line).unwrap();
        if line.is_empty() {
            assert_eq!(started.child.wait().unwrap().code(), Some(0));
            assert!(step > 10, "held nowhere");
            return;
        }
        let id = i32::try_from(started.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(id, Signal::INT).expect("our own child can be interrupted");
        let mut text = String::new();
        started.child.stdout.take().expect("a pipe").read_to_string(&mut text).unwrap();
        assert_eq!(started.child.wait().unwrap().code(), Some(130), "step {step}: {text}");
        let found = Tree::read(folder.path());
        assert!(found == old || found == new, "step {step}: half a repository\n{}", found.text());
    }
}

#[test]
fn a_journal_that_cannot_be_trusted_is_named_and_nothing_changes() {
    let outside = "{\"schema\":\"plugcast.promoting/1\",\"what\":\"x\",\"files\":[],\"moves\":[{\"from\":\"../a\",\"to\":\"b\"}]}";
    let newer = "{\"schema\":\"plugcast.promoting/2\",\"what\":\"x\",\"files\":[],\"moves\":[]}";
    for (journal, words) in
        [("{", "is not a journal"), (outside, "not a path below"), (newer, "is newer than this plugcast")]
    {
        let tree = repository().file(JOURNAL, journal);
        let folder = tree.temporary();
        let failed = error(&Plugcast::new(folder.path(), &COMMAND).run().expect_code(2));
        assert!(failed["message"].as_str().unwrap().contains(words), "{failed}");
        assert_eq!(Tree::read(folder.path()), tree);
    }
}
