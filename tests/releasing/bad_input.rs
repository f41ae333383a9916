//! What cannot be checked: one sentence, what to do, and nothing changed.

use super::{committed, found, git, message, plugin, released, run, skill, state, write};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn a_release_needs_git() {
    let plain = plugin().temporary();
    let ended = run(plain.path(), &["--format", "json"]).expect_code(2);
    let error: serde_json::Value = serde_json::from_str(&ended.stdout).expect("one object");
    assert_eq!(error["error"]["code"], "git", "{error}");
    assert!(error["error"]["message"].as_str().unwrap().contains("is not in a git work tree"), "{error}");
    assert_eq!(error["error"]["help"], "run `release check` in a clone of the repository");
    let ended =
        Plugcast::new(plain.path(), &["release", "check"]).env("PATH", "/nowhere").run().expect_code(2);
    assert!(ended.stderr.contains("`git` cannot be started"), "{}", ended.stderr);
    assert!(ended.stderr.contains("help: install git"), "{}", ended.stderr);
    git(plain.path(), &["init", "-q"]);
    let ended = run(plain.path(), &[]).expect_code(2);
    assert!(ended.stderr.contains("the repository has no commits yet"), "{}", ended.stderr);
}

#[test]
fn what_is_not_there_is_a_clear_error() {
    let folder = released();
    let at = folder.path();
    let before = state(at);
    for (arguments, part) in [
        (&["--base", "nowhere"][..], "unknown commit `nowhere`"),
        (&["--base", "origin/main"], "for example with `git fetch origin main`"),
        (&["--base=--output=x"][..], "unknown commit `--output=x`"),
        (&["nowhere"][..], "the folder `nowhere` does not exist"),
        (&["skills/plan/x"][..], "the folder `skills/plan/x` does not exist"),
        (&["--to", "nowhere"][..], "unknown host `nowhere`"),
    ] {
        let ended = run(at, arguments).expect_code(2);
        assert!(ended.stderr.contains(part), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("help: "), "{arguments:?}: {}", ended.stderr);
    }
    git(at, &["checkout", "-q", "--orphan", "apart"]);
    git(at, &["commit", "-qm", "apart"]);
    let ended = run(at, &["--base", "main"]).expect_code(2);
    assert!(ended.stderr.contains("have no commit in common in this clone"), "{}", ended.stderr);
    git(at, &["checkout", "-q", "main"]);
    git(at, &["branch", "-qD", "apart"]);
    assert_eq!(state(at), before);
}

#[test]
fn a_shallow_clone_without_its_tags_is_said() {
    let folder = released();
    write(folder.path(), "skills/plan/notes.md", "x\n");
    super::commit(folder.path(), "second");
    let place = Tree::new().temporary();
    let from = format!("file://{}", folder.path().display());
    git(place.path(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let clone = place.path().join("clone");
    assert_eq!(found(&clone, &[]), [".claude-plugin/plugin.json:1 error tag-missing"]);
    assert!(message(&clone, "tag-missing", &[]).contains("`git fetch --tags --unshallow`"));
    let ended = run(&clone, &["--base", "HEAD~1"]).expect_code(2);
    assert!(ended.stderr.contains("this clone is shallow: `git fetch --unshallow`"), "{}", ended.stderr);
    git(&clone, &["fetch", "-q", "--tags", "--unshallow"]);
    assert!(!found(&clone, &[]).iter().any(|line| line.contains("tag-missing")));
}

#[test]
fn a_manifest_that_does_not_parse_is_said_with_its_place() {
    let folder = released();
    let at = folder.path();
    write(at, ".claude-plugin/plugin.json", "{\n  \"name\": \"demo\",\n  \"version\": \"1.0.0\",\n}\n");
    let before = state(at);
    let ended = run(at, &["--fix"]);
    assert!(matches!(ended.code, Some(1 | 2)), "{ended:?}");
    let output = ended.stdout + &ended.stderr;
    assert!(output.contains(".claude-plugin/plugin.json:"), "{output}");
    assert_eq!(state(at), before);
}

#[test]
fn the_configuration_is_held_to_its_keys() {
    let folder = committed(&plugin().file("skills/two/SKILL.md", skill("two")));
    let at = folder.path();
    for (text, part) in [
        ("[release]\ntags = \"v{version}\"\n", "did you mean `tag`?"),
        ("[release]\nchangelog-form = \"loose\"\n", "plugcast.toml:2:18"),
        ("[release]\nverified = \"yes\"\n", "plugcast.toml:2:12"),
    ] {
        write(at, "plugcast.toml", text);
        let ended = run(at, &[]).expect_code(2);
        assert!(ended.stderr.contains(part), "{text}: {}", ended.stderr);
    }
}
