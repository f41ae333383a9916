//! An interrupt at any moment ends with exit code 130: the old bundle stays, or the new one is whole,
//! nothing is left beside it, and every child that was started is gone.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{Fixture, bundle, siblings, source};
use crate::support::run::Plugcast;

fn pid(id: u32) -> Pid {
    i32::try_from(id).ok().and_then(Pid::from_raw).expect("a process id")
}

/// Tells a child of ours to stop.
pub fn interrupt(child: &Child, signal: Signal) {
    kill_process(pid(child.id()), signal).expect("our own child can be interrupted");
}

/// Standard output of a child that has been told to stop, with its exit code.
fn ended(mut child: Child) -> (String, Option<i32>) {
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
    (text, child.wait().expect("our own child").code())
}

#[test]
fn an_interrupted_build_leaves_a_whole_bundle_and_nothing_else() {
    let fixture = Fixture::files_of_others();
    for step in (1..).step_by(7) {
        let (folder, run) = fixture.ready(&format!("hold@{step}"));
        let mut started = run.start();
        let mut errors = BufReader::new(started.child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        if line.is_empty() {
            assert_eq!(ended(started.child).1, Some(0));
            assert!(step > 20, "held nowhere");
            return;
        }
        assert_eq!(line, format!("held at step {step}\n"));
        interrupt(&started.child, if step % 2 == 0 { Signal::INT } else { Signal::TERM });
        let (text, code) = ended(started.child);
        assert_eq!(code, Some(130), "step {step}: {text}");
        assert!(text.contains("\"code\": \"interrupted\""), "step {step}: {text}");
        let found = bundle(folder.path());
        assert!(found == fixture.old || found == fixture.new, "step {step}: half a tree\n{}", found.text());
        assert_eq!(siblings(folder.path()), ["codex"], "step {step}: left over");
    }
}

#[test]
fn an_interrupted_verification_ends_the_host_and_keeps_the_old_proof() {
    let folder = source()
        .script(
            "codex",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo codex 0.0.0; exit; fi\n\
             exec 3> \"${0%/*}/pipe\"\nsleep 1000 &\necho up >&3\nwait\n",
        )
        .temporary();
    Plugcast::new(folder.path(), &["build", "src", "--to", "codex", "--out", "out"]).run().expect_code(0);
    let proof = folder.path().join("out/codex/.plugcast/verified.json");
    fs::write(&proof, "{}\n").unwrap();
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();

    let arguments = ["verify", "out", "--host-bin", "codex=codex"];
    let started = Plugcast::new(folder.path(), &arguments).start();
    let mut alive = BufReader::new(File::open(&pipe).unwrap());
    let mut line = String::new();
    alive.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    interrupt(&started.child, Signal::INT);
    let (text, code) = ended(started.child);
    assert_eq!((text.as_str(), code), ("", Some(130)));
    // The pipe ends with the last process that the host has started.
    alive.read_to_string(&mut line).unwrap();
    assert!(proof.is_file(), "an interrupt says nothing about the bundle");
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let folder = source().temporary();
    for arguments in [
        ["build", "src", "--to", "codex", "--out", "out", "--format", "json"].as_slice(),
        &["targets", "--explain", "codex"],
        &["schema", "ledger"],
        &["--help"],
    ] {
        let mut started = Plugcast::new(folder.path(), arguments).start();
        drop(started.child.stdout.take());
        drop(started.child.stderr.take());
        assert_eq!(started.child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}
