//! `check --fix` writes into the author's own files: whatever happens at any step, each file holds its old
//! text or its new one, with its mode, and the next run makes the rest whole.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{binary, error};
use crate::support::git::committed;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const COMMAND: [&str; 6] = ["check", "src", "--fix", "--unsafe-fixes", "--format", "json"];
const FILES: [&str; 3] = ["a", "b", "c"];

/// How often a walk may go on at most.
const MOST: usize = 100;

fn skill(name: &str) -> String {
    format!("---\nname: {name}  # kept\ndescription: Does a thing when it is asked for.\n---\nDo it.\n")
}

fn path(folder: &Path, name: &str) -> std::path::PathBuf {
    folder.join(format!("src/skills/{name}/SKILL.md"))
}

/// Three skills whose name is not that of their folder; the second is nobody's to write.
fn fixture() -> TempDir {
    let files = FILES.iter().fold(Tree::new(), |tree, name| {
        tree.file(&format!("src/skills/{name}/SKILL.md"), skill(&format!("old-{name}")))
    });
    let folder = files.file("src/.claude-plugin/plugin.json", "{ \"name\": \"p\" }\n").temporary();
    fs::set_permissions(path(folder.path(), "b"), Permissions::from_mode(0o440)).unwrap();
    folder
}

/// Whether each file has its old or its new content.
#[track_caller]
fn whole(folder: &Path, fault: &str) -> Vec<bool> {
    let new = |name: &&str| {
        let path = path(folder, name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{fault}: {name}: {error}"));
        assert!(text == skill(name) || text == skill(&format!("old-{name}")), "{fault}: {name}: {text}");
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if *name == "b" { 0o440 } else { 0o644 }, "{fault}: {name}");
        text == skill(name)
    };
    FILES.iter().map(new).collect()
}

/// What is beside the skills' files.
fn left(folder: &Path) -> Vec<String> {
    let tree = Tree::read(&folder.join("src/skills"));
    let names = tree.entries().map(|(path, _)| path.to_owned());
    names.filter(|path| !path.ends_with("/SKILL.md")).collect()
}

/// Runs with `fault` at every step, until a run gets through; the next run always makes everything whole.
fn walk(fault: &str, check: impl Fn(&Path, &FinishedRun, &str)) {
    for step in 1..MOST {
        let fault = format!("{fault}@{step}");
        let folder = fixture();
        let run = Plugcast::new(folder.path(), &COMMAND).binary(binary::faulty());
        let finished = run.env(binary::VARIABLE, &fault).run();
        let states = whole(folder.path(), &fault);
        if finished.code == Some(0) {
            assert_eq!(states, [true; 3], "{fault}");
            assert!(step > FILES.len() * 3, "{fault} at the first steps did nothing");
            return;
        }
        check(folder.path(), &finished, &fault);
        Plugcast::new(folder.path(), &COMMAND).run().expect_code(0);
        assert_eq!(whole(folder.path(), &fault), [true; 3], "{fault}: after the next run");
        assert_eq!(left(folder.path()), [""; 0], "{fault}: left over after the next run");
    }
    panic!("no end of the walk");
}

#[test]
fn fixes_can_be_killed_anywhere() {
    walk("abort", |folder, finished, fault| {
        assert_eq!(finished.code, None, "{fault}");
        // A new text that was not finished is not part of the source.
        let looked = Plugcast::new(folder, &["check", "src", "--format", "agent"]).run().expect_code(0);
        assert!(!looked.stdout.contains("plugcast-new"), "{fault}: {}", looked.stdout);
    });
}

fn failing(fault: &str, words: &str, help: &str) {
    walk(fault, |folder, finished, fault| {
        assert_eq!(finished.code, Some(2), "{fault}: {}", finished.stdout);
        let error = error(finished);
        let message = error["message"].as_str().unwrap_or_default();
        let named = message.starts_with("cannot change `") && message.contains("/SKILL.md`: ");
        assert!(named && message.contains(words), "{fault}: {message}");
        assert!(error["help"].as_str().unwrap_or_default().contains(help), "{fault}: {error}");
        assert_eq!(left(folder), [""; 0], "{fault}: left over");
    });
}

#[test]
fn fixes_on_a_full_disk_leave_whole_files() {
    failing("full", "No space left on device", "free some space");
}

#[test]
fn fixes_on_a_failing_disk_leave_whole_files() {
    failing("EIO", "Input/output error", "run the same command again");
}

#[test]
fn interrupted_fixes_leave_whole_files_and_say_so() {
    for step in [1, 2, 5, 8] {
        let folder = fixture();
        let run = Plugcast::new(folder.path(), &COMMAND).binary(binary::faulty());
        let mut started = run.env(binary::VARIABLE, &format!("hold@{step}")).start();
        let mut line = String::new();
        let mut errors = BufReader::new(started.child.stderr.take().expect("a pipe"));
        errors.read_line(&mut line).unwrap();
        assert_eq!(line, format!("held at step {step}\n"));
        let id = i32::try_from(started.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(id, Signal::INT).expect("our own child can be interrupted");
        let mut text = String::new();
        started.child.stdout.take().expect("a pipe").read_to_string(&mut text).unwrap();
        assert_eq!(started.child.wait().unwrap().code(), Some(130), "step {step}: {text}");
        assert!(text.contains("\"code\": \"interrupted\""), "step {step}: {text}");
        whole(folder.path(), "an interrupt");
        assert_eq!(left(folder.path()), [""; 0], "step {step}: left over");
    }
}

/// Nothing is changed yet: the program ends at once, wherever it is.
#[test]
fn a_look_is_interrupted_at_once() {
    let folder = fixture();
    let arguments = ["check", "-", "--stdin-path", "src/skills/a/SKILL.md"];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plugcast"));
    command.args(arguments).current_dir(folder.path()).stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("the program");
    // It reads one byte when it listens to interrupts already.
    let input = child.stdin.take().expect("a pipe");
    rustix::io::write(&input, b"-").expect("a pipe takes a byte");
    while rustix::io::ioctl_fionread(&input).unwrap_or(0) > 0 {
        std::thread::yield_now();
    }
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(id, Signal::INT).expect("our own child can be interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(input);
}

/// The result is on its way, longer than a pipe takes at once: it stays the only document.
#[test]
fn an_interrupt_behind_a_result_adds_no_document() {
    let skills = (0..400).fold(Tree::new(), |tree, number| {
        tree.file(&format!("src/skills/s{number}/SKILL.md"), skill(&format!("other{number}")))
    });
    // What is ignored is looked up in git, and behind a child an interrupt leaves time.
    let folder = committed(&skills.file("src/.gitignore", "notes\n").file("src/notes", ""));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plugcast"));
    command.args(["check", "src", "--format", "json"]).current_dir(folder.path());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("the program");
    let mut output = child.stdout.take().expect("a pipe");
    while rustix::io::ioctl_fionread(&output).unwrap_or(0) < 60_000 {
        std::thread::yield_now();
    }
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(id, Signal::INT).expect("our own child can be interrupted");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let document: Result<serde_json::Value, _> = serde_json::from_str(&text);
    assert!(document.is_ok(), "one document: {document:?}");
}
