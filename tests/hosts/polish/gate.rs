//! What keeps a polish from its beginning, in each real host: the skill says it, ends the run, and nothing was started or
//! changed. And a wait for checks, which the user can ask for.

use plugcast::drivers::script::{ModelRequest, ModelScript};
use serde_json::{Value, json};

use super::dialogue::{Dialogue, assert_said};
use super::hand::{SKILL, call, calls};
use super::site::Site;
use super::{UNBOUND, answer, holds, in_turn, model_texts, play, refused, says};
use crate::hosts::review::hand::Host;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// What is in the way.
struct Hindrance {
    /// What is made of the reviewed branch.
    script: &'static str,
    /// What GitHub has of it.
    github: fn(&mut Value, &Site),
    /// Whether the user names the pull request.
    named: bool,
    /// Whether it is seen before a run begins.
    at_once: bool,
    code: &'static str,
    /// What the user must read.
    words: [&'static str; 2],
}

const NONE: Hindrance =
    Hindrance { script: "", github: |_, _| {}, named: false, at_once: false, code: "", words: ["", ""] };

const HINDRANCES: [Hindrance; 9] = [
    Hindrance {
        script: "git push -q ../origin.git HEAD:refs/pull/7/head",
        github: from_a_fork,
        named: true,
        code: "fork_untrusted",
        words: [
            "the pull request comes from `eve/tool`, opened by `eve`",
            "begin again with `mode:headless trust-fork:1 ",
        ],
        ..NONE
    },
    Hindrance {
        script: "commit later; commit 'and later'",
        code: "review_stale",
        words: ["2 commits were made since the review", "`mode:headless accept-stale-review:1"],
        ..NONE
    },
    Hindrance {
        script: "git commit -q --amend -m 'Show the cart in another way'",
        code: "review_diverged",
        words: ["", "review"],
        ..NONE
    },
    Hindrance { script: "reviewed 'Not ready'", code: "not_ready", words: ["`Not ready`", ""], ..NONE },
    Hindrance {
        github: |state, _| checks(state, &[("lint", "SUCCESS"), ("test", "FAILURE"), ("types", "ERROR")]),
        code: "ci_failed",
        words: ["checks failed: `test`, `types`", "Repair them, push, and begin again"],
        ..NONE
    },
    Hindrance {
        github: |state, _| checks(state, &[("lint", "SUCCESS"), ("test", "PENDING")]),
        code: "ci_pending",
        words: ["checks have not ended: `test`", "Wait until they have"],
        ..NONE
    },
    Hindrance {
        github: |state, _| checks(state, &[]),
        code: "ci_none",
        words: ["GitHub has no checks for ", "once GitHub has checked this commit"],
        ..NONE
    },
    Hindrance {
        script: "put src/price.py 'price = 9'",
        at_once: true,
        code: "dirty",
        words: ["has changes: `src/price.py`", "Commit or stash them first"],
        ..NONE
    },
    Hindrance {
        script: "git switch -q main; put src/price.py 'price = 3'; commit three; git switch -q show-cart; git merge -q main > /dev/null || true",
        at_once: true,
        code: "dirty",
        words: ["with conflicts: `src/price.py`", "Finish or abort what is in progress"],
        ..NONE
    },
];

fn checks(state: &mut Value, checks: &[(&str, &str)]) {
    let context = |(name, state): &(&str, &str)| json!({ "__typename": "StatusContext", "context": name, "state": state, "createdAt": "2026-01-01T00:00:00Z" });
    state["repositories"][0]["checks"] = checks.iter().map(context).collect();
}

fn from_a_fork(state: &mut Value, site: &Site) {
    let head = site.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let repository = &mut state["repositories"][0];
    let commit = json!({ "__typename": "Commit", "oid": head, "statusCheckRollup": { "contexts": repository["checks"] } });
    let request = &mut repository["pullRequests"][0];
    request["headRefOid"] = json!(head);
    request["headRefName"] = json!("show-cart");
    request["isCrossRepository"] = json!(true);
    request["author"] = json!({ "__typename": "User", "login": "eve" });
    request["headRepository"]["nameWithOwner"] = json!("eve/tool");
    request["commits"] = json!([{ "__typename": "PullRequestCommit", "commit": commit }]);
}

fn hindered(hosts: &Hosts, host: Host, github: &GitHub, hindrance: &Hindrance) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), hindrance.script);
    let mut state = github::tool("feature");
    (hindrance.github)(&mut state, &site);
    github.hold(&state);
    let (before, asked) = (site.snapshot(), github.requests().len());

    let code = format!(r#""code":"{}""#, hindrance.code);
    let steps = if hindrance.at_once {
        let failed = says(|request| refused(request, "rt.polish.acquire/1")).expects([code]);
        vec![call(host, "## 1. Begin", 0), failed]
    } else {
        let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
        steps.push(call(host, "## 11. Cancel", 0).expects([code]));
        steps.push(says(|request| refused(request, "rt.polish.gate/1")));
        steps
    };
    let words = match (hindrance.named, host) {
        (false, _) => "mode:headless",
        // A number alone is none to OpenCode's command line.
        (true, Host::OpenCode) => "mode:headless https://github.com/owner/tool/pull/7",
        (true, _) => "mode:headless 7",
    };
    let script = ModelScript::default().with_conversation(in_turn(steps));
    let more: &[&str] = if host == Host::Codex { &UNBOUND } else { &[] };
    let transcript = play((hosts, &stage, host), github, (SKILL, words), script, more);

    let failed =
        model_texts(&transcript).into_iter().find(|text| text.starts_with("Polish failed (headless mode). "));
    let failed = failed.unwrap_or_else(|| panic!("{}: {:?}", hindrance.code, model_texts(&transcript)));
    for part in hindrance.words {
        assert!(failed.contains(part), "`{part}` is missing in `{failed}`");
    }
    assert!(failed.ends_with("\nPolish complete"), "{failed}");
    assert_eq!(site.snapshot(), before, "{}: nothing was changed", hindrance.code);
    assert!(!site.answers(""), "{}: nothing was started", hindrance.code);
    match &site.runs()[..] {
        [] => assert!(hindrance.at_once, "{}: there was a run", hindrance.code),
        [run] => {
            assert!(!hindrance.at_once && !site.has(&format!("{run}/server.json")), "{}", hindrance.code);
            assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "cancelled");
        }
        runs => panic!("one run: {runs:?}"),
    }
    assert_eq!(site.claims(), 0, "{}: the next polish can begin", hindrance.code);
    let asked = &github.requests()[asked..];
    assert!(asked.iter().all(|request| request.call == "POST /graphql"), "{asked:?}");
}

fn hindered_by_each(hosts: &Hosts, host: Host) {
    let github = GitHub::with_state(&json!({}));
    for hindrance in &HINDRANCES {
        hindered(hosts, host, &github, hindrance);
    }
}

#[test]
fn claude_code_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each(&real_hosts!(), Host::Codex);
}

/// A base that has moved on, in a file that the branch changes as well.
const MOVED_BASE: &str = "git switch -q main; put src/price.py 'price = 3'; commit three; git push -q ../origin.git main; git switch -q show-cart";

/// The offer where nothing but time is in the way.
fn offer(request: &ModelRequest) -> Result<String, String> {
    let gate = answer(request, "rt.polish.gate/1")?;
    holds(&gate["ci"]["signal"].to_string(), "pending")?;
    let error = &gate["error"];
    Ok(format!("{}; {}. Wait 30 seconds and ask again?", error["message"], error["hint"]))
}

/// What the gate has found, and the question of step 3.
fn passed(request: &ModelRequest) -> Result<String, String> {
    let gate = answer(request, "rt.polish.gate/1")?;
    let review = &gate["review"];
    let base = answer(request, "rt.polish.acquire/1")?["base_ref"].clone();
    let found = format!("{} {} {}", gate["status"], review["binding"], review["verdict"]);
    Ok(format!("{found}. {base} is {} commit ahead. Merge it?", gate["behind"]))
}

/// Checks that have not ended refuse; after a wait that the user asked for, the same run goes on, up to a merge that the
/// user wants and that cannot be made.
fn waited_for(hosts: &Hosts, host: Host) {
    let mut state = github::tool("feature");
    checks(&mut state, &[("test", "PENDING")]);
    let github = GitHub::with_state(&state);
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), MOVED_BASE);
    let before = site.snapshot();
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "wait");
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
    steps.push(says(offer).expects([r#""code":"ci_pending""#]));
    assert_said(&dialogue.start("", steps), "checks have not ended: `test`");
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let ended = format!("{run}/metadata.json");
    assert_eq!((site.has(&ended), site.claims()), (false, 1), "the run waits");

    checks(&mut state, &[("test", "SUCCESS")]);
    github.hold(&state);
    let steps = vec![call(host, "## 2. Gate", 0), says(passed)];
    let asked = dialogue.reply("wait", steps);
    assert_said(&asked, r#""pass" "exact" "Ready to merge". "origin/main" is 1 commit ahead. Merge it?"#);
    assert_eq!((site.snapshot(), site.has(&ended)), (before.clone(), false), "nothing is merged yet");

    let steps = vec![
        call(host, "## 3. Merge", 0),
        call(host, "## 11. Cancel", 0).expects([r#""code":"conflict""#]),
        says(|request| {
            let error = &answer(request, "rt.polish.merge-base/1")?["error"];
            Ok(format!("{}; {}", error["message"], error["hint"]))
        }),
    ];
    let refused = dialogue.reply("merge it", steps);
    assert_said(&refused, "`origin/main` conflicts with the branch in `src/price.py`");
    assert_eq!(site.snapshot(), before, "the merge is taken back");
    assert_eq!(site.json(&ended)["status"], "cancelled");
    assert!(!site.has(&format!("{run}/server.json")) && !site.answers(""), "nothing was started");
    assert_eq!(site.claims(), 0, "the next polish can begin");
}

#[test]
fn every_host_waits_for_checks_and_takes_a_merge_with_conflicts_back() {
    let hosts = real_hosts!();
    waited_for(&hosts, Host::ClaudeCode);
    waited_for(&hosts, Host::OpenCode);
    waited_for(&hosts, Host::Codex);
}
