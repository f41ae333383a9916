//! 7: hooks and servers that the source host does not load are in no bundle, and those that it loads are;
//! `hosts::source_host` asks the real host about the same plugins.

use serde_json::Value;

use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// A plugin, and what the source host (2.1.330) loads of it.
pub struct Plugin {
    pub name: &'static str,
    /// Its files besides a skill; a hook of it writes `RAN-<name>-<letter>`.
    files: &'static [(&'static str, &'static str)],
    /// The letters of the hooks that run.
    pub hooks: &'static str,
    /// The servers that it lists.
    pub servers: &'static [&'static str],
    /// How many LSP servers it loads.
    pub language_servers: usize,
}

const MANIFEST: &str = ".claude-plugin/plugin.json";
const HOOKS: &str = "hooks/hooks.json";

const fn plugin(name: &'static str, files: &'static [(&'static str, &'static str)]) -> Plugin {
    Plugin { name, files, hooks: "", servers: &[], language_servers: 0 }
}

/// `@a` stands for the groups of a hook that writes its letter, `@s` for a server, `@l` for an LSP server.
pub const PLUGINS: &[Plugin] = &[
    Plugin { hooks: "a", ..plugin("plain", &[(HOOKS, r#"{"hooks":{"SessionStart":@a}}"#)]) },
    plugin("within", &[(HOOKS, r#"{"hooks":{"hooks":{"SessionStart":@a}}}"#)]),
    Plugin {
        hooks: "b",
        ..plugin(
            "beside",
            &[(HOOKS, r#"{"hooks":{"hooks":{"SessionStart":@a},"Other":5,"SessionStart":@b}}"#)],
        )
    },
    Plugin {
        hooks: "a",
        ..plugin("named", &[(MANIFEST, r#"{"name":"named","hooks":{"description":"x","SessionStart":@a}}"#)])
    },
    plugin("named-within", &[(MANIFEST, r#"{"name":"named-within","hooks":{"hooks":{"SessionStart":@a}}}"#)]),
    Plugin {
        hooks: "ac",
        ..plugin(
            "listed",
            &[
                (
                    MANIFEST,
                    r#"{"name":"listed","hooks":[{"SessionStart":@a},{"hooks":{"SessionStart":@b}},"./h.json"]}"#,
                ),
                ("h.json", r#"{"hooks":{"SessionStart":@c}}"#),
            ],
        )
    },
    plugin("no-description", &[(HOOKS, r#"{"description":5,"hooks":{"SessionStart":@a}}"#)]),
    plugin("no-modules", &[(HOOKS, r#"{"modules":5,"hooks":{"SessionStart":@a}}"#)]),
    Plugin {
        hooks: "a",
        ..plugin("other-keys", &[(HOOKS, r#"{"$schema":"x","foo":5,"hooks":{"SessionStart":@a}}"#)])
    },
    Plugin {
        hooks: "b",
        ..plugin("twice", &[(HOOKS, r#"{"hooks":{"SessionStart":@a,"SessionStart":@b}}"#)])
    },
    plugin("marked-hooks", &[(HOOKS, "\u{feff}{\"hooks\":{\"SessionStart\":@a}}")]),
    Plugin {
        servers: &["both", "number", "sure"],
        ..plugin(
            "addresses",
            &[(
                ".mcp.json",
                r#"{"mcpServers":{"both":{"command":"true","args":["0"],"url":"https://a.example/"},"number":{"command":"true","args":["1"],"url":5},"sure":{"type":"stdio","command":"true","args":["2"],"url":"https://a.example/"},"empty":{"command":"","url":"https://b.example/"}}}"#,
            )],
        )
    },
    Plugin { servers: &["a"], ..plugin("bare-servers", &[(".mcp.json", r#"{"a":@s}"#)]) },
    plugin("other-servers", &[(".mcp.json", r#"{"lspServers":{"a":@s}}"#)]),
    plugin("marked-servers", &[(".mcp.json", "\u{feff}{\"mcpServers\":{\"a\":@s}}")]),
    Plugin { language_servers: 1, ..plugin("language", &[(".lsp.json", r#"{"a":@l}"#)]) },
    plugin("marked-language", &[(".lsp.json", "\u{feff}{\"a\":@l}")]),
    plugin("wrapped-language", &[(".lsp.json", r#"{"lspServers":{"a":@l}}"#)]),
    plugin(
        "unknown-field",
        &[(".lsp.json", r#"{"a":@l,"b":{"command":"x","extensionToLanguage":{".x":"x"},"cwd":"."}}"#)],
    ),
    plugin(
        "wrong-value",
        &[(".lsp.json", r#"{"a":@l,"b":{"command":"x","extensionToLanguage":{".x":"x"},"env":{"A":5}}}"#)],
    ),
    plugin(
        "two-words",
        &[(".lsp.json", r#"{"a":{"command":"x --stdio","extensionToLanguage":{".x":"x"}}}"#)],
    ),
    plugin("no-dot", &[(".lsp.json", r#"{"a":{"command":"x","extensionToLanguage":{"x":"x"}}}"#)]),
    plugin(
        "no-time",
        &[(".lsp.json", r#"{"a":{"command":"x","extensionToLanguage":{".x":"x"},"startupTimeout":0}}"#)],
    ),
    Plugin {
        language_servers: 1,
        ..plugin(
            "every-field",
            &[(
                ".lsp.json",
                r#"{"a":{"command":"/x y","args":["a"],"extensionToLanguage":{".x":"x"},"transport":"stdio","env":{"A":"b"},"initializationOptions":5,"settings":[1],"workspaceFolder":"x","startupTimeout":5,"shutdownTimeout":5,"requestTimeout":5,"restartOnCrash":true,"maxRestarts":0,"diagnostics":false}}"#,
            )],
        )
    },
];

impl Plugin {
    /// The plugin in its folder.
    pub fn tree(&self) -> Tree {
        let manifest = format!("{{\"name\":\"{}\",\"version\":\"1.0.0\"}}", self.name);
        let skill = "---\nname: s\ndescription: Says it\n---\n\nSay it.\n";
        let start = Tree::new().file(MANIFEST, manifest).file("skills/s/SKILL.md", skill);
        self.files.iter().fold(start, |tree, (path, text)| {
            let mut text = text
                // Of two equal servers the host takes one.
                .replace("@s", &format!(r#"{{"command":"true","args":["{}"]}}"#, self.name))
                .replace("@l", r#"{"command":"x","extensionToLanguage":{".x":"x"}}"#);
            for letter in ["a", "b", "c"] {
                let groups = format!(
                    r#"[{{"hooks":[{{"type":"command","command":"echo RAN-{}-{letter}"}}]}}]"#,
                    self.name
                );
                text = text.replace(&format!("@{letter}"), &groups);
            }
            tree.file(path, text)
        })
    }
}

#[test]
fn case_7_what_the_source_host_does_not_load_is_in_no_bundle() {
    let mut wrong = Vec::new();
    for plugin in PLUGINS {
        let folder = Tree::new().temporary();
        plugin.tree().write(&folder.path().join("in"));
        let arguments = ["build", "in", "--to", "claude-code,opencode", "--out", "out"];
        let finished = Plugcast::new(folder.path(), &arguments).run();
        for host in ["claude-code", "opencode"] {
            let ledger = folder.path().join("out").join(host).join(".plugcast/ledger.json");
            let ledger = std::fs::read_to_string(ledger).expect("a ledger");
            let ledger: Value = serde_json::from_str(&ledger).expect("JSON");
            let rows = ledger["rows"].as_array().expect("rows");
            let carried = |kind: &str| {
                let rows = rows.iter().filter(|row| row["kind"] == kind && row["outcome"] != "dropped");
                rows.map(|row| row["name"].as_str().unwrap_or_default()).collect::<Vec<_>>()
            };
            let counts = (carried("hook").len(), carried("mcp-server"), carried("lsp-server").len());
            let mut wanted = (plugin.hooks.len(), plugin.servers.to_vec(), plugin.language_servers);
            wanted.1.sort_unstable();
            if counts != wanted {
                wrong.push(format!("{} on {host}: {counts:?}, not {wanted:?}", plugin.name));
            }
            // On another host a row tells of a field that this host alone does not know.
            let is_refused = host == "claude-code" && rows.iter().any(|row| row["outcome"] == "dropped");
            if is_refused && !finished.stderr.contains("-->") {
                wrong.push(format!("{} on {host}: nothing is said", plugin.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In a manifest events stand without a `hooks` around them; with one, the host refuses all of the plugin for a guard in it.
#[test]
fn case_7_hooks_inside_hooks_of_a_manifest_are_a_security_loss() {
    let manifest = r#"{"name":"demo","hooks":{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}}"#;
    let folder = super::demo().file("in/.claude-plugin/plugin.json", manifest).temporary();
    let finished = Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run();
    assert!(finished.expect_code(1).stderr.contains("refuses the whole plugin"));
    let ledger = folder.path().join("out/codex/.plugcast/ledger.json");
    let ledger = std::fs::read_to_string(ledger).expect("a ledger");
    assert!(ledger.contains("\"class\": \"security\""), "{ledger}");
}

/// The source host reads such a marketplace (2.1.330), and its shell runs a script of any size.
#[test]
fn case_7_a_marketplace_behind_a_mark_and_a_hook_script_of_any_size_are_carried() {
    let market = r#"{"name":"m","owner":{"name":"x"},"plugins":[{"name":"demo","source":"./demo"}]}"#;
    let script = format!("#!/bin/sh\n{}exit 0\n", "# a line that says nothing\n".repeat(50_000));
    let hooks = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/hooks/long.sh"}]}]}}"#;
    let folder = Tree::new()
        .file("in/.claude-plugin/marketplace.json", format!("\u{feff}{market}"))
        .file("in/demo/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("in/demo/hooks/hooks.json", hooks)
        .file("in/demo/hooks/long.sh", &script)
        .temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    for host in ["claude-code", "codex", "opencode"] {
        let path = format!("{host}/plugins/demo/hooks/long.sh");
        assert_eq!(out.get(&path).expect("the script is there").text(), script, "{host}");
    }
    let listed = out.get("claude-code/.claude-plugin/marketplace.json").expect("a marketplace").text();
    assert!(listed.starts_with('{'), "{listed}");
}

/// What it decides was looked for in scripts of up to 1 MiB alone, and the rest lost their `ask` without a row.
#[test]
fn case_7_the_decision_of_a_long_hook_script_is_a_security_loss() {
    let long = "# a line that says nothing\n".repeat(50_000);
    let decides = "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"ask\"}}'";
    for (name, script) in
        [("guard.sh", format!("{long}{decides}\n")), ("guard", format!("#!/bin/sh\n{long}{decides}\n"))]
    {
        let hooks = format!(
            r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{"type":"command","command":"sh ${{CLAUDE_PLUGIN_ROOT}}/hooks/{name}"}}]}}]}}}}"#
        );
        let folder = super::demo()
            .file("in/hooks/hooks.json", hooks)
            .file(&format!("in/hooks/{name}"), script)
            .temporary();
        let arguments = ["build", "in", "--to", "codex", "--out", "out", "--deny-loss", "security"];
        let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(1);
        let told = finished.stdout + &finished.stderr;
        assert!(told.contains("ignores the decision `ask`"), "{name}: {told}");
    }
}

/// The source host starts nothing of such a plugin, and leaves out its skills, until the user turns it on (2.1.330).
#[test]
fn case_3_a_plugin_that_is_off_at_first_is_a_loss_where_it_is_not() {
    for (value, code) in [("false", 1), ("true", 0)] {
        let manifest = format!("{{\"name\":\"demo\",\"version\":\"1.0.0\",\"defaultEnabled\":{value}}}");
        let folder = super::demo().file("in/.claude-plugin/plugin.json", manifest).temporary();
        for host in ["codex", "opencode"] {
            let arguments = ["build", "in", "--to", host, "--out", "out", "--deny-loss", "behavior"];
            let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(code);
            let told = finished.stdout + &finished.stderr;
            assert_eq!(told.contains("only when the user does"), code == 1, "{host}: {told}");
        }
    }
}
