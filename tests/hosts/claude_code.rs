//! Claude Code shows what the emitted bundle does there, with a model that speaks Anthropic Messages.

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::model::{after, agent, command_under, done, holds, lacks, last_result, main};
use super::stage::{CHECKER, DEMO, DESIGNER, OWN, Stage, instructions, invoke, tools};
use crate::support::hosts::real_hosts;

const HOST: &str = "claude-code";

fn skill(name: &str) -> ModelReply {
    ModelReply::call("Skill", json!({ "skill": name }))
}

pub(super) fn shell(command: &str) -> ModelReply {
    ModelReply::call("Bash", json!({ "command": command, "description": "runs it" }))
}

pub(super) fn dispatch(name: &str, task: &str) -> ModelReply {
    ModelReply::call(
        "Agent",
        json!({ "subagent_type": name, "description": "works", "prompt": task, "run_in_background": false }),
    )
}

/// A step that runs the command under a heading of the text that has just come.
pub(super) fn run_command(heading: &'static str) -> ScriptStep {
    ScriptStep::compute(move |request| Ok(shell(&command_under(&request.latest_text(), heading)?)))
}

#[test]
fn a_skill_gets_its_arguments() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let body = done().expects([
        "All the words: Ada \"the long pier\"",
        "The guest is Ada and is met at the long pier; the second word is the long pier.",
        "Say good evening, and say where the keys are.",
    ]);
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:greet", "Ada \"the long pier\""), script));
}

#[test]
fn a_command_dispatches_an_agent_by_its_qualified_name() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let child = ScriptStep::reply(ModelReply::text("lamp checked: 2 wrong lines"))
        .expects(["the task is `field notes.txt`"])
        .expects_that(|request| match tools(request)[..] {
            ["Grep", "Read"] => Ok(()),
            ref others => Err(format!("the agent may use {others:?}")),
        });
    let first = ScriptStep::reply(dispatch("demo:review:checker", "the task is `field notes.txt`"))
        .expects(["Dispatch the `demo:review:checker` agent with the file `field notes.txt`"])
        .expects(["demo:review:checker: Checks one file and reports what is wrong with it"]);
    let script = ModelScript::default()
        .with_conversation(agent(&instructions(CHECKER), child))
        .with_conversation(main().then(first).then(after("lamp checked: 2 wrong lines", done())));
    let transcript = stage.play(stage.session(invoke("demo:team:audit", "field notes.txt"), script));
    assert_eq!(transcript.requests("agent").count(), 1);
}

#[test]
fn bundled_scripts_run_by_the_commands_that_the_texts_give() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let script = ModelScript::default().with_conversation(
        main()
            .then(ScriptStep::reply(skill("demo:measure")))
            .then(run_command("# Measure"))
            .then(after("lines: 3 in field notes.txt", ScriptStep::reply(skill("demo:tally"))))
            .then(run_command("# Tally"))
            .then(after("tally: 3 lines with gull in ./logs/field notes.txt", done())),
    );
    let mut session = stage.session(SessionOpening::Prompt("how long are my notes?".to_owned()), script);
    session.allowed_tools = vec!["Skill".to_owned(), "Bash".to_owned()];
    stage.play(session);
}

#[test]
fn who_may_start_a_skill_is_kept() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let first = ScriptStep::reply(skill("demo:publish"))
        .expects(["- demo:house-style: How the log is written."])
        .expects_that(|request| lacks(&request.all_text(), "- demo:publish"));
    let refused = ScriptStep::reply(skill("demo:house-style"))
        .expects_that(|request| holds(&last_result(request), "disable-model-invocation"))
        .expects_that(|request| lacks(&request.all_text(), "Only a person decides"));
    let taken = done().expects(["Every line of the log begins with the hour in four digits."]);
    let script = ModelScript::default().with_conversation(main().then(first).then(refused).then(taken));
    let mut session = stage.session(SessionOpening::Prompt("write the log".to_owned()), script);
    session.allowed_tools = vec!["Skill".to_owned()];
    stage.play(session);

    let body = done().expects(["Only a person decides that the log goes out tonight."]);
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:publish", ""), script));

    let refused = stage.play(stage.session(invoke("demo:house-style", ""), ModelScript::default()));
    assert!(refused.exchange.received.is_empty());
    let output = format!("{:?}", refused.events);
    assert!(output.contains("can only be invoked by Claude"), "{output}");
}

#[test]
fn a_command_in_a_text_has_run_when_the_text_comes() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let body = done().expects(["The newest entry: beacon-is-lit"]);
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:standup", ""), script));
}

#[test]
fn refine_lists_its_sessions() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, OWN);
    let script = ModelScript::default().with_conversation(
        main()
            .then(run_command("## list").expects(["Arguments: list"]))
            .then(after("high-tide\trunning\t", done())),
    );
    // The skill's own `allowed-tools` lets its script run.
    stage.play(stage.session(invoke("refine:loops", "list"), script));
}

#[test]
fn refine_dispatches_its_designer() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, OWN);
    let child = ScriptStep::reply(ModelReply::text("the design"));
    let first = ScriptStep::reply(dispatch("refine:robot-mode-designer", "the tool is ./lamp"))
        .expects(["Arguments: ./lamp out:plan.md", "Dispatch `refine:robot-mode-designer`"]);
    let script = ModelScript::default()
        .with_conversation(agent(&instructions(DESIGNER), child.expects(["the tool is ./lamp"])))
        .with_conversation(main().then(first).then(after("the design", done())));
    stage.play(stage.session(invoke("refine:robot-mode", "./lamp out:plan.md"), script));
}
