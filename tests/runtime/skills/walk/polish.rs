//! The calls of the skill `polish-beta`, with a site whose server is a small program of ours.

use std::path::Path;

use serde_json::{Value, json};

use super::{Walk, write};

/// A reviewed branch that is pull request 7 of a repository whose base has a newer commit, and a `gh` that answers one
/// fixed text and notes other calls. The server ends by itself after two minutes.
const SETUP: &str = r#"
put server.js 'setTimeout(() => process.exit(), 120000)' 'require("http").createServer((_, answer) => answer.end("hello")).listen(process.env.PORT, "127.0.0.1")'
put Procfile.dev 'web: node server.js'
put .gitignore .plugcast .claude
repo
git clone -q --bare . ../origin.git
git config url."$FIXTURE/origin.git".insteadOf https://github.com/owner/tool
git remote add origin https://github.com/owner/tool
git switch -q -c feature
for name in a b c d e f; do put "app/views/$name.erb" one; done
put app/models/cart.rb one
commit 'Show the cart'
git push -q "$FIXTURE/origin.git" feature feature:refs/pull/7/head
git fetch -q origin
git -C ../origin.git worktree add -q "$FIXTURE/newer" main; ( cd "$FIXTURE/newer"; commit newer )
head=$(git rev-parse HEAD)
of='{"oid":"'$head'","statusCheckRollup":{"contexts":{"nodes":[{"__typename":"StatusContext","context":"lint","state":"SUCCESS","createdAt":"2026-01-01T00:00:00Z"}],"pageInfo":{"hasNextPage":false,"endCursor":null}}}}'
printf '%s' '{"data":{"repository":{"defaultBranchRef":{"name":"main"},"ref":null,"object":'"$of"',"pullRequest":{"number":7,"url":"https://github.com/owner/tool/pull/7","title":"t","body":"","state":"OPEN","baseRefName":"main","baseRepository":{"url":"https://github.com/owner/tool"},"headRefName":"feature","headRefOid":"'$head'","isCrossRepository":false,"author":{"login":"eve"},"headRepository":{"nameWithOwner":"owner/tool"},"commits":{"nodes":[{"commit":'"$of"'}]}}}}}' > "$FIXTURE/answer.json"
put .plugcast/runs/review/20260101-000000-00000001/metadata.json '{"run_id":"x","branch":"feature","head_sha":"'$head'","verdict":"Ready to merge","completed_at":"2026-01-01T00:00:00Z"}'
program gh <<'END'
#!/bin/sh
case "$*" in
*graphql*) cat "$FIXTURE/answer.json" ;;
*) { printf '%s\n' "$@"; cat; } > "$FIXTURE/gh.words"; echo '{"html_url":"https://github.com/owner/tool/pull/8"}' ;;
esac
END
program overmind <<'END'
#!/bin/sh
exec node server.js
END
"#;

/// The server of an answer, as the values of later calls.
fn stops(walk: &mut Walk, run: &str, port: &str, started: &Value) {
    let server = &started["server"];
    let (pid, time) = (server["pid"].to_string(), server["start_time"].to_string());
    let values = [("RUN", run), ("PORT", port), ("PID", &pid), ("TIME", &time)];
    let stopped = walk.call("5. A port", 0, &values, "").ok().json();
    assert_eq!(stopped["status"], "stopped", "{stopped}");
}

fn begins(walk: &mut Walk, arguments: &str) -> String {
    let planned = walk.call("1. Begin", 0, &[("$ARGUMENTS", arguments)], "").ok().json();
    assert_eq!((&planned["status"], &planned["action"]), (&json!("planned"), &json!("none")), "{planned}");
    let acquired = walk.call("1. Begin", 1, &[("$ARGUMENTS", arguments)], "").ok().json();
    assert_eq!(acquired["status"], "acquired", "{acquired}");
    acquired["run"].as_str().expect("a run").to_owned()
}

#[test]
fn every_call_of_the_polish_skill_runs() {
    let mut walk = Walk::new("polish", "polish-beta", SETUP);
    let run = begins(&mut walk, "7");
    let taken = walk.call("1. Begin", 1, &[("$ARGUMENTS", "7")], "");
    assert_eq!((taken.code, &taken.json()["error"]["code"]), (Some(6), &json!("taken")));
    let own = [("RUN", run.as_str())];
    let again = walk.call("1. Begin", 2, &own, "").ok().json();
    assert_eq!((&again["status"], &again["run"]), (&json!("acquired"), &json!(run)), "{again}");

    let gate = walk.call("2. Gate", 0, &own, "").ok().json();
    assert_eq!((&gate["status"], &gate["behind"]), (&json!("pass"), &json!(1)), "{gate}");
    let merged = walk.call("3. Merge", 0, &own, "").ok().json();
    assert_eq!(merged["status"], "merged", "{merged}");

    let port = serves(&mut walk, &run);
    let shown = walk.call("6. Look", 0, &[("PORT", &port)], "").ok().json();
    assert_eq!(shown["url"], format!("http://localhost:{port}"), "{shown}");
    let size = walk.call("6. Look", 1, &own, "").ok().json();
    assert_eq!(size["status"], "none", "{size}");

    decides(&mut walk, &run);
    let envelope = walk.call("10. End", 0, &own, "").ok().text;
    for part in [
        "Checklist items: 2 total (1 fixed, 0 skipped, 1 stacked, 0 replan)\n",
        &format!(" on :{port} (logs: {run}/server.log)\n"),
        "\nNext: ",
    ] {
        assert!(envelope.contains(part), "`{part}` is missing in {envelope}");
    }
    assert!(envelope.ends_with("\nPolish complete\n"), "{envelope}");

    // What the server is called is in the text; the user ends it.
    let pid =
        envelope.split("Dev server: ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a number");
    walk.run(&format!("kill {pid}; git checkout -q -- .")).ok();
    let run = begins(&mut walk, "mode:headless");
    let failed = walk.call("10. End", 1, &[("RUN", &run), ("CODE", "which_config")], "");
    assert_eq!(failed.code, Some(3));
    assert_eq!(
        failed.text,
        "Polish failed (headless mode). Reason: human input required (which_config). Leave one configuration in \
         `.claude/launch.json`.\nPolish complete\n"
    );
    let run = begins(&mut walk, "");
    let cancelled = walk.call("11. Cancel", 0, &[("RUN", &run)], "").ok().text;
    assert!(
        cancelled.starts_with("Polish cancelled.\n") && cancelled.contains("Dev server: none"),
        "{cancelled}"
    );
    walk.ends();
}

/// The configuration, the port, and the server in each way; gives the port on which it runs at the end.
fn serves(walk: &mut Walk, run: &str) -> String {
    assert_eq!(walk.call("4. Start", 0, &[], "").ok().json()["status"], "none");
    let project = walk.call("4. Start", 1, &[], "").ok().json();
    let hit = &project["hits"][0];
    assert_eq!(
        (&project["status"], &hit["type"], &hit["dir"]),
        (&json!("single"), &json!("procfile"), &json!("."))
    );
    let written = walk.call("Write it down", 0, &[("TYPE", "procfile"), ("DIR", ".")], "").ok().json();
    assert_eq!(written["status"], "written", "{written}");
    let config = r#"{"name": "it's web", "runtimeExecutable": "node", "runtimeArgs": ["server.js"]}"#;
    let added = walk.call("Write it down", 1, &[("CONFIG", config)], "--merge").ok().json();
    assert_eq!(added["status"], "added", "{added}");
    assert_eq!(walk.call("4. Start", 0, &[], "").ok().json()["status"], "multiple");
    assert_eq!(walk.call("4. Start", 0, &[], "\"it's web\"").ok().json()["config"]["name"], "it's web");
    walk.call("4. Start", 2, &[("DIR", ".")], "").ok();
    // One that nobody has.
    let port =
        walk.call("4. Start", 2, &[("DIR", ".")], "--free --port 42700").ok().json()["port"].to_string();
    let values = [("RUN", run), ("PORT", port.as_str())];

    let named = [values[0], values[1], ("NAME", "it's web")];
    let started = walk.call("4. Start", 3, &named, "").ok().json();
    assert_eq!((&started["status"], &started["http_status"]), (&json!("started"), &json!(200)), "{started}");
    assert_eq!(walk.call("5. A port", 2, &values, "").ok().json()["status"], "running");
    stops(walk, run, &port, &started);
    // The base was merged: what runs may show what was there before.
    let adopted = walk.call("5. A port", 1, &values, "");
    assert_eq!((adopted.code, &adopted.json()["error"]["code"]), (Some(3), &json!("no_server")));
    let typed = [values[0], values[1], ("TYPE", "procfile"), ("DIR", ".")];
    let started = walk.call("4. Start", 4, &typed, "").ok().json();
    assert_eq!(started["status"], "started", "{started}");
    port
}

/// The checklist with one edit of the user, its repair, and the seed of what is too large.
fn decides(walk: &mut Walk, run: &str) {
    let own = [("RUN", run)];
    let folder = Path::new(run);
    let views: Vec<String> =
        ["a", "b", "c", "d", "e", "f"].map(|name| format!("app/views/{name}.erb")).to_vec();
    let items = json!({ "items": [
        { "title": "The cart's \"total\"", "files": ["app/models/cart.rb"], "surface": "model", "notes": "at /cart" },
        { "title": "All pages", "files": views, "surface": "view" },
    ] });
    write(folder.join("items.json"), &items.to_string());
    let written = walk.call("7. Write", 0, &own, "").ok().json();
    assert_eq!((&written["items"], &written["stacked"]), (&json!(2), &json!(1)), "{written}");
    let nothing = walk.call("8. Repair", 1, &own, "").ok().json();
    assert_eq!(nothing["status"], "nothing", "{nothing}");

    let path = folder.join("checklist.md");
    let text = std::fs::read_to_string(&path).expect("a checklist");
    write(&path, &text.replacen("- action: keep", "- action: fix", 1));
    let seen = walk.call("8. Repair", 0, &own, "").ok().json();
    assert_eq!(seen["items"][0]["action"], "fix", "{seen}");
    let plan = walk.call("8. Repair", 1, &own, "").ok().json();
    assert_eq!((&plan["status"], &plan["groups"][0]["fixer"]), (&json!("ok"), &json!("self")), "{plan}");
    walk.run("echo two > app/models/cart.rb").ok();
    let results = json!({ "results": [{ "id": 1, "result": "fixed", "summary": "it's whole cents now" }] });
    write(folder.join("results.json"), &results.to_string());
    let seen = seen["sha256"].as_str().expect("a hash").to_owned();
    let rewritten = walk.call("8. Repair", 2, &[own[0], ("SEEN", &seen)], "").ok().json();
    assert_eq!(rewritten["results"][0]["result"], "fixed", "{rewritten}");
    let stale = walk.call("8. Repair", 2, &[own[0], ("SEEN", &seen)], "");
    assert_eq!((stale.code, &stale.json()["error"]["code"]), (Some(6), &json!("stale")));

    let seeds = walk.call("9. Seeds", 0, &own, "").ok().json();
    let seed = &seeds["seeds"][0];
    let words = |key: &str| seed[key].as_str().expect("a text").to_owned();
    let (message, body, branch) = (words("message"), words("body"), words("branch"));
    let title = words("title");
    let address = walk.call("Open a seed", 0, &[], "").ok().text;
    assert_eq!(address, "https://github.com/owner/tool\n");
    let pushed = walk.call("Open a seed", 1, &[("BRANCH", "feature")], "").ok().text;
    let pushed = pushed.split_whitespace().next().expect("a hash");
    let commit = walk.call("Open a seed", 2, &[("PUSHED", pushed), ("MESSAGE", &message)], "").ok().text;
    walk.call("Open a seed", 3, &[("COMMIT", commit.trim()), ("NEW", &branch)], "").ok();
    let values = [("BODY", body.as_str()), ("NEW", &branch), ("TITLE", &title), ("BRANCH", "feature")];
    let place = [("HOST", "github.com"), ("OWNER", "owner"), ("REPO", "tool")];
    let opened = walk.call("Open a seed", 4, &[&values[..], &place].concat(), "").ok().text;
    assert!(opened.contains("/pull/8"), "{opened}");
    let told = walk.run(&format!(
        "cat ../gh.words; git fetch -q origin {branch}; git log -1 --format='subject %s of %P' FETCH_HEAD; git ls-remote origin; git diff HEAD^ \"$(git ls-remote origin 'refs/heads/{branch}' | cut -f1)\" --stat; git status --porcelain"
    ));
    for part in [
        &format!("\trefs/heads/{branch}\n"),
        "--hostname\ngithub.com\nrepos/owner/tool/pulls\n",
        "title=@-\nAll pages\n",
        "head=feature-polish-1-",
        "\nbase=feature\n",
        &format!("subject All pages of {pushed}\n"),
        " M app/models/cart.rb\n",
    ] {
        assert!(told.text.contains(part), "`{part}` is missing in {}", told.text);
    }
}
