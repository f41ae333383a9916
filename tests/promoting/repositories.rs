//! Repositories of git: the index is never touched, tracked or not makes no difference, and the diff of a
//! dry run is one that git applies.

use std::path::Path;
use std::process::Command;

use super::{plugin, run};
use crate::support::tree::Tree;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn source() -> Tree {
    plugin()
        .file("src/skills/plan-beta/references/a.md", "# A\n\nplan-beta has no end")
        .file("src/skills/plan-beta/data.json", "{}\n")
        .file("src/.gitignore", "*.local\n")
        .file("src/README.md", "# Demo\n\nRun `/demo:plan-beta`.\n")
}

#[test]
fn files_that_git_does_not_know_move_along_and_the_index_stays() {
    let folder = source().temporary();
    let src = folder.path().join("src");
    git(&src, &["init", "--quiet"]);
    git(&src, &["add", "."]);
    git(&src, &["commit", "--quiet", "-m", "begin"]);
    Tree::new()
        .file("src/skills/plan-beta/new.md", "# New plan-beta\n")
        .file("src/skills/plan-beta/settings.local", "plan-beta=1\n")
        .write(folder.path());
    let index = std::fs::read(src.join(".git/index")).unwrap();
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    assert_eq!(std::fs::read(src.join(".git/index")).unwrap(), index);
    let after = Tree::read(&src.join("skills/plan"));
    assert_eq!(after.get("new.md").unwrap().text(), "# New plan\n");
    assert_eq!(after.get("settings.local").unwrap().text(), "plan-beta=1\n", "what is ignored is not read");
    assert!(!src.join("skills/plan-beta").exists());
}

#[test]
fn git_applies_the_diff_of_a_dry_run() {
    let replaced = source()
        .file("src/skills/plan/SKILL.md", super::stable("plan").replace("Do it.", "Do other things."))
        .file("src/skills/plan/data.json", "{}\n")
        .script("src/skills/plan/old.sh", "#!/bin/sh\n");
    for (tree, options) in [(source(), &[][..]), (replaced, &["--replace"][..])] {
        let (by_git, by_us) = (tree.temporary(), tree.temporary());
        let arguments = [&["plan-beta", "src"], options].concat();
        let diff = run(by_git.path(), &[&arguments[..], &["--dry-run"]].concat()).expect_code(0).stdout;
        let src = by_git.path().join("src");
        std::fs::write(by_git.path().join("diff"), &diff).unwrap();
        git(&src, &["init", "--quiet"]);
        git(&src, &["apply", "../diff"]);
        std::fs::remove_dir_all(src.join(".git")).unwrap();
        run(by_us.path(), &arguments).expect_code(0);
        assert_eq!(Tree::read(&src).text(), Tree::read(&by_us.path().join("src")).text(), "{diff}");
    }
}

#[test]
fn committed_bundles_and_lists_of_changes_are_left_to_what_writes_them() {
    let tree = source().file("src/CHANGELOG.md", "- new: `/demo:plan-beta`\n");
    let folder = tree.temporary();
    let build = ["build", "src", "--to", "codex", "--out", "src/dist"];
    crate::support::run::Plugcast::new(folder.path(), &build).run().expect_code(0);
    let bundle = Tree::read(&folder.path().join("src/dist"));
    let printed = run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    assert!(printed.stdout.contains("which `plugcast build` rewrites"), "{}", printed.stdout);
    assert!(
        printed.stdout.contains("CHANGELOG.md: 1 place; a changelog describes the past"),
        "{}",
        printed.stdout
    );
    assert_eq!(Tree::read(&folder.path().join("src/dist")), bundle);
}

/// A marketplace with the plugins `one`, which has the beta `plan-beta`, and `two`, which calls it and has one of
/// its own.
fn shop() -> Tree {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"Us\" }, \"plugins\": [ { \"name\": \"one\", \"source\": \"./plugins/one\" }, { \"name\": \"two\", \"source\": \"./plugins/two\" } ] }\n";
    let caller = "---\nname: work\ndescription: Works when asked.\n---\nFirst run `/one:plan-beta`.\n";
    Tree::new()
        .file("plugins/one/.claude-plugin/plugin.json", "{ \"name\": \"one\" }\n")
        .file("plugins/one/skills/plan-beta/SKILL.md", super::beta("plan"))
        .file("plugins/two/.claude-plugin/plugin.json", "{ \"name\": \"two\" }\n")
        .file("plugins/two/skills/plan-beta/SKILL.md", super::beta("plan"))
        .file("plugins/two/skills/work/SKILL.md", caller)
        .file(".claude-plugin/marketplace.json", listing)
}

#[test]
fn callers_in_other_plugins_follow_when_src_is_one_plugin() {
    for tree in [shop(), shop().without(".claude-plugin")] {
        for (at, arguments) in [
            ("", &["plan-beta", "plugins/one"][..]),
            ("", &["skills/plan-beta", "plugins/one"]),
            ("", &["plugins/one/skills/plan-beta", "plugins/one"]),
            ("plugins/one", &["one:plan-beta"]),
            ("plugins/one", &["plan-beta", "."]),
        ] {
            let folder = tree.temporary();
            git(folder.path(), &["init", "--quiet"]);
            run(&folder.path().join(at), arguments).expect_code(0);
            let after = Tree::read(folder.path());
            assert!(after.get("plugins/one/skills/plan/SKILL.md").is_some(), "{arguments:?}");
            assert!(after.get("plugins/two/skills/plan-beta/SKILL.md").is_some(), "{arguments:?}");
            let caller = after.get("plugins/two/skills/work/SKILL.md").unwrap().text().to_owned();
            assert!(caller.ends_with("First run `/one:plan`.\n"), "{arguments:?}: {caller}");
        }
    }
    // A plugin that the marketplace above does not list, such as one among fixtures, is on its own.
    let fixture = shop()
        .file("tests/data/.claude-plugin/plugin.json", "{ \"name\": \"one\" }\n")
        .file("tests/data/skills/plan-beta/SKILL.md", super::beta("plan"));
    let folder = fixture.temporary();
    git(folder.path(), &["init", "--quiet"]);
    run(folder.path(), &["plan-beta", "tests/data"]).expect_code(0);
    let after = Tree::read(folder.path());
    assert!(after.get("tests/data/skills/plan/SKILL.md").is_some());
    assert!(after.get("plugins/one/skills/plan-beta/SKILL.md").is_some());
}

#[test]
fn what_a_baseline_knows_is_known_afterwards() {
    let long = format!("# A\n\nSee [what](gone.md) of plan-beta.\n{}", "x ".repeat(10));
    let tree = source()
        .file("src/skills/plan-beta/references/b.md", long)
        .file("src/skills/work/SKILL.md", "---\nname: work\ndescription: Works when asked.\n---\nSee [it](none.md).\nRun `/demo:plan-beta`, see [x](no.md).\n")
        .file("src/plugcast.toml", "[check]\nbaseline = \"known.json\"\n");
    let folder = tree.temporary();
    let src = folder.path().join("src");
    let check = |arguments: &[&str]| {
        crate::support::run::Plugcast::new(&src, &[&["check", "."], arguments].concat()).run()
    };
    check(&["--write-baseline", "known.json"]).expect_code(0);
    let known = std::fs::read_to_string(src.join("known.json")).unwrap();
    assert!(known.contains("skills/plan-beta/references/b.md"), "{known}");
    check(&[]).expect_code(0);
    let diff = run(folder.path(), &["plan-beta", "src", "--dry-run"]).expect_code(0).stdout;
    assert!(diff.contains("+++ b/known.json") || diff.contains("known.json"), "{diff}");
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    let renewed = std::fs::read_to_string(src.join("known.json")).unwrap();
    assert!(renewed.contains("skills/plan/references/b.md") && !renewed.contains("plan-beta"), "{renewed}");
    let shown = check(&[]).expect_code(0);
    assert!(!shown.stdout.contains("stale-baseline"), "{}", shown.stdout);
}

#[test]
fn a_killed_exchange_is_completed_before_a_skill_is_promoted() {
    let folder = source().temporary();
    let src = folder.path().join("src");
    let built = crate::support::run::Plugcast::new(
        &src,
        &["build", "--to", "codex", "--helper", "none", "--out", "dist"],
    );
    built.run().expect_code(0);
    let before = Tree::read(&src.join("dist"));
    crate::support::killed_exchange(&src.join("dist/codex"));
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    assert!(Tree::read(&src.join("dist")) == before, "a bundle is written by a build");
}
