//! States that are not there or cannot be read: one sentence, what to do, exit code 2, nothing changed.

use std::fs;

use super::{plugin, run};
use crate::support::git::{commit, committed, git, state, write};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn what_is_not_there_is_a_clear_error() {
    let plain = plugin().temporary();
    let ended = run(plain.path(), &["v1.0.0"]).expect_code(2);
    assert!(ended.stderr.contains("the folder `v1.0.0` does not exist; "), "{}", ended.stderr);
    assert!(ended.stderr.contains("is not in a git work tree"), "{}", ended.stderr);

    let folder = committed(&plugin());
    let at = folder.path();
    let before = state(at);
    for (old, part) in [
        ("v9", "the folder `v9` does not exist; unknown commit `v9`"),
        ("HEAD:nowhere", "`HEAD` has no folder `nowhere`"),
        ("HEAD:../x", "is not a folder of the repository"),
        ("HEAD:skills/plan/SKILL.md", "has no folder"),
        ("nothing:skills", "unknown commit `nothing`"),
        ("--output=x", "--output"),
        ("", "unknown commit ``"),
    ] {
        let ended = run(at, &[old]).expect_code(2);
        assert!(ended.stderr.contains(part), "{old}: {}", ended.stderr);
        assert!(ended.stdout.is_empty(), "{old}: {}", ended.stdout);
    }
    let ended = run(at, &["v9", "--format", "json"]).expect_code(2);
    let error: serde_json::Value = serde_json::from_str(&ended.stdout).expect("one object");
    assert_eq!(
        (&error["schema"], &error["error"]["code"]),
        (&"plugcast.error/1".into(), &"git".into()),
        "{error}"
    );
    assert!(error["error"]["help"].as_str().unwrap().contains("git fetch origin v9"), "{error}");
    assert_eq!(state(at), before);
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let folder = committed(&plugin());
    git(folder.path(), &["tag", "v1.0.0"]);
    write(folder.path(), "skills/plan/notes.md", "x\n");
    commit(folder.path(), "second");
    let place = Tree::new().temporary();
    let from = format!("file://{}", folder.path().display());
    git(place.path(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let ended = run(&place.path().join("clone"), &["v1.0.0"]).expect_code(2);
    assert!(ended.stderr.contains("this clone is shallow: `git fetch --unshallow`"), "{}", ended.stderr);
}

/// Issue 18, point 7: a clone that leaves large blobs out can be compared, as long as no plugin ships one of them.
#[test]
fn a_blob_that_no_plugin_ships_is_not_missed() {
    let listed = r#"{ "name": "shop", "owner": { "name": "x" }, "plugins": [ { "name": "demo", "source": "./plugin" } ] }"#;
    let skill = "---\nname: plan\ndescription: Plans the work.\n---\nPlan.\n";
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", listed)
        .file("plugin/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("plugin/skills/plan/SKILL.md", skill)
        .file("media/film.bin", "a film\n");
    let folder = committed(&tree);
    let at = folder.path();
    let forget = |path: &str| {
        let object = git(at, &["rev-parse", &format!("HEAD:{path}")]);
        let (folder, file) = object.trim().split_at(2);
        fs::remove_file(at.join(".git/objects").join(folder).join(file)).expect("a loose object");
    };
    write(at, "plugin/skills/plan/SKILL.md", &(skill.to_owned() + "More.\n"));
    forget("media/film.bin");
    let ended = run(at, &["HEAD"]).expect_code(0);
    assert!(ended.stdout.contains("demo:plan"), "{}", ended.stdout);
    forget("plugin/skills/plan/SKILL.md");
    let ended = run(at, &["HEAD"]).expect_code(2);
    let message = "git does not have the content of `plugin/skills/plan/SKILL.md`";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}

#[test]
fn sides_without_anything_in_common_are_refused() {
    let folder = committed(&plugin());
    let at = folder.path();
    for (host, out) in [("codex", "a"), ("opencode", "b")] {
        Plugcast::new(at, &["build", "--to", host, "--helper", "none", "--out", out]).run().expect_code(0);
    }
    let ended = run(at, &["a", "b"]).expect_code(2);
    assert!(ended.stderr.contains("the two sides have no host in common"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("bundles for codex on the one side, on the other for opencode"),
        "{}",
        ended.stderr
    );
    let ended = run(at, &["HEAD", "--to", "nowhere"]).expect_code(2);
    assert!(ended.stderr.contains("unknown host `nowhere`"), "{}", ended.stderr);
    write(at, "a/codex/.plugcast/ledger.json", "{");
    let ended = run(at, &["a", "HEAD"]).expect_code(2);
    assert!(ended.stderr.contains("is not a ledger"), "{}", ended.stderr);
    write(at, "a/codex/.plugcast/manifest.json", "{ \"schema\": \"plugcast.manifest/9\" }");
    let ended = run(at, &["a", "HEAD"]).expect_code(2);
    assert!(ended.stderr.contains("is newer than this plugcast"), "{}", ended.stderr);
    std::fs::create_dir(at.join("empty")).unwrap();
    let ended = run(at, &["empty", "HEAD"]).expect_code(2);
    assert!(ended.stderr.contains("no plugin found in"), "{}", ended.stderr);
    write(at, "plugcast.toml", "[build]\nnmae = \"x\"\n");
    commit(at, "a mistake");
    let ended = run(at, &["HEAD", "HEAD~1"]).expect_code(0);
    let warned = "warning: `HEAD:plugcast.toml` is ignored: line 2, column 1: unknown field `nmae`";
    assert!(ended.stderr.contains(warned), "{}", ended.stderr);
}

#[test]
fn an_error_in_a_state_is_said_and_the_rest_is_compared() {
    let folder = committed(&plugin());
    write(folder.path(), "hooks/hooks.json", "{");
    let ended = run(folder.path(), &["HEAD", "--to", "claude-code"]).expect_code(0);
    assert!(ended.stderr.contains("warning: `.` has 1 error"), "{}", ended.stderr);
    assert!(ended.stdout.contains("removed\n  hook PreToolUse/Bash/1 of demo\n"), "{}", ended.stdout);
}

#[test]
fn a_state_of_which_nothing_can_be_read_is_refused() {
    let folder = committed(&plugin());
    let at = folder.path();
    write(at, ".claude-plugin/plugin.json", "{ \"name\": \"demo\",\n");
    let before = state(at);
    let ended = run(at, &["HEAD"]).expect_code(2);
    let expected = "plugin.json:1:1: no plugin of `.` can be read: invalid JSON";
    assert!(
        ended.stderr.contains(expected) && ended.stderr.contains("help: write strict JSON"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains(".claude-plugin/plugin.json:1"), "{}", ended.stderr);
    assert_eq!(state(at), before);
}
