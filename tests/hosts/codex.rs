//! Codex shows what the emitted bundle does there, in its default sandbox, with a model that speaks
//! OpenAI Responses. All that this model does beside obeying the text is to put the folder of the
//! `<path>` that it received in front of a relative path.

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::{SessionOpening, Transcript};
use serde_json::json;

use super::model::{after, agent, between, command_under, done, holds, lacks, last_result, main};
use super::stage::{CHECKER, DEMO, DESIGNER, OWN, Stage, instructions, invoke, tools};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

const HOST: &str = "codex";

pub(super) fn shell(command: &str) -> ModelReply {
    ModelReply::call("exec_command", json!({ "cmd": command }))
}

/// The text of a skill that the host has put into a request, and the folder that its path names.
pub(super) fn skill<'a>(request: &'a ModelRequest, name: &str) -> Result<(&'a str, &'a str), String> {
    let head = format!("<skill>\n<name>{name}</name>\n<path>");
    let text = request.texts.iter().map(|spoken| spoken.text.as_str()).find(|text| text.starts_with(&head));
    let text = text.ok_or_else(|| format!("the request does not bring `{name}`"))?;
    let path = between(text, "<path>", "</path>")?;
    let (folder, file) = path.rsplit_once('/').ok_or_else(|| format!("`{path}` is in no folder"))?;
    if file == "SKILL.md" { Ok((text, folder)) } else { Err(format!("`{path}` is not a skill")) }
}

/// A command with the folder before each path that begins as the skill's block says. The author's own `./`
/// stays: it means the user's working directory.
pub(super) fn joined(command: &str, text: &str, folder: &str) -> Result<String, String> {
    let heads: Vec<&str> = between(text, "\n- Paths: ", " count")?.split('`').skip(1).step_by(2).collect();
    let words = command.split(' ').map(|word| {
        let bare = word.trim_matches('"');
        if heads.iter().any(|head| bare.starts_with(head)) {
            word.replace(bare, &format!("{folder}/{bare}"))
        } else {
            word.to_owned()
        }
    });
    Ok(words.collect::<Vec<_>>().join(" "))
}

/// The absolute path of an agent's instructions, whose way from the skill's folder the skill's block gives.
fn agent_path(text: &str, folder: &str, agent: &str) -> Result<String, String> {
    let line = between(text, "\n- Agents: ", "\n")?;
    holds(line, &format!("`{agent}`"))?;
    Ok(format!("{folder}/{}", between(line, "the absolute path of `", "`")?))
}

/// A step that runs the command under a heading of a skill.
pub(super) fn run_command(name: &'static str, heading: &'static str) -> ScriptStep {
    ScriptStep::compute(move |request| {
        let (text, folder) = skill(request, name)?;
        Ok(shell(&joined(&command_under(text, heading)?, text, folder)?))
    })
}

/// A call of the tool for spawning, in the group where the host has it.
pub(super) fn spawn(request: &ModelRequest, arguments: serde_json::Value) -> Result<ModelReply, String> {
    let tool = request.tool("spawn_agent").ok_or("the host offers no `spawn_agent`")?;
    let group = tool.namespace.clone().ok_or("`spawn_agent` stands in no group")?;
    Ok(ModelReply::call_in(group, "spawn_agent", arguments))
}

/// A step that waits for the agent that was just spawned.
pub(super) fn wait() -> ScriptStep {
    ScriptStep::compute(|request| {
        let result = last_result(request);
        let id = between(&result, "\"agent_id\":\"", "\"")?;
        let group = request.tool("wait_agent").and_then(|tool| tool.namespace.clone()).unwrap_or_default();
        Ok(ModelReply::call_in(group, "wait_agent", json!({ "targets": [id], "timeout_ms": 60_000 })))
    })
}

/// A step that closes the agent that was waited for last: the host counts finished agents as open.
pub(super) fn close() -> ScriptStep {
    ScriptStep::compute(|request| {
        let spawned =
            request.tool_results.iter().rev().find(|result| result.text.contains("\"agent_id\":\""));
        let id = between(&spawned.ok_or("nothing was spawned")?.text, "\"agent_id\":\"", "\"")?;
        let tool = request.tool("close_agent").ok_or("the host offers no `close_agent`")?;
        let names = tool.parameters["properties"].as_object().ok_or("`close_agent` takes nothing")?;
        let name = names.keys().next().ok_or("`close_agent` takes nothing")?.clone();
        Ok(ModelReply::call_in(
            tool.namespace.clone().unwrap_or_default(),
            "close_agent",
            json!({ name: id }),
        ))
    })
}

/// Plays a skill that dispatches an agent whose instructions lie at the path that the skill's block gives: the agent
/// reads them there itself, and the request that spawns it has none of them.
fn dispatch_from_file(
    stage: &Stage,
    opening: SessionOpening,
    skill_name: &'static str,
    agent_name: &'static str,
    agent_source: &str,
) -> Transcript {
    let spawned = ScriptStep::compute(move |request| {
        let (text, folder) = skill(request, skill_name)?;
        let path = agent_path(text, folder, agent_name)?;
        spawn(request, json!({ "message": format!("Read and follow {path}. The task: `field notes.txt`") }))
    })
    .expects_that(move |request| {
        lacks(
            &request.tool("spawn_agent").map_or(String::new(), |tool| tool.parameters.to_string()),
            agent_name,
        )
    });
    let read = ScriptStep::compute(|request| {
        let given = request.all_text();
        Ok(shell(&format!("cat \"{}\"", between(&given, "Read and follow ", ". The task: ")?)))
    })
    .expects(["The task: `field notes.txt`"]);
    let answered = instructions(agent_source)
        .into_iter()
        .fold(ScriptStep::reply(ModelReply::text("lamp checked: 2 wrong lines")), |step, line| {
            step.expects_that(move |request| holds(&last_result(request), &line))
        });
    let is_child = |request: &ModelRequest| {
        let spoken = request.user_text();
        spoken.contains("Read and follow /") && !request.tools.is_empty()
    };
    let script = ModelScript::default()
        .with_conversation(Conversation::new("agent", is_child).then(read).then(answered))
        .with_conversation(
            main().then(spawned).then(wait()).then(after("lamp checked: 2 wrong lines", done())),
        );
    stage.play(stage.session(opening, script))
}

#[test]
fn a_skill_brings_the_words_of_the_user_and_says_what_they_are() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let body = done().expects_that(|request| {
        let (text, _) = skill(request, "demo:greet")?;
        holds(text, "All the words: $ARGUMENTS\n")?;
        holds(text, "The guest is $guest and is met at $place; the second word is $1.\n")?;
        let block = between(text, "## On this host", "# Greet")?;
        for bound in ["`$ARGUMENTS`", "`$1`", "`$guest`", "`$place`"] {
            holds(block, bound)?;
        }
        holds(&request.user_text(), "$demo:greet Ada \"the long pier\"")
    });
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:greet", "Ada \"the long pier\""), script));
}

#[test]
fn a_command_spawns_an_agent_with_the_file_that_it_names() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO).without("agents");
    let opening = invoke("demo:team:audit", "field notes.txt");
    dispatch_from_file(&stage, opening, "demo:team:audit", "demo:review:checker", CHECKER);
}

#[test]
fn a_command_spawns_an_installed_agent_by_its_qualified_name() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let first = ScriptStep::compute(|request| {
        skill(request, "demo:team:audit")?;
        let roles = request.tool("spawn_agent").map_or(String::new(), |tool| tool.parameters.to_string());
        holds(&roles, "demo:review:checker: {")?;
        spawn(
            request,
            json!({ "agent_type": "demo:review:checker", "message": "The task: `field notes.txt`" }),
        )
    });
    let child = ScriptStep::reply(ModelReply::text("lamp checked: 2 wrong lines"))
        .expects(["The task: `field notes.txt`"]);
    let script =
        ModelScript::default().with_conversation(agent(&instructions(CHECKER), child)).with_conversation(
            main().then(first).then(wait()).then(after("lamp checked: 2 wrong lines", done())),
        );
    stage.play(stage.session(invoke("demo:team:audit", "field notes.txt"), script));
}

#[test]
fn bundled_scripts_run_by_the_paths_that_the_texts_give() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let script = ModelScript::default().with_conversation(
        main()
            .then(run_command("demo:measure", "# Measure"))
            .then(after("lines: 3 in field notes.txt", run_command("demo:tally", "# Tally")))
            .then(after("tally: 3 lines with gull in ./logs/field notes.txt", done())),
    );
    stage.play(
        stage.session(SessionOpening::Prompt("do $demo:measure and then $demo:tally".to_owned()), script),
    );
}

#[test]
fn who_may_start_a_skill_is_kept() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let read = ScriptStep::compute(|request| {
        // The listing has a skill's file behind its description, below a root that it names above.
        let listing = request.all_text();
        let entry = between(&listing, "- demo:house-style: How the log is written.", "\n")?;
        let short = between(entry, "(file: ", ")")?;
        let (root, rest) = short.split_once('/').ok_or_else(|| format!("`{short}` has no root"))?;
        let root = between(&listing, &format!("- `{root}` = `"), "`")?;
        Ok(shell(&format!("cat \"{root}/{rest}\"")))
    })
    .expects_that(|request| lacks(&request.all_text(), "demo:publish"));
    let taken = after("Every line of the log begins with the hour in four digits.", done());
    let script = ModelScript::default().with_conversation(main().then(read).then(taken));
    stage.play(stage.session(SessionOpening::Prompt("write the log".to_owned()), script));

    let body = done().expects_that(|request| {
        holds(skill(request, "demo:publish")?.0, "Only a person decides that the log goes out tonight.")
    });
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:publish", ""), script));
}

/// The block names it where a text reads images.
#[test]
fn images_are_seen_with_a_tool_of_the_host() {
    let hosts = real_hosts!();
    let source = Tree::new().file("plugcast.toml", "[build]\nname = \"demo\"\n").file(
        "skills/look/SKILL.md",
        "---\nname: look\ndescription: Looks.\n---\nLook at `shot.png` with the Read tool.\n",
    );
    let stage = Stage::of_source(&hosts, HOST, &source);
    let body = done().expects_that(|request| {
        holds(
            skill(request, "demo:look")?.0,
            "- Tools: `Read`: `exec_command`, or `view_image` for an image.",
        )?;
        let is_listed = tools(request).contains(&"view_image");
        if is_listed { Ok(()) } else { Err(format!("not listed: {:?}", tools(request))) }
    });
    let script = ModelScript::default().with_conversation(main().then(body));
    stage.play(stage.session(invoke("demo:look", ""), script));
}

#[test]
fn the_model_runs_a_command_in_a_text_itself() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, DEMO);
    let run = ScriptStep::compute(|request| {
        let (text, _) = skill(request, "demo:standup")?;
        holds(between(text, "## On this host", "# Standup")?, "`!`")?;
        Ok(shell(between(text, "The newest entry: !`", "`")?))
    });
    let script =
        ModelScript::default().with_conversation(main().then(run).then(after("beacon-is-lit", done())));
    stage.play(stage.session(invoke("demo:standup", ""), script));
}

#[test]
fn refine_lists_its_sessions() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, OWN);
    let script = ModelScript::default().with_conversation(
        main().then(run_command("refine:loops", "## list")).then(after("high-tide\trunning\t", done())),
    );
    stage.play(stage.session(invoke("refine:loops", "list"), script));
}

#[test]
fn refine_dispatches_its_designer() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, HOST, OWN).without("agents");
    let opening = invoke("refine:robot-mode", "./lamp out:plan.md");
    dispatch_from_file(&stage, opening, "refine:robot-mode", "refine:robot-mode-designer", DESIGNER);
}
