//! A pull request from the words of the user to the report: the real `gh` asks a GitHub of our own, git fetches the
//! head, and the skill goes on from there.

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::Transcript;
use serde_json::json;

use super::hand::Host;
use super::modes::{fixer, others, report, reported, reviewer_again, second_look};
use super::obedient_model::answer;
use super::repository::Repository;
use super::{BEGIN, SKILL, WRITABLE, fixed, in_turn, merged, model_texts, rechecked, says};
use crate::hosts::model::holds;
use crate::hosts::stage::{OWN, Stage, invoke};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// What the user types. `opencode run` of 1.18.33 ends with an error when a word of it is a bare number.
pub(super) fn words(host: Host) -> &'static str {
    match host {
        Host::OpenCode => "mode:autofix https://github.com/owner/tool/pull/7",
        Host::ClaudeCode | Host::Codex => "mode:autofix 7",
    }
}

/// Plays the skill with what `gh` needs around it.
pub(super) fn session(
    hosts: &Hosts,
    (stage, host): (&Stage, Host),
    github: &GitHub,
    script: ModelScript,
    more: &[String],
) -> Transcript {
    let mut session = stage.session(invoke(SKILL, words(host)), script);
    session.allowed_tools = vec!["Bash(sed:*)".to_owned()];
    session.arguments = more.to_vec();
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

fn reviewed(hosts: &Hosts, host: Host, more: impl Fn(&Stage) -> Vec<String>) {
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let repository = Repository::begin(&stage.project()).publish();
    let published = repository.published();
    let mut steps = merged(host, "autofix");
    steps.extend(fixed(host));
    steps.extend(second_look(host));
    steps.extend(reported(host));
    steps.push(says(|request| {
        let scope = answer(request, BEGIN)?;
        holds(&scope["pr"]["title"].to_string(), "Change the price")?;
        report(request)
    }));
    let script = others(
        ModelScript::default().with_conversation(reviewer_again(&[rechecked(true, "every place is named")])),
    )
    .with_conversation(fixer(host, &[("fix.json", "sed -i s/totl/total/ src/price.py")]))
    .with_conversation(in_turn(steps));
    let transcript = session(hosts, (&stage, host), &github, script, &more(&stage));

    let calls = github.requests();
    assert!(!calls.is_empty() && calls.iter().all(|call| call.call == "POST /graphql"), "{calls:?}");
    assert!(calls[0].text.contains("pullRequest(number:$number)"), "{calls:?}");
    let [run] = &repository.runs()[..] else { panic!("one run: {:?}", repository.runs()) };
    let scope = repository.json(&format!("{run}/scope.json"));
    let scope = &scope["scope"];
    assert_eq!((&scope["pr"]["number"], &scope["base_source"]), (&json!(7), &json!("pull_request")));
    assert_eq!((repository.branch().as_str(), &scope["fetched"]), ("pr-7", &json!(true)));
    assert!(repository.text("src/price.py").contains("total = 0"), "the safe finding is repaired");
    assert_eq!(repository.json(&format!("{run}/metadata.json"))["status"], "done");
    let written = repository.text(&format!("{run}/report.md"));
    assert!(model_texts(&transcript).iter().any(|text| text.contains(written.trim_end())), "{written}");
    assert_eq!(repository.published(), published, "nothing is pushed");
}

#[test]
fn claude_code_reviews_a_pull_request() {
    reviewed(&real_hosts!(), Host::ClaudeCode, |_| Vec::new());
}

#[test]
fn opencode_reviews_a_pull_request() {
    reviewed(&real_hosts!(), Host::OpenCode, |_| Vec::new());
}

/// With the settings that the helper names where it is refused.
#[test]
fn codex_reviews_a_pull_request_with_git_and_network_allowed() {
    reviewed(&real_hosts!(), Host::Codex, allowed);
}

/// The settings of Codex for git and the network.
pub fn allowed(stage: &Stage) -> Vec<String> {
    let git = stage.project().join(".git").display().to_string();
    let network = "sandbox_workspace_write.network_access=true";
    let words = [WRITABLE[0], WRITABLE[1], "--add-dir", &git, "-c", network];
    words.map(str::to_owned).to_vec()
}

/// Without them the review does not begin, in words that name the setting, and the next one can.
#[test]
fn codex_gives_a_pull_request_up_without_the_network() {
    let hosts = real_hosts!();
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(&hosts, "codex", OWN);
    let repository = Repository::begin(&stage.project()).publish();
    let (head, host) = (repository.head(), Host::Codex);
    let refusal = says(|request| {
        let refusal = answer(request, BEGIN)?;
        holds(&refusal["error"]["code"].to_string(), "sandboxed")?;
        holds(&refusal["error"]["hint"].to_string(), "network_access=true")?;
        Ok(format!("{} {}", refusal["error"]["message"], refusal["error"]["hint"]))
    });
    let steps = vec![host.call("## 1. Begin", 0), refusal];
    let more = WRITABLE.map(str::to_owned);
    session(&hosts, (&stage, host), &github, ModelScript::default().with_conversation(in_turn(steps)), &more);
    assert!(github.requests().is_empty(), "{:?}", github.requests());
    assert!(repository.runs().is_empty(), "nothing is half done: {:?}", repository.runs());
    assert_eq!((repository.head(), repository.status().as_str()), (head, ""));
    let locks = std::fs::read_dir(stage.project().join(".plugcast/local/locks")).into_iter().flatten();
    assert_eq!(locks.count(), 0, "the next review can begin");
}
