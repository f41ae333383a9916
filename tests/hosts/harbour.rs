//! A plugin with hooks and a server that ships in the bundle: only with leave does `verify` start
//! them, and in a session they run: every hook of an event, a guard that stops a call, a server that
//! answers.

use plugcast::drivers::script::{ModelReply, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::{Value, json};

use super::model::{after, done, main};
use super::stage::{HARBOUR, Stage, installation};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::Plugcast;

const GREETINGS: [&str; 2] = ["the harbour lights are green", "the harbour bell rings"];
/// What the guard answers with what it has read from its standard input.
const REFUSAL: &str = "the harbour master says no to Bash";

/// What `verify` shows of the plugin.
fn shown(hosts: &Hosts, stage: &Stage, host: &str, code: i32, more: &[&str]) -> Value {
    let binary = format!("{host}={}", installation(hosts, host).binary.display());
    let bundle = stage.bundle.to_str().expect("the build folder is UTF-8");
    let arguments = ["verify", bundle, "--host-bin", &binary, "--format", "json"];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    let path = installation(hosts, host).search_path;
    let finished = Plugcast::new(root(), &arguments).env("PATH", &path).run().expect_code(code);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    shown["hosts"][0]["plugins"][0].clone()
}

fn verified(hosts: &Hosts, host: &'static str, server: &str, ways: [(&[&str], Value); 2]) {
    let stage = Stage::new(hosts, host, HARBOUR);
    for (more, method) in ways {
        let plugin = shown(hosts, &stage, host, 0, more);
        let hooks = ["PreToolUse/Bash/1", "SessionStart/*/1", "SessionStart/*/2"];
        assert_eq!(plugin["observed"]["hooks"], json!(hooks), "{plugin:#}");
        assert_eq!(plugin["observed"]["mcp_servers"], json!([server]), "{plugin:#}");
        assert_eq!(plugin["method"], method, "{plugin:#}");
    }
}

#[test]
fn claude_code_starts_hooks_and_servers_only_with_leave() {
    let hosts = real_hosts!();
    let method = |server| json!({ "skills": "listed", "hooks": "listed", "mcp_servers": server });
    let ways = [(&[][..], method("listed")), (&["--allow-exec"], method("executed"))];
    verified(&hosts, "claude-code", "plugin:harbour:tide", ways);
}

#[test]
fn codex_lists_hooks_and_starts_servers_only_with_leave() {
    let hosts = real_hosts!();
    let method = |server| json!({ "skills": "listed", "hooks": "listed", "mcp_servers": server });
    verified(&hosts, "codex", "tide", [(&[][..], method("listed")), (&["--allow-exec"], method("executed"))]);
}

#[test]
fn codex_misses_hooks_that_are_not_there() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "codex", HARBOUR).without("plugins/harbour/hooks");
    let plugin = shown(&hosts, &stage, "codex", 1, &["--allow-exec"]);
    assert_eq!(plugin["missing"], json!(["PreToolUse/Bash/1", "SessionStart/*/1", "SessionStart/*/2"]));
}

/// A session in which the guard stops a command, lets another one pass, and the server is asked.
fn asks_the_guard_and_the_server(
    hosts: &Hosts,
    host: &'static str,
    shell: impl Fn(&str) -> ModelReply,
    level: ModelReply,
    more: (&[&str], &[&str]),
) {
    let stage = Stage::new(hosts, host, HARBOUR);
    let script = ModelScript::default().with_conversation(
        main()
            .then(ScriptStep::reply(shell("echo cast-off")).expects(GREETINGS))
            .then(after(REFUSAL, ScriptStep::reply(shell("echo moored"))))
            .then(after("moored", ScriptStep::reply(level)))
            .then(after("the tide at north is high", done())),
    );
    let mut session = stage.session(SessionOpening::Prompt("is the tide in?".to_owned()), script);
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    (session.allowed_tools, session.arguments) = (owned(more.0), owned(more.1));
    stage.play(session);
}

#[test]
fn claude_code_asks_the_guard_and_the_server() {
    let hosts = real_hosts!();
    let call =
        |command: &str| ModelReply::call("Bash", json!({ "command": command, "description": "runs it" }));
    let level = ModelReply::call("mcp__plugin_harbour_tide__level", json!({}));
    let allowed = ["Bash", "mcp__plugin_harbour_tide__level"];
    asks_the_guard_and_the_server(&hosts, "claude-code", call, level, (&allowed, &[]));
}

#[test]
fn codex_asks_the_guard_and_the_server() {
    let hosts = real_hosts!();
    let call = |command: &str| ModelReply::call("exec_command", json!({ "cmd": command }));
    let level = ModelReply::call_in("mcp__tide", "level", json!({}));
    let trusting = ["--dangerously-bypass-hook-trust"];
    asks_the_guard_and_the_server(&hosts, "codex", call, level, (&[], &trusting));
}

#[test]
fn opencode_resolves_hooks_and_starts_servers_only_with_leave() {
    let hosts = real_hosts!();
    let method = |server| json!({ "skills": "listed", "hooks": "resolved", "mcp_servers": server });
    let ways = [(&[][..], method("listed")), (&["--allow-exec"], method("executed"))];
    verified(&hosts, "opencode", "plugin:harbour:tide", ways);
}

#[test]
fn opencode_asks_the_guard_and_the_server() {
    let hosts = real_hosts!();
    let call =
        |command: &str| ModelReply::call("bash", json!({ "command": command, "description": "runs it" }));
    let level = ModelReply::call("plugin_harbour_tide_level", json!({}));
    asks_the_guard_and_the_server(&hosts, "opencode", call, level, (&[], &[]));
}
