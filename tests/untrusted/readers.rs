//! 4: a command that only reads changes nothing of what an interrupted build or promotion left, and says who completes
//! it. What lies there may have been planted, and only who builds has asked for changes.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::TempDir;

use super::demo;
use crate::support::git::{commit, committed};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const LINE: &str = "dist/codex/plugins/demo/skills/s/SKILL.md:2";

/// Every command that reads a bundle, with the exit code where nothing is in its way.
const READERS: [(&[&str], i32); 11] = [
    (&["verify", "dist", "--host-bin", "codex=absent"], 2),
    (&["verify", "dist/codex", "--host-bin", "codex=absent"], 2),
    (&["explain", LINE], 0),
    (&["explain", "no/such", "--out", "dist"], 2),
    (&["diff", "dist", "dist"], 0),
    (&["diff", "dist/codex", "dist"], 0),
    (&["release", "check"], 1),
    (&["promote", "t-beta", "--dry-run"], 0),
    (&["build", "--to", "codex", "--check"], 0),
    (&["build", "--to", "codex", "--diff"], 0),
    (&["build", "--to", "codex", "--check", "--diff"], 0),
];

/// A repository with a bundle.
fn fixture() -> TempDir {
    let beta = "---\nname: t-beta\ndescription: Says it better\n---\n\nSay it better.\n";
    let folder = committed(&demo().below("in").file("skills/t-beta/SKILL.md", beta));
    build(folder.path()).expect_code(0);
    commit(folder.path(), "the bundle");
    folder
}

fn build(folder: &Path) -> FinishedRun {
    Plugcast::new(folder, &["build", "--to", "codex"]).run()
}

/// Everything that a change would change: each entry with its bytes, when it was changed, and which it is.
fn snapshot(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let stat = (meta.ino(), meta.mode(), meta.mtime(), meta.mtime_nsec(), meta.size());
            found.push(format!("{} {stat:?} {bytes:?}", path.display()));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a command that must leave everything as it is.
#[track_caller]
fn read(folder: &Path, arguments: &[&str], code: i32) -> FinishedRun {
    let before = snapshot(folder);
    let finished = Plugcast::new(folder, arguments).run().expect_code(code);
    assert_eq!(snapshot(folder), before, "{arguments:?}");
    finished
}

/// Between the two renames of a system that cannot exchange folders.
fn displace(folder: &Path) {
    let at = |name: &str| folder.join("dist").join(name);
    Tree::read(&at("codex")).write(&at(".codex.plugcast-new"));
    fs::rename(at("codex"), at(".codex.plugcast-old")).unwrap();
    fs::write(at(".codex.plugcast-swap"), "").unwrap();
}

#[test]
fn case_4_no_reader_completes_an_interrupted_build() {
    let folder = fixture();
    displace(folder.path());
    for (arguments, _) in READERS {
        let finished = read(folder.path(), arguments, 2);
        let expected = "an interrupted build did not finish `dist/codex`";
        let whole = format!("{}/", folder.path().canonicalize().unwrap().display());
        assert!(finished.stderr.replace(&whole, "").contains(expected), "{arguments:?}: {}", finished.stderr);
        assert!(
            finished.stderr.contains("run `plugcast build` with this output folder"),
            "{}",
            finished.stderr
        );
    }
    build(folder.path()).expect_code(0);
    assert_eq!(fs::read_dir(folder.path().join("dist")).unwrap().count(), 1);
}

#[test]
fn case_4_no_reader_removes_what_an_interrupted_build_left() {
    let folder = fixture();
    let finished_runs: Vec<FinishedRun> =
        READERS.iter().map(|(arguments, code)| read(folder.path(), arguments, *code)).collect();
    let left = Tree::new().file(".plugcast/ledger.json", "").file("x", "half").link("y", "../../in");
    for state in [&["new"][..], &["new", "old"], &["new", "old", "swap"], &["swap"]] {
        let folder = fixture();
        for what in state {
            let path = folder.path().join(format!("dist/.codex.plugcast-{what}"));
            if *what == "swap" { fs::write(path, "").unwrap() } else { left.write(&path) }
        }
        for ((arguments, code), whole) in READERS.iter().zip(&finished_runs) {
            if arguments[0] == "promote" {
                let finished = read(folder.path(), arguments, 2);
                assert!(
                    finished.stderr.contains("first run the command without `--dry-run`"),
                    "{}",
                    finished.stderr
                );
                continue;
            }
            let finished = read(folder.path(), arguments, *code);
            assert_eq!(finished.stdout, whole.stdout, "{state:?} {arguments:?}");
            assert_eq!(finished.stderr, whole.stderr, "{state:?} {arguments:?}");
        }
        build(folder.path()).expect_code(0);
    }
}

#[test]
fn case_4_a_preview_leaves_the_journal_of_an_interrupted_promotion() {
    let folder = fixture();
    let journal = "{\"schema\":\"plugcast.promoting/1\",\"what\":\"x\",\"files\":[\"README.md\"],\"moves\":[{\"from\":\"skills/s\",\"to\":\"skills/t\"}]}";
    fs::write(folder.path().join(".plugcast-promote.json"), journal).unwrap();
    fs::write(folder.path().join(".README.md.plugcast-new"), "new").unwrap();
    read(folder.path(), &["promote", "t-beta", "--dry-run"], 2);
    for (arguments, code) in READERS.iter().filter(|(arguments, _)| arguments[0] != "promote") {
        // The journal is in the plugin, so that it is a new file of it.
        let code = if arguments.contains(&"--check") { 1 } else { *code };
        read(folder.path(), arguments, code);
    }
}

/// A running build is not an interrupted one: readers wait for its lock, and create none.
#[test]
fn case_4_readers_wait_for_a_build_that_runs() {
    for (arguments, code) in READERS.iter().filter(|(arguments, _)| arguments[0] != "promote") {
        let folder = fixture();
        displace(folder.path());
        let at = |name: &str| folder.path().join("dist").join(name);
        let lock = File::create(at(".plugcast.lock")).unwrap();
        lock.lock().unwrap();
        let started = Plugcast::new(folder.path(), arguments).start();
        fs::rename(at(".codex.plugcast-new"), at("codex")).unwrap();
        fs::remove_dir_all(at(".codex.plugcast-old")).unwrap();
        fs::remove_file(at(".codex.plugcast-swap")).unwrap();
        fs::remove_file(at(".plugcast.lock")).unwrap();
        drop(lock);
        let finished = FinishedRun::from(started.child.wait_with_output().unwrap());
        assert_eq!(finished.code, Some(*code), "{arguments:?}: {}", finished.stderr);
        assert_eq!(fs::read_dir(folder.path().join("dist")).unwrap().count(), 1);
    }
}
