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
    let said = run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    assert!(said.stdout.contains("which `plugcast build` writes anew"), "{}", said.stdout);
    assert!(
        said.stdout.contains("CHANGELOG.md: 1 place; a list of changes tells what was"),
        "{}",
        said.stdout
    );
    assert_eq!(Tree::read(&folder.path().join("src/dist")), bundle);
}
