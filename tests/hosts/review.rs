//! `review` from the words of the user to the last line in each real host. The scripted model takes every call
//! out of the text that it received and puts values of the helper's own answers in place of capital words;
//! what is left on the disk is asserted.

pub mod hand;
mod hostile;
pub mod house;
mod modes;
pub mod obedient_model;
pub mod pull_request;
mod replies;
pub mod repository;

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::Transcript;
use serde_json::{Value, json};

use self::hand::Host;
use self::obedient_model::{answer, shown};
use self::replies::{answers, finding, lost, rechecked, returns};
use self::repository::Repository;
use super::model::{agent, holds, main};
use super::stage::{OWN, Stage, instructions, invoke};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;

const SKILL: &str = "review:review";
/// The reviewers that are always asked.
pub const ASKED: [&str; 5] = [
    "review:correctness",
    "review:testing",
    "review:maintainability",
    "review:project-standards",
    "review:past-learnings",
];
/// The schema of the first answer.
const BEGIN: &str = "rt.review.begin/1";
const INTENT: &str = "Add up prices one by one";
/// What a reviewer says that found no diff.
const LOST_WORDS: &str = "The diff could not be read.";
const LOST: &str = "The last price is lost";
const EMPTY: &str = "No test of an empty list";
/// What Codex needs so that the workspace can be written.
pub(super) const WRITABLE: [&str; 2] = ["--sandbox", "workspace-write"];

/// The conversation of a reviewer, which must be told where the diff is.
fn reviewer(number: usize, told: &'static str, answer: String) -> Conversation {
    let source = format!("plugins/review/agents/{}.md", hand::plain(ASKED[number]));
    agent(&instructions(&source), ScriptStep::reply(ModelReply::text(answer)).expects([told, INTENT]))
}

/// A script with every reviewer, each told where the diff is.
pub fn every_reviewer(told: &'static str, answers: &[String; 5]) -> ModelScript {
    let all = answers.iter().enumerate();
    all.fold(ModelScript::default(), |script, (number, answer)| {
        script.with_conversation(reviewer(number, told, answer.clone()))
    })
}

fn fixer(host: Host) -> Conversation {
    let told = instructions("plugins/review/agents/fixer.md");
    let repaired = ScriptStep::reply(ModelReply::text(r#"{"applied": ["F2"], "skipped": []}"#));
    let repair = ScriptStep::reply(host.shell("sed -i s/totl/total/ src/price.py")).expects(["fix.json"]);
    agent(&told, repair).then(repaired)
}

/// The reviewers, asked with the intent and the paths of the scope.
fn reviewers(host: Host) -> Vec<ScriptStep> {
    let task = |request: &ModelRequest| {
        let scope = answer(request, BEGIN)?;
        let diff = match scope["diff_path"].as_str() {
            Some(path) => path.to_owned(),
            None => obedient_model::words(&scope["diff_argv"]).join(" "),
        };
        let base = scope["base_sha"].as_str().unwrap_or_default();
        let id = scope["review_id"].as_str().ok_or("no id of the review")?;
        Ok(format!(
            "{INTENT}. The id of this review is {id}. The change since {base}. The diff: {diff}. The focus: {}",
            scope["focus"]
        ))
    };
    host.dispatch(&ASKED, task)
}

/// A step that ends with what a call has printed.
pub fn says(what: fn(&ModelRequest) -> Result<String, String>) -> ScriptStep {
    ScriptStep::compute(move |request| Ok(ModelReply::text(what(request)?)))
}

fn report(request: &ModelRequest) -> Result<String, String> {
    shown(request, "Code review ", "\nReview complete")
}

/// The calls of a review with a run, up to what the reviewers returned, merged.
fn merged(host: Host, mode: &str) -> Vec<ScriptStep> {
    let mut steps = vec![host.call("## 1. Begin", 0)];
    let asked = reviewers(host).into_iter().enumerate().map(|(number, step)| match number {
        0 => step.expects([format!(r#""mode":"{mode}""#), r#""status":"started""#.to_owned()]),
        _ => step,
    });
    steps.extend(asked);
    steps.extend(host.keep_replies(&ASKED));
    steps.push(host.call("## 4. Merge", 1).expects_that(|request| {
        let scope = answer(request, BEGIN)?;
        holds(&scope["files"].to_string(), "src/price.py")
    }));
    steps
}

/// The fixer, asked with the file of what may be fixed now; its reply is kept.
fn fixed(host: Host) -> Vec<ScriptStep> {
    let task = |request: &ModelRequest| {
        let run = answer(request, BEGIN)?;
        Ok(format!("{}/fix.json in {}", run["run"].as_str().unwrap_or_default(), run["tree"]))
    };
    let mut steps = host.dispatch(&["review:fixer"], task);
    steps.push(host.keep("applied", "RUN/replies/fixer.txt"));
    steps
}

/// A whole headless review, with what the reviewers return.
pub fn reviewed(host: Host, fixes: bool) -> Conversation {
    let mut steps = merged(host, "headless");
    if fixes {
        steps.extend(fixed(host));
    }
    steps.push(host.call("## 8. Report", 0));
    steps.push(host.call("## 8. Report", 1).expects([r#""schema":"rt.review.finish/1""#]));
    steps.push(says(report));
    in_turn(steps)
}

/// Steps of the session itself.
pub fn in_turn(steps: Vec<ScriptStep>) -> Conversation {
    steps.into_iter().fold(main(), Conversation::then)
}

/// Plays the skill. `allowed` is what the user allows beforehand, where the host has such a list: the skill allows
/// the helper and its own files by itself.
fn play(stage: &Stage, arguments: &str, script: ModelScript, allowed: &[&str], more: &[&str]) -> Transcript {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut session = stage.session(invoke(SKILL, arguments), script);
    session.arguments = owned(more);
    session.allowed_tools = owned(allowed);
    stage.play(session)
}

fn headless(hosts: &Hosts, host: Host, more: &[&str]) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let repository = Repository::begin(&stage.project());
    let script = every_reviewer("diff.patch", &answers())
        .with_conversation(fixer(host))
        .with_conversation(reviewed(host, true));
    let transcript = play(&stage, "mode:headless", script, &["Bash(sed:*)"], more);

    assert!(repository.text("src/price.py").contains("total = 0"), "the safe finding is repaired");
    let [run] = &repository.runs()[..] else { panic!("one run: {:?}", repository.runs()) };
    let report = repository.text(&format!("{run}/report.md"));
    let shown = documented(&stage.project().join(run).display().to_string());
    assert_eq!(report.trim_end(), shown.trim_end());
    assert!(model_texts(&transcript).contains(&report.trim_end()), "the report is the answer of the session");
    let metadata = repository.json(&format!("{run}/metadata.json"));
    assert_eq!((&metadata["status"], &metadata["verdict"]), (&json!("done"), &json!("Not ready")));
    assert_eq!((&metadata["branch"], &metadata["head_sha"]), (&json!("feature"), &json!(repository.head())));
    assert_eq!(repository.json(&format!("{run}/applied.json"))["findings"][0]["id"], "F2");
    let kept = repository.text(&format!("{run}/replies/correctness.txt"));
    assert_eq!(serde_json::from_str::<Value>(&kept).expect("as it was returned"), returns()[0]);
    assert_eq!(repository.status(), " M src/price.py\n", "nothing is committed, and runs stay out of sight");
    assert!(!repository.has(".plugcast/todos"));
    true_answers(&transcript, &repository, run);
    text_as_emitted(&stage, host, &transcript);
}

/// The report that the plugin's README shows, with the place of this run.
fn documented(run: &str) -> String {
    let readme = root().join("plugins/review/README.md");
    let readme = std::fs::read_to_string(readme).expect("the plugin has a README");
    let (_, rest) =
        readme.split_once("repairs the misspelt name and ends with\n\n```\n").expect("its example");
    let (block, _) = rest.split_once("```").expect("the end of the example");
    let lines = block.lines().map(|line| match line.strip_prefix("Artifact: ") {
        Some(_) => format!("Artifact: {run}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// What came to the model is what the helper wrote down, nothing more and nothing less.
fn true_answers(transcript: &Transcript, repository: &Repository, run: &str) {
    let last = transcript.requests("main").last().expect("a request");
    let came = |schema: &str| answer(last, schema).unwrap_or_else(|missing| panic!("{missing}"));
    let started = came(BEGIN);
    assert!(started["run"].as_str().is_some_and(|place| place.ends_with(run)), "{started}");
    let record = repository.json(&format!("{run}/run.json"));
    for key in ["run_id", "mode", "branch", "head_sha", "tree"] {
        assert_eq!(started[key], record[key], "{key}: {started}");
    }
    let (merged, kept) = (came("rt.review.merge/1"), repository.json(&format!("{run}/findings.json")));
    for key in ["findings", "pre_existing", "queues", "coverage"] {
        assert_eq!(merged[key], kept[key], "{key}");
    }
    let (finished, metadata) = (came("rt.review.finish/1"), repository.json(&format!("{run}/metadata.json")));
    for key in ["run_id", "status", "verdict", "head_moved"] {
        assert_eq!(finished[key], metadata[key], "{key}: {finished}");
    }
}

/// The calls that the model took out of its text are those of the emitted file: the host has put values in place of
/// variables, and nothing else.
fn text_as_emitted(stage: &Stage, host: Host, transcript: &Transcript) {
    let plugin = stage.bundle.join("plugins/review");
    let emitted = std::fs::read_to_string(plugin.join("skills/review/SKILL.md")).expect("the emitted skill");
    let first = transcript.requests("main").next().expect("a request");
    let given = first.all_text().replace(&plugin.display().to_string(), "${CLAUDE_PLUGIN_ROOT}");
    for (heading, number) in [
        ("## 1. Begin", 0),
        ("## 4. Merge", 1),
        ("## 4. Merge", 2),
        ("## 4b. Report", 0),
        ("## 5. Approve", 0),
        ("## 5. Approve", 1),
        ("## 7. Re-review", 0),
        ("## 8. Report", 0),
        ("## 8. Report", 1),
        ("## 10. Give up", 0),
    ] {
        let in_file =
            obedient_model::block(&emitted, heading, number).unwrap_or_else(|missing| panic!("{missing}"));
        let in_request =
            obedient_model::block(&given, heading, number).unwrap_or_else(|missing| panic!("{missing}"));
        let words = if host == Host::Codex { "$ARGUMENTS" } else { "mode:headless" };
        assert_eq!(in_request, in_file.replace("$ARGUMENTS", words), "{}: {heading}", host.name());
    }
}

/// The texts of the host's own events.
pub fn model_texts(transcript: &Transcript) -> Vec<&str> {
    let mut texts = Vec::new();
    transcript.events.iter().for_each(|event| obedient_model::texts(event, &mut texts));
    texts.into_iter().map(str::trim_end).collect()
}

#[test]
fn claude_code_reviews_and_repairs_without_a_question() {
    headless(&real_hosts!(), Host::ClaudeCode, &[]);
}

#[test]
fn opencode_reviews_and_repairs_without_a_question() {
    headless(&real_hosts!(), Host::OpenCode, &[]);
}

#[test]
fn codex_reviews_and_repairs_with_a_writable_workspace() {
    headless(&real_hosts!(), Host::Codex, &WRITABLE);
}

/// Codex's default sandbox: the skill ends at its first call, with the words that say what to change.
fn refused_at_the_start(hosts: &Hosts, arguments: &str) {
    let stage = Stage::new(hosts, "codex", OWN);
    let repository = Repository::begin(&stage.project());
    let before = repository.tree();
    let refused = says(|request| {
        let refusal = answer(request, BEGIN)?;
        holds(&refusal["error"]["code"].to_string(), "sandboxed")?;
        holds(&refusal["error"]["hint"].to_string(), "--sandbox workspace-write")?;
        Ok(format!("{} {}", refusal["error"]["message"], refusal["error"]["hint"]))
    });
    let host = Host::Codex;
    let steps = vec![host.call("## 1. Begin", 0), refused];
    play(&stage, arguments, ModelScript::default().with_conversation(in_turn(steps)), &[], &[]);
    assert!(repository.tree() == before, "nothing is left half done");
}

#[test]
fn codex_is_told_what_to_change_in_its_default_sandbox() {
    let hosts = real_hosts!();
    for arguments in ["mode:headless", "mode:autofix", ""] {
        refused_at_the_start(&hosts, arguments);
    }
}

/// Plays one in each host, on Codex in both sandboxes or in one.
fn everywhere(hosts: &Hosts, codex: &[&[&str]], scenario: fn(&Hosts, Host, &[&str])) {
    scenario(hosts, Host::ClaudeCode, &[]);
    scenario(hosts, Host::OpenCode, &[]);
    codex.iter().for_each(|more| scenario(hosts, Host::Codex, more));
}

#[test]
fn a_report_alone_leaves_no_trace() {
    everywhere(&real_hosts!(), &[&[], &WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let before = repository.tree();
        let mut steps = vec![host.call("## 1. Begin", 0)];
        steps.extend(reviewers(host));
        steps.push(
            host.call_with("## 4b. Report", 0, "--format text", &[]).expects([r#""status":"untraced""#]),
        );
        steps.push(says(|request| shown(request, "# Code review", "- an empty list")));
        let script =
            every_reviewer("git -c core.fsmonitor=false", &answers()).with_conversation(in_turn(steps));
        // A host asks about JSON in a command, whatever the skill allows.
        let transcript = play(&stage, "mode:report-only", script, &["Bash"], more);
        for part in [
            "| F1 | src/price.py:6 | The last price is lost | by hand | later step |",
            "- Why: A buyer does not pay for the last item\n- Evidence: range(count - 1)",
            "\nIntent: Add up prices one by one\n",
        ] {
            let told = model_texts(&transcript).iter().any(|text| text.contains(part));
            assert!(told, "{}: `{part}`: {transcript:?}", host.name());
        }
        assert!(repository.tree() == before, "{}: a trace is left", host.name());
    });
}

#[test]
fn modes_that_contradict_each_other_start_nothing() {
    everywhere(&real_hosts!(), &[&[], &WRITABLE], |hosts, host, more| {
        const MESSAGE: &str = "Review failed (headless mode). Reason: conflicting mode flags \
                               (mode:headless, mode:autofix). Pass one.";
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let before = repository.tree();
        let refused = says(|request| {
            let refusal = answer(request, BEGIN)?;
            Ok(refusal["error"]["message"].as_str().unwrap_or_default().to_owned())
        });
        let script = ModelScript::default()
            .with_conversation(main().then(host.call("## 1. Begin", 0)).then(refused.expects([MESSAGE])));
        let transcript = play(&stage, "mode:headless mode:autofix", script, &[], more);
        assert!(model_texts(&transcript).contains(&MESSAGE), "{}", host.name());
        assert!(repository.tree() == before, "{}: a trace is left", host.name());
    });
}

#[test]
fn without_any_usable_return_the_review_says_that_it_is_degraded() {
    everywhere(&real_hosts!(), &[&WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let script = every_reviewer("diff.patch", &lost()).with_conversation(reviewed(host, false));
        let transcript = play(&stage, "mode:headless", script, &[], more);
        let report = "Code review degraded (headless mode). Reason: 0 of 5 reviewers returned results.\n";
        let told = model_texts(&transcript);
        assert!(
            told.iter().any(|text| text.starts_with(report) && text.ends_with("Review complete")),
            "{}",
            host.name()
        );
        let [run] = &repository.runs()[..] else { panic!("one run: {:?}", repository.runs()) };
        assert_eq!(repository.json(&format!("{run}/metadata.json"))["status"], "degraded");
        assert_eq!(repository.status(), "", "{}: something changed", host.name());
    });
}

/// Without a run nothing says that the review is degraded but its report, and that works in every sandbox.
#[test]
fn a_report_alone_says_that_nobody_returned_anything() {
    everywhere(&real_hosts!(), &[&[], &WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let before = repository.tree();
        let mut steps = vec![host.call("## 1. Begin", 0)];
        steps.extend(reviewers(host));
        steps.push(host.call_with("## 4b. Report", 0, "--format text", &[]));
        steps.push(says(|request| shown(request, "# Code review", "reviewers returned results.")));
        let script = every_reviewer("git -c core.fsmonitor=false", &lost()).with_conversation(in_turn(steps));
        let transcript = play(&stage, "mode:report-only", script, &["Bash"], more);
        let line = "Degraded: 0 of 5 reviewers returned results.";
        assert!(
            model_texts(&transcript).iter().any(|text| text.contains(line)),
            "{}: {transcript:?}",
            host.name()
        );
        assert!(repository.tree() == before, "{}: a trace is left", host.name());
    });
}
