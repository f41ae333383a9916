//! Signals that ask the helper to end: its children end with it, what was begun is given back, and a checkout goes to its
//! end first.

use std::io::Write;
use std::process::{Command, Stdio};

use super::fixture::HELPER;
use super::hostile::Fixture;

/// Sends a signal to the helper once the program that it started has written its process id to `pid`; gives that id.
fn signalled(fixture: &Fixture, arguments: &[&str], signal: &str) -> String {
    let pid = fixture.top().join("pid");
    let _ = std::fs::remove_file(&pid);
    let mut child = Command::new(HELPER)
        .args(arguments)
        .current_dir(fixture.top().join("work"))
        .env_clear()
        .envs(fixture.variables())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper");
    while !std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended by itself");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}");
    std::fs::read_to_string(&pid).expect("a process").trim().to_owned()
}

/// Issue 16, cases 12 and 18.
#[test]
fn every_signal_to_end_ends_the_child_and_is_answered() {
    let fixture = Fixture::new(
        "repo; program git <<'END'\n#!/bin/sh\necho $$ > \"$(dirname \"$0\")/../pid\"\nsleep 60\ntouch \"$(dirname \"$0\")/../survived\"\nEND",
    );
    for signal in ["-HUP", "-QUIT"] {
        let git = signalled(&fixture, &["repo", "base"], signal);
        // A busy machine delivers the end of a process late; one that nobody ends says so when it is through.
        let state = || std::fs::read_to_string(format!("/proc/{git}/stat")).unwrap_or_default();
        while !(state().is_empty() || state().contains(") Z ")) {
            std::thread::yield_now();
        }
        assert!(!fixture.top().join("survived").exists(), "git goes on after {signal}");
    }
}

/// Issue 16, case 17.
#[test]
fn a_beginning_that_is_interrupted_gives_the_tree_back() {
    let fixture = Fixture::new(
        "repo; git switch -q -c feat; git commit -q --allow-empty -m more; git remote add origin https://github.com/o/r
        program gh <<'END'\n#!/bin/sh\necho $$ > \"$(dirname \"$0\")/../pid\"\nexec sleep 600\nEND",
    );
    signalled(&fixture, &["review", "begin", "--stdin"], "-TERM");
    let ran = fixture.run(&["review", "start"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

/// interrupt-in-rollback: a signal ended `git merge --abort`, and the half merge stayed.
#[test]
fn the_rollback_of_a_merge_goes_to_its_end_when_a_signal_comes() {
    let fixture = Fixture::new(
        "repo; put .git/info/exclude .plugcast; put a.rs one; git add .; git commit -q -m a; git switch -q -c feat; put a.rs two; git add .; git commit -q -m b
        git switch -q main; put a.rs three; git add .; git commit -q -m c; git switch -q feat
        ln -s \"$(\"$RUN\" polish acquire --apply | sed 's/.*\"run\":\"\\([^\"]*\\)\".*/\\1/')\" ../run
        program git <<'END'\n#!/bin/sh\nat=$(dirname \"$0\"); PATH=${PATH#*:}
case \" $* \" in *\" --abort \"*) echo $$ > \"$at/../pid\"; while [ ! -e \"$at/../go\" ]; do :; done;; esac\nexec git \"$@\"\nEND",
    );
    let work = fixture.top().join("work");
    let code = terminated(&fixture, &["polish", "merge-base", "--run", "../run", "--consent"], "");
    assert_eq!(code, Some(130));
    assert!(!work.join(".git/MERGE_HEAD").exists(), "the merge stayed");
    assert_eq!(std::fs::read_to_string(work.join("a.rs")).expect("a file"), "two\n");
}

/// Sends SIGTERM to a call of the helper while its git writes `pid` and waits for `go`; returns its exit code.
fn terminated(fixture: &Fixture, words: &[&str], input: &str) -> Option<i32> {
    let mut child = Command::new(HELPER)
        .args(words)
        .current_dir(fixture.top().join("work"))
        .env_clear()
        .envs(fixture.variables())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the helper");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it can be told");
    let pid = fixture.top().join("pid");
    while !std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended by itself");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    std::fs::write(fixture.top().join("go"), "").expect("it can be written");
    child.wait().expect("it ends").code()
}

/// interrupt-in-checkout: a signal left a part of the pull request in the user's tree, and git's lock.
#[test]
fn a_checkout_goes_to_its_end_when_a_signal_comes_and_is_taken_back() {
    let fixture = Fixture::new(
        "repo; put a.rs one; git add .; git commit -q -m a; git switch -q -c feat; put b.rs two; git add .; git commit -q -m b
        git switch -q main
        program git <<'END'\n#!/bin/sh\nat=$(dirname \"$0\"); PATH=${PATH#*:}
case \" $* \" in *\" switch \"*) echo $$ > \"$at/../pid\"; while [ ! -e \"$at/../go\" ]; do :; done; git \"$@\"; code=$?; touch \"$at/../ended\"; exit $code;; esac\nexec git \"$@\"\nEND",
    );
    let work = fixture.top().join("work");
    assert_eq!(terminated(&fixture, &["review", "begin", "--stdin"], "branch feat"), Some(130));
    assert!(fixture.top().join("ended").exists(), "git was ended half-way");
    assert!(!work.join(".git/index.lock").exists() && !work.join("b.rs").exists());
    let head = std::fs::read_to_string(work.join(".git/HEAD")).expect("a branch");
    assert_eq!(head.trim(), "ref: refs/heads/main");
}
