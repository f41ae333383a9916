//! The calls of the skill `resolve-feedback`, with the real `gh` against a GitHub of our own.

use std::path::Path;

use serde_json::{Value, json};

use super::{Walk, write};
use crate::support::github::GitHub;
use crate::support::root;

/// A branch that is pull request 7.
const SETUP: &str = r#"
put .gitignore .plugcast
repo
git clone -q --bare . ../origin.git
git config url."$FIXTURE/origin.git".insteadOf https://github.com/owner/tool
git remote add origin https://github.com/owner/tool
git switch -q -c feat
put src/a.rs one
commit feat
git push -q ../origin.git feat feat:refs/pull/7/head
"#;

/// Gives GitHub these threads, which nobody has answered.
fn holds(walk: &Walk, threads: &str) {
    let words = root().join("tests/github/state.mjs").display().to_string();
    let script = format!("node \"{words}\" ../state.json \"$(git rev-parse feat)\" '{{threads: {threads}}}'");
    walk.run(&script).ok();
}

/// Fetches, sorts and dispatches; gives the answer of the last.
fn dispatches(walk: &mut Walk, run: &str, ids: &[&str], gate: &str) -> Value {
    let own = [("RUN", run)];
    let fetched = walk.call("2. Fetch", 0, &own, "").ok().json();
    assert_eq!(fetched["status"], "ok", "{fetched}");
    let items: Vec<Value> =
        ids.iter().map(|id| json!({ "id": id, "state": "new", "category": "validation" })).collect();
    write(Path::new(run).join("triage.json"), &json!({ "items": items }).to_string());
    let gates = walk.call("3. Sort", 0, &own, "").ok().json();
    assert_eq!(gates["status"], gate, "{gates}");
    walk.call("4. Dispatch", 0, &own, "").ok().json()
}

/// Writes what an agent returns for each unit.
fn replies(dispatched: &Value, verdict: &str) {
    for unit in dispatched["waves"].as_array().into_iter().flatten().flat_map(|wave| wave.as_array().unwrap())
    {
        let result = |id: &Value| {
            json!({
                "feedback_id": id, "feedback_type": "review_thread", "verdict": verdict, "files_changed": [],
                "reply_text": "It's \"whole\" $cents `now`.", "reason": "because", "decision_context": "Which?",
            })
        };
        let results: Vec<Value> = unit["items"].as_array().into_iter().flatten().map(result).collect();
        let mode = json!({ "mode": "systemic", "root_cause": "one", "files_investigated": [], "prior_thread_ids": [] });
        let reply = json!({ "results": results, "cluster_assessment": mode });
        write(unit["reply"].as_str().expect("a path"), &reply.to_string());
    }
}

#[test]
fn every_call_of_the_feedback_skill_runs() {
    let mut walk = Walk::new("feedback", "resolve-feedback", SETUP);
    let at = walk.project.parent().expect("a folder").to_owned();
    let github = GitHub::in_folder(&at);
    let variables = github.variables_with(&walk.variables["PATH"]);
    walk.variables.extend(variables);
    holds(&walk, "threads(3)");

    let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", "#7 naming first")], "").ok().json();
    assert_eq!((&begun["status"], &begun["focus"]), (&json!("started"), &json!("naming first")), "{begun}");
    let taken = walk.call("1. Begin", 0, &[("$ARGUMENTS", "7")], "");
    assert_eq!((taken.code, &taken.json()["error"]["code"]), (Some(6), &json!("taken")));
    let run = begun["run"].as_str().expect("a run").to_owned();
    let own = [("RUN", run.as_str())];

    let dispatched = dispatches(&mut walk, &run, &["T1", "T2", "T3"], "run");
    assert_eq!(dispatched["waves"][0][0]["is_cluster"], true, "{dispatched}");
    replies(&dispatched, "fixed");
    let posted = walk.call("6. Reply", 0, &own, "").ok().json();
    assert_eq!(
        (&posted["status"], &posted["assessments"][0]["mode"]),
        (&json!("posted"), &json!("systemic"))
    );
    let resolved = walk.call("7. Resolve", 0, &own, "").ok().json();
    assert_eq!(resolved["resolved"], json!(["T1", "T2", "T3"]), "{resolved}");

    // Somebody opens one of them again, twice.
    for round in 2..=3 {
        let answered = r#"thread("T9", {}, ...answered("T9", "fixed", say("bob", "Why?")))"#;
        holds(&walk, &format!("[thread(\"T1\", {{line: {round}}}), {answered}]"));
        let dispatched = dispatches(&mut walk, &run, &["T1"], "skip");
        assert_eq!(dispatched["round"], round, "{dispatched}");
        let wanted = if round == 2 { "ok" } else { "escalate" };
        assert_eq!(dispatched["status"], wanted, "{dispatched}");
        replies(&dispatched, "needs-human");
        let posted = walk.call("6. Reply", 0, &own, "").ok().json();
        assert_eq!(posted["status"], "posted", "{posted}");
        assert_eq!(
            dispatched["left"].as_array().map(Vec::len),
            Some(usize::from(round == 3)),
            "{dispatched}"
        );
    }
    let values = [own[0], ("ID", "T1"), ("TEXT", "It stays: $HOME is \"right\".")];
    let posted = walk.call("8. Escalate", 0, &values, "").ok().json();
    assert_eq!(posted["replies"][0]["verdict"], "replied", "{posted}");
    let resolved = walk.call("8. Escalate", 1, &values, "").ok().json();
    assert_eq!(resolved["resolved"], json!(["T1"]), "{resolved}");
    let resolved = walk.call("9. End", 0, &[own[0], ("ID", "T9")], "").ok().json();
    assert_eq!(resolved["resolved"], json!(["T9"]), "{resolved}");
    let finished = walk.call("9. End", 1, &own, "").ok().json();
    assert_eq!(finished["status"], "complete", "{finished}");

    let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "").ok().json();
    let run = begun["run"].as_str().expect("a run").to_owned();
    let abandoned = walk.call("10. Give up", 0, &[("RUN", &run)], "").ok().json();
    assert_eq!(abandoned["status"], "abandoned", "{abandoned}");
    let text = github.requests().into_iter().find(|one| one.text.contains("$HOME")).expect("the reply").text;
    assert!(text.contains(r#"It stays: $HOME is \"right\"."#), "{text}");
    walk.ends();
}
