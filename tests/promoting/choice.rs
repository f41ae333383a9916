//! Which skill is meant, and what a second run says.

use std::fs;

use super::{beta, json, plugin, run, stable};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn a_name_a_qualified_name_and_a_path_mean_the_same() {
    for asked in [
        "plan-beta",
        "/plan-beta",
        "demo:plan-beta",
        "/demo:plan-beta",
        "src/skills/plan-beta",
        "src/skills/plan-beta/",
        "src/skills/plan-beta/SKILL.md",
        "skills/plan-beta",
    ] {
        let folder = plugin().temporary();
        run(folder.path(), &[asked, "src"]).expect_code(0);
        assert!(folder.path().join("src/skills/plan/SKILL.md").is_file(), "{asked}");
        // The same reply again is taken as final.
        let again = run(folder.path(), &[asked, "src"]).expect_code(0);
        assert_eq!(again.stdout, "`demo:plan` is stable already: nothing to do\n", "{asked}");
        let again = json(&run(folder.path(), &[asked, "src", "--format", "json"]).expect_code(0));
        assert_eq!((&again["result"], &again["stable"]), (&"nothing".into(), &"demo:plan".into()));
    }
}

#[test]
fn a_name_that_is_not_a_beta_is_reported_with_a_suggestion() {
    let tree = plugin()
        .file("src/skills/draft/SKILL.md", stable("draft"))
        .file("src/skills/plan/SKILL.md", stable("plan"))
        .file("src/commands/go.md", "---\ndescription: Goes on.\n---\nGo.\n");
    let folder = tree.temporary();
    for (asked, message, help) in [
        ("plna-beta", "unknown beta `plna-beta`", "did you mean `demo:plan-beta`?"),
        ("demo:plan-bet", "unknown beta `demo:plan-bet`", "did you mean `demo:plan-beta`?"),
        ("plan", "`demo:plan` is not a beta", "did you mean `demo:plan-beta`?"),
        ("draft", "`demo:draft` is not a beta", "ends in `-beta`"),
        ("go", "`go` is a command", "only a skill"),
        ("zebra", "unknown beta `zebra`", "`plugin:name`"),
        ("skills/zebra-beta", "unknown beta `skills/zebra-beta`", "plugin:name"),
    ] {
        let failed = run(folder.path(), &[asked, "src"]).expect_code(2);
        assert!(
            failed.stderr.contains(message) && failed.stderr.contains(help),
            "{asked}: {}",
            failed.stderr
        );
        let error = json(&run(folder.path(), &[asked, "src", "--format", "json"]).expect_code(2));
        assert_eq!(error["schema"], "plugcast.error/1");
    }
    assert_eq!(Tree::read(folder.path()), tree);
    let usage = run(folder.path(), &["plan-beta", "src", "--leave", "a["]).expect_code(2);
    assert!(usage.stderr.contains("invalid glob `a[`"), "{}", usage.stderr);
    run(folder.path(), &["plan-beta", "nowhere"]).expect_code(2);
}

#[test]
fn from_inside_a_plugin_the_callers_of_the_whole_repository_follow() {
    let tree = Tree::new()
        .file(
            ".claude-plugin/marketplace.json",
            "{ \"name\": \"shop\", \"owner\": { \"name\": \"us\" }, \"plugins\": [\n  { \"name\": \"demo\", \"source\": \"./demo\" },\n  { \"name\": \"other\", \"source\": \"./other\" }\n] }\n",
        )
        .file("demo/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("demo/skills/plan-beta/SKILL.md", beta("plan"))
        .file("other/.claude-plugin/plugin.json", "{ \"name\": \"other\" }\n")
        .file("other/commands/go.md", "---\ndescription: Goes on.\n---\nRun /demo:plan-beta.\n")
        .file(".git/HEAD", "ref: refs/heads/main\n");
    for here in ["", "demo", "demo/skills", "demo/skills/plan-beta"] {
        let folder = tree.temporary();
        let asked = if here.ends_with("beta") { "../plan-beta" } else { "plan-beta" };
        Plugcast::new(&folder.path().join(here), &["promote", asked]).run().expect_code(0);
        let text = fs::read_to_string(folder.path().join("other/commands/go.md")).unwrap();
        assert!(text.ends_with("Run /demo:plan.\n"), "from `{here}`: {text}");
        assert!(folder.path().join("demo/skills/plan/SKILL.md").is_file());
    }
}

#[test]
fn the_json_names_every_edit_by_its_bytes() {
    let tree = plugin().file("src/README.md", "# Ä\n\nRun `/demo:plan-beta`.\n");
    let folder = tree.temporary();
    let planned =
        json(&run(folder.path(), &["plan-beta", "src", "--dry-run", "--format", "json"]).expect_code(0));
    assert_eq!(Tree::read(folder.path()), tree, "`--dry-run` writes nothing");
    assert_eq!((&planned["schema"], &planned["result"]), (&"plugcast.promote/1".into(), &"planned".into()));
    assert_eq!(planned["moves"], serde_json::json!([{ "from": "skills/plan-beta", "to": "skills/plan" }]));
    let made = json(&run(folder.path(), &["plan-beta", "src", "--format", "json"]).expect_code(0));
    assert_eq!((&made["result"], &made["edits"]), (&"promoted".into(), &planned["edits"]));
    // The edits, applied by hand from the last to the first, make the files.
    let edits = made["edits"].as_array().unwrap();
    assert_eq!(edits.len(), 4, "{edits:#?}");
    for path in ["README.md", "skills/plan-beta/SKILL.md"] {
        let mut text = tree.get(&format!("src/{path}")).unwrap().text();
        for edit in edits.iter().rev().filter(|edit| edit["path"] == path) {
            let at = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
            text.replace_range(at("start")..at("end"), edit["replacement"].as_str().unwrap());
        }
        let now = path.replace("plan-beta", "plan");
        assert_eq!(fs::read_to_string(folder.path().join("src").join(now)).unwrap(), text);
    }
    assert_eq!((&edits[0]["line"], &edits[0]["column"]), (&3.into(), &12.into()));
}
