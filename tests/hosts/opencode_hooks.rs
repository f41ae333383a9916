//! OpenCode runs a plugin's hooks as the source host would. The module's data is written here by
//! hand, in its own form; the scripts come through a build.

use std::fs;

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::{Value, json};

use super::model::{after, done, holds, lacks, last_result, main};
use super::stage::Stage;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::tree::Tree;

/// Writes what it is told into the project, under its first argument, and says its second.
const NOTE: &str = "#!/bin/sh\ncat >> \"$CLAUDE_PROJECT_DIR/$1\"\nprintf '%s' \"$2\"\n";
/// Refuses what holds its first argument, with the second as the reason.
const GUARD: &str = "#!/bin/sh\ncase $(cat) in *\"$1\"*) echo \"$2\" >&2; exit 2 ;; esac\n";
/// Leaves a child behind that keeps the output open.
const SLOW: &str = "#!/bin/sh\nsleep 500 &\nsleep 500\n";

/// A plugin as the host gets it: its name and what its module's data has beyond the built one.
pub type PluginFixture<'a> = (&'a str, Value);

/// A host with plugins that carry the scripts of this file, and more files of a test.
pub fn stage(hosts: &Hosts, plugins: &[PluginFixture<'_>], more: &Tree) -> Stage {
    let entries: Vec<Value> =
        plugins.iter().map(|(name, _)| json!({ "name": name, "source": format!("./{name}") })).collect();
    let market = json!({ "name": "quay", "owner": { "name": "Ada" }, "plugins": entries });
    let mut source = Tree::new().file(".claude-plugin/marketplace.json", market.to_string());
    for (name, _) in plugins {
        let skill = format!("---\nname: berth\ndescription: Finds a berth in {name}\n---\n\nNo text.\n");
        source = source
            .file(&format!("{name}/.claude-plugin/plugin.json"), json!({ "name": name }).to_string())
            .file(&format!("{name}/skills/berth/SKILL.md"), skill)
            .script(&format!("{name}/scripts/note.sh"), NOTE)
            .script(&format!("{name}/scripts/guard.sh"), GUARD)
            .script(&format!("{name}/scripts/slow.sh"), SLOW);
    }
    let stage = Stage::of_source(hosts, "opencode", &source);
    for (name, extra) in plugins {
        let folder = stage.bundle.join("plugins").join(name);
        more.write(&folder);
        let path = folder.join("plugcast.plugin.json");
        let text = fs::read_to_string(&path).expect("the module's data is there");
        let mut data: Value = serde_json::from_str(&text).expect("the module's data is JSON");
        let extra = extra.as_object().expect("an object").clone();
        data.as_object_mut().expect("an object").extend(extra);
        fs::write(&path, data.to_string()).expect("the module's data can be written");
    }
    stage
}

/// A handler that runs a script of the plugin.
fn script(name: &str, arguments: &str) -> Value {
    let command = format!("\"${{CLAUDE_PLUGIN_ROOT}}/scripts/{name}.sh\" {arguments}");
    json!({ "type": "command", "command": command, "timeout": 20 })
}

fn hooks(events: Value) -> Value {
    json!({ "hooks": events })
}

fn bash(command: &str) -> ScriptStep {
    ScriptStep::reply(ModelReply::call("bash", json!({ "command": command, "description": "runs it" })))
}

fn go() -> SessionOpening {
    SessionOpening::Prompt("go".to_owned())
}

/// The JSON that the script `note` wrote.
fn noted(stage: &Stage, name: &str) -> Value {
    let text =
        fs::read_to_string(stage.project().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error} in `{text}`"))
}

#[test]
fn a_guard_stops_a_call_and_every_handler_of_the_event_runs() {
    let hosts = real_hosts!();
    let change = r#"'{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo taken-over"}}}'"#;
    let stage = stage(
        &hosts,
        &[(
            "harbour",
            hooks(json!({
                "PreToolUse": [
                    { "matcher": "Bash|Write", "hooks": [script("note", "first.json"), script("guard", "cast-off 'the master says no'")] },
                    { "matcher": "(", "hooks": [script("guard", "'' 'a pattern that is none'")] },
                    { "matcher": "Glob", "hooks": [script("note", &format!("changed.json {change}"))] },
                    { "matcher": "Bash", "hooks": [script("note", "second.json"), script("guard", "cast-off 'and so does the pilot'")] },
                    { "matcher": "Read", "hooks": [script("note", &format!("never.json {change}"))] },
                ],
            })),
        )],
        &Tree::new(),
    );
    let refused = |request: &plugcast::drivers::script::ModelRequest| {
        holds(&last_result(request), "the master says no\nand so does the pilot")
    };
    let script = ModelScript::default()
        .with_conversation(main().then(bash("echo cast-off")).then(done().expects_that(refused)));
    let mut session = stage.session(go(), script);
    session.arguments = ["--print-logs", "--log-level", "WARN"].map(str::to_owned).into();
    let transcript = stage.play(session);
    let told = noted(&stage, "first.json");
    assert_eq!(told["hook_event_name"], "PreToolUse");
    assert_eq!(
        (&told["tool_name"], &told["tool_input"]["command"]),
        (&json!("Bash"), &json!("echo cast-off"))
    );
    assert_eq!(told["cwd"].as_str().map(str::to_owned), stage.project().to_str().map(str::to_owned));
    for key in ["session_id", "tool_use_id"] {
        assert!(told[key].as_str().is_some_and(|value| !value.is_empty()), "{told}");
    }
    assert_eq!((&told["transcript_path"], &told["permission_mode"]), (&json!(""), &json!("default")));
    assert_eq!(noted(&stage, "second.json"), told);
    assert!(!stage.project().join("never.json").exists());
    let complaints = transcript.stderr.matches("the matcher `(` is not a regular expression").count();
    assert_eq!(complaints, 1, "{}", transcript.stderr);
}

#[test]
fn a_hook_changes_an_input_and_adds_to_a_result() {
    let hosts = real_hosts!();
    let change = r#"'{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo taken-over"}}}'"#;
    let add =
        r#"'{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"the log is kept"}}'"#;
    let stage = stage(
        &hosts,
        &[(
            "harbour",
            hooks(json!({
                "PreToolUse": [{ "matcher": "Bash", "hooks": [script("note", &format!("before.json {change}"))] }],
                "PostToolUse": [{ "hooks": [script("note", &format!("after.json {add}")), script("guard", "taken-over 'look again'")] }],
            })),
        )],
        &Tree::new(),
    );
    let result = |request: &plugcast::drivers::script::ModelRequest| {
        let result = last_result(request);
        holds(&result, "taken-over\n")?;
        lacks(&result, "by-me")?;
        holds(&result, "look again\nthe log is kept")
    };
    let script = ModelScript::default()
        .with_conversation(main().then(bash("echo by-me")).then(done().expects_that(result)));
    stage.play(stage.session(go(), script));
    let told = noted(&stage, "after.json");
    assert_eq!(told["tool_input"]["command"], "echo taken-over");
    assert_eq!(told["tool_response"]["stdout"].as_str().map(str::trim), Some("taken-over"));
}

#[test]
fn hooks_add_context_at_the_start_and_with_a_prompt() {
    let hosts = real_hosts!();
    let stage = stage(
        &hosts,
        &[(
            "harbour",
            hooks(json!({
                "SessionStart": [
                    { "matcher": "startup", "hooks": [script("note", "start.json 'the lights are green'")] },
                    { "matcher": "resume", "hooks": [script("note", "resume.json 'the lights are red'")] },
                ],
                "UserPromptSubmit": [{ "hooks": [script("note", "prompt.json 'the tide is out'")] }],
                "SessionEnd": [{ "hooks": [script("note", "end.json")] }],
            })),
        )],
        &Tree::new(),
    );
    let first = bash("echo moored").expects_that(|request| {
        holds(&request.system, "the lights are green")?;
        lacks(&request.system, "the lights are red")?;
        holds(&request.user_text(), "the tide is out")
    });
    let second = done().expects_that(|request| {
        let times = request.raw.to_string().matches("the lights are green").count();
        if times == 1 { Ok(()) } else { Err(format!("told {times} times")) }
    });
    let script = ModelScript::default().with_conversation(main().then(first).then(second));
    let transcript = stage.play(stage.session(go(), script));
    for request in transcript.requests("title") {
        assert!(!request.raw.to_string().contains("the lights are green"), "{}", request.raw);
    }
    assert_eq!(noted(&stage, "start.json")["source"], "startup");
    assert_eq!(noted(&stage, "prompt.json")["prompt"], "go");
    assert_eq!(noted(&stage, "end.json")["reason"], "other");
}

#[test]
fn a_hook_refuses_a_prompt() {
    let hosts = real_hosts!();
    let events = json!({ "UserPromptSubmit": [{ "hooks": [script("guard", "go 'not at night'")] }] });
    let stage = stage(&hosts, &[("harbour", hooks(events))], &Tree::new());
    let transcript = stage.run(stage.session(go(), ModelScript::default()));
    assert!(transcript.requests("main").next().is_none());
    assert_ne!(transcript.code, Some(0));
}

#[test]
fn a_guard_sees_every_file_of_a_patch() {
    let hosts = real_hosts!();
    let stage = stage(
        &hosts,
        &[(
            "harbour",
            hooks(json!({
                "PreToolUse": [{ "matcher": "Edit|Write", "hooks": [script("guard", "secret.txt 'that file is closed'")] }],
            })),
        )],
        &Tree::new(),
    );
    let patch = |lines: &str| {
        let text = format!("*** Begin Patch\n{lines}\n*** End Patch");
        ScriptStep::reply(ModelReply::call("apply_patch", json!({ "patchText": text })))
    };
    let closed = "*** Add File: open.txt\n+one\n*** Add File: secret.txt\n+two";
    let open = "*** Update File: field notes.txt\n@@\n-gull\n+heron\n*** Add File: open.txt\n+three";
    let script = ModelScript::default().with_conversation(
        main()
            .then(patch(closed))
            .then(after("that file is closed", patch(open)))
            .then(done().expects_that(|request| lacks(&last_result(request), "that file is closed"))),
    );
    let mut session = stage.session(go(), script);
    // The host gives this tool to some models only, by their names.
    let models = json!({ "gpt-5": { "name": "gpt-5", "tool_call": true, "limit": { "context": 1_000_000, "output": 4000 } } });
    let config = json!({ "model": "scripted/gpt-5", "provider": { "scripted": { "models": models } } });
    session.environment = vec![("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string())];
    stage.play(session);
    let text = |name: &str| fs::read_to_string(stage.project().join(name)).ok();
    assert_eq!(text("secret.txt"), None);
    assert_eq!(text("open.txt").as_deref(), Some("three\n"));
    assert_eq!(text("field notes.txt").as_deref(), Some("heron\n"));
}

#[test]
fn a_slow_hook_and_its_children_do_not_hold_a_call_up() {
    let hosts = real_hosts!();
    let mut slow = script("slow", "");
    slow["timeout"] = json!(1);
    let behind = json!({ "type": "command", "command": "sleep 500 & echo kept", "timeout": 400 });
    let missing = script("missing", "");
    let start = json!({ "type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/nowhere", "args": ["x"] });
    let events = json!({ "PreToolUse": [{ "matcher": "*", "hooks": [slow, behind, missing, start] }] });
    let stage = stage(&hosts, &[("harbour", hooks(events))], &Tree::new());
    let script = ModelScript::default()
        .with_conversation(main().then(bash("echo moored")).then(after("moored", done())));
    stage.play(stage.session(go(), script));
}

#[test]
fn two_plugins_with_hooks_leave_each_other_alone() {
    let hosts = real_hosts!();
    let events = |word: &str, reason: &str, greeting: &str| {
        hooks(json!({
            "PreToolUse": [{ "matcher": "Bash", "hooks": [script("guard", &format!("{word} '{reason}'"))] }],
            "SessionStart": [{ "hooks": [script("note", &format!("{word}.json '{greeting}'"))] }],
        }))
    };
    let stage = stage(
        &hosts,
        &[
            ("harbour", events("cast-off", "the master says no", "the lights are green")),
            ("lighthouse", events("lights-out", "the keeper says no", "the lamp is lit")),
        ],
        &Tree::new(),
    );
    let both = bash("echo cast-off").expects(["the lights are green", "the lamp is lit"]);
    let script = ModelScript::default().with_conversation(
        main()
            .then(both)
            .then(after("the master says no", bash("echo lights-out")))
            .then(after("the keeper says no", bash("echo moored")))
            .then(after("moored", done())),
    );
    stage.play(stage.session(go(), script));
}

#[test]
fn a_hook_sets_the_environment_of_later_commands_and_hears_of_one_that_fails() {
    let hosts = real_hosts!();
    let set = json!({ "type": "command", "command": "echo 'HARBOUR=north' >> \"$CLAUDE_ENV_FILE\"" });
    let stage = stage(
        &hosts,
        &[(
            "harbour",
            hooks(json!({
                "SessionStart": [{ "matcher": "startup", "hooks": [set] }],
                "PostToolUse": [{ "matcher": "Bash", "hooks": [script("note", "fine.json")] }],
                "PostToolUseFailure": [
                    { "matcher": "Bash", "hooks": [script("note", "failed.json"), script("guard", "'exit 3' 'mind the code'")] },
                    { "matcher": "Read", "hooks": [script("note", "unread.json")] },
                ],
            })),
        )],
        &Tree::new(),
    );
    let told = |request: &plugcast::drivers::script::ModelRequest| {
        let result = last_result(request);
        holds(&result, "from-north")?;
        holds(&result, "mind the code")
    };
    let read = ScriptStep::reply(ModelReply::call("read", json!({ "filePath": "none.txt" })));
    let script = ModelScript::default().with_conversation(
        main().then(bash("echo from-$HARBOUR; exit 3")).then(read.expects_that(told)).then(done()),
    );
    stage.play(stage.session(go(), script));
    let failed = noted(&stage, "failed.json");
    assert_eq!(failed["hook_event_name"], "PostToolUseFailure");
    assert_eq!(failed["error"], "Exit code 3\nfrom-north");
    assert!(!stage.project().join("fine.json").exists());
    assert_eq!(noted(&stage, "unread.json")["tool_name"], "Read");
}
