//! The commands that ask GitHub, with the real `gh` and a GitHub of our own: what a pull request is, and
//! what becomes of every way in which GitHub refuses.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use super::fixture::{HELPER, environment, shell};
use crate::support::github::{self, GitHub};

/// A clone `work` of `origin.git`, a fork, with a branch `feat` whose pull request is in `upstream.git`, one
/// commit ahead. Both lie on github.com as far as git and `gh` know.
const FORK: &str = r#"
git init -q -b main seed && git -C seed commit -q --allow-empty -m start
git clone -q --bare seed origin.git
git -C seed commit -q --allow-empty -m newer
git clone -q --bare seed upstream.git
git clone -q origin.git work && cd work
git config url."$FIXTURE/origin.git".insteadOf https://github.com/ann/tool
git config url."$FIXTURE/upstream.git".insteadOf https://github.com/owner/tool
git remote set-url origin https://github.com/ann/tool
git remote add upstream https://github.com/owner/tool
git switch -q -c feat && echo one > a.rs && git add a.rs && git commit -q -m feat
git push -q upstream feat:refs/pull/7/head
"#;

/// A clone `work` of `origin.git` with a branch `feat` that is pushed and has no pull request.
const BRANCH: &str = r#"
git init -q -b main seed && git -C seed commit -q --allow-empty -m start
git clone -q --bare seed origin.git
git clone -q origin.git work && cd work
git config url."$FIXTURE/origin.git".insteadOf https://github.com/owner/tool
git remote set-url origin https://github.com/owner/tool
git switch -q -c feat && echo one > a.rs && git add a.rs && git commit -q -m feat && git push -q origin feat
"#;

/// What GitHub knows of the two repositories.
fn state() -> Value {
    let repository = |owner: &str, branches: &[&str], requests: Value| {
        json!({
            "__typename": "Repository", "name": "tool", "url": format!("https://github.com/{owner}/tool"),
            "owner": { "__typename": "User", "login": owner },
            "defaultBranchRef": { "__typename": "Ref", "name": "main" },
            "branches": branches, "pullRequests": requests,
            "parent": { "__typename": "Repository", "url": "https://github.com/owner/tool" },
        })
    };
    let request = json!({
        "__typename": "PullRequest", "id": "PR_7", "number": 7, "title": "Fix it", "body": "Why.",
        "state": "OPEN", "url": "https://github.com/owner/tool/pull/7",
        "baseRefName": "main", "baseRepository": { "url": "https://github.com/owner/tool" },
        "headRefName": "feat", "headRefOid": "0", "isCrossRepository": false, "headRepository": { "nameWithOwner": "ann/tool" },
    });
    json!({
        "viewer": { "__typename": "User", "login": "ann" },
        "repositories": [
            repository("ann", &["main", "feat"], json!([])),
            repository("owner", &["main"], json!([request])),
        ],
    })
}

/// A fixture and what runs in it.
struct Fixture {
    folder: tempfile::TempDir,
    /// Kept for as long as the fixture is.
    _home: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Fixture {
    fn new(script: &str, github: &GitHub) -> Self {
        let (folder, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a home"));
        let mut variables = environment(folder.path(), home.path());
        variables.extend(github.variables());
        shell(script, folder.path(), &variables).expect("the fixture can be made");
        Self { folder, _home: home, variables }
    }

    /// Runs the helper in `work`: exit code and answer.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let ended = Command::new(HELPER)
            .args(arguments)
            .current_dir(self.folder.path().join("work"))
            .env_clear()
            .envs(&self.variables)
            .output()
            .expect("the built helper can be started");
        let answer = serde_json::from_slice(&ended.stdout);
        (ended.status.code(), answer.unwrap_or_else(|error| panic!("{error}: {ended:?}")))
    }
}

fn merged(state: Value, more: Value) -> Value {
    let mut state = state;
    for (key, value) in more.as_object().into_iter().flatten() {
        state[key] = value.clone();
    }
    state
}

#[test]
fn the_pull_request_of_a_branch_tells_its_base_in_one_call() {
    let github = GitHub::with_state(&state());
    let fixture = Fixture::new(FORK, &github);
    let (code, answer) = fixture.run(&["repo", "base"]);
    assert_eq!((code, &answer["base_ref"]), (Some(0), &json!("upstream/main")), "{answer}");
    assert_eq!(answer["source"], "pull_request", "{answer}");
    let requests = github.requests();
    let calls: Vec<_> = requests.iter().map(|one| (one.host.as_str(), one.call.as_str())).collect();
    assert_eq!(calls, [("api.github.com", "POST /graphql")]);
    // Nothing but the query and its variables goes out.
    assert!(!requests[0].text.contains(&fixture.folder.path().display().to_string()));
}

#[test]
fn a_review_checks_the_head_of_a_pull_request_out() {
    let github = GitHub::with_state(&state());
    let fixture = Fixture::new(&format!("{FORK}\ngit switch -q main && git branch -q -D feat"), &github);
    let (code, answer) =
        fixture.run(&["review", "scope", "--target", "https://github.com/owner/tool/pull/7"]);
    assert_eq!((code, &answer["branch"]), (Some(0), &json!("pr-7")), "{answer}");
    assert_eq!((&answer["base_source"], &answer["pr"]["number"]), (&json!("pull_request"), &json!(7)));
    assert_eq!(answer["files"][0]["path"], "a.rs", "{answer}");
}

#[test]
fn an_enterprise_host_is_asked_by_its_name() {
    let github = GitHub::with_state(&state());
    let fixture = Fixture::new(&FORK.replace("github.com", "ghe.corp"), &github);
    let (_, answer) = fixture.run(&["repo", "base"]);
    assert_eq!(answer["source"], "pull_request", "{answer}");
    let first = github.requests().swap_remove(0);
    assert_eq!((first.host.as_str(), first.call.as_str()), ("ghe.corp", "POST /api/graphql"));
}

#[test]
fn the_host_of_a_remote_is_that_of_its_alias_and_of_ssh_on_another_port() {
    for url in ["gh:owner/tool", "ssh://git@ssh.github.com:443/owner/tool.git"] {
        let github = GitHub::with_state(&state());
        let alias = "git config url.https://github.com/.insteadOf gh:";
        let longer = "git config url.https://ghe.corp/.insteadOf g";
        let fixture =
            Fixture::new(&format!("{BRANCH}\n{alias}; {longer}; git remote set-url origin {url}"), &github);
        let (code, answer) = fixture.run(&["repo", "base"]);
        assert_eq!((code, &answer["base_ref"]), (Some(0), &json!("origin/main")), "{url}: {answer}");
        let hosts: Vec<String> = github.requests().into_iter().map(|one| one.host).collect();
        assert!(!hosts.is_empty() && hosts.iter().all(|host| host == "api.github.com"), "{url}: {hosts:?}");
    }
}

#[test]
fn each_way_in_which_github_refuses_has_its_code_and_its_own_words() {
    let limited = json!({ "status": 403, "headers": { "retry-after": "60", "x-ratelimit-remaining": "0" },
        "body": { "message": "API rate limit exceeded for user ID 1." } });
    let forbidden = json!({ "status": 403, "body": { "message": "Resource not accessible by integration" } });
    let partial = json!({ "error": { "message": "Something went wrong while executing your query.", "type": "INTERNAL" } });
    let faults = [
        (limited, "rate_limited", "rate limit"),
        (forbidden, "gh_forbidden", "not accessible"),
        (partial, "gh_failed", "went wrong"),
        (json!({ "status": 502, "body": { "message": "Bad Gateway" } }), "gh_failed", "502"),
        (json!({ "cut": true }), "gh_failed", "EOF"),
    ];
    for (fault, code, words) in faults {
        let github = GitHub::with_state(&merged(state(), json!({ "faults": [fault] })));
        let fixture = Fixture::new(FORK, &github);
        let (exit, answer) = fixture.run(&["repo", "base", "--pr", "https://github.com/owner/tool/pull/7"]);
        let error = &answer["error"];
        assert_eq!((exit, &error["code"]), (Some(5), &json!(code)), "{answer}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{answer}");
        assert!(error["hint"].is_string(), "{answer}");
    }
}

#[test]
fn what_is_not_there_and_who_is_not_signed_in_are_told_apart() {
    let github = GitHub::with_state(&state());
    let mut fixture = Fixture::new(FORK, &github);
    let code = |fixture: &Fixture, pr: &str| {
        let (exit, answer) = fixture.run(&["repo", "base", "--pr", pr]);
        (exit, answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let at = |number: u32| format!("https://github.com/owner/tool/pull/{number}");
    assert_eq!(code(&fixture, &at(8)), (Some(5), "gh_not_found".to_owned()));
    assert_eq!(code(&fixture, "https://github.com/owner/none/pull/7"), (Some(5), "gh_not_found".to_owned()));
    fixture.variables.insert("GH_TOKEN".to_owned(), "another".to_owned());
    assert_eq!(code(&fixture, &at(7)), (Some(5), "gh_auth".to_owned()), "a token that means nothing");
    fixture.variables.remove("GH_TOKEN");
    assert_eq!(code(&fixture, &at(7)), (Some(5), "gh_auth".to_owned()), "no token, which ends `gh` with 4");
}

#[test]
fn this_github_refuses_what_the_real_one_would() {
    let thread = |number: u32| {
        json!({ "__typename": "PullRequestReviewThread", "id": format!("T{number}"), "isResolved": false,
        "comments": [{ "__typename": "PullRequestReviewComment", "id": format!("C{number}"), "databaseId": number, "body": "x",
            "url": format!("https://github.com/owner/tool/pull/7#discussion_r{number}"), "author": null }] })
    };
    let mut state = state();
    state["repositories"][1]["pullRequests"][0]["reviewThreads"] = (1..=250).map(thread).collect();
    let github = GitHub::with_state(&state);
    let home = tempfile::tempdir().expect("a home");
    let ask = |query: &str| {
        let (code, text) = github.gh(home.path(), &["api", "graphql", "-f", &format!("query={query}")]);
        (code, serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    };
    let of_request = |what: &str| {
        ask(&format!("{{repository(owner:\"owner\",name:\"tool\"){{pullRequest(number:7){{{what}}}}}}}"))
    };
    let code_of = |(code, answer): (Option<i32>, Value)| {
        assert_eq!(code, Some(1), "{answer}");
        answer["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(code_of(of_request("nonsense")).contains("Cannot query field"));
    assert!(code_of(of_request("reviewThreads{totalCount}")).contains("properly paginate"));
    assert!(code_of(of_request("reviewThreads(first:101){totalCount}")).contains("limit of 100"));
    assert!(code_of(of_request("isDraft")).contains("was not given `isDraft`"));
    // 250 threads are three pages, each of which says where the next one begins.
    let (mut seen, mut after, mut pages) = (0, "null".to_owned(), 0);
    loop {
        let (code, answer) = of_request(&format!(
            "reviewThreads(first:100,after:{after}){{nodes{{id}}pageInfo{{hasNextPage endCursor}}}}"
        ));
        assert_eq!(code, Some(0), "{answer}");
        let threads = &answer["data"]["repository"]["pullRequest"]["reviewThreads"];
        (seen, pages) = (seen + threads["nodes"].as_array().map_or(0, Vec::len), pages + 1);
        after = threads["pageInfo"]["endCursor"].to_string();
        if threads["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    assert_eq!((seen, pages), (250, 3));
    // It keeps what is done to it, also for `gh`'s own paging of REST.
    let replies = "repos/owner/tool/pulls/7/comments/3/replies";
    assert_eq!(github.gh(home.path(), &["api", "-X", "POST", replies, "-f", "body=Done."]).0, Some(0));
    let (_, text) = github.gh(home.path(), &["api", "--paginate", "repos/owner/tool/pulls/7/comments"]);
    assert_eq!(text.matches("\"node_id\"").count(), 251);
    assert_eq!(github.requests().iter().filter(|one| one.call.contains("/pulls/7/comments?")).count(), 3);
}

#[test]
fn of_a_check_that_was_run_again_only_the_last_run_counts() {
    let run = |name: &str, result: &str, hour: u8| {
        let workflow = json!({ "event": "push", "workflow": { "name": "ci" } });
        json!({
            "__typename": "CheckRun", "name": name, "status": "COMPLETED", "conclusion": result,
            "startedAt": format!("2026-01-01T{hour:02}:00:00Z"), "checkSuite": { "workflowRun": workflow },
        })
    };
    let mut state = github::tool("other");
    let checks = state["repositories"][0]["checks"].as_array_mut().expect("a list");
    checks.extend([run("unit", "FAILURE", 9), run("unit", "SUCCESS", 10), run("slow", "SUCCESS", 9)]);
    let github = GitHub::with_state(&state);
    let fixture = Fixture::new(BRANCH, &github);
    let (code, begun) = fixture.run(&["polish", "acquire", "--apply"]);
    assert_eq!(code, Some(0), "{begun}");
    let gate = ["polish", "gate", "--run", begun["run"].as_str().expect("a run")];
    assert_eq!(fixture.run(&gate).1["ci"], json!({ "signal": "pass", "failing": [], "pending": [] }));

    state["repositories"][0]["checks"].as_array_mut().expect("a list").push(run("slow", "FAILURE", 11));
    github.hold(&state);
    assert_eq!(fixture.run(&gate).1["ci"]["failing"], json!(["ci / slow"]));
}
