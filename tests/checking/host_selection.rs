//! The hosts that findings are about.

use super::{found, json, run};
use crate::support::tree::Tree;

/// Valid for the source host; OpenCode loses the whole frontmatter.
const SKILL: &str = "---\nname: plan\ndescription: Use when: it has steps.\n---\nPlan.\n";

#[test]
fn without_to_every_host_counts_or_those_of_the_settings() {
    let folder = Tree::new().file("src/skills/plan/SKILL.md", SKILL).temporary();
    let finding = ["skills/plan/SKILL.md:3 yaml-dialect"];
    assert_eq!(found(&folder, &["src"]), finding);
    let hosts = |arguments: &[&str]| {
        let shown = json(&run(folder.path(), &[arguments, &["--format", "json"]].concat()));
        shown["diagnostics"][0]["hosts"].clone()
    };
    assert_eq!(hosts(&["src"]), hosts(&["src", "--to", "all"]));
    assert!(found(&folder, &["src", "--to", "claude-code"]).is_empty());
    std::fs::write(folder.path().join("src/plugcast.toml"), "[build]\nto = [\"claude-code\"]\n").unwrap();
    assert!(found(&folder, &["src"]).is_empty());
    assert_eq!(found(&folder, &["src", "--to", "all"]), finding);
}

/// The hosts of the only finding of a skill.
fn hosts_of_skill(text: &str) -> serde_json::Value {
    let folder = Tree::new().file("src/skills/plan/SKILL.md", text).temporary();
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(shown["diagnostics"].as_array().map(Vec::len), Some(1), "{shown:#}");
    shown["diagnostics"][0]["hosts"].clone()
}

#[test]
fn the_source_host_tells_models_nothing_about_a_skill_without_description() {
    let all = serde_json::json!(["claude-code", "codex", "opencode"]);
    for text in [
        "Write the plan.\n",
        "---\nname: plan\n---\nWrite the plan.\n",
        "---\nname: plan\ndescription:\n---\nWrite the plan.\n",
        "---\nname: plan\ndescription: [Plans, the work]\n---\nWrite the plan.\n",
    ] {
        assert_eq!(hosts_of_skill(text), all, "{text}");
    }
    let for_users = "---\nname: plan\ndisable-model-invocation: true\n---\nWrite the plan.\n";
    assert_eq!(hosts_of_skill(for_users), serde_json::json!(["codex", "opencode"]));
}
