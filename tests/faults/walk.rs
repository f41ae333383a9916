//! Walks over every single change that a build makes to the file system, and lets the program end, or
//! the change fail, exactly there.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;

use super::error;
use super::fixture::{Act, Fixture, bundle, siblings};
use super::interrupt::interrupt;
use super::place::without_root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// How often a walk may go on at most, so that one that never ends is a failure.
const MOST: usize = 500;

/// What may be between two renames, where folders cannot be exchanged.
#[derive(Clone, Copy, PartialEq)]
enum Swap {
    Exchange,
    Renames,
}

/// Runs a fixture with `fault` at every step, until a run gets through.
fn walk(fixture: &Fixture, fault: &str, swap: Swap, check: impl Fn(&Act, &str)) {
    for step in 1..MOST {
        let renames = if swap == Swap::Renames { ",renames" } else { "" };
        let fault = format!("{fault}@{step}{renames}");
        let act = fixture.act(&fault);
        let through = act.finished.code == Some(0);
        check(&act, &fault);
        if act.bundle() == fixture.old && act.siblings() == fixture.siblings() {
            // What is left is what the fixture began with: a build from there made the new bundle.
            continue;
        }
        // The next ordinary command makes it whole.
        let next = act.again().expect_code(0);
        assert!(
            act.bundle() == fixture.new,
            "{fault}: after the next build\n{}\n{}",
            act.bundle().text(),
            next.stdout
        );
        assert_eq!(act.siblings(), ["codex"], "{fault}: left over after the next build");
        if through {
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

fn kills(fixture: &Fixture, swap: Swap) {
    walk(fixture, "abort", swap, |act, fault| {
        if act.finished.code == Some(0) {
            return;
        }
        assert_eq!(act.finished.code, None, "{fault}: {}", act.finished.stdout);
        let found = act.bundle();
        let between = swap == Swap::Renames && found == Tree::new();
        assert!(
            found == fixture.old || found == fixture.new || between,
            "{fault}: half a tree\n{}",
            found.text()
        );
    });
}

fn failures(fixture: &Fixture, fault: &str, words: &str) {
    walk(fixture, fault, Swap::Exchange, |act, fault| {
        let found = act.bundle();
        if act.finished.code == Some(0) {
            // All that can fail without a word is that the file of the lock goes.
            assert!(found == fixture.new, "{fault}: {}", found.text());
            return;
        }
        assert_eq!(act.finished.code, Some(2), "{fault}: {}", act.finished.stdout);
        let error = error(&act.finished);
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("cannot ") && message.contains("`out"), "{fault}: {message}");
        assert!(message.contains(words) && !message.contains('\n'), "{fault}: {message}");
        assert!(error["help"].is_string(), "{fault}: {error}");
        if found != fixture.new {
            assert!(found == fixture.old, "{fault}: half a tree\n{}", found.text());
            assert_eq!(act.siblings(), fixture.siblings(), "{fault}: left over");
            assert!(!message.contains(".plugcast-"), "{fault}: names our own folder: {message}");
        }
    });
}

#[test]
fn a_first_build_can_be_killed_anywhere() {
    kills(&Fixture::first_build(), Swap::Exchange);
}

#[test]
fn a_build_with_changes_can_be_killed_anywhere() {
    kills(&Fixture::changes(), Swap::Exchange);
}

#[test]
fn a_build_beside_files_of_others_can_be_killed_anywhere() {
    kills(&Fixture::files_of_others(), Swap::Exchange);
}

#[test]
fn a_build_that_removes_a_file_can_be_killed_anywhere() {
    kills(&Fixture::one_file_less(), Swap::Exchange);
}

#[test]
fn a_build_where_folders_cannot_be_exchanged_can_be_killed_anywhere() {
    kills(&Fixture::files_of_others(), Swap::Renames);
}

#[test]
fn a_first_build_on_a_full_disk_leaves_nothing() {
    failures(&Fixture::first_build(), "full", "No space left on device");
}

#[test]
fn a_build_on_a_full_disk_leaves_the_old_bundle() {
    failures(&Fixture::files_of_others(), "full", "No space left on device");
}

#[test]
fn a_failing_disk_leaves_a_whole_bundle() {
    failures(&Fixture::files_of_others(), "EIO", "Input/output error");
}

#[test]
fn a_failing_disk_leaves_a_whole_bundle_where_folders_cannot_be_exchanged() {
    let fixture = Fixture::files_of_others();
    walk(&fixture, "EIO", Swap::Renames, |act, fault| {
        let found = act.bundle();
        assert!(found == fixture.old || found == fixture.new, "{fault}: half a tree\n{}", found.text());
    });
}

#[test]
fn the_recovery_of_a_killed_exchange_can_be_killed_and_fail_anywhere() {
    let fixture = Fixture::files_of_others();
    let mut stopped = BTreeSet::new();
    for first in 1..MOST {
        let act = fixture.act(&format!("abort@{first},renames"));
        if act.finished.code == Some(0) {
            assert_eq!(stopped.len(), 4, "the exchange was stopped in other states: {stopped:?}");
            return;
        }
        // One kill for each set of trees that it leaves.
        if !act.siblings().iter().any(|name| name.ends_with("-swap")) || !stopped.insert(act.siblings()) {
            continue;
        }
        recovery(&act.fixture(&fixture), first, "abort");
        if act.bundle() == Tree::new() {
            recovery(&act.fixture(&fixture), first, "EIO");
        }
    }
    panic!("no end of the walk");
}

/// Runs a build with `fault` at every step, after another one was killed at `first`.
fn recovery(fixture: &Fixture, first: usize, fault: &str) {
    for second in 1..MOST {
        let fault = format!("{fault}@{second},renames");
        let act = fixture.act(&fault);
        let found = act.bundle();
        let whole = found == fixture.old || found == fixture.new;
        let waiting =
            found == Tree::new() && act.left("old") == fixture.old && act.left("new") == fixture.new;
        assert!(whole || waiting, "killed at {first}, {fault}: half a tree\n{}", found.text());
        act.again().expect_code(0);
        assert!(act.bundle() == fixture.new, "killed at {first}, {fault}: {}", act.bundle().text());
        assert_eq!(act.siblings(), ["codex"], "killed at {first}, {fault}: left over");
        if act.finished.code == Some(0) {
            return;
        }
    }
    panic!("no end of the walk");
}

/// Between the two renames there is no bundle; `untrusted::readers` has every command that reads one.
#[test]
fn a_kill_between_the_two_renames_is_completed_by_a_build_and_no_other_command() {
    let fixture = Fixture::files_of_others();
    let between = (1..MOST).map(|step| fixture.act(&format!("abort@{step},renames")));
    let act =
        between.into_iter().find(|act| act.bundle() == Tree::new()).expect("a kill between two renames");
    let stopped = act.fixture(&fixture);
    let line = "out/codex/plugins/p/skills/a/SKILL.md:2";
    for arguments in [
        ["explain", line].as_slice(),
        &["verify", "out", "--host-bin", "codex=absent"],
        &["build", "src", "--to", "codex", "--out", "out", "--check"],
    ] {
        let (folder, _) = stopped.ready("");
        let refused = Plugcast::new(folder.path(), arguments).run().expect_code(2);
        assert!(refused.stderr.contains("an interrupted build"), "{arguments:?}: {}", refused.stderr);
        assert!(Tree::read(folder.path()) == Tree::read(act.path()), "{arguments:?}");
        Plugcast::new(folder.path(), &["build", "src", "--to", "codex", "--out", "out", "--deny-new-losses"])
            .run()
            .expect_code(0);
        assert!(bundle(folder.path()) == fixture.new, "{arguments:?}");
        assert_eq!(siblings(folder.path()), ["codex"], "{arguments:?}");
    }
}

/// The folder above is closed while the two renames are on their way: neither tree gets to its place.
#[test]
fn where_neither_tree_can_be_moved_both_stay_for_the_next_command() {
    let fixture = Fixture::files_of_others();
    let mut closed = 0;
    for step in 1..MOST {
        let (folder, run) = fixture.ready(&format!("hold@{step},renames"));
        let run = without_root(run);
        let mut started = run.start();
        let mut line = String::new();
        let mut errors = BufReader::new(started.child.stderr.take().expect("a pipe"));
        errors.read_line(&mut line).expect("text");
        if line.is_empty() {
            assert!(closed > 5, "closed {closed} times only");
            return;
        }
        let out = folder.path().join("out");
        let swapping = out.join(".codex.plugcast-swap").exists();
        if swapping {
            closed += 1;
            std::fs::set_permissions(&out, Permissions::from_mode(0o555)).unwrap();
        }
        interrupt(&started.child, Signal::TERM);
        started.child.wait().expect("our own child");
        std::fs::set_permissions(&out, Permissions::from_mode(0o755)).unwrap();
        if swapping {
            Plugcast::new(folder.path(), &["build", "src", "--to", "codex", "--out", "out"])
                .run()
                .expect_code(0);
            assert!(bundle(folder.path()) == fixture.new, "step {step}: {}", bundle(folder.path()).text());
            assert_eq!(siblings(folder.path()), ["codex"], "step {step}: left over");
        }
    }
    panic!("no end of the walk");
}
