//! Agents that are built into the source host: other hosts do not know their names, and run those that the block gives.

use plugcast::drivers::script::{Conversation, ModelReply, ModelScript, ScriptStep};
use serde_json::json;

use super::model::{after, between, done, holds, last_result, main};
use super::stage::{Stage, invoke};
use super::{codex, opencode};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

/// The message for the agent.
const TASK: &str = "look at the pier";

fn plugin() -> Tree {
    let text = "---\nname: look\ndescription: Looks.\n---\n\nCall `Task(subagent_type=\"Explore\")` once.\n";
    Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("skills/look/SKILL.md", text)
}

/// The conversation of the agent, apart from that of the session.
fn agent() -> Conversation {
    let is_agent = |request: &plugcast::drivers::script::ModelRequest| request.user_text().contains(TASK);
    Conversation::new("agent", is_agent).then(ScriptStep::reply(ModelReply::text("three gulls")))
}

#[test]
fn opencode_runs_the_agent_in_place_of_one_that_it_does_not_know() {
    let hosts = real_hosts!();
    let stage = Stage::of_source(&hosts, "opencode", &plugin());
    let unknown = ScriptStep::reply(opencode::dispatch("Explore", TASK));
    let given = ScriptStep::compute(|request| {
        holds(&last_result(request), "Unknown agent type: Explore")?;
        let text = request.all_text();
        Ok(opencode::dispatch(between(&text, "`task`, `Explore`: `", "`")?, TASK))
    });
    let script = ModelScript::default()
        .with_conversation(agent())
        .with_conversation(main().then(unknown).then(given).then(after("three gulls", done())));
    let transcript = stage.play(stage.session(invoke("kit:look", ""), script));
    assert_eq!(transcript.requests("agent").count(), 1);
}

#[test]
fn codex_runs_the_agent_in_place_of_one_that_it_does_not_know() {
    let hosts = real_hosts!();
    let stage = Stage::of_source(&hosts, "codex", &plugin());
    let spawn = |kind: &str| json!({ "message": TASK, "agent_type": kind });
    let unknown = ScriptStep::compute(move |request| codex::spawn(request, spawn("Explore")));
    let given = ScriptStep::compute(move |request| {
        holds(&last_result(request), "unknown agent_type 'Explore'")?;
        let (text, _) = codex::skill(request, "kit:look")?;
        codex::spawn(request, spawn(between(text, "`Explore`: `spawn_agent`, with the type `", "`")?))
    });
    let conversation = main().then(unknown).then(given).then(codex::wait());
    let script = ModelScript::default()
        .with_conversation(agent())
        .with_conversation(conversation.then(after("three gulls", done())));
    let transcript = stage.play(stage.session(invoke("kit:look", ""), script));
    assert_eq!(transcript.requests("agent").count(), 1);
}
