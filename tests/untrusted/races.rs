//! 12: what changes between reading and writing. A file or folder that is swapped for a link is not followed, and what
//! is written is what was hashed: anything else is an error, and the old bundle stays.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use super::demo;
use crate::faults::binary;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::{Tree, digest};

const BUILD: [&str; 6] = ["build", "in", "--to", "codex", "--out", "out"];
/// What must never get into a bundle; it is binary, so that it is copied and never held.
const SECRET: &[u8] = b"\0the secret of somebody else\0";

/// A plugin with a file that is copied, and a secret beside it.
fn fixture() -> Tree {
    let mut data = SECRET.to_vec();
    data.fill(0);
    demo()
        .file("in/skills/s/assets/data.bin", data)
        .file("in/skills/s/assets/notes.txt", "Notes.\n")
        .file("elsewhere/data.bin", SECRET)
        .file("elsewhere/notes.txt", SECRET.strip_prefix(b"\0").unwrap().strip_suffix(b"\0").unwrap())
}

/// Builds, and makes `change` once everything is read and hashed, and nothing is written yet.
fn build_while(folder: &Path, change: impl Fn(&Path)) -> FinishedRun {
    build_at("pause@1", folder, change)
}

fn build_at(step: &str, folder: &Path, change: impl Fn(&Path)) -> FinishedRun {
    let run = Plugcast::new(folder, &BUILD).binary(binary::faulty()).env(binary::VARIABLE, step);
    let mut started = run.start_with_input();
    let mut errors = BufReader::new(started.child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("text");
    assert_eq!(line, format!("paused at step {}\n", step.trim_start_matches("pause@")));
    change(folder);
    writeln!(started.child.stdin.take().expect("a pipe"), "go on").expect("it waits for this");
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut errors, &mut stderr).expect("text");
    let finished = FinishedRun::from(started.child.wait_with_output().expect("it ends"));
    FinishedRun { stderr, ..finished }
}

/// Whether the secret is anywhere below `out`.
fn leaked(folder: &Path) -> bool {
    let needle = b"the secret of somebody else";
    let out = folder.join("out");
    out.exists()
        && Tree::read(&out).entries().any(|(_, entry)| match entry {
            crate::support::tree::Entry::File { content, .. } => {
                content.windows(needle.len()).any(|bytes| bytes == needle)
            }
            crate::support::tree::Entry::Link(_) => true,
        })
}

/// Sees that every file is what the manifest says.
#[track_caller]
fn as_listed(folder: &Path) {
    let bundle = Tree::read(&folder.join("out/codex"));
    let manifest: Value =
        serde_json::from_str(&bundle.get(".plugcast/manifest.json").expect("one").text()).unwrap();
    let listed = manifest["files"].as_array().unwrap().iter().chain(manifest["helpers"].as_array().unwrap());
    for file in listed {
        let path = file["path"].as_str().unwrap();
        let Some(crate::support::tree::Entry::File { content, .. }) = bundle.get(path) else {
            panic!("{path}")
        };
        assert_eq!(file["sha256"].as_str(), Some(digest(content).as_str()), "{path}");
        assert!(file["size"].is_null() || file["size"] == content.len(), "{path}");
    }
}

/// A change that must be refused in a first build, and in one that has an old bundle to keep.
#[track_caller]
fn refused(what: &str, change: impl Fn(&Path), expected: &str) {
    for old in [false, true] {
        let folder = fixture().temporary();
        if old {
            Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
            fs::write(folder.path().join("in/skills/s/more.md"), "More.\n").unwrap();
        }
        let before = out(&folder);
        let finished = build_while(folder.path(), &change);
        assert_eq!(finished.code, Some(2), "{what}: {}{}", finished.stdout, finished.stderr);
        assert!(finished.stderr.contains(expected), "{what}: {}", finished.stderr);
        assert!(finished.stderr.contains("build again"), "{what}: {}", finished.stderr);
        assert!(!leaked(folder.path()), "{what}");
        assert_eq!(out(&folder), before, "{what}");
    }
}

fn out(folder: &TempDir) -> Tree {
    let out = folder.path().join("out");
    if out.exists() { Tree::read(&out) } else { Tree::new() }
}

#[test]
fn case_12_a_file_that_becomes_a_link_before_it_is_copied_is_not_followed() {
    let swap = |folder: &Path| {
        let file = folder.join("in/skills/s/assets/data.bin");
        fs::remove_file(&file).unwrap();
        symlink(folder.join("elsewhere/data.bin"), file).unwrap();
    };
    refused("a file", swap, "a link took its place");
}

#[test]
fn case_12_a_folder_that_becomes_a_link_before_a_file_in_it_is_copied_is_not_followed() {
    let swap = |folder: &Path| {
        fs::rename(folder.join("in/skills/s/assets"), folder.join("in/skills/s/away")).unwrap();
        symlink(folder.join("elsewhere"), folder.join("in/skills/s/assets")).unwrap();
    };
    refused("a folder", swap, "a link took its place");
}

#[test]
fn case_12_what_is_written_is_what_was_hashed() {
    let expected = "it changed while it was being read";
    let at = |folder: &Path| folder.join("in/skills/s/assets/data.bin");
    refused("a change", |folder| fs::write(at(folder), vec![1; SECRET.len()]).unwrap(), expected);
    refused("less", |folder| fs::write(at(folder), [0]).unwrap(), expected);
    let grow = |folder: &Path| {
        let mut file = OpenOptions::new().append(true).open(at(folder)).unwrap();
        file.write_all(&[0; 100_000]).unwrap();
    };
    refused("growth", grow, expected);
}

#[test]
fn case_12_a_program_that_changes_before_it_is_copied_is_not_shipped() {
    let programs = |folder: &Path| folder.join("in/tool");
    for (change, expected) in [
        ((|path| fs::write(path, SECRET).unwrap()) as fn(&Path), "it changed while it was being read"),
        (
            |path| {
                fs::remove_file(path).unwrap();
                symlink("../elsewhere/data.bin", path).unwrap();
            },
            "a link took its place",
        ),
    ] {
        let settings = "[runtime.bin.tool]\nlinux-x86_64 = \"tool\"\n";
        let folder = fixture().file("in/plugcast.toml", settings).script("in/tool", [0; 29]).temporary();
        Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        // The first step is the lock: programs are hashed behind it, the folder of the bundle is the fourth.
        let finished = build_at("pause@5", folder.path(), |folder| change(&programs(folder)));
        assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
        assert!(!leaked(folder.path()));
    }
}

const ROUNDS: usize = 30;
const SWAPS: usize = 500_000;

struct EndGuard<'a>(&'a AtomicBool);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Each round races a build against somebody who swaps what it reads, to and fro.
#[track_caller]
fn raced(swap: impl Fn(&Path) + Sync, back: impl Fn(&Path) + Sync) {
    let folder = fixture().temporary();
    let at = folder.path();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // So many at most, whatever becomes of the rounds.
            for _ in 0..SWAPS {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                swap(at);
                back(at);
            }
        });
        // A round that fails ends the other thread, too.
        let _ended = EndGuard(&done);
        for round in 0..ROUNDS {
            let finished = Plugcast::new(at, &BUILD).run();
            assert!(!leaked(at), "round {round}");
            // 1: a file that was not there, or was a link out of the source, is left out with an error.
            assert!(matches!(finished.code, Some(0..=2)), "round {round}: {}", finished.stderr);
            if at.join("out/codex").exists() {
                as_listed(at);
            }
        }
    });
}

#[test]
fn case_12_a_file_that_is_swapped_all_the_time_leaks_nothing() {
    for name in ["data.bin", "notes.txt"] {
        let assets = |folder: &Path| folder.join("in/skills/s/assets");
        let spare = |folder: &Path| folder.join(format!("spare-{name}"));
        let swap = |folder: &Path| {
            let _ = fs::rename(assets(folder).join(name), spare(folder));
            let _ = symlink(folder.join("elsewhere").join(name), assets(folder).join(name));
        };
        let back = |folder: &Path| drop(fs::rename(spare(folder), assets(folder).join(name)));
        raced(swap, back);
    }
}

#[test]
fn case_12_a_folder_that_is_swapped_all_the_time_leaks_nothing() {
    let skill = |folder: &Path| folder.join("in/skills/s");
    let swap = |folder: &Path| {
        let _ = fs::rename(skill(folder).join("assets"), folder.join("spare"));
        let _ = symlink("../../../elsewhere", skill(folder).join("assets"));
    };
    let back = |folder: &Path| {
        let _ = fs::remove_file(skill(folder).join("assets"));
        let _ = fs::rename(folder.join("spare"), skill(folder).join("assets"));
    };
    raced(swap, back);
}

#[test]
fn case_12_a_file_that_grows_all_the_time_is_listed_as_it_was_written() {
    let grow = |name: &'static str| {
        move |folder: &Path| {
            let path = folder.join("in/skills/s/assets").join(name);
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            let _ = file.write_all(if name == "data.bin" { b"\0\0\0" } else { b"n\n" });
        }
    };
    for name in ["data.bin", "notes.txt"] {
        raced(grow(name), |_| ());
    }
}
