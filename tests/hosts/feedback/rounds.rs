//! Requests of forks, threads that are opened again, and comments of any length, from the first call to the last.

use plugcast::drivers::script::{Conversation, ModelReply, ModelScript, ScriptStep};
use serde_json::json;

use super::hand::{call, resolved, sorted};
use super::{
    EVERYWHERE, begins, changes, ends, new_items, play, play_within, request, resolver, resolver_steps,
    thread, threads, words,
};
use crate::hosts::model::holds;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::answer;
use crate::hosts::review::repository::Repository;
use crate::hosts::review::{WRITABLE, in_turn};
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::GitHub;
use crate::support::hosts::real_hosts;

/// One round with one new thread: sorted, repaired, answered and resolved.
fn round(host: Host) -> Vec<ScriptStep> {
    let mut steps = vec![
        sorted(host, || new_items(&["T3"])),
        call(host, "## 3. Sort", 1),
        call(host, "## 4. Dispatch", 0),
    ];
    steps.extend(resolved(host));
    steps.push(call(host, "## 6. Reply", 0));
    steps.push(call(host, "## 7. Resolve", 0).expects([r#""status":"posted""#]));
    steps
}

#[test]
fn the_request_of_a_fork_is_answered_and_nothing_is_pushed() {
    let hosts = real_hosts!();
    for host in EVERYWHERE {
        let stage = Stage::new(&hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project());
        let state = request(&repository.head(), &[thread(3, false, "The last price is lost.")], "eve/tool");
        let github = GitHub::with_state(&state);
        let repository = repository.publish();
        let published = repository.published();
        let mut steps = begins(host);
        let mut one = round(host).into_iter();
        steps.extend(one.next().map(|sorts| {
            sorts.expects_that(|request| {
                let begun = answer(request, "rt.feedback.begin/1")?;
                holds(&begun["pr"]["is_cross_repository"].to_string(), "true")
            })
        }));
        steps.extend(one);
        steps.extend(ends(host, true));
        let agent = resolver(host, &["T3"], None, |unit| holds(unit, "The last price is lost."));
        let script = ModelScript::default().with_conversation(agent).with_conversation(in_turn(steps));
        play(&hosts, (&stage, host), &github, words(host), script);
        assert_eq!(changes(&github), (1, 1), "{}: {:?}", host.name(), github.requests());
        assert_eq!(repository.published(), published, "{}: nothing is pushed", host.name());
    }
}

#[test]
fn a_thread_that_two_rounds_did_not_settle_is_shown_with_what_was_tried() {
    let hosts = real_hosts!();
    for host in EVERYWHERE {
        let again = |number: u32| {
            let mut comment = thread(number, false, "It is lost still.")["comments"][0].clone();
            comment["createdAt"] = json!(format!("2026-01-02T03:05:{number}Z"));
            comment
        };
        let mut open = thread(3, false, "The last price is lost.");
        open["followUps"] = json!([again(31), again(32)]);
        let github = threads("0", &[open]);
        let stage = Stage::new(&hosts, host.name(), OWN);
        let _repository = Repository::begin(&stage.project()).publish();
        let mut steps = begins(host);
        for _ in 0..2 {
            steps.extend(round(host));
            steps.push(call(host, "## 2. Fetch", 0).expects([r#""status":"resolved""#]));
        }
        steps.extend([
            sorted(host, || new_items(&["T3"])),
            call(host, "## 3. Sort", 1),
            call(host, "## 4. Dispatch", 0),
        ]);
        steps.push(ScriptStep::compute(|request| {
            let dispatched = answer(request, "rt.feedback.dispatch/1")?;
            holds(&dispatched["status"].to_string(), "escalate")?;
            holds(&dispatched["left"].to_string(), r#"["T3"]"#)?;
            holds(&dispatched["tried"].as_array().map(Vec::len).unwrap_or_default().to_string(), "2")?;
            holds(&dispatched["tried"][1].to_string(), "the loop ended one early")?;
            Ok(ModelReply::text("done"))
        }));
        let agent = resolver(host, &["T3"], None, |unit| holds(unit, "The last price is lost."));
        let second = resolver_steps(host, &["T3"], None, |unit| holds(unit, "It is lost still."));
        let agent = second.into_iter().fold(agent, Conversation::then);
        let script = ModelScript::default().with_conversation(agent).with_conversation(in_turn(steps));
        play(&hosts, (&stage, host), &github, words(host), script);
        assert_eq!(changes(&github), (2, 2), "{}: {:?}", host.name(), github.requests());
    }
}

#[test]
fn a_comment_of_a_megabyte_goes_through_every_host() {
    let hosts = real_hosts!();
    for host in EVERYWHERE {
        let long = format!("The last price is lost. {}", "$(touch pwned) ".repeat(70_000));
        let github = threads("0", &[thread(3, false, &long)]);
        let stage = Stage::new(&hosts, host.name(), OWN);
        let repository = Repository::begin(&stage.project()).publish();
        let mut steps = begins(host);
        steps.extend(round(host));
        steps.extend(ends(host, true));
        // A host may show a part of a long line, or none of it.
        let agent = resolver(host, &["T3"], None, |unit| {
            holds(unit, "The last price is lost.").or_else(|_| holds(unit, "truncated"))
        });
        let script = ModelScript::default().with_conversation(agent).with_conversation(in_turn(steps));
        play(&hosts, (&stage, host), &github, words(host), script);
        assert_eq!(changes(&github), (1, 1), "{}: {:?}", host.name(), github.requests());
        assert!(!repository.has("pwned"), "{}: no text of a comment is run", host.name());
    }
}

/// Neither by default, where nothing can be written, nor with the working tree alone: the setting is named, and nothing is
/// left.
#[test]
fn codex_is_told_what_to_change_in_its_sandbox() {
    let (hosts, host) = (real_hosts!(), Host::Codex);
    for sandbox in [Vec::new(), WRITABLE.map(str::to_owned).to_vec()] {
        let stage = Stage::new(&hosts, host.name(), OWN);
        let github = threads("0", &[thread(3, false, "The last price is lost.")]);
        let repository = Repository::begin(&stage.project()).publish();
        let before = repository.tree();
        let refused = ScriptStep::compute(|request| {
            let refusal = answer(request, "rt.feedback.begin/1")?;
            holds(&refusal["error"]["code"].to_string(), "sandboxed")?;
            holds(&refusal["error"]["hint"].to_string(), "sandbox")?;
            Ok(ModelReply::text("done"))
        });
        let script =
            ModelScript::default().with_conversation(in_turn(vec![call(host, "## 1. Begin", 0), refused]));
        play_within(&hosts, (&stage, host), &github, words(host), script, sandbox);
        assert!(github.requests().is_empty(), "{:?}", github.requests());
        assert!(repository.tree() == before, "a trace is left");
    }
}
