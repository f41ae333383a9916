//! What a headless polish cannot know without its user: it ends with two lines, byte for byte, and starts and ends nothing.

use plugcast::drivers::script::{ModelScript, ScriptStep};

use super::hand::{SKILL, call, call_with, calls};
use super::site::Site;
use super::{UNBOUND, in_turn, model_texts, play, says};
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::shown;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// What only a user can tell.
struct Need {
    code: &'static str,
    /// What is made of the branch.
    script: &'static str,
    /// Calls behind the gate, the last of which finds it out.
    calls: &'static [(&'static str, usize)],
    /// What that call answers.
    answer: &'static str,
    remedy: &'static str,
}

const READ: (&str, usize) = ("## 4. Start", 0);
const PROJECT: (&str, usize) = ("## 4. Start", 1);
const START: (&str, usize) = ("## 4. Start", 3);

const NEEDS: [Need; 5] = [
    Need {
        code: "which_config",
        script: r#"put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node"}, {"name": "worker", "runtimeExecutable": "node"}]}'"#,
        calls: &[READ],
        answer: r#""status":"multiple""#,
        remedy: "Leave one configuration in `.claude/launch.json`",
    },
    Need {
        code: "public_host",
        script: r#"put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node", "runtimeArgs": ["server.js", "--host", "0.0.0.0"], "port": '"$PORT"'}]}'"#,
        calls: &[READ],
        answer: r#""code":"public_host""#,
        remedy: "Let the server listen on 127.0.0.1 in `.claude/launch.json`",
    },
    Need {
        code: "project_type",
        script: "git rm -q .claude/launch.json; put next.config.js 'module.exports = {}'; put vite.config.js 'export default {}'",
        calls: &[READ, PROJECT],
        answer: r#""status":"multiple""#,
        remedy: "Write the command into `.claude/launch.json`",
    },
    Need {
        code: "start_command",
        script: "git rm -q .claude/launch.json",
        calls: &[READ, PROJECT],
        answer: r#""status":"unknown""#,
        remedy: "Write the command into `.claude/launch.json`",
    },
    Need {
        code: "kill_confirmation",
        script: "",
        calls: &[READ, START],
        answer: r#""code":"port_in_use""#,
        remedy: "Free the port, or begin again with `allow-port-kill:1`",
    },
];

fn needs_its_user(hosts: &Hosts, host: Host, github: &GitHub, need: &Need) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), &format!("{}\ncommit more\nreviewed", need.script));
    let mut own = (need.code == "kill_confirmation").then(|| site.own_server());
    let before = site.snapshot();
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
    steps.extend(need.calls.iter().map(|(heading, number)| call(host, heading, *number)));
    let ended: ScriptStep = call_with(host, "## 10. End", 1, "", &[("CODE", need.code.to_owned())]);
    steps.push(ended.expects([need.answer]));
    steps.push(says(|request| shown(request, "Polish failed ", "\nPolish complete")));
    let script = ModelScript::default().with_conversation(in_turn(steps));
    let more: &[&str] = if host == Host::Codex { &UNBOUND } else { &[] };
    let transcript = play((hosts, &stage, host), github, (SKILL, "mode:headless"), script, more);

    let expected = format!(
        "Polish failed (headless mode). Reason: human input required ({}). {}.\nPolish complete",
        need.code, need.remedy
    );
    assert!(
        model_texts(&transcript).contains(&expected.as_str()),
        "{expected}\n{:?}",
        model_texts(&transcript)
    );
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "abandoned", "{}", need.code);
    assert!(!site.has(&format!("{run}/server.json")), "{}: nothing was started", need.code);
    assert_eq!((site.snapshot(), site.claims()), (before, 0), "{}: nothing was changed", need.code);
    match &mut own {
        Some(own) => assert!(own.is_alive(), "the user's server goes on"),
        None => assert!(!site.answers(""), "{}: nothing listens", need.code),
    }
}

fn each_needs_its_user(hosts: &Hosts, host: Host) {
    let github = GitHub::with_state(&github::tool("feature"));
    for need in &NEEDS {
        needs_its_user(hosts, host, &github, need);
    }
}

#[test]
fn claude_code_says_what_only_a_user_can_tell() {
    each_needs_its_user(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_says_what_only_a_user_can_tell() {
    each_needs_its_user(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_says_what_only_a_user_can_tell() {
    each_needs_its_user(&real_hosts!(), Host::Codex);
}
