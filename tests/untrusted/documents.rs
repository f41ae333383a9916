//! 7: documents of hooks and servers, and texts of components, as the source host takes them: what it does not load, no other
//! host gets, and what guards a plugin there is never lost without a word.

use serde_json::Value;

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

const BLOCK: &str = r#"[{ "hooks": [{ "type": "command", "command": "exit 2" }] }]"#;

/// A document of a plugin, and what the source host (2.1.330) makes of it.
pub struct Document {
    /// Its place.
    pub path: &'static str,
    /// Its text, with `BLOCK` for a group of a hook that blocks.
    pub text: &'static str,
    /// Whether the plugin is loaded at all.
    pub loaded: bool,
    /// The servers that the host lists.
    pub servers: &'static [&'static str],
}

impl Document {
    /// Its text.
    pub fn text(&self) -> String {
        self.text.replace("BLOCK", BLOCK)
    }
}

const fn hooks(text: &'static str, loaded: bool) -> Document {
    Document { path: "hooks/hooks.json", text, loaded, servers: &[] }
}

const fn servers(text: &'static str, servers: &'static [&'static str]) -> Document {
    Document { path: ".mcp.json", text, loaded: true, servers }
}

pub const DOCUMENTS: &[Document] = &[
    hooks(
        r#"{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "comand", "command": "true" }] }] } }"#,
        false,
    ),
    hooks(r#"{ "hooks": { "PermissionRequest": [{ "hooks": [{ "command": "true" }] }] } }"#, false),
    hooks(r#"{ "hooks": { "PreToolUse": { "hooks": [] } } }"#, false),
    hooks(r#"{ "hooks": { "hooks": { "PreToolUse": BLOCK } } }"#, false),
    hooks(r#"{ "PreToolUse": BLOCK }"#, false),
    hooks(
        r#"{ "hooks": { "PostToolUse": [{ "hooks": [{ "type": "comand", "command": "true" }] }] } }"#,
        true,
    ),
    hooks(r#"{ "hooks": { "hooks": { "PostToolUse": BLOCK } } }"#, true),
    hooks("\u{feff}{ \"hooks\": { \"PreToolUse\": BLOCK } }", true),
    servers("\u{feff}{ \"mcpServers\": { \"marked\": { \"command\": \"m\" } } }", &[]),
    servers(
        r#"{ "mcpServers": { "lost": { "command": "x" } }, "mcpServers": { "b": { "command": "y", "command": "z" } } }"#,
        &["b"],
    ),
    servers(
        r#"{ "mcpServers": { "plain": { "command": "aa", "url": "http://127.0.0.1:9/a" },
            "http": { "type": "http", "command": "bb", "url": "http://127.0.0.1:9/b" },
            "stdio": { "type": "stdio", "command": "cc", "url": "http://127.0.0.1:9/c" } } }"#,
        &["http", "plain", "stdio"],
    ),
];

/// Builds the plugin with one document; the results by host.
fn built(document: &Document, more: &[&str]) -> (Option<i32>, String, Tree) {
    let folder = demo().file(&format!("in/{}", document.path), document.text()).temporary();
    let arguments = ["build", "in", "--to", "all", "--out", "out"];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    let finished = Plugcast::new(folder.path(), &arguments).run();
    let out = folder.path().join("out");
    let out = if out.exists() { Tree::read(&out) } else { Tree::new() };
    (finished.code, finished.stdout + &finished.stderr, out)
}

fn json(out: &Tree, path: &str) -> Value {
    out.get(path).map_or(Value::Null, |entry| serde_json::from_str(&entry.text()).expect("JSON"))
}

/// The rest was carried, and what was lost was of class `behavior`.
#[test]
fn case_7_a_hook_that_cannot_be_loaded_and_may_guard_is_a_loss_of_class_security() {
    for document in DOCUMENTS.iter().filter(|document| !document.loaded) {
        let (code, told, out) = built(document, &[]);
        assert_eq!(code, Some(1), "{}: {told}", document.text);
        let expected = "until then the source host refuses the whole plugin";
        let is_named = told.contains(expected) || document.text.starts_with("{ \"PreToolUse");
        assert!(is_named, "{}: {told}", document.text);
        let ledger = json(&out, "codex/.plugcast/ledger.json");
        let security = ledger["summary"]["losses"]["security"].as_u64();
        assert!(security > Some(0), "{}: {}", document.text, ledger["summary"]);
    }
}

#[test]
fn case_7_no_host_gets_a_server_or_hook_that_the_source_host_does_not_load() {
    for document in DOCUMENTS.iter().filter(|document| document.loaded) {
        let (_, told, out) = built(document, &[]);
        let servers = json(&out, "codex/plugins/demo/.mcp.json");
        let mut names: Vec<String> =
            servers["mcpServers"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        names.sort();
        assert_eq!(names, document.servers, "{}: {told}", document.text);
        let hooks = json(&out, "codex/plugins/demo/hooks/hooks.json");
        assert!(hooks.is_null(), "{}: {hooks}", document.text);
        for (name, server) in servers["mcpServers"].as_object().into_iter().flatten() {
            let is_remote = name == "http";
            let starts = server["command"].is_string();
            assert!(server["url"].is_string() == is_remote && starts != is_remote, "{name}: {server}");
        }
    }
}

/// Both were carried.
#[test]
fn case_7_of_an_event_that_is_given_twice_the_last_one_counts() {
    let command =
        |name: &str| format!(r#"[{{ "hooks": [{{ "type": "command", "command": "echo {name}" }}] }}]"#);
    let text = format!(r#"{{ "hooks": {{ "Stop": {}, "Stop": {} }} }}"#, command("first"), command("last"));
    let folder = demo().file("in/hooks/hooks.json", text).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    for path in ["codex/plugins/demo/hooks/hooks.json", "claude-code/plugins/demo/hooks/hooks.json"] {
        let stop = &json(&out, path)["hooks"]["Stop"];
        assert!(stop.to_string().contains("echo last"), "{path}: {stop}");
        assert!(!stop.to_string().contains("echo first"), "{path}: {stop}");
    }
    let data = out.get("opencode/plugins/demo/plugcast.plugin.json").expect("the data").text();
    assert!(data.contains("echo last") && !data.contains("echo first"), "{data}");
}

/// On the source host the one that counts was taken out of the document with the one that does not.
#[test]
fn case_7_of_a_server_that_is_given_twice_the_last_one_counts() {
    let text = r#"{ "mcpServers": { "a": { "command": "first" }, "b": { "command": "b" }, "a": { "command": "last" } } }"#;
    let folder = demo().file("in/.mcp.json", text).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    for host in ["claude-code", "codex"] {
        let servers = &json(&out, &format!("{host}/plugins/demo/.mcp.json"))["mcpServers"];
        assert_eq!(servers["a"]["command"], "last", "{host}: {servers}");
        assert_eq!(servers["b"]["command"], "b", "{host}: {servers}");
    }
}

/// The source host skips what is larger; it was carried to all hosts.
#[test]
fn case_8_a_component_of_more_than_a_mebibyte_is_an_error_with_a_row() {
    let head = "---\ndescription: Says it\n---\n\n";
    let text = |length: usize| format!("{head}{}\n", "x".repeat(length - head.len() - 1));
    let limit = 1_048_576;
    let folder = demo()
        .file("in/skills/large/SKILL.md", text(limit + 1))
        .file("in/commands/big.md", text(limit + 1))
        .file("in/agents/huge.md", text(limit + 1))
        .file("in/commands/fit.md", text(limit))
        .temporary();
    let finished =
        Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(1);
    let out = Tree::read(&folder.path().join("out"));
    for host in ["claude-code", "codex", "opencode"] {
        let ledger = json(&out, &format!("{host}/.plugcast/ledger.json"));
        let rows = ledger["rows"].as_array().expect("rows");
        for path in ["skills/large/SKILL.md", "commands/big.md", "agents/huge.md"] {
            assert!(finished.stderr.contains(path), "{}", finished.stderr);
            let lost = |row: &&Value| {
                row["path"] == path && row["outcome"] == "dropped" && row["loss"]["id"].is_string()
            };
            assert!(rows.iter().any(|row| lost(&row)), "{host}: {path}");
        }
        let kept = |(path, _): (&str, _)| path.starts_with(host) && path.contains("/fit");
        assert!(host == "opencode" || out.entries().any(kept), "{host}");
    }
}

/// The source host refuses the whole plugin, and its hooks would be live on the others.
#[test]
fn case_7_wrong_types_within_lists_of_a_manifest_are_errors_and_go_to_no_host() {
    for field in [
        "\"hooks\": [\"./h.json\", 5]",
        "\"hooks\": [[\"./h.json\"]]",
        "\"mcpServers\": [\"./m.json\", null]",
        "\"lspServers\": [\"./l.json\", 5]",
        "\"outputStyles\": [\"./o\", 5]",
        "\"experimental\": { \"monitors\": 5 }",
        "\"commands\": { \"c\": { \"source\": 5 } }",
    ] {
        let manifest = format!("{{ \"name\": \"demo\", \"version\": \"1.0.0\",\n{field} }}\n");
        let hook = "{ \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }] } }";
        let folder =
            demo().file("in/.claude-plugin/plugin.json", manifest).file("in/h.json", hook).temporary();
        let build = ["build", "in", "--to", "all", "--out", "out"];
        let built = Plugcast::new(folder.path(), &build).run().expect_code(1);
        let is_refused = built.stderr.lines().any(|line| line.starts_with("error[manifest-"));
        assert!(
            is_refused && built.stderr.contains(".claude-plugin/plugin.json:2:"),
            "{field}: {}",
            built.stderr
        );
        let out = Tree::read(&folder.path().join("out"));
        let manifests = out.entries().filter(|(path, _)| path.ends_with("plugin.json"));
        for (path, entry) in manifests {
            let text = entry.text();
            assert!(!text.contains(", 5]") && !text.contains(": 5"), "{field}: {path}: {text}");
        }
    }
}
