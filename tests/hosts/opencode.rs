//! OpenCode shows what the emitted bundle does there, with a model that speaks OpenAI chat completions.

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::model::{after, agent, between, command_under, done, holds, lacks, last_result, main};
use super::stage::{CHECKER, DEMO, DESIGNER, OWN, Stage, instructions, invoke, tools};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

const HOST: &str = "opencode";

fn skill(name: &str) -> ModelReply {
    ModelReply::call("skill", json!({ "name": name }))
}

pub(super) fn shell(command: &str) -> ModelReply {
    ModelReply::call("bash", json!({ "command": command, "description": "runs it" }))
}

pub(super) fn dispatch(name: &str, task: &str) -> ModelReply {
    ModelReply::call("task", json!({ "subagent_type": name, "description": "works", "prompt": task }))
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
            ["grep", "read"] => Ok(()),
            ref others => Err(format!("the agent may use {others:?}")),
        });
    let first = ScriptStep::reply(dispatch("demo:review:checker", "the task is `field notes.txt`"))
        .expects(["Dispatch the `demo:review:checker` agent with the file `field notes.txt`"])
        .expects_that(|request| {
            let tool = request.tool("task").ok_or("no tool `task`")?;
            holds(&tool.description, "demo:review:checker: Checks one file and reports what is wrong with it")
        });
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
    stage.play(stage.session(SessionOpening::Prompt("how long are my notes?".to_owned()), script));
}

#[test]
fn who_may_start_a_skill_is_kept() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let first = ScriptStep::reply(skill("demo:publish"))
        .expects(["<name>demo:house-style</name>"])
        .expects_that(|request| lacks(&request.raw.to_string(), "demo:publish"));
    let refused = ScriptStep::reply(skill("demo:house-style"))
        .expects_that(|request| {
            holds(&last_result(request), "prevents you from using this specific tool call")
        })
        .expects_that(|request| lacks(&request.all_text(), "Only a person decides"));
    let taken = after("Every line of the log begins with the hour in four digits.", done());
    let script = ModelScript::default().with_conversation(main().then(first).then(refused).then(taken));
    stage.play(stage.session(SessionOpening::Prompt("write the log".to_owned()), script));

    let body = done().expects(["Only a person decides that the log goes out tonight."]);
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:publish", ""), script));
}

#[test]
fn the_model_runs_a_command_in_a_text_itself() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let run = ScriptStep::compute(|request| {
        let given = request.latest_text();
        let block = between(&given, "## On this host", "# Standup")?;
        holds(block, "`!`")?;
        Ok(shell(between(&given, "The newest entry: !`", "`")?))
    });
    let script =
        ModelScript::default().with_conversation(main().then(run).then(after("beacon-is-lit", done())));
    stage.play(stage.session(invoke("demo:standup", ""), script));
}

/// The host runs commands and attaches files of a command's text before any module sees it.
#[test]
fn the_host_runs_what_a_command_is_granted_and_attaches_its_files() {
    let hosts = real_hosts!();
    let text = "---\ndescription: d\nallowed-tools: Bash(head:*)\n---\nFirst: !`head -n 1 rules.md`\nAsked: !`env cat rules.md`\nRead @rules.md, then $ARGUMENTS.\n";
    let source = Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n")
        .file("commands/look.md", text);
    let stage = Stage::of_source(&hosts, HOST, &source);
    std::fs::write(stage.project().join("rules.md"), "rule of gulls\nrule of terns\n").expect("a file");
    let body = done()
        .expects(["First: rule of gulls\n", "Asked: !`env cat rules.md`\n", "Read @rules.md, then"])
        .expects_that(|request| {
            holds(&request.all_text(), "rule of terns")?;
            lacks(&request.all_text(), "plugcast:0")
        });
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("kit:look", "!`touch taken`"), script));
    assert!(!stage.project().join("taken").exists(), "an argument was run");
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

/// OpenCode takes the last key of a permission that matches: a set of tools of a server `external` opened the folders
/// outside of the project, and an agent without a tool had all of them.
#[test]
fn case_13_limits_of_an_agent_are_in_the_order_in_which_the_host_reads_them() {
    let hosts = real_hosts!();
    let agent = |name: &str, tools: &str| {
        format!("---\nname: {name}\ndescription: Looks\ntools: {tools}\n---\n\nLook as the {name} one.\n")
    };
    let skill = |name: &str, flag: &str| {
        format!("---\nname: {name}\ndescription: Says {name}\n{flag}---\n\nSay it.\n")
    };
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("agents/wide.md", agent("wide", "mcp__external__*, mcp__*, Read"))
        .file("agents/none.md", agent("none", ""))
        .file("skills/open/SKILL.md", skill("open", ""))
        .file("skills/personal/SKILL.md", skill("personal", "disable-model-invocation: true\n"));
    let stage = Stage::of_source(&hosts, HOST, &source);
    let outside = Tree::new().file("secret.txt", "the tide is at four\n").temporary();
    let path = outside.path().join("secret.txt");
    let read = ModelReply::call("read", json!({ "filePath": path.to_str().expect("UTF-8") }));
    let of = |name: &str| {
        let first = format!("Look as the {name} one.");
        Conversation::new(name.to_owned(), move |request: &ModelRequest| request.all_text().contains(&first))
    };
    let has_only = |wanted: &'static [&'static str]| {
        move |request: &ModelRequest| match tools(request) {
            found if found == wanted => Ok(()),
            found => Err(format!("the agent may use {found:?}")),
        }
    };
    let script = ModelScript::default()
        .with_conversation(of("wide").then(ScriptStep::reply(read).expects_that(has_only(&["read"]))))
        .with_conversation(of("none").then(done().expects_that(has_only(&[]))))
        .with_conversation(
            main()
                .then(
                    ScriptStep::reply(dispatch("kit:wide", "look"))
                        .expects(["Says open"])
                        .expects_that(|request| lacks(&request.all_text(), "Says personal")),
                )
                .then(ScriptStep::reply(dispatch("kit:none", "look")))
                .then(done()),
        );
    let transcript = stage.play(stage.session(SessionOpening::Prompt("look".to_owned()), script));
    assert_eq!(transcript.requests("wide").count(), 1);
    let asked = "permission requested: external_directory";
    assert!(transcript.stderr.contains(asked), "{}", transcript.stderr);
    assert_eq!(transcript.requests("none").count(), 1);
}
