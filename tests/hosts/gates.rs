//! The source host itself says for which calls the rule in a hook's `if` holds: `tests/module/gates.json`, to which the
//! module of OpenCode is held as well.

use std::collections::BTreeMap;
use std::fs;

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep, ToolCall};
use plugcast::drivers::session::SessionOpening;
use serde_json::{Value, json};

use super::model::{done, main};
use super::stage::Stage;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::tree::Tree;

/// A server with two tools.
const SERVER: &str = r#"import { createInterface } from "node:readline"
const tools = ["read", "write"].map((name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } }))
const answers = { initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tide", version: "1" } }), "tools/list": () => ({ tools }) }
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }))
})
"#;

/// A plugin with one hook for each rule, which writes what it is told into a file of its number; the first hook has no
/// rule, and refuses every call.
fn plugin(rules: &[String]) -> Tree {
    let handler = |at: usize, rule: Option<&String>| {
        let refusal = if rule.is_none() { "; echo stopped >&2; exit 2" } else { "" };
        let mut handler = json!({ "type": "command", "command": format!("cat >> \"$GATES/{at}\"{refusal}"), "timeout": 60 });
        if let Some(rule) = rule {
            handler["if"] = json!(rule);
        }
        handler
    };
    let ruled = rules.iter().enumerate().map(|(at, rule)| handler(at + 1, Some(rule)));
    let handlers: Vec<Value> = std::iter::once(handler(0, None)).chain(ruled).collect();
    let agent = "---\nname: looker\ndescription: Looks around.\ntools: Glob, Grep\n---\nLook.\n";
    let skill = "---\nname: berth\ndescription: Finds a berth.\n---\nLook.\n";
    let server = json!({ "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/server.mjs"] });
    Tree::new()
        .file(".claude-plugin/plugin.json", json!({ "name": "gates" }).to_string())
        .file("hooks/hooks.json", json!({ "hooks": { "PreToolUse": [{ "hooks": handlers }] } }).to_string())
        .file("agents/looker.md", agent)
        .file("skills/berth/SKILL.md", skill)
        .file("server.mjs", SERVER)
        .file(".mcp.json", json!({ "mcpServers": { "tide": server } }).to_string())
}

/// The rules that held for each of the calls, which a model makes one after the other.
fn asked(hosts: &Hosts, rules: &[String], calls: &[(String, Value)], agent: bool) -> Vec<Vec<String>> {
    let stage = Stage::of_source(hosts, "claude-code", &plugin(rules));
    let home = stage.project().with_file_name("home");
    let told = stage.project().with_file_name("told");
    fs::create_dir_all(&told).and_then(|()| fs::create_dir_all(&home)).expect("folders can be made");
    fs::create_dir_all(stage.project().join("src")).expect("it can be made");
    fs::write(stage.project().join("src/there.ts"), "x").expect("it can be written");
    let placed = |value: &Value| -> Value {
        let text = value.to_string();
        let text = text.replace("{project}", stage.project().to_str().expect("UTF-8"));
        serde_json::from_str(&text.replace("{home}", home.to_str().expect("UTF-8"))).expect("JSON")
    };
    let call = |(tool, input): &(String, Value)| {
        let call = ToolCall { namespace: None, name: tool.clone(), arguments: placed(input) };
        ScriptStep::reply(ModelReply::ToolCalls(vec![call]))
    };
    let conversation = calls.iter().fold(main(), |conversation, asked| conversation.then(call(asked)));
    let script = ModelScript::default().with_conversation(conversation.then(done()));
    let mut session = stage.session(SessionOpening::Prompt("go".to_owned()), script);
    let text = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    session.environment = vec![("GATES".to_owned(), text(&told)), ("HOME".to_owned(), text(&home))];
    if agent {
        session.arguments = ["--agent", "gates:looker"].map(str::to_owned).into();
    }
    stage.play(session);
    let ids = |at: usize| -> Vec<String> {
        let lines = fs::read_to_string(told.join(at.to_string())).unwrap_or_default();
        let told =
            lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a hook is told JSON"));
        told.map(|told| told["tool_use_id"].as_str().expect("an id").to_owned()).collect()
    };
    let places: BTreeMap<String, usize> = ids(0).into_iter().enumerate().map(|(at, id)| (id, at)).collect();
    assert_eq!(places.len(), calls.len(), "the first hook was told of every call");
    let mut held = vec![Vec::new(); calls.len()];
    for (at, rule) in rules.iter().enumerate() {
        for id in ids(at + 1) {
            held[places[&id]].push(rule.clone());
        }
    }
    held
}

#[test]
fn the_host_holds_rules_of_hooks_as_the_table_says() {
    let hosts = real_hosts!();
    let table: Value = serde_json::from_str(include_str!("../module/gates.json")).expect("the table is JSON");
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let rules = texts(&table["rules"]);
    // The session itself has no tools that look around; an agent has.
    for agent in [false, true] {
        let all = table["calls"].as_array().expect("calls").iter();
        let rows: Vec<&Value> =
            all.filter(|row| matches!(row["tool"].as_str(), Some("Glob" | "Grep")) == agent).collect();
        let calls: Vec<(String, Value)> = rows
            .iter()
            .map(|row| (row["tool"].as_str().expect("a tool").to_owned(), row["input"].clone()))
            .collect();
        let held = asked(&hosts, &rules, &calls, agent);
        for (row, held) in rows.iter().zip(held) {
            assert_eq!(held, texts(&row["holds"]), "{} {}", row["tool"], row["input"]);
        }
    }
}

#[test]
fn a_hook_with_a_rule_never_runs_for_an_event_without_tools() {
    let hosts = real_hosts!();
    let stage = Stage::of_source(
        &hosts,
        "claude-code",
        &Tree::new().file(".claude-plugin/plugin.json", r#"{ "name": "gates" }"#).file(
            "hooks/hooks.json",
            json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [
                { "type": "command", "command": "echo 'with a rule'", "if": "Bash" },
                { "type": "command", "command": "echo 'without a rule'", "if": "" },
            ] }] } })
            .to_string(),
        ),
    );
    let step = done()
        .expects(["without a rule"])
        .expects_that(|request| super::model::lacks(&request.all_text(), "with a rule"));
    stage.play(stage.session(
        SessionOpening::Prompt("go".to_owned()),
        ModelScript::default().with_conversation(main().then(step)),
    ));
}
