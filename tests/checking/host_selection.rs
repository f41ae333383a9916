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
