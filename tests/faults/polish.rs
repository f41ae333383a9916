//! Walks over every write of a polish: a kill at any of them loses nothing of the user's, and the same call made again goes
//! on, or a new polish begins cleanly.

mod edits;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::binary;
use crate::runtime::fixture::{HELPER, WORDS, environment, shell};

/// How often a walk may go on at most.
const MOST: usize = 200;

/// A branch that is polished, with an untracked file of the user's and a base that went on.
const SETUP: &str = r#"
repo; printf '%s\n' .plugcast /items.json /results.json > .git/info/exclude
put server.js 'setTimeout(() => process.exit(), 60000)' 'require("http").createServer((_, answer) => answer.end("hello")).listen(process.env.PORT, "127.0.0.1")'
put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node", "runtimeArgs": ["server.js"]}]}'
commit site; git switch -q -c feat
for name in a b c d e f g; do put app/$name.erb one; done; commit feat
git switch -q main; put base.txt more; commit base; git switch -q feat
put mine.txt 'of the user'
"#;

const ITEMS: &str = r#"{"items":[{"title":"Large","files":["app/a.erb","app/b.erb","app/c.erb","app/d.erb","app/e.erb","app/f.erb"]},
{"title":"Small","files":["app/g.erb"],"notes":"look at it"}]}"#;

/// A folder whose state is kept and laid again at the same path: the helper knows a working tree by its path.
struct Stage {
    folder: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = std::fs::canonicalize(folder.path()).expect("it is there").join("work");
        std::fs::create_dir_all(top.join("../home")).expect("a home");
        std::fs::create_dir_all(&top).expect("a folder");
        let mut variables = environment(&top, &folder.path().join("home"));
        variables.insert("XDG_STATE_HOME".to_owned(), folder.path().join("state").display().to_string());
        let stage = Self { folder, variables };
        stage.script(SETUP);
        stage
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn script(&self, script: &str) {
        shell(&format!("{WORDS}\n{script}"), &self.top(), &self.variables).expect("the script succeeds");
    }

    fn keep(&self) {
        self.script("rm -rf ../kept ../seals; cp -a . ../kept; mkdir -p ../state; cp -a ../state ../seals");
    }

    /// The folder of all runs stays: its own number is a part of what the helper signs.
    fn lay(&self) {
        self.script("find . ../state -mindepth 1 ! -path ./.plugcast -delete; cp -a ../kept/. .; cp -a ../seals/. ../state");
    }

    fn call(&self, words: &[&str], fault: Option<&str>) -> Output {
        let program = if fault.is_some() { binary::faulty_helper() } else { Path::new(HELPER) };
        let mut command = Command::new(program);
        command.args(words).current_dir(self.top()).env_clear().envs(&self.variables).stdin(Stdio::null());
        command.envs(fault.map(|fault| (binary::VARIABLE, fault)));
        command.output().expect("the helper can be started")
    }

    /// The answer of a call that must succeed.
    fn good(&self, words: &[&str], fault: &str) -> Value {
        let done = self.call(words, None);
        let text = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{fault}, then {words:?}: {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Everything of the user's, and the checklist that they edit.
    fn users(&self) -> String {
        let read = |path: &str| std::fs::read_to_string(self.top().join(path)).unwrap_or_default();
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.args(words).current_dir(self.top()).env_clear().envs(&self.variables);
            String::from_utf8_lossy(&git.output().expect("git").stdout).into_owned()
        };
        [read("mine.txt"), git(&["status", "--porcelain"]), git(&["stash", "list"])].join("\n")
    }
}

/// Kills a call at each of its writes; `again` is what a user does then.
fn walk(stage: &Stage, words: &[&str], again: impl Fn(&str)) {
    walk_to_exit(stage, words, 0, again);
}

/// The same for a call that ends with the exit code `exit`.
fn walk_to_exit(stage: &Stage, words: &[&str], exit: i32, again: impl Fn(&str)) {
    stage.keep();
    let before = stage.users();
    for step in 1..MOST {
        let fault = format!("abort@{step}");
        let done = stage.call(words, Some(&fault));
        let through = done.status.code() == Some(exit);
        let text = String::from_utf8_lossy(&done.stdout);
        assert!(through || done.status.code().is_none(), "{fault}: {text}");
        again(&fault);
        assert_eq!(stage.users(), before, "{words:?} {fault}");
        if through {
            assert!(step > 3, "{words:?}: {fault} at the first steps did nothing");
            return;
        }
        stage.lay();
    }
    panic!("no end of the walk");
}

fn begun() -> Stage {
    begun_with(&[])
}

fn begun_with(words: &[&str]) -> Stage {
    let stage = Stage::new();
    stage.good(&[&["polish", "acquire", "--apply"][..], words].concat(), "");
    stage.script("ln -s .plugcast/runs/polish/* run; printf '%s\\n' /run >> .git/info/exclude; passed run");
    stage
}

/// The same with a checklist that the user has edited.
fn edited() -> Stage {
    edit(begun())
}

fn edit(stage: Stage) -> Stage {
    std::fs::write(stage.top().join("items.json"), ITEMS).expect("it can be written");
    stage.good(&["polish", "checklist", "write", "--run", "run", "--items", "items.json"], "");
    stage.script(
        "sed -i -e 's/^- action: keep/- action: fix/' -e 's/look at it/of the user/' run/checklist.md",
    );
    stage
}

#[test]
fn the_beginning_of_a_polish_can_be_killed_anywhere() {
    let stage = Stage::new();
    walk(&stage, &["polish", "acquire", "--apply"], |fault| {
        let again = stage.call(&["polish", "acquire", "--apply"], None);
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        // A tree that is held says with which word it is taken.
        if !again.status.success() {
            assert!(text.contains("--take-over") && again.status.code() == Some(6), "{fault}: {text}");
            // killed-acquire-is-continued-without-a-base: it was `acquired`, and every later call failed.
            stage.script("rm -f run; ln -s .plugcast/runs/polish/* run");
            let on = stage.call(&["polish", "acquire", "--apply", "--continue", "run"], None);
            let on = String::from_utf8_lossy(&on.stdout).into_owned();
            assert!(on.contains("--take-over") || on.contains(r#""base_ref":"main""#), "{fault}: {on}");
            stage.script("rm run");
            stage.good(&["polish", "acquire", "--apply", "--take-over"], fault);
        }
    });
}

#[test]
fn the_gate_can_be_killed_anywhere() {
    let stage = begun();
    let gate = ["polish", "gate", "--run", "run"];
    stage.script("gate_opens run .bin");
    walk(&stage, &gate, |fault| {
        assert_eq!(stage.good(&gate, fault)["status"], "pass", "{fault}");
        stage.script("grep -A 2 '\"gate\"' run/run.json | grep -q '\"refused\": null'");
    });
}

#[test]
fn a_merge_of_the_base_can_be_killed_anywhere() {
    let stage = begun();
    walk(&stage, &["polish", "merge-base", "--run", "run", "--consent"], |fault| {
        let merge = ["polish", "merge-base", "--run", "run", "--consent"];
        stage.good(&merge, fault);
        assert!(stage.top().join("base.txt").is_file(), "{fault}: the base is merged, once");
        // killed-merge-is-recorded: it counted as a commit of the user's, and a server from before it was adopted.
        let text = std::fs::read_to_string(stage.top().join("run/run.json")).expect("the record");
        let record: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (&record["moved"], &record["user_commits"], &record["merging"]),
            (&json!(true), &json!([]), &Value::Null),
            "{fault}"
        );
        assert_eq!(record["commits"].as_array().map(Vec::len), Some(1), "{fault}: {text}");
    });
}

#[test]
fn a_checklist_can_be_killed_anywhere_and_keeps_what_its_user_wrote() {
    let stage = begun();
    std::fs::write(stage.top().join("items.json"), ITEMS).expect("it can be written");
    let write = ["polish", "checklist", "write", "--run", "run", "--items", "items.json"];
    walk(&stage, &write, |fault| {
        let again = stage.call(&write, None);
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        // A list that was in its journal is written by then, and the answer says to go on with it.
        assert!(again.status.success() || text.contains("checklist parse"), "{fault}: {text}");
        let parsed = stage.good(&["polish", "checklist", "parse", "--run", "run"], fault);
        assert_eq!(parsed["items"].as_array().map(Vec::len), Some(2), "{fault}");
    });

    let stage = edited();
    let path = stage.top().join("run/checklist.md");
    stage.good(&["dispatch", "plan", "--run", "run"], "");
    let parsed = stage.good(&["polish", "checklist", "parse", "--run", "run"], "");
    let seen = parsed["sha256"].as_str().expect("a hash").to_owned();
    let results = r#"{"results": [{"id": 2, "result": "fixed", "summary": "greets"}]}"#;
    std::fs::write(stage.top().join("results.json"), results).expect("it can be written");
    let rewrite =
        ["polish", "checklist", "rewrite", "--run", "run", "--results", "results.json", "--seen", &seen];
    stage.script("chmod 600 run/checklist.md");
    walk(&stage, &rewrite, |fault| {
        // journal-is-open-to-others: it held the text of a checklist that was closed to them.
        stage.script(
            "test -z \"$(grep -rl 'of the user' .plugcast | xargs -r stat -c '%a %n' | grep -v '^600 ')\"",
        );
        let text = || std::fs::read_to_string(&path).expect("the checklist");
        let is_whole = |text: &str| text.contains("of the user") && text.contains("## Item 2");
        assert!(is_whole(&text()), "{fault}: {}", text());
        // Where the result is in the file, the same call tells that the file has changed.
        let again = stage.call(&rewrite, None);
        let code = again.status.code();
        assert!(
            code == Some(0) || code == Some(6) && text().contains("- result: fixed"),
            "{fault}: {code:?}"
        );
        assert_eq!(text().matches("- result: fixed").count(), 1, "{fault}: {}", text());
        assert!(is_whole(&text()), "{fault}: {}", text());
    });
}

/// What was given out when a conversation ended is given out again once the user goes on, whatever the moment.
#[test]
fn giving_out_and_going_on_can_be_killed_anywhere() {
    let stage = edited();
    let list = || std::fs::read_to_string(stage.top().join("run/checklist.md")).expect("the checklist");
    let edited = list();
    let plan = ["dispatch", "plan", "--run", "run"];
    let go_on = ["polish", "acquire", "--apply", "--continue", "run"];
    for words in [&plan[..], &go_on] {
        walk(&stage, words, |fault| {
            stage.good(&go_on, fault);
            let planned = stage.good(&plan, fault);
            assert_eq!(planned["groups"][0]["items"], json!([2]), "{words:?} {fault}: {planned}");
            assert_eq!(list(), edited, "{words:?} {fault}");
        });
    }
}

#[test]
fn an_answer_about_the_whole_change_can_be_killed_anywhere() {
    let stage = edited();
    stage.script("sed -i '/^## Item 2/,$d' run/checklist.md");
    let answer = ["polish", "seed", "replan", "--run", "run", "--answer", "rethink"];
    walk(&stage, &answer, |fault| {
        let again = stage.good(&answer, fault);
        assert_eq!((&again["ask"], &again["answer"]), (&json!(false), &json!("rethink")), "{fault}: {again}");
        let seed = std::fs::read_to_string(stage.top().join("run/replan-seed.md")).expect("the seed");
        assert!(seed.contains("majority_oversized"), "{fault}: {seed}");
    });
}

#[test]
fn seeds_and_the_end_of_a_polish_can_be_killed_anywhere() {
    let stage = edited();
    stage.script("sed -i 's/^- action: fix/- action: note/' run/checklist.md");
    for words in [&["polish", "seed", "stacked", "--run", "run"][..], &["polish", "envelope", "--run", "run"]]
    {
        walk(&stage, words, |fault| {
            let again = stage.call(words, None);
            let text = String::from_utf8_lossy(&again.stdout).into_owned();
            assert!(again.status.success() || text.contains("finished"), "{words:?} {fault}: {text}");
            assert!(stage.top().join("run/stacked-pr-1.md").is_file(), "{fault}");
            let list = std::fs::read_to_string(stage.top().join("run/checklist.md")).expect("the checklist");
            assert!(list.contains("of the user"), "{fault}: {list}");
        });
    }
    assert!(stage.top().join("run/summary.md").is_file() && stage.top().join("run/metadata.json").is_file());
    stage.good(&["polish", "acquire", "--apply"], "the end");

    let stage = edited();
    let cancel = ["polish", "cancel", "--run", "run"];
    walk(&stage, &cancel, |fault| {
        let again = stage.call(&cancel, None);
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(again.status.success() || text.contains("finished"), "{fault}: {text}");
        stage.good(&["polish", "acquire", "--apply"], fault);
        let list = std::fs::read_to_string(stage.top().join("run/checklist.md")).expect("the checklist");
        assert!(list.contains("of the user"), "{fault}: nothing is taken back");
    });
}

/// A headless run that needs a user leaves the working tree to the next one, whatever the moment.
#[test]
fn the_end_of_a_run_that_needs_a_user_can_be_killed_anywhere() {
    let stage = edit(begun_with(&["mode:headless"]));
    let end = ["polish", "envelope", "--run", "run", "--needs-human", "which_config"];
    walk_to_exit(&stage, &end, 3, |fault| {
        let again = stage.call(&end, None);
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(text.contains("which_config") || text.contains("finished"), "{fault}: {text}");
        stage.good(&["polish", "acquire", "--apply"], fault);
        let list = std::fs::read_to_string(stage.top().join("run/checklist.md")).expect("the checklist");
        assert!(list.contains("of the user"), "{fault}: {list}");
    });
}

/// No server is left that is not on record, and one that is can be ended.
#[test]
fn the_start_of_a_server_can_be_killed_anywhere() {
    let stage = begun();
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("a free port").port().to_string();
    let start = ["server", "start", "--run", "run", "--port", &port];
    walk(&stage, &start, |fault| {
        // One that was about to begin when its helper was killed is on record by the time it listens.
        for _ in 0..2 {
            let status = stage.good(&["server", "status", "--run", "run"], fault);
            if status["status"] == "running" {
                let text = |key: &str| status["server"][key].to_string();
                let (pid, time) = (text("pid"), text("start_time"));
                let stop = ["server", "stop", "--run", "run", "--port", &port, "--confirm-pid", &pid];
                stage.good(&[&stop[..], &["--start-time", &time]].concat(), fault);
            }
        }
        let owner = stage.good(&["server", "owner", "--port", &port], fault);
        assert_eq!(owner["status"], "none", "{fault}: a server is left that nobody knows of");
        let again = stage.good(&start, fault);
        let text = |key: &str| again["server"][key].to_string();
        let (pid, time) = (text("pid"), text("start_time"));
        let stop = ["server", "stop", "--run", "run", "--port", &port, "--confirm-pid", &pid];
        stage.good(&[&stop[..], &["--start-time", &time]].concat(), fault);
    });
}

/// The user's own server goes on, and is used by the same call made again.
#[test]
fn using_a_server_of_the_user_can_be_killed_anywhere() {
    let stage = begun();
    let program = "require('http').createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })";
    let mut server = Command::new("node")
        .args(["-e", program])
        .current_dir(stage.top())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`node` can be started");
    let mut port = String::new();
    let read = BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut port);
    assert!(read.is_ok_and(|count| count > 1), "the user's server does not start");
    let adopt = ["server", "start", "--run", "run", "--adopt", "--port", port.trim_end()];
    let walked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        walk(&stage, &adopt, |fault| {
            let again = stage.good(&adopt, fault);
            assert_eq!(again["status"], "adopted", "{fault}: {again}");
            assert_eq!(stage.good(&["server", "status", "--run", "run"], fault)["status"], "running");
        });
        assert!(server.try_wait().is_ok_and(|ended| ended.is_none()), "the user's server goes on");
    }));
    let _ = server.kill();
    let _ = server.wait();
    walked.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
}

#[test]
fn a_configuration_is_written_whole_or_not_at_all() {
    let stage = Stage::new();
    stage.script("git rm -q -r --cached .claude; rm -r .claude; put bin/dev x; put Gemfile x; commit rails");
    let write = ["launch", "write", "--type", "rails"];
    let before = stage.top().join(".claude/launch.json");
    stage.keep();
    for step in 1..MOST {
        let fault = format!("abort@{step}");
        let through = stage.call(&write, Some(&fault)).status.success();
        if !before.is_file() {
            stage.good(&write, &fault);
        }
        assert_eq!(stage.good(&["launch", "read"], &fault)["status"], "ok", "{fault}");
        let left = std::fs::read_dir(stage.top().join(".claude")).expect("the folder").count();
        assert_eq!(left, 1, "{fault}: nothing lies beside the file");
        if through {
            assert!(step > 2, "{fault} at the first steps did nothing");
            return;
        }
        stage.lay();
    }
    panic!("no end of the walk");
}
