//! A plugin with hooks and a server that ships in the bundle: only with leave does `verify` start
//! them, and then they are seen to run.

use plugcast::drivers::script::{Reply, Script, Step};
use plugcast::drivers::session::Opening;
use serde_json::{Value, json};

use super::model::{after, done, main};
use super::stage::{HARBOUR, Stage, installation};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::Plugcast;

fn shown(hosts: &Hosts, stage: &Stage, more: &[&str]) -> Value {
    let binary = format!("claude-code={}", installation(hosts, "claude-code").binary.display());
    let bundle = stage.bundle.to_str().expect("the build folder is UTF-8");
    let arguments = ["verify", bundle, "--host-bin", &binary, "--format", "json"];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    shown["hosts"][0]["plugins"][0].clone()
}

#[test]
fn claude_code_starts_hooks_and_servers_only_with_leave() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "claude-code", HARBOUR);
    for (more, server) in [(&[][..], "resolved"), (&["--allow-exec"], "executed")] {
        let plugin = shown(&hosts, &stage, more);
        assert_eq!(plugin["observed"]["hooks"], json!(["PreToolUse/Bash/1", "SessionStart/*/1"]));
        assert_eq!(plugin["observed"]["mcp_servers"], json!(["plugin:harbour:tide"]));
        // No tool was called, so the guard did not run; the weakest of the two hooks counts.
        assert_eq!(
            plugin["method"],
            json!({ "skills": "listed", "hooks": "resolved", "mcp_servers": server })
        );
    }
}

#[test]
fn claude_code_asks_the_guard_and_the_server() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "claude-code", HARBOUR);
    let level = Reply::call("mcp__plugin_harbour_tide__level", json!({}));
    let call = |command: &str| Reply::call("Bash", json!({ "command": command, "description": "runs it" }));
    let script = Script::default().with(
        main()
            .then(Step::reply(call("echo cast-off")).expects(["the harbour lights are green"]))
            .then(after("the harbour master says no", Step::reply(call("echo moored"))))
            .then(after("moored", Step::reply(level)))
            .then(after("the tide at north is high", done())),
    );
    let mut session = stage.session(Opening::Prompt("is the tide in?".to_owned()), script);
    session.allowed_tools = vec!["Bash".to_owned(), "mcp__plugin_harbour_tide__level".to_owned()];
    stage.play(session);
}
