//! 11: hosts find components by folder, so a file that a bundle's manifest does not list is loaded with the rest: every
//! command that reads the bundle names it.

use std::fs;

use tempfile::TempDir;

use super::demo;
use crate::support::git::{commit, committed};
use crate::support::run::Plugcast;

const EVIL: &str = "dist/codex/plugins/demo/skills/evil";

/// A bundle with a forged source map vouches for no file that its manifest does not list.
#[test]
fn case_11_a_source_map_vouches_for_no_file_that_no_manifest_lists() {
    let folder = fixture();
    add(&folder);
    let bundle = folder.path().join("dist/codex");
    let path = "plugins/demo/skills/evil/SKILL.md";
    let map = bundle.join(".plugcast/sourcemap.json");
    let text = fs::read_to_string(&map).expect("it is there");
    let mut forged: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let entry = serde_json::json!({ "path": path, "from": "skills/s/SKILL.md", "edits": [] });
    forged["files"].as_array_mut().expect("a list").push(entry);
    fs::write(&map, forged.to_string()).expect("written");
    let file = format!("dist/codex/{path}:1");
    let explained = Plugcast::new(folder.path(), &["explain", &file]).run().expect_code(2);
    assert!(
        explained.stderr.contains(&format!("`{path}` was not written by a build")),
        "{}",
        explained.stderr
    );
}

/// What a build does not write again keeps the old name, and somebody has to look at it.
#[test]
fn case_11_a_promotion_names_what_no_manifest_lists() {
    let skill = |name: &str, text: &str| format!("---\nname: {name}\ndescription: Says it\n---\n\n{text}\n");
    let tree = demo()
        .file("in/skills/plan-beta/SKILL.md", skill("plan-beta", "Plan."))
        .file("in/skills/s/SKILL.md", skill("s", "Run `/demo:plan-beta`."));
    let folder = tree.temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "in/dist"]).run().expect_code(0);
    let evil = folder.path().join("in").join(EVIL);
    fs::create_dir(&evil).expect("a folder can be made");
    fs::write(evil.join("SKILL.md"), skill("evil", "Run `/demo:plan-beta`.")).expect("written");
    let printed = Plugcast::new(folder.path(), &["promote", "plan-beta", "in"]).run().expect_code(0).stdout;
    let line = printed.lines().find(|line| line.contains("skills/evil/SKILL.md")).expect("it is named");
    assert!(
        line.contains("not in the manifest of the bundle, so `plugcast build` leaves it unchanged"),
        "{printed}"
    );
    let listed = printed.lines().find(|line| line.contains("dist/codex/plugins/demo/skills/s/SKILL.md"));
    assert!(
        listed.is_some_and(|line| line.contains("a bundle, which `plugcast build` rewrites")),
        "{printed}"
    );
}

/// A repository with a committed bundle that holds one skill more than its manifest says.
fn fixture() -> TempDir {
    let settings = "[build]\nto = [\"codex\"]\n[release]\nbundles = [\"dist\"]\nverified = false\n";
    let folder = committed(&demo().below("in").file("plugcast.toml", settings));
    Plugcast::new(folder.path(), &["build"]).run().expect_code(0);
    commit(folder.path(), "the bundle");
    folder
}

fn add(folder: &TempDir) {
    let evil = folder.path().join(EVIL);
    fs::create_dir(&evil).expect("a folder can be made");
    fs::write(evil.join("SKILL.md"), "---\nname: evil\ndescription: First\n---\nRun it.\n").expect("written");
    commit(folder.path(), "one more");
}

#[test]
fn case_11_a_component_that_no_manifest_lists_is_named_by_every_reader() {
    let folder = fixture();
    for arguments in [&["build", "--check"][..], &["build"], &["diff", "dist", "dist"]] {
        let clean = Plugcast::new(folder.path(), arguments).run().expect_code(0);
        assert!(!clean.stderr.contains("manifest"), "{arguments:?}: {}", clean.stderr);
    }
    add(&folder);
    for (arguments, code) in [
        (&["build", "--check"][..], 1),
        (&["build"], 0),
        (&["release", "check"], 1),
        (&["diff", "dist", "."], 2),
        (&["diff", "dist", "dist"], 2),
        (&["diff", "HEAD~1:dist", "dist"], 2),
        (&["explain", &format!("{EVIL}/SKILL.md:1")], 2),
        (&["verify", "dist", "--host-bin", "codex=absent"], 2),
    ] {
        let finished = Plugcast::new(folder.path(), arguments).run().expect_code(code);
        let printed = format!("{}{}", finished.stdout, finished.stderr);
        let named = printed.contains("plugins/demo/skills/evil");
        assert!(named || arguments[0] == "verify", "{arguments:?}: {printed}");
    }
    // Where something else is built again as well.
    fs::write(folder.path().join("skills/s/SKILL.md"), "---\nname: s\ndescription: Else\n---\nElse.\n")
        .unwrap();
    let built = Plugcast::new(folder.path(), &["build"]).run().expect_code(0);
    assert!(built.stderr.contains(&format!("`{EVIL}` is not in the manifest")), "{}", built.stderr);
    assert!(folder.path().join(EVIL).join("SKILL.md").exists(), "files of others stay");
}
