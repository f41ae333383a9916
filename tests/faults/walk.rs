//! Walks over every single change that a build makes to the file system, and lets the program end, or
//! the change fail, exactly there.

use super::error;
use super::scene::{Act, Scene};
use crate::support::tree::Tree;

/// How often a walk may go on at most, so that one that never ends is a failure.
const MOST: usize = 500;

/// What may be between two renames, where folders cannot be exchanged.
#[derive(Clone, Copy, PartialEq)]
enum Swap {
    Exchange,
    Renames,
}

/// Runs a scene with `fault` at every step, until a run gets through.
fn walk(scene: &Scene, fault: &str, swap: Swap, check: impl Fn(&Act, &str)) {
    for step in 1..MOST {
        let renames = if swap == Swap::Renames { ",renames" } else { "" };
        let fault = format!("{fault}@{step}{renames}");
        let act = scene.act(&fault);
        let through = act.finished.code == Some(0);
        check(&act, &fault);
        if act.bundle() == scene.old && act.beside() == scene.beside() {
            // What is left is what the scene began with: a build from there made the new bundle.
            continue;
        }
        // The next ordinary command makes it whole.
        let next = act.again().expect_code(0);
        assert!(
            act.bundle() == scene.new,
            "{fault}: after the next build\n{}\n{}",
            act.bundle().text(),
            next.stdout
        );
        assert_eq!(act.beside(), ["codex"], "{fault}: left over after the next build");
        if through {
            assert!(step > 10, "{fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

fn kills(scene: &Scene, swap: Swap) {
    walk(scene, "abort", swap, |act, fault| {
        if act.finished.code == Some(0) {
            return;
        }
        assert_eq!(act.finished.code, None, "{fault}: {}", act.finished.stdout);
        let found = act.bundle();
        let between = swap == Swap::Renames && found == Tree::new();
        assert!(
            found == scene.old || found == scene.new || between,
            "{fault}: half a tree\n{}",
            found.text()
        );
    });
}

fn failures(scene: &Scene, fault: &str, words: &str) {
    walk(scene, fault, Swap::Exchange, |act, fault| {
        let found = act.bundle();
        if act.finished.code == Some(0) {
            // All that can fail without a word is that the file of the lock goes.
            assert!(found == scene.new, "{fault}: {}", found.text());
            return;
        }
        assert_eq!(act.finished.code, Some(2), "{fault}: {}", act.finished.stdout);
        let error = error(&act.finished);
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("cannot ") && message.contains("`out"), "{fault}: {message}");
        assert!(message.contains(words) && !message.contains('\n'), "{fault}: {message}");
        assert!(error["help"].is_string(), "{fault}: {error}");
        if found != scene.new {
            assert!(found == scene.old, "{fault}: half a tree\n{}", found.text());
            assert_eq!(act.beside(), scene.beside(), "{fault}: left over");
            assert!(!message.contains(".plugcast-"), "{fault}: names our own folder: {message}");
        }
    });
}

#[test]
fn a_first_build_can_be_killed_anywhere() {
    kills(&Scene::first_build(), Swap::Exchange);
}

#[test]
fn a_build_with_changes_can_be_killed_anywhere() {
    kills(&Scene::changes(), Swap::Exchange);
}

#[test]
fn a_build_beside_files_of_others_can_be_killed_anywhere() {
    kills(&Scene::files_of_others(), Swap::Exchange);
}

#[test]
fn a_build_that_removes_a_file_can_be_killed_anywhere() {
    kills(&Scene::one_file_less(), Swap::Exchange);
}

#[test]
fn a_build_where_folders_cannot_be_exchanged_can_be_killed_anywhere() {
    kills(&Scene::files_of_others(), Swap::Renames);
}

#[test]
fn a_first_build_on_a_full_disk_leaves_nothing() {
    failures(&Scene::first_build(), "full", "No space left on device");
}

#[test]
fn a_build_on_a_full_disk_leaves_the_old_bundle() {
    failures(&Scene::files_of_others(), "full", "No space left on device");
}

#[test]
fn a_failing_disk_leaves_a_whole_bundle() {
    failures(&Scene::files_of_others(), "EIO", "Input/output error");
}

#[test]
fn a_failing_disk_leaves_a_whole_bundle_where_folders_cannot_be_exchanged() {
    let scene = Scene::files_of_others();
    walk(&scene, "EIO", Swap::Renames, |act, fault| {
        let found = act.bundle();
        assert!(found == scene.old || found == scene.new, "{fault}: half a tree\n{}", found.text());
    });
}
