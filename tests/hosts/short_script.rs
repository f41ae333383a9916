//! A host that asks its scripted model for more than the script has fails, and the report names what
//! was not scripted.

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::model::main;
use super::stage::{DEMO, Stage};
use crate::support::hosts::real_hosts;

/// The script calls a tool and says nothing to the request that brings its result.
fn run_short_of_a_step(stage: &Stage, call: ModelReply) {
    let script = ModelScript::default().with_conversation(main().then(ScriptStep::reply(call)));
    let mut session = stage.session(SessionOpening::Prompt("go".to_owned()), script);
    session.allowed_tools = vec!["Bash".to_owned()];
    let transcript = stage.run(session);
    let faults = transcript.faults();
    let unscripted = "conversation `main` has no step left for this request";
    assert!(faults.iter().any(|fault| fault == unscripted), "{faults:#?}");
    let output = format!("{:?}{}", transcript.events, transcript.stderr);
    assert!(
        output.contains("rejected by the scripted model: conversation `main` has no step left"),
        "{output}"
    );
    assert_ne!(transcript.code, Some(0), "{output}");
}

#[test]
fn claude_code_fails() {
    let hosts = real_hosts!();
    let call = ModelReply::call("Bash", json!({ "command": "true", "description": "does nothing" }));
    run_short_of_a_step(&Stage::new(&hosts, "claude-code", DEMO), call);
}

#[test]
fn codex_fails() {
    let hosts = real_hosts!();
    let call = ModelReply::call("exec_command", json!({ "cmd": "true" }));
    run_short_of_a_step(&Stage::new(&hosts, "codex", DEMO), call);
}

#[test]
fn opencode_fails() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "opencode", DEMO);
    let call = ModelReply::call("bash", json!({ "command": "true", "description": "does nothing" }));
    run_short_of_a_step(&stage, call);
}
