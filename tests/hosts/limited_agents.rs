//! What an agent with a list of tools may do: on the source host, and on the hosts that get the list in their own form.

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::model::{done, holds, lacks, last_result, main};
use super::stage::{Stage, tools};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

/// How OpenCode begins to refuse what a rule denies.
const DENIED: &str = "The user has specified a rule which prevents you from using this specific tool call";

fn plugin(fields: &str) -> Tree {
    let agent =
        format!("---\nname: pilot\ndescription: Looks at charts.\n{fields}\n---\nYou are the pilot.\n");
    Tree::new().file(".claude-plugin/plugin.json", r#"{ "name": "watch" }"#).file("agents/pilot.md", agent)
}

/// The conversation of the agent, apart from that of the session.
fn pilot() -> Conversation {
    Conversation::new("pilot", |request| request.all_text().contains("You are the pilot."))
}

fn go() -> SessionOpening {
    SessionOpening::Prompt("go".to_owned())
}

#[test]
fn the_source_host_reads_nothing_in_the_parentheses_of_an_agents_tools() {
    let hosts = real_hosts!();
    for (fields, offered) in [
        ("tools: Bash(git:*), WebFetch(domain:example.com)", ["Bash", "WebFetch"]),
        (
            "tools: Bash, WebFetch, Read, Write\ndisallowedTools: Bash(rm:*), WebFetch(domain:example.com)",
            ["Read", "Write"],
        ),
    ] {
        let stage = Stage::of_source(&hosts, "claude-code", &plugin(fields));
        let child = done().expects_that(move |request: &ModelRequest| {
            let offered_now: Vec<&str> =
                tools(request).into_iter().filter(|tool| *tool != "DeferredToolPlaceholder").collect();
            if offered_now == offered { Ok(()) } else { Err(format!("{fields}: {offered_now:?}")) }
        });
        let call = super::claude_code::dispatch("watch:pilot", "look");
        let script = ModelScript::default()
            .with_conversation(pilot().then(child))
            .with_conversation(main().then(ScriptStep::reply(call)).then(done()));
        stage.play(stage.session(go(), script));
    }
}

#[test]
fn an_agent_fetches_from_its_domain_alone() {
    let hosts = real_hosts!();
    let stage = Stage::of_source(&hosts, "opencode", &plugin("tools: Read, WebFetch(domain:127.0.0.1)"));
    let fetch =
        |url: &str| ScriptStep::reply(ModelReply::call("webfetch", json!({ "url": url, "format": "text" })));
    let refused = |request: &ModelRequest| holds(&last_result(request), DENIED);
    let tried = |request: &ModelRequest| lacks(&last_result(request), DENIED);
    let child = pilot()
        .then(fetch("http://localhost/none"))
        .then(fetch("http://127.0.0.1/none").expects_that(refused))
        .then(fetch("http://127.0.0.1.localhost/none").expects_that(tried))
        .then(fetch("http://localhost/http://127.0.0.1/none").expects_that(refused))
        .then(done().expects_that(refused));
    let call = super::opencode::dispatch("watch:pilot", "look");
    let script = ModelScript::default()
        .with_conversation(child)
        .with_conversation(main().then(ScriptStep::reply(call)).then(done()));
    stage.play(stage.session(go(), script));
}

#[test]
fn an_agent_writes_below_its_folder_alone() {
    let hosts = real_hosts!();
    let stage =
        Stage::of_source(&hosts, "opencode", &plugin("tools: Read, Edit(./logs/**), Write(/logs/**)"));
    let write = |path: &str| {
        let path = stage.project().join(path);
        ScriptStep::reply(ModelReply::call("write", json!({ "filePath": path.to_str(), "content": "fog\n" })))
    };
    let child = pilot()
        .then(write("charts/fog.txt"))
        .then(write("logs/fog.txt").expects_that(|request| holds(&last_result(request), DENIED)))
        .then(done().expects_that(|request| lacks(&last_result(request), DENIED)));
    let call = super::opencode::dispatch("watch:pilot", "look");
    let script = ModelScript::default()
        .with_conversation(child)
        .with_conversation(main().then(ScriptStep::reply(call)).then(done()));
    stage.play(stage.session(go(), script));
    assert!(stage.project().join("logs/fog.txt").is_file() && !stage.project().join("charts").exists());
}
