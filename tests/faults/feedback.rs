//! Walks over every write of `feedback reply`, `resolve` and `dispatch`: a kill at any of them, and the same call made
//! again, posts each reply once and resolves each thread once, as GitHub counts them. What waits for GitHub does so in the
//! helper with injected faults, where seconds are short.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::binary;
use crate::runtime::fixture::{WORDS, environment, shell};
use crate::support::github::GitHub;
use crate::support::root;

/// How often a walk may go on at most.
const MOST: usize = 60;

/// A run with two threads, one of which has a reply.
const SETUP: &str = r#"
git init -q -b main seed && git -C seed commit -q --allow-empty -m start
git clone -q --bare seed origin.git && git clone -q origin.git work && cd work
git config url."$FIXTURE/origin.git".insteadOf https://github.com/owner/tool
git remote set-url origin https://github.com/owner/tool
echo .plugcast > .git/info/exclude
git switch -q -c feat && put src/a.rs one && commit feat && git push -q ../origin.git feat:refs/pull/7/head
github '{threads: threads(2), comments: [note("A", "bob", "a")]}'
echo 7 | "$RUN" feedback begin --stdin > ../begun
ln -s "$(sed 's/.*"run":"\([^"]*\)".*/\1/' ../begun)" ../run
"$RUN" feedback fetch --run ../run > ../fetched
"#;
const DISPATCHED: &str = r#"
"$RUN" feedback dispatch --run ../run > ../dispatched
printf '{"feedback_id":"T1","verdict":"fixed","reply_text":"Done."}' > ../run/replies/r1-u1.txt
"#;

/// Waits of the helper take a hundredth of their time.
const HASTY: &str = "hasty@10";

/// A fresh repository with its own fake GitHub.
struct Stage {
    folder: TempDir,
    home: TempDir,
    github: GitHub,
}

impl Stage {
    fn new(script: &str) -> Self {
        let (folder, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a home"));
        let stage = Self { github: GitHub::in_folder(folder.path()), folder, home };
        let script = format!("{WORDS}\n{SETUP}{script}");
        shell(&script, stage.folder.path(), &stage.variables()).expect("the script succeeds");
        stage
    }

    fn variables(&self) -> BTreeMap<String, String> {
        let folder = std::fs::canonicalize(self.folder.path()).expect("it is there");
        let mut variables = environment(&folder, self.home.path());
        variables.extend(self.github.variables_with(&variables["PATH"]));
        let words = root().join("tests/github/state.mjs");
        variables.insert("GITHUB_STATE".to_owned(), words.display().to_string());
        variables
    }

    fn call(&self, verb: &str, fault: &str) -> Output {
        let mut command = Command::new(binary::faulty_helper());
        command.args(["feedback", verb, "--run", "../run"]).current_dir(self.folder.path().join("work"));
        command.env_clear().envs(self.variables()).stdin(Stdio::null());
        command.env(binary::VARIABLE, fault);
        command.output().expect("the helper can be started")
    }

    /// The answer of a call that must succeed.
    fn good(&self, verb: &str, fault: &str) -> Value {
        let done = self.call(verb, HASTY);
        let text = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{fault}, then {verb}: {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// How often GitHub was asked for something.
    fn asked(&self, part: &str) -> usize {
        let requests = self.github.requests();
        requests.iter().filter(|one| one.call.contains(part) || one.text.contains(part)).count()
    }
}

/// Kills a call at each of its writes; `again` is what is done then.
fn walk(script: &str, verb: &str, again: impl Fn(&Stage, &str)) {
    for step in 1..MOST {
        let stage = Stage::new(script);
        let fault = format!("abort@{step}");
        let done = stage.call(verb, &fault);
        let through = done.status.success();
        assert!(
            through || done.status.code().is_none(),
            "{fault}: {}",
            String::from_utf8_lossy(&done.stdout)
        );
        again(&stage, &fault);
        if through {
            assert!(step > 3, "{verb}: {fault} at the first steps did nothing");
            return;
        }
    }
    panic!("no end of the walk");
}

#[test]
fn replies_can_be_killed_anywhere_and_are_posted_once() {
    walk(DISPATCHED, "reply", |stage, fault| {
        let again = stage.good("reply", fault);
        assert!(again["replies"][0]["url"].is_string(), "{fault}: {again}");
        assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 1, "{fault}");
    });
}

#[test]
fn resolutions_can_be_killed_anywhere_and_are_made_once() {
    let replied = format!("{DISPATCHED}\"$RUN\" feedback reply --run ../run > ../replied\n");
    walk(&replied, "resolve", |stage, fault| {
        assert_eq!(stage.good("resolve", fault)["resolved"], serde_json::json!(["T1"]), "{fault}");
        assert_eq!(stage.asked("resolveReviewThread(input"), 1, "{fault}");
        let fetched = stage.good("fetch", fault);
        assert_eq!(fetched["cross_invocation"]["resolved_threads"][0]["thread_id"], "T1", "{fault}");
    });
}

#[test]
fn a_dispatch_can_be_killed_anywhere_and_dispatches_each_item_once() {
    walk("", "dispatch", |stage, fault| {
        let again = stage.good("dispatch", fault);
        let units = again["waves"].as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
        let names: Vec<String> =
            units.map(|unit| unit["unit"].as_str().unwrap_or_default().to_owned()).collect();
        assert_eq!(names, ["r1-u1", "r1-u3", "r1-u2"], "{fault}");
        for name in names {
            let task = stage.folder.path().join("run/units").join(format!("{name}.xml"));
            assert!(task.is_file(), "{fault}: {}", task.display());
        }
    });
}

#[test]
fn a_reply_whose_connection_ended_too_early_is_posted_again() {
    let lost = r#"github '{threads: threads(1), state: {faults: [{on: "/replies", cut: true}]}}'"#;
    let stage = Stage::new(&format!("{DISPATCHED}{lost}"));
    let failed = stage.call("reply", HASTY);
    let text = String::from_utf8_lossy(&failed.stdout);
    assert!(failed.status.code() == Some(5) && text.contains("gh_failed"), "{text}");
    assert_eq!(stage.good("reply", "a lost call")["replies"][0]["was_posted"], false);
    assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 2);
}

/// GitHub may still be at work on a reply when its run is ended: the next run finds it.
#[test]
fn the_end_of_a_run_awaits_the_reply_that_it_has_begun() {
    let late = r#"github '{threads: threads(1), state: {faults: [{on: "/replies", late: 2000}]}}'"#;
    for end in [
        r#""$RUN" feedback abandon --run ../run && echo 7 | "$RUN" feedback begin --stdin"#,
        r#"echo 7 | "$RUN" feedback begin --stdin --take-over"#,
    ] {
        let stage = Stage::new(&format!("{DISPATCHED}{late}"));
        assert_eq!(stage.call("reply", HASTY).status.code(), Some(5));
        let mut variables = stage.variables();
        variables.insert("RUN".to_owned(), binary::faulty_helper().display().to_string());
        variables.insert(binary::VARIABLE.to_owned(), "hasty@100".to_owned());
        let script = format!(
            "cd work; {{ {end}; }} > ../begun && ln -sfn \"$(sed -n 's/.*\"run\":\"\\([^\"]*\\)\".*/\\1/p' ../begun)\" ../run"
        );
        shell(&script, stage.folder.path(), &variables).expect("the next run begins");
        let fetched = stage.good("fetch", end);
        assert_eq!(fetched["items"][0]["handled_by_us"], true, "{end}: {fetched}");
        assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 1, "{end}");
    }
}

/// The run of another working tree finds it, too.
#[test]
fn a_reply_that_was_begun_in_another_working_tree_is_awaited() {
    let other = r#"
github '{threads: threads(1), state: {faults: [{on: "/replies", late: 2000}]}}'
git worktree add -q --detach ../other feat && cd ../other && echo 7 | "$RUN" feedback begin --stdin > ../begun
ln -s "$(sed 's/.*"run":"\([^"]*\)".*/\1/' ../begun)" ../second
for verb in fetch dispatch; do "$RUN" feedback $verb --run ../second > ../called; done
printf '{"feedback_id":"T1","verdict":"fixed","reply_text":"Again."}' > ../second/replies/r1-u1.txt
"#;
    let stage = Stage::new(&format!("{DISPATCHED}{other}"));
    assert_eq!(stage.call("reply", HASTY).status.code(), Some(5));
    let mut variables = stage.variables();
    variables.insert("RUN".to_owned(), binary::faulty_helper().display().to_string());
    variables.insert(binary::VARIABLE.to_owned(), "hasty@100".to_owned());
    let script = r#"cd other && "$RUN" feedback reply --run ../second > ../called && grep '"was_posted":true' ../called"#;
    shell(script, stage.folder.path(), &variables).expect("the reply is found");
    assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 1);
}

/// Its thread would be resolved without an answer.
#[test]
fn a_thread_whose_reply_was_deleted_stays_open() {
    let gone = r#"
"$RUN" feedback reply --run ../run > ../replied
github '{threads: threads(2, {isOutdated: true}), comments: [note("A", "bob", "a")]}'
"#;
    let stage = Stage::new(&format!("{DISPATCHED}{gone}"));
    let answer = stage.good("resolve", "a deleted reply");
    assert_eq!(answer["status"], "partial", "{answer}");
    let refused =
        serde_json::json!([{"id": "T1", "reason": "its reply was deleted, or edited without its mark"}]);
    assert_eq!(answer["refused"], refused);
    assert_eq!(stage.asked("resolveReviewThread(input"), 0);
    assert_eq!(stage.good("finish", "a deleted reply")["open"], serde_json::json!(["T2", "A", "T1"]));
}

/// A run that was killed while its record was written may have begun a reply.
#[test]
fn a_fresh_record_of_another_working_tree_that_cannot_be_read_counts_as_begun() {
    // Building it may take longer than a record counts as fresh.
    binary::faulty_helper();
    let other = r#"
git worktree add -q --detach ../other feat && cd ../other && echo 7 | "$RUN" feedback begin --stdin > ../begun
ln -s "$(sed 's/.*"run":"\([^"]*\)".*/\1/' ../begun)" ../second
printf '{' > ../second/run.json
"#;
    let stage = Stage::new(&format!("{DISPATCHED}{other}"));
    stage.good("reply", "a damaged record");
    // The thread is asked for before, after each wait, before the post, and after it.
    assert!(
        stage.asked("resolveReviewThread") == 0 && stage.asked("node(id:$id)") >= 7,
        "{:?}",
        stage.github.requests().len()
    );
    assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 1);
}

/// What stands between here and GitHub may answer in its place.
#[test]
fn a_reply_whose_answer_has_no_address_is_posted_again() {
    let other =
        r#"github '{threads: threads(1), state: {faults: [{on: "/replies", status: 201, body: {}}]}}'"#;
    let stage = Stage::new(&format!("{DISPATCHED}{other}"));
    let failed = stage.call("reply", HASTY);
    let text = String::from_utf8_lossy(&failed.stdout);
    assert!(failed.status.code() == Some(5) && text.contains("has no address"), "{text}");
    assert_eq!(stage.good("reply", "another's answer")["replies"][0]["was_posted"], false);
    assert_eq!(stage.asked("/pulls/7/comments/1/replies"), 2);
}

/// Another account has accepted the answer meanwhile.
#[test]
fn a_thread_that_somebody_else_resolved_stays_resolved() {
    let replied = r#""$RUN" feedback reply --run ../run > ../replied"#;
    let lost = r#"github '{threads: [thread("T1", {}, ...answered("T1", "fixed", say("bob", "About T1."))), thread("T2")], state: {faults: [{on: "{resolveReviewThread", cut: true}]}}'"#;
    let stage = Stage::new(&format!("{DISPATCHED}{replied}\n{lost}"));
    assert_eq!(stage.call("resolve", HASTY).status.code(), Some(5));
    let thanked = r#"github '{threads: [thread("T1", {isResolved: true, resolvedBy: {__typename: "User", login: "bob"}}, ...answered("T1", "fixed", say("bob", "About T1.")), say("bob", "Thanks.")), thread("T2")]}'"#;
    shell(&format!("{WORDS}\n{thanked}"), stage.folder.path(), &stage.variables())
        .expect("the thread is resolved");
    assert_eq!(stage.good("resolve", "somebody else")["resolved"], serde_json::json!(["T1"]));
    assert_eq!(stage.asked("unresolveReviewThread"), 0);
}
