//! The inventory against the last release, losses, and what a branch may not touch.

use super::{
    NONE, changelog, commit, committed, found, git, json, manifest, message, plugin, raise, released, run,
    skill, state, write,
};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

const AT: &str = ".claude-plugin/plugin.json:3";

#[test]
fn a_component_that_goes_needs_a_major_version_and_a_new_one_a_minor() {
    let folder = released();
    let at = folder.path();
    write(at, "README.md", "# Demo\n");
    write(at, "skills/write/SKILL.md", &skill("write"));
    assert_eq!(found(at, &[]), [format!("{AT} info unreleased")]);
    let finding = message(at, "unreleased", &[]);
    assert!(finding.contains("`demo` changed since `v1.0.0`: added skill `demo:write`"), "{finding}");
    assert!(finding.contains("the next version is at least `1.1.0`"), "{finding}");
    raise(at, "1.0.1");
    assert_eq!(found(at, &[]), [format!("{AT} error version-step")]);
    assert!(message(at, "version-step", &[]).contains("; release it as `1.1.0`"));
    raise(at, "1.1.0");
    assert_eq!(found(at, &[]), NONE);
    commit(at, "1.1.0");
    git(at, &["tag", "v1.1.0"]);
    assert_eq!(found(at, &[]), NONE, "held against the release before");

    git(at, &["mv", "skills/plan", "skills/planning"]);
    write(at, "skills/planning/SKILL.md", &skill("plan").replace("name: plan", "name: planning"));
    raise(at, "1.2.0");
    let finding = message(at, "version-step", &[]);
    assert!(
        finding.contains("need a major version: renamed skill `demo:plan` to `demo:planning`"),
        "{finding}"
    );
    assert!(finding.contains("release it as `2.0.0`; `plugcast diff v1.1.0` shows everything"), "{finding}");
    git(at, &["rm", "-qf", "--cached", "skills/planning/SKILL.md"]);
    std::fs::remove_dir_all(at.join("skills/planning")).unwrap();
    let finding = message(at, "version-step", &[]);
    assert!(finding.contains("removed skill `demo:plan`"), "{finding}");
    raise(at, "2.0.0");
    assert_eq!(found(at, &[]), NONE);
}

#[test]
fn what_changed_since_the_last_release_stands_below_each_plugin_as_diff_shows_it() {
    let marketplace =
        r#"{"name": "two", "plugins": [{"name": "a", "source": "./a"}, {"name": "b", "source": "./b"}]}"#;
    let tag = "[release]\ntag = \"v{version}\"\n";
    let mut tree =
        Tree::new().file(".claude-plugin/marketplace.json", marketplace).file("plugcast.toml", tag);
    for name in ["a", "b"] {
        tree = tree
            .file(&format!("{name}/.claude-plugin/plugin.json"), manifest(name, "1.0.0"))
            .file(&format!("{name}/CHANGELOG.md"), changelog(&["1.0.0"]))
            .file(&format!("{name}/skills/plan/SKILL.md"), skill("plan"));
    }
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    write(at, "b/skills/write/SKILL.md", &skill("write"));
    write(at, "b/skills/plan/SKILL.md", &skill("plan").replace("Does plan", "Makes a plan"));
    let shown = run(at, &[]).expect_code(0).stdout;
    let wanted = "\
a 1.0.0 in `a`: last release `v1.0.0`
b 1.0.0 in `b`: last release `v1.0.0`, changes need version 1.1.0 or later
  added
    skill b:write
      Does write when it is asked for.

  changed
    skill b:plan
      description: Does plan when it is asked for. -> Makes a plan when it is asked for.

";
    assert!(shown.starts_with(wanted), "{shown}");
    let difference = Plugcast::new(at, &["diff", "v1.0.0", "--to", "claude-code", "--format", "json"]).run();
    let mut difference: serde_json::Value = serde_json::from_str(&difference.stdout).expect("JSON");
    let report = json(at, &[]);
    assert_eq!(report["released"][0].get("changed"), None, "{report:#}");
    difference["new"] = ".".into();
    assert_eq!(report["released"][1]["changed"], difference);
    assert_eq!(run(at, &["--quiet"]).expect_code(0).stdout, "");
}

#[test]
fn versions_go_forward_and_fit_their_tag() {
    let folder = released();
    let at = folder.path();
    raise(at, "0.9.0");
    assert_eq!(found(at, &[]), [format!("{AT} error version-back")]);
    raise(at, "1.0.1");
    commit(at, "1.0.1");
    git(at, &["tag", "v1.0.2"]);
    let all = found(at, &[]);
    assert!(all.contains(&format!("{AT} error tag-differs")), "{all:?}");
    assert!(message(at, "tag-differs", &[]).contains("the tag of this commit is `v1.0.2`; write `1.0.2`"));
    git(at, &["tag", "-d", "v1.0.2"]);
    git(at, &["tag", "v1.1.0-rc.1"]);
    raise(at, "1.0.2");
    commit(at, "1.0.2");
    assert_eq!(found(at, &[]), NONE, "a pre-release does not count as a release");
}

#[test]
fn tags_are_named_as_configured() {
    let folder = committed(&plugin().file("plugcast.toml", "[release]\ntag = \"demo/{version}\"\n"));
    let at = folder.path();
    git(at, &["tag", "v3.0.0"]);
    git(at, &["tag", "demo/0.9.0", "HEAD"]);
    assert_eq!(found(at, &[]), [format!("{AT} error tag-differs")]);
    write(at, "plugcast.toml", "[release]\ntag = \"demo\"\n");
    let ended = run(at, &[]).expect_code(2);
    assert!(ended.stderr.contains("does not contain the version"), "{}", ended.stderr);
}

/// Issue 18, attack 12: the source host shows a `displayName` of an entry, and each was reported as lost there.
#[test]
fn the_title_of_an_entry_is_not_lost_on_its_own_host() {
    let entry = |title: &str| {
        format!(
            "{{ \"name\": \"shop\", \"owner\": {{ \"name\": \"a\" }}, \"plugins\": [\n{{ \"name\": \"demo\", {title}\"source\": \"./p\", \"description\": \"Plans.\" }}] }}\n"
        )
    };
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", entry(""))
        .file("p/.claude-plugin/plugin.json", manifest("demo", "1.0.0"))
        .file("p/CHANGELOG.md", changelog(&["1.0.0"]))
        .file("p/skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "demo-v1.0.0"]);
    write(at, ".claude-plugin/marketplace.json", &entry("\"displayName\": \"Demo\", "));
    write(at, "p/.claude-plugin/plugin.json", &manifest("demo", "1.0.1"));
    write(at, "p/CHANGELOG.md", &changelog(&["1.0.1", "1.0.0"]));
    commit(at, "a title");
    assert_eq!(found(at, &["--to", "claude-code"]), NONE);
}

#[test]
fn losses_are_within_what_is_declared_and_none_is_new() {
    let config = "[build]\nto = [\"claude-code\", \"codex\"]\n";
    let folder = committed(&plugin().file("plugcast.toml", config));
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    let limited =
        "---\nname: checker\ndescription: Checks a text when asked.\ntools: Read\n---\nCheck the text.\n";
    write(at, "agents/checker.md", limited);
    raise(at, "1.1.0");
    let all = found(at, &[]);
    let new: Vec<_> = all.iter().filter(|line| line.ends_with("error new-loss")).collect();
    assert!(new.iter().any(|line| line.starts_with("agents/checker.md:4 ")), "{all:?}");
    write(at, "plugcast.toml", &format!("{config}deny-loss = [\"security\"]\n"));
    let all = found(at, &[]);
    assert!(all.contains(&"agents/checker.md:4 error denied-loss".to_owned()), "{all:?}");
    let accept = "[[accept-loss]]\nid = \"*/demo/agent/**\"\nreason = \"Codex cannot limit agents.\"\n";
    write(at, "plugcast.toml", &format!("{config}deny-loss = [\"security\"]\n{accept}"));
    assert_eq!(found(at, &[]), NONE);
    write(at, "plugcast.toml", &format!("{config}[release]\ndeny-loss = [\"securty\"]\n"));
    let ended = run(at, &[]).expect_code(2);
    assert!(ended.stderr.contains("unknown loss class `securty`"), "{}", ended.stderr);
    write(at, "plugcast.toml", &format!("{config}[release]\ndeny-new-losses = false\n"));
    assert_eq!(found(at, &[]), NONE);
    commit(at, "with losses");
    write(at, "plugcast.toml", config);
    assert_eq!(found(at, &["--base", "HEAD"]), NONE, "the base has them, too");
}

/// Issue 18, attack 16: a `name` of commands was an error once per file, also where it is the name that they have.
#[test]
fn losses_of_one_cause_are_one_finding_and_a_name_that_stays_is_none() {
    let command = |name: &str| format!("---\n{name}description: Plans a part of the work.\n---\nPlan.\n");
    let mut tree = plugin();
    for file in ["a", "b", "c", "ops/d"] {
        tree = tree.file(&format!("commands/{file}.md"), command(""));
    }
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    raise(at, "1.0.1");
    for (file, name) in [("a", "a"), ("b", "b"), ("c", "c"), ("ops/d", "d")] {
        write(at, &format!("commands/{file}.md"), &command(&format!("name: {name}\n")));
    }
    assert_eq!(found(at, &[]), NONE, "each has the name that its file gives it");
    for file in ["a", "b", "c", "ops/d"] {
        write(at, &format!("commands/{file}.md"), &command("name: other\n"));
    }
    assert_eq!(found(at, &[]), ["commands/a.md:2 error new-loss"]);
    let finding = message(at, "new-loss", &[]);
    let expected =
        "4 losses `metadata/demo/command/*/name` are new since `v1.0.0`: a command is named after its file";
    assert!(finding.starts_with(expected), "{finding}");
    let shown = run(at, &["--to", "all"]).expect_code(1).stdout;
    assert!(shown.contains("3 more places with the same problem:"), "{shown}");
    assert!(shown.contains("commands/ops/d.md:2:1 `metadata/demo/command/ops:d/name`"), "{shown}");
    assert_eq!(shown.matches("cosmetic metadata/demo/command/a/name\n").count(), 1, "{shown}");
    let accept = "[[accept-loss]]\nid = \"metadata/demo/command/*/name\"\nreason = \"Nobody sees it.\"\n";
    write(at, "plugcast.toml", accept);
    assert_eq!(found(at, &[]), NONE, "the id that the help names covers them all");
}

#[test]
fn a_branch_leaves_alone_what_a_release_owns() {
    let folder = released();
    let at = folder.path();
    git(at, &["checkout", "-qb", "work"]);
    write(at, "skills/plan/SKILL.md", &(skill("plan") + "And more.\n"));
    commit(at, "work");
    git(at, &["checkout", "-q", "main"]);
    raise(at, "1.0.1");
    commit(at, "1.0.1");
    git(at, &["checkout", "-q", "work"]);
    let base = ["--base", "main"];
    assert_eq!(found(at, &base), [format!("{AT} info unreleased")], "main went on, the branch did nothing");
    raise(at, "1.0.9");
    let before = state(at);
    assert_eq!(found(at, &base), [format!("{AT} error release-owned")]);
    let finding = message(at, "release-owned", &base);
    assert!(finding.contains("says version `1.0.9` of `demo`, where the base says `1.0.0`"), "{finding}");
    assert_eq!(state(at), before);
    write(at, "plugcast.toml", "[release]\nowned = [\"changelog\", \"docs/**\"]\n");
    write(at, "docs/made.md", "x\n");
    assert_eq!(
        found(at, &base),
        ["CHANGELOG.md:3 error release-owned", "docs/made.md:1 error release-owned"]
    );
    write(at, "plugcast.toml", "[release]\nowned = []\n");
    assert_eq!(found(at, &base), NONE);
    write(at, "plugcast.toml", "[release]\nowned = [\"a[\"]\n");
    assert!(run(at, &base).expect_code(2).stderr.contains("invalid glob"));
    write(at, "plugcast.toml", "");
    assert_eq!(super::json(at, &["--base", "main", "--fix", "--unsafe-fixes"])["summary"]["fixed"], 1);
    assert!(std::fs::read_to_string(at.join(".claude-plugin/plugin.json")).unwrap().contains("\"1.0.0\""));
}

/// The safe fix of `version-differs` wrote the version that `release-owned` forbids to a second place.
#[test]
fn a_fix_writes_no_version_that_a_release_owns() {
    let marketplace = "{\n  \"name\": \"shop\",\n  \"plugins\": [\n    {\"name\": \"one\", \"source\": \"./one\", \"version\": \"1.0.0\"}\n  ]\n}\n";
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", marketplace)
        .file("one/.claude-plugin/plugin.json", manifest("one", "1.0.0"))
        .file("one/CHANGELOG.md", changelog(&["1.0.0"]))
        .file("one/skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    write(at, "one/.claude-plugin/plugin.json", &manifest("one", "1.1.0"));
    commit(at, "one 1.1.0");
    let base = ["--base", "v1.0.0"];
    let owned = |lines: Vec<String>| lines.iter().filter(|line| line.ends_with("release-owned")).count();
    let before = found(at, &base);
    let differs: Vec<&String> = before.iter().filter(|line| line.ends_with("version-differs")).collect();
    assert_eq!((owned(before.clone()), differs.len()), (1, 1), "{before:?}");
    assert!(message(at, "version-differs", &base).contains("one"));
    assert_eq!(super::json(at, &["--base", "v1.0.0", "--fix"])["summary"]["fixed"], 0);
    assert_eq!(found(at, &base), before);
    super::json(at, &["--base", "v1.0.0", "--fix", "--unsafe-fixes"]);
    assert_eq!(owned(found(at, &base)), 0);
}

#[test]
fn worktrees_and_folders_inside_a_repository_are_checked() {
    let tree = Tree::new()
        .file("README.md", "# All\n")
        .file("plugins/demo/.claude-plugin/plugin.json", manifest("demo", "1.0.0"))
        .file("plugins/demo/CHANGELOG.md", changelog(&["1.0.0"]))
        .file("plugins/demo/skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "demo-v1.0.0"]);
    write(at, "plugins/demo/skills/more/SKILL.md", &skill("more"));
    write(at, "plugins/demo/.claude-plugin/plugin.json", &manifest("demo", "1.0.1"));
    commit(at, "second");
    let place = tempfile::tempdir().unwrap();
    let other = place.path().join("tree");
    git(at, &["worktree", "add", "-q", "--detach", other.to_str().unwrap(), "HEAD"]);
    let wanted = [
        "plugins/demo/.claude-plugin/plugin.json:3 error version-step",
        "plugins/demo/CHANGELOG.md:3 error changelog-entry",
    ];
    assert_eq!(found(&other, &["plugins/demo"]), wanted);
    assert_eq!(found(&other.join("plugins/demo"), &[]), wanted);
}

#[test]
fn without_tags_the_commits_that_raised_the_version_are_the_releases() {
    let folder = committed(&plugin());
    let at = folder.path();
    assert_eq!(
        found(at, &[]),
        [".claude-plugin/plugin.json:1 info first-release"],
        "the first version is not a release"
    );
    raise(at, "1.1.0");
    commit(at, "1.1.0");
    write(at, "skills/write/SKILL.md", &skill("write"));
    commit(at, "write");
    let finding = message(at, "unreleased", &[]);
    assert!(finding.contains(": added skill `demo:write`"), "{finding}");
    assert!(finding.contains("the next version is at least `1.2.0`"), "{finding}");
    raise(at, "1.1.1");
    commit(at, "1.1.1");
    let finding = message(at, "version-step", &[]);
    assert!(finding.contains("release it as `1.2.0`"), "{finding}");
}

#[test]
fn without_tags_the_commits_that_raised_a_version_in_the_marketplace_are_the_releases() {
    let listing = |one: &str, two: &str| {
        format!(
            "{{\n  \"name\": \"shop\",\n  \"owner\": {{ \"name\": \"Us\" }},\n  \"plugins\": [\n    {{ \"name\": \"one\", \"source\": \"./one\", \"version\": \"{one}\" }},\n    {{ \"name\": \"two\", \"source\": \"./two\", \"version\": \"{two}\" }}\n  ]\n}}\n"
        )
    };
    let path = ".claude-plugin/marketplace.json";
    let mut tree = Tree::new().file(path, listing("1.0.0", "1.0.0"));
    for name in ["one", "two"] {
        tree = tree
            .file(&format!("{name}/.claude-plugin/plugin.json"), format!("{{ \"name\": \"{name}\" }}\n"))
            .file(&format!("{name}/CHANGELOG.md"), changelog(&["1.1.0", "1.0.0"]))
            .file(&format!("{name}/skills/plan/SKILL.md"), skill("plan"));
    }
    let folder = committed(&tree);
    let at = folder.path();
    write(at, path, &listing("1.1.0", "1.0.0"));
    commit(at, "one 1.1.0");
    let first = git(at, &["rev-parse", "--short=10", "HEAD"]);
    write(at, path, &listing("1.1.0", "1.1.0"));
    commit(at, "two 1.1.0");
    let report = json(at, &[]);
    assert_eq!(report["released"][0]["last"], first.trim(), "{report:#}");
    assert_ne!(report["released"][1]["last"], report["released"][0]["last"], "{report:#}");
}
