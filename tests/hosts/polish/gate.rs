//! What keeps a polish from its beginning, in each real host: the skill says it, ends the run, and nothing was started or
//! changed. And a wait for checks, which the user can ask for.

use plugcast::drivers::script::{ModelRequest, ModelScript};
use serde_json::{Value, json};

use super::dialogue::{Dialogue, told};
use super::hand::{SKILL, call, calls};
use super::site::Site;
use super::{UNBOUND, answer, holds, in_turn, play, refused, said, says};
use crate::hosts::review::hand::Host;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// What stands in the way.
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

/// What the user can allow with a word.
const ALLOWABLE: [Hindrance; 2] = [
    Hindrance {
        script: "git push -q ../origin.git HEAD:refs/pull/7/head",
        github: from_a_fork,
        named: true,
        code: "fork_untrusted",
        words: ["the pull request comes from `eve/tool`, opened by `eve`", "begin again with `trust-fork:1 "],
        ..NONE
    },
    Hindrance {
        script: "commit later; commit 'and later'",
        code: "review_stale",
        words: ["2 commits were made since the review", "`accept-stale-review:1"],
        ..NONE
    },
];
/// What the user cannot allow.
const FINAL: [Hindrance; 3] = [
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
];
/// What passes by itself.
const EARLY: [Hindrance; 2] = [
    Hindrance {
        github: |state, _| checks(state, &[("lint", "SUCCESS"), ("test", "PENDING")]),
        code: "ci_pending",
        words: ["checks have not ended: `test`", "Wait until they have"],
        ..NONE
    },
    Hindrance {
        github: |state, _| checks(state, &[]),
        code: "ci_none",
        words: ["GitHub has no checks of ", "once GitHub has checked this commit"],
        ..NONE
    },
];
/// What is not committed.
const UNCOMMITTED: [Hindrance; 2] = [
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
        words: ["has conflicts: `src/price.py`", "(`git merge --abort`), and begin again"],
        ..NONE
    },
];

fn checks(state: &mut Value, checks: &[(&str, &str)]) {
    let context = |(name, state): &(&str, &str)| json!({ "__typename": "StatusContext", "context": name, "state": state });
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
    let script = ModelScript::default().with(in_turn(steps));
    let more: &[&str] = if host == Host::Codex { &UNBOUND } else { &[] };
    let transcript = play((hosts, &stage, host), github, (SKILL, words), script, more);

    let failed =
        said(&transcript).into_iter().find(|text| text.starts_with("Polish failed (headless mode). "));
    let failed = failed.unwrap_or_else(|| panic!("{}: {:?}", hindrance.code, said(&transcript)));
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

/// One hindrance of each kind; all hosts together see all of them.
fn hindered_by_each_kind(hosts: &Hosts, host: Host) {
    let github = GitHub::with(&json!({}));
    let kinds: [&[Hindrance]; 4] = [&ALLOWABLE, &FINAL, &EARLY, &UNCOMMITTED];
    for kind in kinds {
        hindered(hosts, host, &github, &kind[host as usize % kind.len()]);
    }
}

#[test]
fn claude_code_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each_kind(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each_kind(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_says_what_keeps_a_polish_from_its_beginning() {
    hindered_by_each_kind(&real_hosts!(), Host::Codex);
}

/// The offer where nothing but time is in the way.
fn offer(request: &ModelRequest) -> Result<String, String> {
    let gate = answer(request, "rt.polish.gate/1")?;
    holds(&gate["ci"]["signal"].to_string(), "pending")?;
    let error = &gate["error"];
    Ok(format!("{}; {}. Wait 30 seconds and ask again?", error["message"], error["hint"]))
}

/// Checks that have not ended refuse; after a wait that the user asked for, the same run goes on.
fn waited_for(hosts: &Hosts, host: Host) {
    let mut state = github::tool("feature");
    checks(&mut state, &[("test", "PENDING")]);
    let github = GitHub::with(&state);
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "");
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "wait");
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
    steps.push(says(offer).expects([r#""code":"ci_pending""#]));
    told(&dialogue.start("", steps), "checks have not ended: `test`");
    checks(&mut state, &[("test", "SUCCESS")]);
    github.hold(&state);
    let mut steps = vec![call(host, "## 2. Gate", 0)];
    steps.push(says(|request| {
        let gate = answer(request, "rt.polish.gate/1")?;
        Ok(format!("{} {} {}", gate["status"], gate["review"]["binding"], gate["review"]["verdict"]))
    }));
    told(&dialogue.reply("wait", steps), r#""pass" "exact" "Ready to merge""#);
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert!(!site.has(&format!("{run}/metadata.json")), "the run goes on");
}

#[test]
fn every_host_waits_for_checks_when_the_user_asks_for_it() {
    let hosts = real_hosts!();
    waited_for(&hosts, Host::ClaudeCode);
    waited_for(&hosts, Host::OpenCode);
    waited_for(&hosts, Host::Codex);
}
