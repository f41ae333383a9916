//! OpenCode starts the servers that a plugin's module registers, unless the user does not want them.

use std::fs;

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::{Value, json};

use super::model::{after, done, main};
use super::opencode_hooks::stage;
use super::stage::{HARBOUR, Stage};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::tree::Tree;

/// A language server that keeps where its files lie, and finds fault with every file.
const LANGUAGE: &str = r#"#!/usr/bin/env node
require("fs").writeFileSync(process.env.CLAUDE_PROJECT_DIR + "/language.txt", process.argv[2] + "\n" + process.env.SHORE)
const send = (message) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message })
  process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\r\n\r\n" + text)
}
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } }
let data = ""
process.stdin.setEncoding("utf8").on("data", (more) => {
  data += more
  for (let found; (found = /Content-Length: (\d+)[^]*?\r\n\r\n/.exec(data)); ) {
    const end = found.index + found[0].length + Number(found[1])
    if (data.length < end) return
    const { id, method, params } = JSON.parse(data.slice(end - Number(found[1]), end))
    data = data.slice(end)
    if (method === "initialize") require("fs").writeFileSync(process.env.CLAUDE_PROJECT_DIR + "/initialized.json", JSON.stringify(params))
    if (method === "initialize") send({ id, result: { capabilities: { textDocumentSync: 1 } } })
    else if (id !== undefined && method) send({ id, result: null })
    if (method === "textDocument/didOpen" || method === "textDocument/didChange") {
      const diagnostics = [{ range, severity: 1, message: "no such bird on this shore" }]
      send({ method: "textDocument/publishDiagnostics", params: { uri: params.textDocument.uri, version: params.textDocument.version, diagnostics } })
    }
  }
})
"#;

fn harbour(hosts: &Hosts) -> Stage {
    let path = root().join(HARBOUR).join("servers/tide.sh");
    let tide = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let files = Tree::new().script("servers/tide.sh", tide).script("servers/language.cjs", LANGUAGE);
    let tide = json!({ "type": "local", "command": ["./servers/tide.sh", "--port", "${SIDE:-north}"] });
    let language = json!({
        "command": ["${CLAUDE_PLUGIN_ROOT}/servers/language.cjs", "${CLAUDE_PLUGIN_ROOT}"],
        "extensions": [".txt"],
        "env": { "SHORE": "${SIDE:-north}" },
    });
    let data = json!({ "mcp": { "plugin:harbour:tide": tide }, "lsp": { "plugin:harbour:notes": language } });
    stage(hosts, &[("harbour", data)], &files)
}

fn go() -> SessionOpening {
    SessionOpening::Prompt("go".to_owned())
}

#[test]
fn a_server_of_the_bundle_answers_a_call() {
    let hosts = real_hosts!();
    let stage = harbour(&hosts);
    let call = ScriptStep::reply(ModelReply::call("plugin_harbour_tide_level", json!({})));
    let script = ModelScript::default()
        .with_conversation(main().then(call).then(after("the tide at north is high", done())));
    stage.play(stage.session(go(), script));
}

#[test]
fn a_server_that_the_user_turned_off_stays_off() {
    let hosts = real_hosts!();
    let stage = harbour(&hosts);
    let off = done().expects_that(|request| match request.tool("plugin_harbour_tide_level") {
        Some(_) => Err("the tool of the server is offered".to_owned()),
        None => Ok(()),
    });
    let mut session = stage.session(go(), ModelScript::default().with_conversation(main().then(off)));
    let config = json!({ "mcp": { "plugin:harbour:tide": { "enabled": false } } });
    session.environment = vec![("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string())];
    stage.play(session);
}

#[test]
fn a_language_server_finds_fault_with_a_file() {
    let hosts = real_hosts!();
    let stage = harbour(&hosts);
    let write = |name: &str| {
        ScriptStep::reply(ModelReply::call("write", json!({ "filePath": name, "content": "tern\n" })))
    };
    let script = ModelScript::default().with_conversation(
        main().then(write("new notes.txt")).then(after("no such bird on this shore", done())),
    );
    stage.play(stage.session(go(), script));
    let told = fs::read_to_string(stage.project().join("language.txt")).expect("the server ran");
    let folder: Value = stage.bundle.join("plugins/harbour").to_str().into();
    assert_eq!(told.lines().collect::<Vec<_>>(), [folder.as_str().unwrap_or_default(), "north"]);
}

/// The whole way: a plugin's `.lsp.json`, built, and a file of its language that the host opens.
#[test]
fn a_language_server_of_a_built_plugin_is_initialized() {
    let hosts = real_hosts!();
    let servers = json!({ "notes": {
        "command": "${CLAUDE_PLUGIN_ROOT}/servers/language.cjs",
        "args": ["${CLAUDE_PLUGIN_ROOT}"],
        "extensionToLanguage": { ".tide": "tide-notes" },
        "initializationOptions": { "words": ["${CLAUDE_PLUGIN_ROOT}/words.txt"], "strict": true },
        "env": { "SHORE": "${SIDE:-north}" },
    } });
    let source = Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"harbour\" }\n")
        .file(".lsp.json", servers.to_string())
        .file("words.txt", "tern\n")
        .script("servers/language.cjs", LANGUAGE);
    let stage = Stage::of_source(&hosts, "opencode", &source);
    let write =
        ScriptStep::reply(ModelReply::call("write", json!({ "filePath": "new.tide", "content": "tern\n" })));
    let script = ModelScript::default()
        .with_conversation(main().then(write).then(after("no such bird on this shore", done())));
    stage.play(stage.session(go(), script));
    let folder = stage.bundle.join("plugins/harbour");
    let folder = folder.to_str().expect("the folder is UTF-8");
    let told = fs::read_to_string(stage.project().join("language.txt")).expect("the server ran");
    assert_eq!(told.lines().collect::<Vec<_>>(), [folder, "north"]);
    let text =
        fs::read_to_string(stage.project().join("initialized.json")).expect("the host said `initialize`");
    let params: Value = serde_json::from_str(&text).expect("JSON");
    let options = json!({ "words": [format!("{folder}/words.txt")], "strict": true });
    assert_eq!(params["initializationOptions"], options, "{params:#}");
    assert!(params["rootUri"].is_string() && params["capabilities"].is_object(), "{params:#}");
}
