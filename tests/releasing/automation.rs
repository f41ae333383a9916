//! Repositories in the style of release-please: a record of versions, a configuration of packages, tags with
//! components, generated changelogs.

use super::{NONE, commit, committed, found, git, json, manifest, message, skill, write};
use crate::support::tree::Tree;

const CONFIG: &str = r#"{
  "release-type": "node",
  "packages": {
    ".": { "component": "cli" },
    "plugins/demo": {
      "component": "demo-plugin",
      "changelog-path": "HISTORY.md",
      "extra-files": [
        { "type": "json", "path": ".claude-plugin/plugin.json", "jsonpath": "$.version" },
        { "type": "json", "path": "/.claude-plugin/marketplace.json", "jsonpath": "$.plugins[0].version" },
        { "type": "json", "path": "site/data.json", "jsonpath": "$.demo.version" }
      ]
    }
  }
}
"#;

fn generated(version: &str) -> String {
    format!(
        "# Changelog\n\n## [{version}](https://example.org/compare/a...b) (2026-01-31)\n\n### Features\n\n* x\n"
    )
}

fn repository() -> tempfile::TempDir {
    let listing = "{\n  \"name\": \"shop\",\n  \"owner\": { \"name\": \"Us\" },\n  \"plugins\": [\n    { \"name\": \"demo\", \"source\": \"./plugins/demo\", \"version\": \"1.4.0\" }\n  ]\n}\n";
    let tree = Tree::new()
        .file("release-please-config.json", CONFIG)
        .file(".release-please-manifest.json", "{\n  \".\": \"3.1.0\",\n  \"plugins/demo\": \"1.4.0\"\n}\n")
        .file("package.json", "{\n  \"name\": \"@us/cli\",\n  \"version\": \"3.1.0\"\n}\n")
        .file("CHANGELOG.md", generated("3.1.0"))
        .file(".claude-plugin/marketplace.json", listing)
        .file("plugins/demo/.claude-plugin/plugin.json", manifest("demo", "1.4.0"))
        .file("plugins/demo/HISTORY.md", generated("1.4.0"))
        .file("plugins/demo/site/data.json", "{ \"demo\": { \"version\": \"1.4.0\" } }\n")
        .file("plugins/demo/skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&tree);
    git(folder.path(), &["tag", "cli-v3.1.0"]);
    git(folder.path(), &["tag", "demo-plugin-v1.4.0"]);
    folder
}

#[test]
fn packages_and_plugins_have_their_own_versions_and_tags() {
    let folder = repository();
    let at = folder.path();
    assert_eq!(found(at, &[]), NONE);
    let report = json(at, &[]);
    let lines: Vec<String> = report["released"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| format!("{} {} {}", one["path"], one["version"], one["last"]))
        .collect();
    assert_eq!(lines, ["\"plugins/demo\" \"1.4.0\" \"demo-plugin-v1.4.0\"", "\"\" \"3.1.0\" \"cli-v3.1.0\""]);
    write(at, "plugins/demo/skills/more/SKILL.md", &skill("more"));
    assert_eq!(found(at, &[]), [".release-please-manifest.json:3 info unreleased"]);
}

#[test]
fn the_record_counts_and_everything_follows_it() {
    let folder = repository();
    let at = folder.path();
    write(at, ".release-please-manifest.json", "{\n  \".\": \"3.2.0\",\n  \"plugins/demo\": \"1.4.1\"\n}\n");
    let wanted = [
        ".claude-plugin/marketplace.json:5 error version-differs",
        "CHANGELOG.md:3 error changelog-entry",
        "package.json:3 error version-differs",
        "plugins/demo/.claude-plugin/plugin.json:3 error version-differs",
        "plugins/demo/HISTORY.md:3 error changelog-entry",
        "plugins/demo/site/data.json:1 error version-differs",
    ];
    assert_eq!(found(at, &[]), wanted);
    assert_eq!(json(at, &["--fix"])["summary"]["fixed"], 4);
    write(at, "CHANGELOG.md", &generated("3.2.0"));
    write(at, "plugins/demo/HISTORY.md", &generated("1.4.1"));
    assert_eq!(found(at, &[]), NONE);
}

#[test]
fn a_branch_touches_neither_versions_nor_what_is_generated() {
    let folder = repository();
    let at = folder.path();
    git(at, &["checkout", "-qb", "work"]);
    write(at, "plugins/demo/HISTORY.md", &generated("1.4.0").replace("* x", "* x\n* y"));
    write(at, "plugins/demo/.claude-plugin/plugin.json", &manifest("demo", "1.5.0"));
    commit(at, "by hand");
    let wanted = [
        "plugins/demo/.claude-plugin/plugin.json:3 error release-owned",
        "plugins/demo/.claude-plugin/plugin.json:3 error version-differs",
        "plugins/demo/HISTORY.md:8 error release-owned",
    ];
    assert_eq!(found(at, &["--base", "main"]), wanted);
    let said = message(at, "version-differs", &[]);
    assert!(said.contains("`.release-please-manifest.json` says `1.4.0`"), "{said}");
}
