//! 17/6: what Codex makes of manifests of others: an author's own one that is merged into ours, and a root `plugin.json` of
//! the Agent Plugins specification, which would switch the host to another way of reading a plugin.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// Builds `source` and verifies the bundle, whose result is given back.
fn verified(hosts: &Hosts, folder: &TempDir, source: &Path) -> Value {
    let out = folder.path().join("out");
    let paths = [source, &out].map(|path| path.to_str().expect("UTF-8"));
    Plugcast::new(root(), &["build", paths[0], "--to", "codex", "--out", paths[1]]).run().expect_code(0);
    let binary = format!("codex={}", installation(hosts, "codex").binary.display());
    let arguments = ["verify", paths[1], "--host-bin", &binary, "--all", "--allow-exec", "--format", "json"];
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    serde_json::from_str(&finished.stdout).expect("JSON")
}

/// What the app server of the host lists in a fresh home to which the bundle's marketplace was added.
fn listed(hosts: &Hosts, folder: &TempDir, plugin: &str) -> Value {
    let host = installation(hosts, "codex");
    let home = folder.path().join("home");
    fs::create_dir_all(home.join(".codex")).expect("a folder");
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&host.binary);
        command.args(arguments).current_dir(&home).env_clear();
        command.env("PATH", &host.search_path).env("HOME", &home).env("CODEX_HOME", home.join(".codex"));
        command
    };
    let bundle = folder.path().join("out/codex");
    let added = [
        vec!["plugin", "marketplace", "add", bundle.to_str().expect("UTF-8")],
        vec!["plugin", "add", plugin],
    ];
    for arguments in added {
        let output = command(&arguments).output().expect("the host starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let mut server = command(&["app-server"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the host starts");
    let mut input = server.stdin.take().expect("standard input");
    let client = json!({ "name": "plugcast", "title": "plugcast", "version": "1" });
    let hello = json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } });
    for message in [
        json!({ "id": 1, "method": "initialize", "params": hello }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "plugin/list", "params": {} }),
    ] {
        writeln!(input, "{message}").expect("the host listens");
    }
    let lines = BufReader::new(server.stdout.take().expect("standard output")).lines();
    let answer = lines
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
        .find(|message| message["id"] == 2)
        .expect("an answer");
    drop(input);
    server.kill().expect("it can be ended");
    server.wait().expect("it ends");
    answer["result"].clone()
}

#[test]
fn codex_shows_what_the_authors_own_manifest_says() {
    let hosts = real_hosts!();
    let folder = Tree::new().temporary();
    // Away from this repository, whose settings name a marketplace.
    let source = folder.path().join("in");
    Tree::read(&root().join("tests/cases/own-manifest/in")).write(&source);
    let shown = verified(&hosts, &folder, &source);
    let plugin = &shown["hosts"][0]["plugins"][0];
    assert_eq!(plugin["observed"]["skills"], json!(["faces:smile"]), "{shown:#}");
    assert_eq!((&plugin["missing"], &plugin["errors"]), (&json!([]), &json!([])), "{shown:#}");

    let list = listed(&hosts, &folder, "faces@faces");
    assert_eq!(list["marketplaceLoadErrors"], json!([]));
    let faces = &list["marketplaces"][0]["plugins"][0];
    assert_eq!((&faces["installed"], &faces["enabled"]), (&json!(true), &json!(true)));
    let manifest = fs::read_to_string(root().join("tests/cases/own-manifest/in/.codex-plugin/plugin.json"));
    let manifest: Value = serde_json::from_str(&manifest.expect("the author's manifest")).expect("JSON");
    for key in
        ["displayName", "shortDescription", "developerName", "category", "capabilities", "defaultPrompt"]
    {
        assert_eq!(faces["interface"][key], manifest["interface"][key], "{key}");
    }
}

/// With this manifest in the bundle, the host showed none of the servers and hooks.
#[test]
fn codex_shows_all_of_a_source_with_a_manifest_of_agent_plugins() {
    let hosts = real_hosts!();
    let folder = Tree::new().temporary();
    let source = folder.path().join("in");
    let hook = |name: &str| json!([{ "hooks": [{ "type": "command", "command": format!("echo {name}") }] }]);
    let server = json!({ "command": "${CLAUDE_PLUGIN_ROOT}/serve.sh" });
    let own = json!({ "$schema": "https://agentplugins.org/schemas/1.0/plugin.json", "name": "kit" });
    Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("plugin.json", own.to_string())
        .file("skills/one/SKILL.md", "---\nname: one\ndescription: Does one thing\n---\n\nDo it.\n")
        .file("skills/two/SKILL.md", "---\nname: two\ndescription: Does two things\n---\n\nDo both.\n")
        .file(".mcp.json", json!({ "mcpServers": { "near": server, "far": server } }).to_string())
        .file("serve.sh", "#!/bin/sh\nexit 1\n")
        .file(
            "hooks/hooks.json",
            json!({ "hooks": { "SessionStart": hook("a"), "Stop": hook("b") } }).to_string(),
        )
        .write(&source);
    let out = folder.path().join("out");
    let paths = [&source, &out].map(|path| path.to_str().expect("UTF-8"));
    Plugcast::new(root(), &["build", paths[0], "--to", "codex", "--out", paths[1]]).run().expect_code(0);
    let binary = format!("codex={}", installation(&hosts, "codex").binary.display());
    let finished =
        Plugcast::new(root(), &["verify", paths[1], "--host-bin", &binary, "--format", "json"]).run();
    let shown: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let plugin = &shown["hosts"][0]["plugins"][0];
    let names = json!({
        "skills": ["kit:one", "kit:two"],
        "agents": [],
        "commands": [],
        "hooks": ["SessionStart/*/1", "Stop/*/1"],
        "mcp_servers": ["far", "near"],
    });
    assert_eq!((&plugin["observed"], &plugin["missing"]), (&names, &json!([])), "{shown:#}");
}
