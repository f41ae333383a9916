//! 17: variables of the environment in a server's arguments. The source host fills those that are set and leaves the others
//! as they are written; the bundles' servers get the same words.

use plugcast::drivers::script::{ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::model::{done, holds, lacks, last_result, main};
use super::stage::Stage;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::tree::Tree;

const SERVER: &str = include_str!("../fixtures/e2e/harbour/servers/tide.sh");

fn fills(hosts: &Hosts, host: &'static str, call: ModelReply, allowed: &[&str]) {
    let server = json!({
        "command": "${CLAUDE_PLUGIN_ROOT}/servers/tide.sh",
        "args": ["--port", "it's ${QUAY_UNSET} by ${HOME} in ${QUAY_WIND:-west wind}"],
    });
    let tree = Tree::new()
        .file(".claude-plugin/plugin.json", r#"{ "name": "harbour" }"#)
        .file("skills/look/SKILL.md", "---\nname: look\ndescription: Looks out.\n---\nLook.\n")
        .file(".mcp.json", json!({ "mcpServers": { "tide": server } }).to_string())
        .script("servers/tide.sh", SERVER);
    let stage = Stage::of_source(hosts, host, &tree);
    let filled = |request: &ModelRequest| {
        let result = last_result(request);
        // The answer comes as text within JSON, or within an escaped one.
        let result = result.replace('\\', "");
        holds(&result, "the tide at it's ${QUAY_UNSET} ")?;
        holds(&result, "in west wind is high")?;
        lacks(&result, "${HOME}")
    };
    let script = ModelScript::default()
        .with_conversation(main().then(ScriptStep::reply(call)).then(done().expects_that(filled)));
    let mut session = stage.session(SessionOpening::Prompt("is the tide in?".to_owned()), script);
    session.allowed_tools = allowed.iter().map(|tool| (*tool).to_owned()).collect();
    stage.play(session);
}

#[test]
fn claude_code_fills_variables_of_a_server() {
    let hosts = real_hosts!();
    let tool = "mcp__plugin_harbour_tide__level";
    fills(&hosts, "claude-code", ModelReply::call(tool, json!({})), &[tool]);
}

#[test]
fn codex_fills_variables_of_a_server_by_a_shell() {
    let hosts = real_hosts!();
    fills(&hosts, "codex", ModelReply::call_in("mcp__tide", "level", json!({})), &[]);
}

#[test]
fn opencode_fills_variables_of_a_server() {
    let hosts = real_hosts!();
    fills(&hosts, "opencode", ModelReply::call("plugin_harbour_tide_level", json!({})), &[]);
}
