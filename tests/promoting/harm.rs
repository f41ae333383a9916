//! What stands against a promotion: it is named, and nothing is changed.

use std::fs;

use super::{json, plugin, run, stable};
use crate::support::tree::Tree;

/// Fails with 1, changes nothing, and names each of `places`.
#[track_caller]
fn refused(tree: &Tree, options: &[&str], places: &[&str]) {
    let folder = tree.temporary();
    let before = Tree::read(folder.path());
    let arguments = [&["plan-beta", "src"], options].concat();
    let output = run(folder.path(), &arguments).expect_code(1);
    for place in places {
        assert!(output.stderr.contains(place), "`{place}` is missing in\n{}", output.stderr);
    }
    assert_eq!(output.stdout, "");
    let shown = json(&run(folder.path(), &[&arguments[..], &["--format", "json"]].concat()).expect_code(1));
    assert_eq!(shown["result"], "refused");
    let dry = run(folder.path(), &[&arguments[..], &["--dry-run"]].concat()).expect_code(1);
    assert_eq!(dry.stderr, output.stderr, "`--dry-run` says the same");
    assert!(dry.stdout.starts_with("diff --git "), "{}", dry.stdout);
    assert_eq!(Tree::read(folder.path()), before);
}

#[test]
fn a_stable_skill_that_differs_is_replaced_on_request_only() {
    let other = stable("plan").replace("Do it.", "Do something else.");
    let tree = plugin().file("src/skills/plan/SKILL.md", &other).file("src/skills/plan/old.md", "# Old\n");
    refused(
        &tree,
        &[],
        &["skills/plan: a different stable `demo:plan`", "1 file changed, 1 file gone", "`--replace`"],
    );
    let folder = tree.temporary();
    run(folder.path(), &["plan-beta", "src", "--replace"]).expect_code(0);
    let after = Tree::read(&folder.path().join("src/skills"));
    assert_eq!(after.text(), Tree::new().file("plan/SKILL.md", stable("plan")).text());
}

#[test]
fn a_stable_skill_that_is_the_same_needs_no_request() {
    let folder = plugin().file("src/skills/plan/SKILL.md", stable("plan")).temporary();
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    let after = Tree::read(&folder.path().join("src/skills"));
    assert_eq!(after.text(), Tree::new().file("plan/SKILL.md", stable("plan")).text());
}

#[test]
fn only_the_stable_skill_of_that_folder_is_replaced() {
    let command = "---\ndescription: Plans.\n---\nPlan.\n";
    let taken = plugin().file("src/commands/plan.md", command);
    refused(&taken, &["--replace"], &["commands/plan.md: `demo:plan` is the name of another command"]);
    let files = plugin().file("src/skills/plan/notes.txt", "mine\n");
    refused(
        &files,
        &["--replace"],
        &["skills/plan: it is at the path of the promoted skill and is not a skill"],
    );
    let ignored = plugin()
        .file("src/skills/plan/SKILL.md", stable("plan"))
        .file("src/skills/plan/.env", "SECRET=1\n")
        .file("src/.gitignore", ".env\n");
    refused(&ignored, &["--replace"], &["skills/plan/.env: version control ignores it"]);
}

#[test]
fn a_plugin_that_is_called_so_too_keeps_its_name() {
    let tree = plugin()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"plan-beta\" }\n")
        .file("src/README.md", "Run `/plan-beta:plan-beta`, or `/plan-beta`.\n");
    refused(&tree, &[], &[".claude-plugin/plugin.json:1: a plugin has this name too", "1 place blocks"]);
    let folder = tree.temporary();
    run(folder.path(), &["plan-beta", "src", "--leave", ".claude-plugin/*"]).expect_code(0);
    let after = Tree::read(&folder.path().join("src"));
    assert_eq!(after.get("README.md").unwrap().text(), "Run `/plan-beta:plan`, or `/plan`.\n");
    assert_eq!(after.get(".claude-plugin/plugin.json"), tree.get("src/.claude-plugin/plugin.json"));
}

#[test]
fn links_that_would_break_are_named() {
    let into = plugin()
        .file("src/skills/plan-beta/shared.md", "# Shared\n")
        .file("src/skills/draft/SKILL.md", stable("draft"))
        .link("src/skills/draft/shared.md", "../plan-beta/shared.md");
    refused(&into, &[], &["skills/draft/shared.md: the link points into the folder that moves"]);
    let itself = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/real/plan/SKILL.md", super::beta("plan"))
        .link("src/skills/plan-beta", "../real/plan");
    refused(&itself, &[], &["skills/plan-beta: it is a link"]);
}

/// Issue 18, point 8: a repository shows its skills to several hosts by links to one folder.
#[test]
fn links_to_a_folder_above_the_skill_stand_in_no_way() {
    let tree = plugin()
        .link("src/.agents/skills", "../skills")
        .link("src/.claude/skills", "../skills")
        .file("src/skills/use/SKILL.md", stable("use").replace("Do it.", "Run `/demo:plan-beta`."));
    let folder = tree.temporary();
    let shown = run(folder.path(), &["plan-beta", "src", "--dry-run"]).expect_code(0);
    assert!(shown.stdout.contains("rename to skills/plan/SKILL.md"), "{}", shown.stdout);
    assert!(!shown.stdout.contains(".agents"), "{}", shown.stdout);
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    let text = |path: &str| fs::read_to_string(folder.path().join("src").join(path)).unwrap();
    assert_eq!(text(".agents/skills/plan/SKILL.md"), stable("plan"));
    assert_eq!(text(".claude/skills/use/SKILL.md"), text("skills/use/SKILL.md"));
    assert!(text("skills/use/SKILL.md").contains("Run `/demo:plan`."));
    assert!(fs::symlink_metadata(folder.path().join("src/.agents/skills")).unwrap().is_symlink());
    let into = plugin().link("src/.agents/skills/plan-beta", "../../skills/plan-beta");
    refused(&into, &[], &[".agents/skills/plan-beta: the link points into the folder that moves"]);
}

/// Issue 18, point 8: what is in the way was all that a dry run printed.
#[test]
fn a_dry_run_prints_the_diff_beside_what_blocks_it() {
    let tree = plugin()
        .file("src/notes/plan.md", "The plan-beta and its end.\n")
        .file("src/skills/plan/SKILL.md", stable("plan").replace("Do it.", "Do other things."));
    let folder = tree.temporary();
    let before = Tree::read(folder.path());
    let shown = run(folder.path(), &["plan-beta", "src", "--dry-run"]).expect_code(1);
    assert!(shown.stdout.contains("diff --git a/skills/plan-beta/SKILL.md"), "{}", shown.stdout);
    assert!(shown.stderr.contains("a different stable `demo:plan` exists"), "{}", shown.stderr);
    assert_eq!(Tree::read(folder.path()), before);
}

#[test]
fn links_to_files_that_go_are_named() {
    let tree = plugin()
        .file("src/skills/plan/SKILL.md", stable("plan"))
        .file("src/skills/plan/more.md", "# More\n")
        .file(
            "src/README.md",
            "# Demo\n\nSee [more](skills/plan/more.md#more) and [all](skills/plan/SKILL.md).\n",
        );
    refused(&tree, &["--replace"], &["README.md:3: points to `skills/plan/more.md`", "1 place blocks"]);
}

#[test]
fn what_check_would_find_afterwards_is_found_before() {
    let agent =
        "---\nname: a\ndescription: Reads it.\n---\nRead `${CLAUDE_PLUGIN_ROOT}/skills/plan/more.md`.\n";
    let tree = plugin()
        .file("src/skills/plan/SKILL.md", stable("plan"))
        .file("src/skills/plan/more.md", "# More\n")
        .file("src/agents/a.md", agent);
    refused(&tree, &["--replace"], &["agents/a.md:5: `check` will report: ", "(missing-bundled-path)"]);
}

#[test]
fn afterwards_check_is_clean_of_rules_about_betas() {
    let tree = plugin()
        .file("src/skills/draft/SKILL.md", stable("draft").replace("Do it.", "Begin with `/plan-beta`."))
        .file("src/skills/plan/SKILL.md", stable("plan").replace("Do it.", "Plan."))
        .file(
            "src/skills/list-beta/SKILL.md",
            super::beta("list").replace("Do it.", "Begin with `/demo:plan`."),
        );
    let folder = tree.temporary();
    let check = |folder: &std::path::Path| {
        let checked =
            crate::support::run::Plugcast::new(folder, &["check", "src", "--format", "agent"]).run();
        checked.stdout.lines().filter(|line| line.contains("beta-")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(check(folder.path()).len(), 1, "a beta that calls a stable skill with a beta");
    run(folder.path(), &["plan-beta", "src", "--replace"]).expect_code(0);
    assert_eq!(check(folder.path()), [""; 0]);
}
