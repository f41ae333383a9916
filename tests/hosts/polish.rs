//! `polish-beta` from the words of a user to the last line in each real host: a review by the real skill `review`, then
//! the gate, a server that goes on when the session has ended, the checklist and the envelope. State on the disk,
//! processes and what GitHub was asked are asserted, not the text alone.

mod dialogue;
mod escalation;
mod gate;
mod hand;
mod headless;
mod interrupted;
mod public_host;
mod round_trip;
mod rounds;
mod site;
mod user_server;
mod whole_change;

use plugcast::drivers::script::{ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::{SessionOpening, Transcript};
use serde_json::json;

use self::hand::{SKILL, call, calls, wrote};
use self::site::Site;
use super::model::{holds, lacks};
use super::review::hand::{Host, plain};
use super::review::obedient_model::{answer, shown};
use super::review::{ASKED, every_reviewer, in_turn, model_texts, reviewed, says};
use super::stage::{OWN, Stage, invoke};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// What Codex needs so that a server goes on when its call has ended.
const UNBOUND: [&str; 2] = ["--sandbox", "danger-full-access"];

/// Plays a skill with what `gh` needs around it.
fn play(
    (hosts, stage, host): (&Hosts, &Stage, Host),
    github: &GitHub,
    (skill, arguments): (&str, &str),
    script: ModelScript,
    more: &[&str],
) -> Transcript {
    let mut session = stage.session(invoke(skill, arguments), script);
    // The skills allow their own calls; these two are left to the user.
    let helper = stage.bundle.join("plugins/polish/bin/plugcast-run");
    let rule = |verb: &str| format!("Bash(\"{}\" server {verb}:*)", helper.display());
    session.allowed_tools = vec![rule("start"), rule("stop")];
    session.arguments = more.iter().map(|word| (*word).to_owned()).collect();
    if host == Host::Codex {
        // A login shell would forget the search path.
        session.arguments.extend(["-c", "allow_login_shell=false"].map(str::to_owned));
    }
    let mut variables = github.variables();
    if let Some(path) = variables.get_mut("PATH") {
        *path = format!("{path}:{}", hosts.ripgrep.display());
    }
    session.environment.extend(variables);
    stage.play(session)
}

/// Reviewers that find nothing.
fn content() -> [String; 5] {
    ASKED.map(|name| {
        let none = json!([]);
        json!({ "reviewer": plain(name), "findings": none, "residual_risks": none, "testing_gaps": none })
            .to_string()
    })
}

/// The review that the gate wants, by the real skill.
fn review(around: (&Hosts, &Stage, Host), github: &GitHub, more: &[&str]) {
    let script = every_reviewer("diff.patch", &content()).with_conversation(reviewed(around.2, false));
    play(around, github, ("review:review", "mode:headless"), script, more);
}

fn envelope(request: &ModelRequest) -> Result<String, String> {
    shown(request, "Polish ", "\nPolish complete")
}

/// The calls of a headless polish.
fn headless(host: Host) -> Vec<ScriptStep> {
    let mut steps =
        calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0), ("## 4. Start", 0)]);
    steps.push(call(host, "## 4. Start", 3).expects([r#""name":"web""#]));
    steps.extend(calls(host, &[("## 6. Look", 0), ("## 6. Look", 1)]));
    steps.push(wrote(host, "RUN/items.json", site::items));
    steps.extend(calls(host, &[("## 7. Write", 1), ("## 9. Seeds", 0), ("## 10. End", 0)]));
    steps.push(says(envelope));
    steps
}

fn polished_without_a_question(hosts: &Hosts, host: Host, more: &[&str]) {
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    let around = (hosts, &stage, host);
    review(around, &github, more);
    assert_eq!(site.verdict(), "Ready to merge");
    let script = ModelScript::default().with_conversation(in_turn(headless(host)));
    let transcript = play(around, &github, (SKILL, "mode:headless"), script, more);

    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let server = site.json(&format!("{run}/server.json"));
    let (pid, port) = (server["pid"].as_u64().expect("a number"), site.port);
    assert!(site.answers("hello from the cart"), "the server goes on when the session has ended");
    site.end(pid);
    let at = |name: &str| stage.project().join(name).display().to_string();
    let expected = format!(
        "Polish complete (headless mode).\nScope: show-cart against main\nReview artifact: {}\n\
         Dev server: {pid} on :{port} (logs: {})\nIDE browser: none\n\
         Checklist items: 2 total (0 fixed, 0 skipped, 1 stacked, 0 replan)\nStacked PRs: {}\nReplan seed: none\n\
         Escalation: none\nArtifact: {}\nPolish complete",
        at(&site.review()),
        at(&format!("{run}/server.log")),
        at(&format!("{run}/stacked-pr-1.md")),
        at(run)
    );
    assert_eq!(site.text(&format!("{run}/summary.md")).trim_end(), expected);
    assert!(
        model_texts(&transcript).contains(&expected.as_str()),
        "{expected}\n{:?}",
        model_texts(&transcript)
    );
    assert!(site.text(&format!("{run}/stacked-pr-1.md")).contains("item_title: \"All pages\""));
    assert!(!site.has(&format!("{run}/metadata.json")), "a user may go on with its checklist");
    assert_eq!(site.status(), "", "nothing is committed, and runs stay out of sight");
    let asked = github.requests();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.call == "POST /graphql"), "{asked:?}");
}

#[test]
fn claude_code_polishes_without_a_question() {
    polished_without_a_question(&real_hosts!(), Host::ClaudeCode, &[]);
}

#[test]
fn opencode_polishes_without_a_question() {
    polished_without_a_question(&real_hosts!(), Host::OpenCode, &[]);
}

#[test]
fn codex_polishes_without_a_question_outside_of_its_sandbox() {
    polished_without_a_question(&real_hosts!(), Host::Codex, &UNBOUND);
}

/// Only its user starts a polish: no model is told of the skill, though it is told of others.
#[test]
fn no_model_is_told_of_the_skill() {
    let hosts = real_hosts!();
    for host in [Host::ClaudeCode, Host::OpenCode, Host::Codex] {
        let stage = Stage::new(&hosts, host.name(), OWN);
        let told = says(|_| Ok("done".to_owned()))
            .expects(["review:review"])
            .expects_that(|request| lacks(&request.raw.to_string(), "polish-beta"));
        let script = ModelScript::default().with_conversation(in_turn(vec![told]));
        stage.play(stage.session(SessionOpening::Prompt("polish this branch".to_owned()), script));
    }
}

/// A refusal of a call in the words of the skill.
fn refused(request: &ModelRequest, schema: &str) -> Result<String, String> {
    let error = &answer(request, schema)?["error"];
    let text = |key: &str| error[key].as_str().unwrap_or_default().trim_end_matches('.').to_owned();
    let hint = text("hint");
    let first = hint.chars().next().map_or(0, char::len_utf8);
    let hint = hint[..first].to_uppercase() + &hint[first..];
    Ok(format!("Polish failed (headless mode). Reason: {}. {hint}.\nPolish complete", text("message")))
}

/// Without a review the gate refuses, the run ends, and nothing was started.
fn refused_without_a_review(hosts: &Hosts, host: Host, more: &[&str]) {
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
    steps.push(call(host, "## 11. Cancel", 0).expects([r#""code":"no_review""#]));
    steps.push(says(|request| {
        let text = refused(request, "rt.polish.gate/1")?;
        holds(&text, "Run the skill `review:review` on `show-cart` first.\nPolish complete").map(|()| text)
    }));
    let script = ModelScript::default().with_conversation(in_turn(steps));
    let transcript = play((hosts, &stage, host), &github, (SKILL, "mode:headless"), script, more);
    let failed = model_texts(&transcript)
        .iter()
        .any(|text| text.starts_with("Polish failed (headless mode). Reason: "));
    assert!(failed, "{:?}", model_texts(&transcript));
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "cancelled");
    assert!(!site.has(&format!("{run}/server.json")) && !site.answers(""), "nothing was started");
}

#[test]
fn every_host_refuses_a_polish_without_a_review() {
    let hosts = real_hosts!();
    refused_without_a_review(&hosts, Host::ClaudeCode, &[]);
    refused_without_a_review(&hosts, Host::OpenCode, &[]);
    refused_without_a_review(&hosts, Host::Codex, &UNBOUND);
}

/// In Codex's sandbox a server would end with the call that starts it: the skill says what to allow, ends the run, and
/// nothing runs.
#[test]
fn codex_is_told_that_its_sandbox_keeps_no_server() {
    let (hosts, host) = (real_hosts!(), Host::Codex);
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(&hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    let git = stage.project().join(".git").display().to_string();
    let network = "sandbox_workspace_write.network_access=true";
    let more = ["--sandbox", "workspace-write", "--add-dir", &git, "-c", network];
    let around = (&hosts, &stage, host);
    review(around, &github, &more);
    let mut steps = calls(
        host,
        &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0), ("## 4. Start", 0), ("## 4. Start", 3)],
    );
    steps.push(call(host, "## 11. Cancel", 0).expects([r#""code":"sandboxed""#, "danger-full-access"]));
    steps.push(says(|request| refused(request, "rt.server.start/1")));
    let script = ModelScript::default().with_conversation(in_turn(steps));
    let transcript = play(around, &github, (SKILL, "mode:headless"), script, &more);
    let words =
        "Reason: the sandbox ends every process when the call that started it ends. Start the server in a";
    assert!(
        model_texts(&transcript).iter().any(|text| text.contains(words)),
        "{:?}",
        model_texts(&transcript)
    );
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "cancelled");
    assert!(!site.has(&format!("{run}/server.json")) && !site.answers(""), "nothing was started");
}

/// In Codex's default sandbox nothing can be written: the polish ends at its second call, and leaves nothing.
#[test]
fn codex_is_told_what_to_change_in_its_default_sandbox_before_a_polish() {
    let (hosts, host) = (real_hosts!(), Host::Codex);
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(&hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1)]);
    steps.push(says(|request| refused(request, "rt.polish.acquire/1")));
    let script = ModelScript::default().with_conversation(in_turn(steps));
    let transcript = play((&hosts, &stage, host), &github, (SKILL, "mode:headless"), script, &[]);
    assert!(
        model_texts(&transcript).iter().any(|text| text.contains("--sandbox workspace-write")),
        "{transcript:?}"
    );
    assert!(!site.has(".plugcast"), "nothing is left half done");
}
