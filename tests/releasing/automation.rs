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
    let sentence = message(at, "version-differs", &[]);
    assert!(sentence.contains("`.release-please-manifest.json` says `1.4.0`"), "{sentence}");
}

/// [`repository`] with `extra` as the extra files of the plugin, and `files` beside it.
fn with_extra(extra: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = repository();
    let (head, rest) = CONFIG.split_once("\"extra-files\": [").unwrap();
    let (_, tail) = rest.split_once(']').map(|(_, rest)| rest.split_once(']').unwrap()).unwrap();
    write(folder.path(), "release-please-config.json", &format!("{head}\"extra-files\": [{extra}]{tail}"));
    for (path, text) in files {
        write(folder.path(), &format!("plugins/demo/{path}"), text);
    }
    folder
}

#[test]
fn extra_files_of_every_form_are_read_and_repaired() {
    for (entry, path, text) in [
        ("\"x.json\"", "x.json", "{ \"version\": \"1.0.0\" }\n"),
        ("\"x.yml\"", "x.yml", "# the version\nversion: 1.0.0 # here\n"),
        ("\"x.toml\"", "x.toml", "version = '1.0.0'\n"),
        ("\"x.xml\"", "x.xml", "<a>\n  <version>1.0.0</version>\n</a>\n"),
        ("\"x.py\"", "x.py", "V = \"1.0.0\" # x-release-please-version\n"),
        (
            r#"{ "type": "json", "path": "x.json", "jsonpath": "$.list[1]['the version']" }"#,
            "x.json",
            "{ \"list\": [ {}, { \"the version\": \"1.0.0\" } ] }\n",
        ),
        (
            r#"{ "type": "yaml", "path": "x.yaml", "jsonpath": "$.image.tag" }"#,
            "x.yaml",
            "image:\n  tag: \"v1.0.0\"\n",
        ),
        (
            r#"{ "type": "toml", "path": "Cargo.lock", "jsonpath": "$.package[?(@.name.value=='demo')].version" }"#,
            "Cargo.lock",
            "[[package]]\nname = \"other\"\nversion = \"9.9.9\"\n\n[[package]]\nname = \"demo\"\nversion = \"1.0.0\"\n",
        ),
        (
            r#"{ "type": "xml", "path": "x.csproj", "xpath": "//PropertyGroup/Version" }"#,
            "x.csproj",
            "<Project>\n  <PropertyGroup><Version>1.0.0</Version></PropertyGroup>\n</Project>\n",
        ),
        (
            r#"{ "type": "pom", "path": "pom.xml" }"#,
            "pom.xml",
            "<project><parent><version>9.9.9</version></parent><version>1.0.0</version></project>\n",
        ),
        (
            r#"{ "type": "generic", "path": "x.md" }"#,
            "x.md",
            "9.9.9\n<!-- x-release-please-start-version -->\nuses: us/demo@v1.0.0\n<!-- x-release-please-end -->\n",
        ),
    ] {
        let folder = with_extra(entry, &[(path, text)]);
        let at = folder.path();
        let line = text.lines().position(|line| line.contains("1.0.0")).unwrap() + 1;
        assert_eq!(found(at, &[]), [format!("plugins/demo/{path}:{line} error version-differs")], "{entry}");
        assert_eq!(json(at, &["--fix"])["summary"]["fixed"], 1, "{entry}");
        let fixed = std::fs::read_to_string(at.join("plugins/demo").join(path)).unwrap();
        assert_eq!(fixed, text.replace("1.0.0", "1.4.0"), "{entry}");
        assert_eq!(found(at, &[]), NONE, "{entry}");
    }
}

#[test]
fn extra_files_that_cannot_be_followed_are_said() {
    let config = "release-please-config.json:8 error version-file";
    for (entry, path, text, place, sentence) in [
        (r#"{ "type": "ini", "path": "x" }"#, "x", "", config, "unknown type `ini`"),
        (r#"{ "type": "xml", "path": "x.xml" }"#, "x.xml", "<a/>", config, "it has no `xpath`"),
        (r#"{ "type": "json", "path": "x.json" }"#, "x.json", "{}", config, "it has no `jsonpath`"),
        (r#"{ "type": "generic", "path": "*.md", "glob": true }"#, "a.md", "", config, "`*.md` is a glob"),
        (
            r#"{ "type": "json", "path": "x.json", "jsonpath": "$.a[1:2]" }"#,
            "x.json",
            "{}",
            "plugins/demo/x.json:1 error version-file",
            "unsupported path `$.a[1:2]`",
        ),
        (
            r#"{ "type": "xml", "path": "x.xml", "xpath": "/a" }"#,
            "x.xml",
            "<a>",
            "plugins/demo/x.xml:1 error version-file",
            "invalid XML",
        ),
        (
            "\"x.py\"",
            "x.py",
            "V = 1\n",
            "plugins/demo/x.py:1 error version-file",
            "cannot locate the version",
        ),
        ("\"gone.py\"", "x", "", "plugins/demo/gone.py:1 error version-file", "does not exist"),
        (
            r#"{ "type": "generic", "path": "x.py" }"#,
            "x.py",
            "V = 1\n",
            "plugins/demo/x.py:1 error version-file",
            "has no version where the configuration looks for one",
        ),
    ] {
        let folder = with_extra(entry, &[(path, text)]);
        let at = folder.path();
        let mut lines = found(at, &["--fix"]);
        // A file that is new is a change.
        lines.retain(|line| !line.ends_with(" info unreleased"));
        assert_eq!(lines, [place], "{entry}");
        let message = message(at, "version-file", &[]);
        assert!(message.contains(sentence), "{entry}: {message}");
    }
}

#[test]
fn a_changelog_that_automation_will_write_is_not_missed() {
    let folder = repository();
    let at = folder.path();
    std::fs::remove_file(at.join("plugins/demo/HISTORY.md")).unwrap();
    assert_eq!(found(at, &[]), ["plugins/demo/HISTORY.md:1 error changelog-missing"]);
    git(at, &["tag", "-d", "demo-plugin-v1.4.0"]);
    assert_eq!(found(at, &[]), ["plugins/demo/.claude-plugin/plugin.json:1 info first-release"]);
}
