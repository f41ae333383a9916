//! Several plugins at different versions in one repository.

use super::{NONE, changelog, commit, committed, found, git, json, manifest, skill, write};
use crate::support::tree::Tree;

fn shop() -> Tree {
    let listing = r#"{
  "name": "shop",
  "owner": { "name": "Us" },
  "plugins": [
    { "name": "one", "source": "./plugins/one", "version": "1.0.0" },
    { "name": "two", "source": "./plugins/two", "version": "2.5.0" }
  ]
}
"#;
    let mut tree = Tree::new().file(".claude-plugin/marketplace.json", listing);
    for (name, version) in [("one", "1.0.0"), ("two", "2.5.0")] {
        tree = tree
            .file(&format!("plugins/{name}/.claude-plugin/plugin.json"), manifest(name, version))
            .file(&format!("plugins/{name}/CHANGELOG.md"), changelog(&[version]))
            .file(&format!("plugins/{name}/README.md"), "It has 1 skill.\n")
            .file(&format!("plugins/{name}/skills/plan/SKILL.md"), skill("plan"));
    }
    tree
}

#[test]
fn each_plugin_is_held_against_its_own_tag() {
    let folder = committed(&shop());
    let at = folder.path();
    git(at, &["tag", "one-v1.0.0"]);
    git(at, &["tag", "two-v2.5.0"]);
    assert_eq!(found(at, &[]), NONE);
    write(at, "plugins/two/skills/more/SKILL.md", &skill("more"));
    write(at, "plugins/two/README.md", "It has 2 skills.\n");
    let unreleased = "plugins/two/.claude-plugin/plugin.json:3 info unreleased";
    assert_eq!(found(at, &[]), [unreleased]);
    let report = json(at, &[]);
    let released = report["released"].as_array().expect("a list");
    let line = |one: &serde_json::Value| {
        format!("{} {} {} {}", one["name"], one["version"], one["last"], one["needs"])
    };
    let lines: Vec<String> = released.iter().map(line).collect();
    assert_eq!(
        lines,
        ["\"one\" \"1.0.0\" \"one-v1.0.0\" \"none\"", "\"two\" \"2.5.0\" \"two-v2.5.0\" \"minor\""]
    );
    write(at, "plugins/two/.claude-plugin/plugin.json", &manifest("two", "2.5.1"));
    let wanted = [
        ".claude-plugin/marketplace.json:6 error version-differs",
        "plugins/two/.claude-plugin/plugin.json:3 error version-step",
        "plugins/two/CHANGELOG.md:3 error changelog-entry",
    ];
    assert_eq!(found(at, &[]), wanted);
    write(at, "plugins/two/.claude-plugin/plugin.json", &manifest("two", "2.6.0"));
    write(at, "plugins/two/CHANGELOG.md", &changelog(&["2.6.0", "2.5.0"]));
    assert_eq!(json(at, &["--fix"])["summary"]["fixed"], 1);
    assert_eq!(found(at, &[]), NONE);
    commit(at, "two 2.6.0");
    git(at, &["tag", "two-v2.6.0"]);
    assert_eq!(found(at, &[]), NONE);
}

#[test]
fn a_skill_that_moves_to_another_plugin_breaks_the_first() {
    let folder = committed(&shop());
    let at = folder.path();
    git(at, &["tag", "one-v1.0.0"]);
    git(at, &["tag", "two-v2.5.0"]);
    let text = "Read the task, name every step of it, say who does which one, and write the whole plan down first.\n";
    let moved = format!("---\nname: tell\ndescription: Tells when asked.\n---\n{text}");
    write(at, "plugins/one/skills/tell/SKILL.md", &moved);
    commit(at, "told by one");
    git(at, &["tag", "-f", "one-v1.0.0"]);
    git(at, &["tag", "-f", "two-v2.5.0"]);
    git(at, &["mv", "plugins/one/skills/tell", "plugins/two/skills/tell"]);
    let report = json(at, &[]);
    for one in report["released"].as_array().expect("a list") {
        assert_eq!(one["needs"], "major", "{one}");
    }
}

#[test]
fn a_changelog_of_several_names_each() {
    let tree = shop().file("CHANGELOG.md", "# Changelog\n\n## one 1.0.0\n\nx\n\n## two 2.5.0\n\nx\n");
    let folder = committed(&tree);
    let at = folder.path();
    for name in ["one", "two"] {
        std::fs::remove_file(at.join(format!("plugins/{name}/CHANGELOG.md"))).unwrap();
    }
    commit(at, "one changelog");
    git(at, &["tag", "v2.5.0"]);
    let all = found(at, &[]);
    assert!(all.iter().all(|line| !line.contains("changelog")), "{all:?}");
    write(at, "CHANGELOG.md", "# Changelog\n\n## two 1.0.0\n\nx\n\n## two 2.5.0\n\nx\n");
    assert!(found(at, &[]).contains(&"CHANGELOG.md:3 error changelog-entry".to_owned()));
    let finding = super::message(at, "changelog-entry", &[]);
    assert!(finding.contains("add `## one 1.0.0`"), "{finding}");
}

#[test]
fn what_a_plugin_says_of_itself_counts_more() {
    let folder = committed(&shop());
    let at = folder.path();
    git(at, &["tag", "one-v1.0.0"]);
    git(at, &["tag", "second/2.5.0"]);
    write(
        at,
        "plugcast.toml",
        "[release]\ntag = \"{plugin}-v{version}\"\nchangelog = \"plugins/{plugin}/CHANGELOG.md\"\n",
    );
    let first = "plugins/two/.claude-plugin/plugin.json:1 info first-release";
    assert_eq!(found(at, &[]), [first]);
    write(
        at,
        "plugins/two/plugcast.toml",
        "[release]\ntag = \"second/{version}\"\nchangelog = \"NEWS.md\"\nchangelog-form = \"plain\"\nversions = [\"docs/VERSION\"]\nowned = [\"docs/**\"]\n",
    );
    let wanted =
        ["plugins/two/NEWS.md:1 error changelog-missing", "plugins/two/docs/VERSION:1 error version-file"];
    assert_eq!(found(at, &[]), wanted);
    write(at, "plugins/two/NEWS.md", "# News\n\n## [2.5.0] - 2026-01-31\n\n- It plans.\n");
    write(at, "plugins/two/docs/VERSION", "2.4.0\n");
    let wanted =
        ["plugins/two/NEWS.md:3 error changelog-form", "plugins/two/docs/VERSION:1 error version-differs"];
    assert_eq!(found(at, &[]), wanted);
    write(at, "plugins/two/NEWS.md", "# News\n\n## 2.5.0\n\n- It plans.\n");
    assert_eq!(json(at, &["--fix"])["summary"]["fixed"], 1);
    assert_eq!(found(at, &[]), NONE);
    let report = json(at, &[]);
    assert_eq!(report["released"][1]["last"], "second/2.5.0", "{report:#}");
    // On a branch `two` owns no versions, and `one` does.
    commit(at, "set up");
    git(at, &["checkout", "-qb", "work"]);
    for (name, version) in [("one", "1.1.0"), ("two", "2.6.0")] {
        write(at, &format!("plugins/{name}/.claude-plugin/plugin.json"), &manifest(name, version));
    }
    let owned: Vec<String> =
        found(at, &["--base", "main"]).into_iter().filter(|line| line.ends_with("release-owned")).collect();
    assert_eq!(owned, ["plugins/one/.claude-plugin/plugin.json:3 error release-owned"]);
    write(at, "plugins/two/plugcast.toml", "[release\n");
    let ended = super::run(at, &[]).expect_code(2);
    assert!(ended.stderr.contains("plugins/two/plugcast.toml:1:"), "{}", ended.stderr);
}

#[test]
fn losses_are_denied_plugin_by_plugin() {
    let folder = committed(&shop());
    let at = folder.path();
    let limited = "---\nname: plan\ndescription: Plans when asked.\nallowed-tools: Read\ndisable-model-invocation: true\n---\nPlan it.\n";
    for name in ["one", "two"] {
        write(
            at,
            &format!("plugins/{name}/agents/look.md"),
            "---\nname: look\ndescription: Looks.\ntools: Read\n---\nLook.\n",
        );
        write(at, &format!("plugins/{name}/skills/plan/SKILL.md"), limited);
    }
    commit(at, "with losses");
    git(at, &["tag", "one-v1.0.0"]);
    git(at, &["tag", "two-v2.5.0"]);
    let denied = || -> Vec<String> {
        let all = found(at, &["--to", "codex"]).into_iter().filter(|line| line.ends_with("denied-loss"));
        let mut all: Vec<String> = all.map(|line| line.split('/').nth(1).unwrap().to_owned()).collect();
        all.dedup();
        all
    };
    assert!(denied().is_empty());
    write(at, "plugins/two/plugcast.toml", "[release]\ndeny-loss = [\"security\"]\n");
    assert_eq!(denied(), ["two"]);
    write(at, "plugcast.toml", "[release]\ndeny-loss = [\"any\"]\n");
    assert_eq!(denied(), ["one", "two"]);
}

#[test]
fn one_plugin_alone_is_held_to_its_entry_above() {
    let folder = committed(&shop());
    let at = folder.path();
    git(at, &["tag", "one-v1.0.0"]);
    assert_eq!(found(at, &["plugins/one"]), NONE);
    write(at, "plugins/one/.claude-plugin/plugin.json", &manifest("one", "1.0.1"));
    write(at, "plugins/one/CHANGELOG.md", &changelog(&["1.0.1"]));
    assert_eq!(found(at, &["plugins/one"]), [".claude-plugin/marketplace.json:5 error version-differs"]);
    assert_eq!(json(at, &["plugins/one", "--fix"])["summary"]["fixed"], 1);
    assert_eq!(found(at, &["plugins/one"]), NONE);
}

/// 24 plugins with the tags of their repository had no release before, so that nothing was compared.
#[test]
fn plugins_that_are_released_together_have_the_tags_of_the_repository() {
    let listing = r#"{
  "name": "shop",
  "owner": { "name": "Us" },
  "plugins": [{ "name": "one", "source": "./one" }, { "name": "two", "source": "./two" }]
}
"#;
    let mut tree = Tree::new().file(".claude-plugin/marketplace.json", listing);
    for name in ["one", "two"] {
        tree = tree
            .file(&format!("{name}/.claude-plugin/plugin.json"), manifest(name, "1.4.0"))
            .file(&format!("{name}/skills/plan/SKILL.md"), skill("plan"))
            .file(&format!("{name}/skills/more/SKILL.md"), skill("more"));
    }
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.4.0"]);
    std::fs::remove_dir_all(at.join("one/skills/more")).expect("it is there");
    for name in ["one", "two"] {
        write(at, &format!("{name}/.claude-plugin/plugin.json"), &manifest(name, "1.4.1"));
    }
    commit(at, "1.4.1");
    let wrong = |wanted: &str| found(at, &[]).iter().any(|line| line == wanted);
    assert!(wrong("one/.claude-plugin/plugin.json:3 error version-step"), "{:?}", found(at, &[]));
    assert!(!wrong("two/.claude-plugin/plugin.json:3 error version-step"), "{:?}", found(at, &[]));
    // Tags of something else: the commits that raised the versions count.
    git(at, &["tag", "-d", "v1.4.0"]);
    git(at, &["tag", "v9.0.0", "HEAD^"]);
    write(at, "two/skills/last/SKILL.md", &skill("last"));
    commit(at, "more");
    assert!(found(at, &[]).iter().any(|line| line.ends_with("info unreleased")), "{:?}", found(at, &[]));
}

#[test]
fn a_changelog_of_several_that_lacks_a_release_is_one_finding() {
    let tree = shop().file("CHANGELOG.md", "# Changelog\n\n## 0.1.0\n\nx\n");
    let folder = committed(&tree);
    let at = folder.path();
    for name in ["one", "two"] {
        std::fs::remove_file(at.join(format!("plugins/{name}/CHANGELOG.md"))).unwrap();
    }
    commit(at, "one changelog");
    let of_changelog =
        || found(at, &[]).into_iter().filter(|line| line.contains("changelog")).collect::<Vec<_>>();
    assert_eq!(of_changelog(), ["CHANGELOG.md:3 error changelog-entry"]);
    let message = super::message(at, "changelog-entry", &[]);
    assert!(
        message.contains("no entry for `1.0.0` of `one`, `2.5.0` of `two`; its first is `## 0.1.0`"),
        "{message}"
    );
    assert!(
        message.ends_with("add a heading for each, such as `## one 1.0.0`, with what is new below it"),
        "{message}"
    );
    write(
        at,
        "CHANGELOG.md",
        "# Changelog\n\n## Spring\n\n#### One 0.9.0 → 1.0.0\n\nx\n\n#### Two 2.4.0 → 2.5.0\n\nx\n",
    );
    assert_eq!(of_changelog(), NONE);
}

#[test]
fn what_is_wrong_with_a_plugin_fits_on_a_screen_with_what_changed_in_it() {
    let folder = committed(&shop());
    let at = folder.path();
    git(at, &["tag", "one-v1.0.0"]);
    git(at, &["tag", "two-v2.5.0"]);
    for number in 0..40 {
        write(at, &format!("plugins/one/skills/more-{number}/SKILL.md"), &skill(&format!("more-{number}")));
    }
    write(at, "plugins/one/.claude-plugin/plugin.json", &manifest("one", "1.0.1"));
    commit(at, "more");
    let shown = super::run(at, &[]).stdout;
    assert!(shown.lines().count() <= 60, "{shown}");
    assert!(shown.contains("more lines: `--verbose` shows all of them\n"), "{shown}");
    let all = super::run(at, &["--verbose"]).stdout;
    assert!((0..40).all(|number| all.contains(&format!("more-{number}"))), "{all}");
}
