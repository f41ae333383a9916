//! 7, 10, 13: what a build carries is what the real host takes, also where the source has values that it would drop
//! without a word, and `verify` judges what the host shows by what the frontmatter says, however it is written.

use serde_json::{Value, json};

use super::untrusted::verify;
use crate::support::hosts::real_hosts;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

fn demo() -> Tree {
    Tree::new().file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
}

/// What is wrong with servers; each is one that the source host drops.
const SERVERS: &[&str] = &[
    r#"{ "command": "x", "args": [1] }"#,
    r#"{ "command": "x", "args": null }"#,
    r#"{ "command": "x", "env": { "K": 1 } }"#,
    r#"{ "command": "x", "env": { "K": 1e999 } }"#,
    r#"{ "command": "x", "env": null }"#,
    r#"{ "command": "x", "timeout": "5" }"#,
    r#"{ "command": "x", "timeout": 1e999 }"#,
    r#"{ "command": "x", "timeout": 1.5 }"#,
    r#"{ "command": "x", "timeout": -5 }"#,
    r#"{ "command": "x", "alwaysLoad": "yes" }"#,
    r#"{ "command": "x", "type": 5 }"#,
    r#"{ "command": "x", "type": "sdk" }"#,
    r#"{ "type": "http", "url": "nope" }"#,
    r#"{ "type": "http", "url": "https://a.example/", "headers": { "K": 1 } }"#,
    r#"{ "type": "http", "url": "https://a.example/", "headersHelper": 5 }"#,
    r#"{ "type": "http", "url": "https://a.example/", "oauth": 5 }"#,
];

/// What is wrong with hooks; with one of them the source host loads nothing of the plugin.
const HOOKS: &[&str] = &[
    r#"{ "type": "command", "command": "x", "timeout": 1e999 }"#,
    r#"{ "type": "command", "command": "x", "asyncRewake": 5 }"#,
    r#"{ "type": "command", "command": "x", "rewakeMessage": 5 }"#,
    r#"{ "type": "http", "url": "nope" }"#,
    r#"{ "type": "http", "url": "https://a.example/", "headers": { "a": 1 } }"#,
    r#"{ "type": "http", "url": "https://a.example/", "allowedEnvVars": [1] }"#,
    r#"{ "type": "prompt", "prompt": "x", "model": 5 }"#,
    r#"{ "type": "prompt", "prompt": "x", "continueOnBlock": "x" }"#,
    r#"{ "type": "mcp_tool", "server": "x", "tool": "y", "input": 5 }"#,
];

#[test]
fn case_7_what_the_source_host_drops_is_an_error_and_the_rest_is_loaded() {
    let hosts = real_hosts!();
    let servers: Vec<String> =
        SERVERS.iter().enumerate().map(|(at, server)| format!("\"s{at}\": {server}")).collect();
    let good = r#""good": { "command": "x", "args": ["1"], "env": { "K": "1" }, "timeout": 3e3, "alwaysLoad": true }"#;
    let hook = |hook: &str| format!("{{ \"hooks\": [{hook}] }}");
    let mut groups: Vec<String> = HOOKS.iter().map(|bad| hook(bad)).collect();
    groups.push(hook(r#"{ "type": "command", "command": "x", "timeout": 1.5, "asyncRewake": false }"#));
    // The host ignores fields that a type does not have.
    groups.push(hook(r#"{ "type": "prompt", "prompt": "x", "args": [1], "async": 1 }"#));
    let tree = demo()
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .file("in/.mcp.json", format!("{{ \"mcpServers\": {{ {}, {good} }} }}", servers.join(", ")))
        .file(
            "in/hooks/hooks.json",
            format!("{{ \"hooks\": {{ \"PreToolUse\": [{}] }} }}", groups.join(", ")),
        );
    let folder = tree.temporary();
    let build = ["build", "in", "--to", "claude-code", "--out", "out"];
    let built = Plugcast::new(folder.path(), &build).run().expect_code(1);
    let errors = built.stderr.matches("error[").count();
    assert_eq!(errors, SERVERS.len() + HOOKS.len(), "{}", built.stderr);
    let finished = verify(&hosts, folder.path(), "claude-code", &["--format", "json"]);
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let plugin = &report["hosts"][0]["plugins"][0];
    assert_eq!(finished.code, Some(0), "{plugin:#}");
    assert_eq!(plugin["observed"]["mcp_servers"], json!(["plugin:demo:good"]), "{plugin:#}");
    assert_eq!(plugin["observed"]["hooks"], json!(["PreToolUse/*/10", "PreToolUse/*/11"]), "{plugin:#}");
    assert_eq!(plugin["observed"]["skills"], json!(["demo:s"]), "{plugin:#}");
}

#[test]
fn case_13_frontmatter_is_judged_as_the_host_reads_it_however_it_is_written() {
    let hosts = real_hosts!();
    let mut tree = demo();
    let texts = [
        ("indented", "---\n  name: indented\n  description: Says it\n---\nx\n"),
        ("returns", "---\r\r\nname: returns\r\r\ndescription: Says it\r\r\n---\r\r\nx\n"),
        ("quoted", "---\nname: quoted\n\"description\": Says it\n---\nx\n"),
        ("spaced", "---\nname: spaced\ndescription : Says it\n---\nx\n"),
        ("flow", "---\n{name: flow, description: Says it}\n---\nx\n"),
        ("escaped", "---\nname: escaped\n\"descr\\u0069ption\": Says it\n---\nx\n"),
        ("marked", "---\n--- !x\nname: marked\ndescription: Says it\n---\nx\n"),
        ("tagged", "---\n!x\nname: tagged\ndescription: Says it\n---\nx\n"),
        ("merged", "---\nname: merged\nbase: &b\n  description: Says it\n<<: *b\n---\nx\n"),
        ("asked", "---\nname: asked\n? description\n: Says it\n---\nx\n"),
        ("users", "---\nname: users\ndescription: Says it\n'disable-model-invocation' : true\n---\nx\n"),
    ];
    for (name, text) in texts {
        tree = tree.file(&format!("in/skills/{name}/SKILL.md"), text);
    }
    let folder = tree.temporary();
    let build = ["build", "in", "--to", "claude-code", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let finished = verify(&hosts, folder.path(), "claude-code", &["--format", "json"]);
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let plugin = &report["hosts"][0]["plugins"][0];
    assert_eq!(plugin["errors"], json!([]), "{plugin:#}");
    let seen = plugin["observed"]["skills"].as_array().expect("a list").len();
    assert_eq!((finished.code, seen), (Some(0), texts.len()), "{plugin:#}");
}

#[test]
fn case_10_a_server_with_a_name_of_several_lines_can_be_verified() {
    let hosts = real_hosts!();
    for name in ["con\ntrol", "a\"]\n[x", "back\\slash", "del\u{7f}"] {
        let servers = json!({ "mcpServers": { name: { "command": "x" } } });
        let folder = demo().file("in/.mcp.json", servers.to_string()).temporary();
        let build = ["build", "in", "--to", "codex", "--out", "out"];
        Plugcast::new(folder.path(), &build).run().expect_code(0);
        let finished = verify(&hosts, folder.path(), "codex", &[]);
        assert_eq!(finished.code, Some(0), "{name:?}: {}{}", finished.stdout, finished.stderr);
        assert!(finished.stdout.contains("1 server listed"), "{name:?}: {}", finished.stdout);
    }
}

/// The host's list was compared with the numbers of the source, and an honest build failed.
#[test]
fn case_3_a_hook_that_the_build_leaves_out_does_not_shift_those_behind_it() {
    let hosts = real_hosts!();
    let hooks = r#"{ "hooks": { "SessionStart": [{ "hooks": [
        { "type": "command", "command": "true", "timeout": "5" }, { "type": "command", "command": "true b" },
        { "type": "command", "command": "true c" } ] }] } }"#;
    let tree = demo()
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .file("in/hooks/hooks.json", hooks);
    for host in ["claude-code", "codex", "opencode"] {
        let folder = tree.temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run();
        let finished = verify(&hosts, folder.path(), host, &["--format", "json"]).expect_code(0);
        let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let plugin = &report["hosts"][0]["plugins"][0];
        assert_eq!(plugin["observed"]["hooks"], json!(["SessionStart/*/2", "SessionStart/*/3"]), "{host}");
        let method = if host == "opencode" { "resolved" } else { "listed" };
        assert_eq!(plugin["method"]["hooks"], method, "{host}: {plugin:#}");
    }
}
