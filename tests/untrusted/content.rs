//! 7: what a host refuses is not written; and 13: a result that cannot be written is a failure.

use std::fs;

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn case_7_json_that_hosts_refuse_is_not_copied() {
    for (servers, expected, place) in [
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\u{1}b\"}}}", "control character", ".mcp.json:1:"),
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\tb\"}}}", "control character", ".mcp.json:1:"),
        ("{\"mcpServers\":{\"x\":\n{\"command\":\"it\\'s\"}}}", "invalid escape", ".mcp.json:2:"),
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\",\"timeout\":1.}}}", "invalid number", ".mcp.json:1:"),
    ] {
        let folder = demo().file("in/.mcp.json", servers).temporary();
        let finished = Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"])
            .run()
            .expect_code(1);
        for expected in [expected, place, "error[json-syntax]"] {
            assert!(finished.stderr.contains(expected), "`{expected}` is missing in {}", finished.stderr);
        }
        for (path, _) in Tree::read(&folder.path().join("out")).entries() {
            assert!(!path.ends_with("/.mcp.json"), "{path} is written");
        }
    }
}

#[test]
fn case_13_a_result_that_cannot_be_written_is_a_failure() {
    let folder = demo().temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run().expect_code(0);
    let line = "\"$0\" \"$@\" > /dev/full";
    for arguments in [
        &["targets"][..],
        &["rules"],
        &["check", "in"],
        &["--help"],
        &["build", "in", "--to", "codex", "--out", "out"],
        &["man"],
    ] {
        let finished = Plugcast::new(folder.path(), arguments).below("sh", &["-c", line]).run();
        assert_eq!(finished.code, Some(2), "{arguments:?}: {}", finished.stderr);
    }
    let closed = "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}";
    Plugcast::new(folder.path(), &["targets"]).below("bash", &["-c", closed]).run().expect_code(0);
}

#[test]
fn case_7_the_same_in_a_manifest_leaves_the_old_bundle() {
    let folder = demo().temporary();
    let build = || Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run();
    build().expect_code(0);
    let manifest = folder.path().join("in/.claude-plugin/plugin.json");
    fs::write(manifest, "{\"name\":\"demo\",\"version\":\"1.0.0\",\"description\":\"a\u{1}b\"}").unwrap();
    build().expect_code(1);
}

#[test]
fn case_7_a_character_that_some_readers_refuse_is_written_so_that_all_take_it() {
    // The source host reads it as it is; Codex and OpenCode refuse the frontmatter.
    let text = "---\nname: t\ndescription: Says\u{ffff} it\n---\n\nSay it.\n";
    let folder = demo().file("in/skills/t/SKILL.md", text).temporary();
    let finished =
        Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    assert!(finished.stderr.contains("warning[yaml-dialect]"), "{}", finished.stderr);
    for host in ["claude-code", "codex", "opencode"] {
        let out = Tree::read(&folder.path().join("out").join(host));
        let entry = out.entries().find(|(path, _)| path.ends_with("skills/t/SKILL.md"));
        let (_, entry) = entry.unwrap_or_else(|| panic!("{host}: the skill is there"));
        assert!(entry.text().ends_with("\nSay it.\n"), "{host}: {}", entry.text());
        assert!(entry.text().contains("\ndescription: \"Says\\uffff it\"\n"), "{host}: {}", entry.text());
    }
}

#[test]
fn case_7_values_that_the_source_host_drops_are_errors_with_a_row_and_go_to_no_host() {
    for (path, text, rule) in [
        (".mcp.json", r#"{ "mcpServers": { "x": { "command": "x", "args": [1] } } }"#, "mcp-shape"),
        (".mcp.json", r#"{ "mcpServers": { "x": { "command": "x", "env": { "K": 1 } } } }"#, "mcp-shape"),
        (".mcp.json", r#"{ "mcpServers": { "x": { "command": "x", "env": { "K": 1e999 } } } }"#, "mcp-shape"),
        (".mcp.json", r#"{ "mcpServers": { "x": { "command": "x", "type": "sdk" } } }"#, "mcp-transport"),
        (".mcp.json", r#"{ "mcpServers": { "__proto__": { "command": "x" } } }"#, "mcp-reserved-name"),
        (
            "hooks/hooks.json",
            r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x", "timeout": 1e999 }] }] } }"#,
            "hook-field",
        ),
    ] {
        let folder = demo().file(&format!("in/{path}"), text).temporary();
        let build = ["build", "in", "--to", "all", "--out", "out"];
        let built = Plugcast::new(folder.path(), &build).run().expect_code(1);
        let error = format!("error[{rule}]");
        assert!(
            built.stderr.contains(&error) && built.stderr.contains(&format!("{path}:1:")),
            "{}",
            built.stderr
        );
        let checked = Plugcast::new(folder.path(), &["check", "in", "--to", "all"]).run().expect_code(1);
        assert_eq!(checked.stdout.matches(&error).count(), 1, "{text}: {}", checked.stdout);
        let out = Tree::read(&folder.path().join("out"));
        for host in ["claude-code", "codex", "opencode"] {
            let ledger = format!("{host}/.plugcast/ledger.json");
            let (_, entry) = out.entries().find(|(path, _)| *path == ledger).expect("a ledger");
            let ledger: serde_json::Value = serde_json::from_str(&entry.text()).expect("JSON");
            let is_row = |row: &&serde_json::Value| {
                row["path"] == path && row["outcome"] == "dropped" && row["kind"] != "file"
            };
            assert!(
                ledger["rows"].as_array().expect("rows").iter().any(|row| is_row(&row)),
                "{host}: {text}"
            );
            let written = out
                .entries()
                .filter(|(path, _)| path.ends_with("/.mcp.json") || path.ends_with("/hooks.json"));
            let held = written.map(|(_, entry)| entry.text()).find(|text| text.contains("\"command\""));
            assert_eq!(held, None, "{host}: {text}");
        }
    }
}

#[test]
fn case_7_settings_that_are_not_json_are_an_error_and_not_copied() {
    for (path, text, expected) in [
        ("settings.json", "{\n\"agent\": \"a\u{1}b\"}", "settings.json:2:"),
        ("settings.json", "{ 'x': 01, }", "settings.json:1:"),
        ("settings.json", "{ \"a\": 1. }", "settings.json:1:"),
        ("settings.json", "{} // all", "settings.json:1:"),
        ("themes/dark.json", "{ \"a\": \"it\\'s\" }", "themes/dark.json:1:"),
        ("monitors/monitors.json", "[", "monitors/monitors.json:1:"),
    ] {
        let folder = demo().file(&format!("in/{path}"), text).temporary();
        let build = ["build", "in", "--to", "all", "--out", "out"];
        let built = Plugcast::new(folder.path(), &build).run().expect_code(1);
        assert!(
            built.stderr.contains("error[json-syntax]") && built.stderr.contains(expected),
            "{}",
            built.stderr
        );
        Plugcast::new(folder.path(), &["check", "in", "--to", "all"]).run().expect_code(1);
        let out = Tree::read(&folder.path().join("out"));
        let copied = out.entries().find(|(at, _)| at.ends_with(path));
        assert_eq!(copied.map(|(at, _)| at), None, "{text}");
        let kept = demo().file(&format!("in/{path}"), "{ \"agent\": \"s\" }\n").temporary();
        Plugcast::new(kept.path(), &build).run().expect_code(0);
        let out = Tree::read(&kept.path().join("out"));
        assert!(out.entries().any(|(at, _)| at == format!("claude-code/plugins/demo/{path}")), "{path}");
    }
}

#[test]
fn case_7_fields_of_a_marketplace_that_hosts_refuse_are_errors_with_a_row_and_go_to_no_host() {
    for (key, value) in
        [("category", "[]"), ("category", "[[\"a\"]]"), ("tags", "[[\"a\"]]"), ("version", "[1]")]
    {
        let field = format!("\"{key}\": {value}");
        let listing = format!(
            "{{ \"name\": \"shop\", \"owner\": {{ \"name\": \"a\" }}, \"plugins\": [\n{{ \"name\": \"demo\", \"source\": \"./\", {field} }},\n{{ \"name\": \"far\", \"source\": {{ \"source\": \"github\", \"repo\": \"a/b\" }}, {field} }}\n] }}\n"
        );
        let folder = demo().file("in/.claude-plugin/marketplace.json", listing).temporary();
        let build = ["build", "in", "--to", "all", "--out", "out"];
        let built = Plugcast::new(folder.path(), &build).run().expect_code(1);
        let checked = Plugcast::new(folder.path(), &["check", "in", "--to", "all"]).run().expect_code(1);
        for (expected, place) in
            [(&built.stderr, "marketplace.json:2:"), (&checked.stdout, "marketplace.json:3:")]
        {
            // Of one cause there is one finding with its other places.
            let places = expected.matches("error[manifest-field]").count()
                + expected.matches("more place with the same").count();
            assert_eq!(places, 2, "{field}: {expected}");
            assert!(expected.contains(place), "{field}: {expected}");
        }
        let out = Tree::read(&folder.path().join("out"));
        for (path, entry) in out.entries().filter(|(path, _)| path.ends_with("marketplace.json")) {
            let listing: serde_json::Value = serde_json::from_str(&entry.text()).expect("JSON");
            let wrong: serde_json::Value = serde_json::from_str(value).expect("JSON");
            for plugin in listing["plugins"].as_array().expect("plugins") {
                assert_ne!(plugin[key], wrong, "{path}: {field}");
            }
        }
        for host in ["claude-code", "codex", "opencode"] {
            let ledger = format!("{host}/.plugcast/ledger.json");
            let (_, entry) = out.entries().find(|(path, _)| *path == ledger).expect("a ledger");
            let ledger: serde_json::Value = serde_json::from_str(&entry.text()).expect("JSON");
            let rows = ledger["rows"].as_array().expect("rows").iter();
            let of = rows.filter(|row| {
                row["pointer"].as_str().is_some_and(|at| at.starts_with(&format!("/plugins/0/{key}")))
            });
            let outcomes: Vec<_> = of.map(|row| row["outcome"].as_str().unwrap_or_default()).collect();
            assert!(
                !outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == "dropped"),
                "{host}: {field}"
            );
        }
    }
    let own = "{ \"name\": \"demo\", \"version\": \"1.0.0\", \"category\": [] }\n";
    let folder = demo().file("in/.claude-plugin/plugin.json", own).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run();
    let listing =
        fs::read_to_string(folder.path().join("out/codex/.agents/plugins/marketplace.json")).unwrap();
    let listing: serde_json::Value = serde_json::from_str(&listing).expect("JSON");
    assert!(listing["plugins"][0]["category"].is_string(), "{listing:#}");
}
