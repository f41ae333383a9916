//! The helper answers in each real host, called in the way that the emitted skill says: the scripted
//! model takes the command out of the text that it received, and the true answer comes back to it.

use plugcast::drivers::script::{ModelScript, ScriptStep};
use serde_json::Value;

use super::model::{after, done, main};
use super::stage::{OWN, Stage, invoke};
use super::{claude_code, codex, opencode};
use crate::support::hosts::real_hosts;
use crate::support::run::Plugcast;

/// What the helper prints.
const ANSWER: &str = concat!("plugcast-run ", env!("CARGO_PKG_VERSION"), "\n");
/// The heading of the skill that the call stands under.
const HEADING: &str = "## helper";

/// Plays the skill that calls the helper, up to the request that brings the answer.
fn asks(stage: &Stage, call: ScriptStep, answer: &'static str, more: &[&str]) {
    let script = ModelScript::default().with_conversation(main().then(call).then(after(answer, done())));
    let mut session = stage.session(invoke("refine:loops", "list"), script);
    session.arguments = more.iter().map(|word| (*word).to_owned()).collect();
    stage.play(session);
}

#[test]
fn claude_code_runs_it_by_the_rules_of_the_skill() {
    let hosts = real_hosts!();
    asks(&Stage::new(&hosts, "claude-code", OWN), claude_code::run_command(HEADING), ANSWER.trim_end(), &[]);
}

#[test]
fn codex_runs_it_in_its_default_sandbox() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "codex", OWN);
    asks(&stage, codex::run_command("refine:loops", HEADING), ANSWER, &[]);
}

#[test]
fn codex_runs_it_with_a_writable_workspace() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "codex", OWN);
    let call = codex::run_command("refine:loops", HEADING);
    asks(&stage, call, ANSWER, &["--sandbox", "workspace-write"]);
}

#[test]
fn opencode_runs_it_where_the_module_says() {
    let hosts = real_hosts!();
    asks(&Stage::new(&hosts, "opencode", OWN), opencode::run_command(HEADING), ANSWER, &[]);
}

#[test]
fn a_bundle_without_a_helper_says_how_to_get_one() {
    let hosts = real_hosts!();
    for (host, call) in [
        ("claude-code", claude_code::run_command(HEADING)),
        ("codex", codex::run_command("refine:loops", HEADING)),
        ("opencode", opencode::run_command(HEADING)),
    ] {
        let stage = Stage::new(&hosts, host, OWN).built_with(OWN, &["--helper", "none"]);
        asks(
            &stage,
            call,
            "\"code\":\"helper_missing\",\"message\":\"this plugin carries no `plugcast-run`",
            &[],
        );
    }
}

#[test]
fn the_proof_names_the_version() {
    let hosts = real_hosts!();
    let stage = Stage::new(&hosts, "codex", OWN).built_with(OWN, &[]);
    let bundle = stage.bundle.to_str().expect("temporary folders are UTF-8");
    let binary = format!("codex={}", stage.installation.binary.display());
    Plugcast::new(&stage.project(), &["verify", bundle, "--host-bin", &binary]).run().expect_code(0);
    let text = std::fs::read_to_string(stage.bundle.join(".plugcast/verified.json")).expect("the proof");
    let proof: Value = serde_json::from_str(&text).expect("the proof is JSON");
    assert_eq!(proof["helper_versions"], serde_json::json!([env!("CARGO_PKG_VERSION")]));
}
