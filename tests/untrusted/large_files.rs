//! 17: what takes no room in a source takes none in a bundle: a sparse file is not copied to its full length.

use std::fs::{self, File};
use std::path::Path;

use tempfile::TempDir;

use super::demo;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const MEBIBYTE: u64 = 1024 * 1024;

/// The plugin with sparse files of so many MiB.
fn fixture(files: &[(&str, u64)]) -> TempDir {
    let folder = demo().file("in/scripts/run.sh", "#!/bin/sh\n").temporary();
    for (path, size) in files {
        let file = File::create(folder.path().join("in").join(path)).expect("a file");
        file.set_len(size * MEBIBYTE).expect("a sparse file");
    }
    folder
}

fn build(folder: &Path) -> FinishedRun {
    Plugcast::new(folder, &["build", "in", "--to", "codex", "--out", "out"]).run()
}

#[test]
fn case_17_a_file_that_is_too_large_is_named_and_not_copied() {
    let folder = fixture(&[("scripts/data.bin", 60 * 1024)]);
    let built = build(folder.path()).expect_code(1);
    let expected = "`scripts/data.bin` is skipped: is larger than 512 MiB";
    assert!(built.stderr.contains(expected), "{}", built.stderr);
    let out = Tree::read(&folder.path().join("out/codex/plugins/demo"));
    assert!(out.get("scripts/run.sh").is_some() && out.get("skills/s/SKILL.md").is_some());
    assert!(out.get("scripts/data.bin").is_none());
    let ledger = fs::read_to_string(folder.path().join("out/codex/.plugcast/ledger.json")).expect("a ledger");
    assert!(ledger.contains("is larger than 512 MiB"), "{ledger}");
    for arguments in [&["check", "in"][..], &["diff", "in", "in", "--to", "codex"]] {
        let finished = Plugcast::new(folder.path(), arguments).run();
        let text = finished.stdout + &finished.stderr;
        assert!(finished.code == Some(0) || text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn case_17_files_that_are_too_large_together_are_one_finding() {
    let folder = fixture(&[("scripts/a.bin", 200), ("scripts/b.bin", 400), ("scripts/c.bin", 500)]);
    let built = build(folder.path()).expect_code(1);
    let expected =
        "`scripts/b.bin` is skipped: with it the files of the source are larger than 512 MiB in total";
    assert!(built.stderr.contains(expected) && !built.stderr.contains("c.bin"), "{}", built.stderr);
    let scripts = folder.path().join("out/codex/plugins/demo/scripts");
    assert!(
        scripts.join("a.bin").exists() && !scripts.join("b.bin").exists() && !scripts.join("c.bin").exists()
    );
}

/// A `.gitignore` that was too large was dropped without a word, and what it ignores was shipped.
#[test]
fn case_17_a_gitignore_that_is_too_large_ships_nothing_that_it_may_ignore() {
    let folder = fixture(&[("scripts/.gitignore", 5)]);
    let built = build(folder.path()).expect_code(1);
    let expected = "`scripts` is skipped: its `.gitignore` cannot be read: it is larger than 4 MiB";
    assert!(built.stderr.contains(expected), "{}", built.stderr);
    let out = Tree::read(&folder.path().join("out/codex/plugins/demo"));
    assert!(out.get("skills/s/SKILL.md").is_some() && out.get("scripts/run.sh").is_none());

    let folder = fixture(&[(".gitignore", 5)]);
    for arguments in [&["build", "in", "--to", "codex", "--out", "out"][..], &["check", "in"]] {
        let finished = Plugcast::new(folder.path(), arguments).run().expect_code(2);
        assert!(
            finished.stderr.contains("in/.gitignore") && finished.stderr.contains("it is larger than 4 MiB"),
            "{arguments:?}: {}",
            finished.stderr
        );
    }
    assert!(!folder.path().join("out").exists());
}
