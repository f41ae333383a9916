//! The modes that look at a fix again: `autofix` by itself, in two rounds at most, and `interactive` with the user
//! who says what to fix and whether to commit.

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::json;

use super::hand::Host;
use super::house::House;
use super::obedient_model::{answer, shown, words};
use super::repository::Repository;
use super::{
    ASKED, BEGIN, INTENT, SKILL, WRITABLE, answers, every_reviewer, everywhere, fixed, in_turn, merged,
    model_texts, play, rechecked, returns, reviewer, says,
};
use crate::hosts::model::{agent, between, holds, last_result};
use crate::hosts::stage::{OWN, Stage, instructions, invoke};
use crate::support::hosts::real_hosts;

/// What the fixer leaves when it fixes one of three places.
const ONE_PLACE: &str = "sed -i 4s/totl/total/ src/price.py";
const EVERY_PLACE: &str = "sed -i s/totl/total/ src/price.py";
const APPLIED: &str = r#"{"applied": ["F2"], "skipped": []}"#;

/// The fixer, once a command: what it is told, and what it runs.
pub(super) fn fixer(host: Host, fixes: &[(&'static str, &'static str)]) -> Conversation {
    let mut steps = fixes.iter().flat_map(|(told, command)| {
        let fix = ScriptStep::reply(host.shell(command)).expects(["fix.json", *told]);
        [fix, ScriptStep::reply(ModelReply::text(APPLIED))]
    });
    let first = steps.next().expect("it is asked at least once");
    steps.fold(agent(&instructions("plugins/review/agents/fixer.md"), first), Conversation::then)
}

/// A round of re-review: the reviewer of the fixed finding is asked, and its reply is kept and merged.
fn round(host: Host, kept: &'static str, values: &'static [(&'static str, &'static str)]) -> Vec<ScriptStep> {
    let mut steps = vec![host.call_with("## 7. Re-review", 0, "", values)];
    steps.extend(host.dispatch(&ASKED[..1], |request| {
        let merged = answer(request, "rt.review.merge/1")?;
        let finding = merged["findings"].as_array().into_iter().flatten().find(|one| one["id"] == "F2");
        let finding = finding.ok_or("no such finding")?;
        if words(&finding["reviewers"]) != ["correctness"] {
            return Err(format!("somebody else found it: {finding}"));
        }
        Ok(format!(
            "{INTENT}. This is another round. Recheck F2 in {}; look for new faults.",
            finding["file"]
        ))
    }));
    steps.push(host.keep("reviewer", kept));
    steps.push(host.call_with("## 7. Re-review", 1, "", values));
    steps
}

/// The first round, as `references/rounds.md` says.
pub(super) fn second_look(host: Host) -> Vec<ScriptStep> {
    round(host, "RUN/replies/round-2/correctness.txt", &[("N", "2")])
}

fn third_look(host: Host) -> Vec<ScriptStep> {
    round(host, "RUN/replies/round-3/correctness.txt", &[("N", "3")])
}

/// A reviewer that returns its findings, and then what it says of a fix.
pub(super) fn reviewer_again(verdicts: &[String]) -> Conversation {
    let first = reviewer(0, "diff.patch", returns()[0].to_string());
    verdicts.iter().fold(first, |conversation, verdict| {
        let told = ["Recheck F2", "src/price.py"];
        conversation.then(ScriptStep::reply(ModelReply::text(verdict.clone())).expects(told))
    })
}

/// The other reviewers, with what they return.
pub(super) fn others(script: ModelScript) -> ModelScript {
    let all = returns().into_iter().enumerate().skip(1);
    all.fold(script, |script, (number, own)| {
        script.with_conversation(reviewer(number, "diff.patch", own.to_string()))
    })
}

/// Two calls: the end of the run, and its report.
pub(super) fn reported(host: Host) -> Vec<ScriptStep> {
    vec![host.call("## 8. Report", 0), host.call("## 8. Report", 1).expects([r#""status":"done""#])]
}

/// The report for people, as the helper printed it last.
pub(super) fn report(request: &ModelRequest) -> Result<String, String> {
    shown(request, "# Code review\n", "- an empty list")
}

#[test]
fn autofix_looks_twice_and_leaves_what_is_left_to_do() {
    everywhere(&real_hosts!(), &[&WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let head = repository.head();
        let mut steps = merged(host, "autofix");
        steps.extend(fixed(host));
        steps.extend(second_look(host));
        // The first fix does not hold: it goes back with the reason.
        steps.extend(host.dispatch(&["review:fixer"], |request| {
            let run = answer(request, BEGIN)?;
            let place = run["run"].as_str().unwrap_or_default();
            Ok(format!("{place}/fix.json: F2 does not hold: two places are left"))
        }));
        steps.push(host.keep("applied", "RUN/replies/round-2/fixer.txt"));
        steps.extend(third_look(host));
        steps.extend(reported(host));
        steps.push(says(|request| {
            let finished = answer(request, "rt.review.finish/1")?;
            Ok(format!("{}\n{}", report(request)?, words(&finished["todos"]).join("\n")))
        }));
        let verdicts = [rechecked(false, "two places are left"), rechecked(true, "every place is named")];
        let script = others(ModelScript::default().with_conversation(reviewer_again(&verdicts)))
            .with_conversation(fixer(host, &[("fix.json", ONE_PLACE), ("two places are left", EVERY_PLACE)]))
            .with_conversation(in_turn(steps));
        let transcript = play(&stage, "mode:autofix", script, &["Bash(sed:*)"], more);

        let [run] = &repository.runs()[..] else { panic!("one run: {:?}", repository.runs()) };
        let text = repository.text("src/price.py");
        assert!(!text.contains("totl") && text.contains("total += prices[place]"), "{text}");
        let metadata = repository.json(&format!("{run}/metadata.json"));
        assert_eq!((&metadata["status"], &metadata["mode"]), (&json!("done"), &json!("autofix")));
        assert_eq!(repository.json(&format!("{run}/applied.json"))["findings"][0]["id"], "F2");
        let name = run.rsplit('/').next().expect("a run has a name");
        let todo = format!(".plugcast/todos/{name}-1.md");
        for line in ["severity: P1", "file: \"src/price.py:6\"", "status: ready", "# The last price is lost"]
        {
            assert!(repository.text(&todo).lines().any(|own| own == line), "{}", repository.text(&todo));
        }
        let written = repository.text(&format!("{run}/report.md"));
        let told = |part: &str| model_texts(&transcript).iter().any(|text| text.contains(part));
        assert!(told(written.trim_end()) && told(&todo), "{}: {written}", host.name());
        assert!(written.contains("\nFixed: F2\n"), "{written}");
        assert_eq!(repository.status(), " M src/price.py\n?? .plugcast/\n", "todos are to be seen");
        assert_eq!(repository.head(), head, "nothing is committed");
    });
}

/// Asks the user: with the host's tool where it offers one, and in the chat since no host lets a run without a
/// terminal use it. Codex offers its own and refuses the call (0.169.0); the others offer none.
fn asked(host: Host) -> Vec<ScriptStep> {
    const TOOL: &str = "request_user_input";
    let offered = |request: &ModelRequest| -> Vec<&str> {
        ["AskUserQuestion", TOOL, "question"]
            .into_iter()
            .filter(|tool| request.tool(tool).is_some())
            .collect()
    };
    let expected: &[&str] = if host == Host::Codex { &[TOOL] } else { &[] };
    let in_chat = says(|request| {
        let text = request.all_text();
        holds(&text, "or it is refused, print the numbered options in the chat and wait for the reply")?;
        let options = between(&text, "Then ask: ", "3. fix nothing")?;
        Ok(format!("{}\n{options}3. fix nothing", report(request)?))
    })
    .expects_that(move |request| match offered(request) {
        tools if tools == expected => Ok(()),
        tools => Err(format!("the host offers {tools:?}")),
    });
    if host != Host::Codex {
        return vec![in_chat];
    }
    let options: Vec<_> =
        ["Safe ones", "By id", "Nothing"].map(|label| json!({ "label": label, "description": "fix" })).into();
    let question = json!({ "id": "fix", "header": "Fixes", "question": "Fix what?", "options": options });
    let call = ScriptStep::reply(ModelReply::call(TOOL, json!({ "questions": [question] })));
    vec![call, in_chat.expects_that(|request| holds(&last_result(request), "unavailable"))]
}

#[test]
fn interactive_repairs_after_an_answer_and_commits_after_a_yes() {
    everywhere(&real_hosts!(), &[&WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN).in_project("it's a project");
        let repository = Repository::begin(&stage.project());
        let (head, before) = (repository.head(), repository.text("src/price.py"));
        let mut house = House::new(&stage, host, more);

        let mut steps = merged(host, "interactive");
        steps.push(host.call("## 8. Report", 1));
        steps.extend(asked(host));
        let script = every_reviewer("diff.patch", &answers()).with_conversation(in_turn(steps));
        let asked = house.session(invoke(SKILL, ""), script, &[]);
        let told = |part: &str| model_texts(&asked).iter().any(|text| text.contains(part));
        assert!(told("| F2 | src/price.py:4 |") && told("1. fix the safe findings ("), "{asked:?}");
        let [run] = &repository.runs()[..] else { panic!("one run: {:?}", repository.runs()) };
        assert!(!repository.has(&format!("{run}/metadata.json")), "the run waits for the answer");
        assert_eq!(repository.text("src/price.py"), before, "nothing is repaired without an answer");

        let mut steps = vec![host.call("## 5. Approve", 0)];
        steps.extend(fixed(host));
        steps.extend(second_look(host));
        steps.extend(reported(host));
        steps.push(says(|request| Ok(format!("{}\nCommit it?", report(request)?))));
        let holds = ScriptStep::reply(ModelReply::text(rechecked(true, "every place is named")))
            .expects(["Recheck F2"]);
        let script = ModelScript::default()
            .with_conversation(fixer(host, &[("fix.json", EVERY_PLACE)]))
            .with_conversation(agent(&instructions("plugins/review/agents/correctness.md"), holds))
            .with_conversation(in_turn(steps));
        // The host is started again, where the skill's own rules are not asked for: the user allows the shell and the reply files.
        let repaired =
            house.session(SessionOpening::Prompt("1, please".to_owned()), script, &["Bash", "Write"]);
        let written = repository.text(&format!("{run}/report.md"));
        assert!(model_texts(&repaired).iter().any(|text| text.contains(written.trim_end())), "{written}");
        assert!(written.contains("\nFixed: F2\n"), "{written}");
        assert!(!written.contains("In the way"), "the second look counts: {}: {written}", host.name());
        assert!(!repository.text("src/price.py").contains("totl"));
        let metadata = repository.json(&format!("{run}/metadata.json"));
        assert_eq!((&metadata["status"], &metadata["mode"]), (&json!("done"), &json!("interactive")));
        assert!(!repository.has(".plugcast/todos"), "the person decides what becomes of the rest");
        assert_eq!(repository.head(), head, "nothing is committed without a yes");

        let commit = "git -c user.name=Ann -c user.email=ann@example.com commit -q -a -m 'Name the sum'";
        let script = ModelScript::default().with_conversation(in_turn(vec![
            ScriptStep::reply(host.shell(commit)),
            says(|request| {
                let result = request.tool_results.last().map(|result| result.text.clone());
                Ok(format!("It says: {}", result.unwrap_or_default()))
            }),
        ]));
        let ended = house.session(SessionOpening::Prompt("yes".to_owned()), script, &["Bash(git:*)"]);
        if host == Host::Codex {
            // Its sandbox keeps `.git`: the repair stays, and the refusal is shown.
            assert!(
                model_texts(&ended).iter().any(|text| text.contains("Read-only file system")),
                "{ended:?}"
            );
            assert_eq!((repository.head(), repository.status().as_str()), (head, " M src/price.py\n"));
        } else {
            assert_ne!(repository.head(), head, "{}: {ended:?}", host.name());
            assert_eq!(repository.status(), "");
        }
    });
}

/// A review that somebody else began has the working tree: the user is asked, and a program stops.
#[test]
fn another_review_is_ended_after_a_yes_only() {
    everywhere(&real_hosts!(), &[&WRITABLE], |hosts, host, more| {
        let stage = Stage::new(hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let other = repository.begin_another();
        let before = repository.tree();
        let taken = |request: &ModelRequest| -> Result<String, String> {
            let refusal = answer(request, BEGIN)?;
            holds(&refusal["error"]["code"].to_string(), "taken")?;
            Ok(refusal["error"]["message"].as_str().unwrap_or_default().to_owned())
        };
        let begun = || vec![host.call("## 1. Begin", 0)];

        let mut steps = begun();
        steps.push(ScriptStep::compute(move |request| Ok(ModelReply::text(taken(request)?))));
        play(&stage, "mode:headless", ModelScript::default().with_conversation(in_turn(steps)), &[], more);
        assert!(repository.tree() == before, "{}: a program must not end it", host.name());

        let mut house = House::new(&stage, host, more);
        let mut steps = begun();
        steps.push(ScriptStep::compute(move |request| {
            Ok(ModelReply::text(format!("{}. End it?", taken(request)?)))
        }));
        let asked =
            house.session(invoke(SKILL, ""), ModelScript::default().with_conversation(in_turn(steps)), &[]);
        assert!(model_texts(&asked).iter().any(|text| text.contains(&other)), "{asked:?}");
        assert!(repository.tree() == before, "{}: nothing ends without an answer", host.name());

        let steps = vec![
            host.call_with("## 1. Begin", 0, "--take-over", &[]),
            host.call("## 10. Give up", 0).expects([format!("\"abandoned\":\"{other}\"")]),
            says(|request| Ok(answer(request, "rt.review.abandon/1")?["run_id"].to_string())),
        ];
        let script = ModelScript::default().with_conversation(in_turn(steps));
        house.session(SessionOpening::Prompt("yes".to_owned()), script, &["Bash", "Write"]);
        for run in repository.runs() {
            assert_eq!(repository.json(&format!("{run}/metadata.json"))["status"], "abandoned", "{run}");
        }
        assert_eq!((repository.runs().len(), repository.status().as_str()), (2, ""));
    });
}
