//! What `plugcast doctor` finds: hosts in the pinned version, in another one, broken and missing.

use serde_json::{Value, json};

use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// Checks the answer against its schema.
fn answer(finished: &FinishedRun) -> Value {
    let schema = std::fs::read_to_string(root().join("schemas/doctor.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let answer: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let valid = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = valid.iter_errors(&answer).map(|error| error.to_string()).collect();
    crate::support::none_left("the answer against its schema", &faults);
    answer
}

fn says(text: &str) -> String {
    format!(
        "#!/bin/sh\n[ -z \"$SECRET\" ] && [ \"$HOME\" != / ] && [ \"$*\" = --version ] && echo '{text}'\n"
    )
}

#[test]
fn every_state_of_a_host_is_told_apart() {
    let folder = Tree::new()
        .script("claude", says("2.1.330 (Claude Code)"))
        .script("codex", says("codex-cli 0.170.1"))
        .script("opencode", "#!/bin/sh\nexit 1\n")
        .script("rg", "#!/bin/sh\n")
        .temporary();
    let names = ["claude-code=claude", "codex=codex", "opencode=opencode", "rg=rg"];
    let human: Vec<&str> =
        std::iter::once("doctor").chain(names.iter().flat_map(|name| ["--host-bin", name])).collect();
    let arguments = [human.as_slice(), &["--format", "json"]].concat();
    let finished = Plugcast::new(folder.path(), &arguments).env("SECRET", "x").run().expect_code(1);
    let answer = answer(&finished);
    let state = |at: usize| (answer["hosts"][at]["state"].clone(), answer["hosts"][at]["version"].clone());
    assert_eq!(state(0), (json!("pinned"), json!("2.1.330")));
    assert_eq!(state(1), (json!("other-version"), json!("0.170.1")));
    assert_eq!(state(2), (json!("broken"), Value::Null));
    assert_eq!(answer["hosts"][0]["unverified"], json!([]));
    let unverified = answer["hosts"][1]["unverified"].as_array().expect("a list");
    assert!(unverified.contains(&json!("skill")) && unverified.contains(&json!("agent")), "{unverified:?}");

    let text = Plugcast::new(folder.path(), &human).run().expect_code(1).stdout;
    for line in [
        "Claude Code  2.1.330, the version that its facts were verified on (",
        "Codex        0.170.1, its facts were verified on 0.169.0 (",
        "  unverified here: agent, ",
        "OpenCode     does not work (",
        "  help: pass another binary with `--host-bin opencode=PATH`\n",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

#[test]
fn what_is_missing_says_how_to_get_it() {
    let folder = Tree::new().script("codex", says("codex-cli 0.169.0")).temporary();
    let run = |arguments: &[&str]| Plugcast::new(folder.path(), arguments).env("PATH", "/nowhere").run();
    let missing = run(&["doctor", "--to", "opencode", "--format", "json"]).expect_code(1);
    let answer = answer(&missing);
    assert_eq!(answer["hosts"][0]["state"], "missing");
    assert_eq!(
        answer["hosts"][0]["help"],
        "install it with `npm install -g opencode-ai@1.18.33`, or pass its path with `--host-bin opencode=PATH`"
    );
    assert_eq!(answer["tools"][0]["help"], "install git");
    let unknown = run(&["doctor", "--to", "mars"]).expect_code(2);
    assert!(unknown.stderr.contains("unknown host `mars`"), "{}", unknown.stderr);
}

#[test]
fn one_host_alone_can_be_healthy() {
    let folder = Tree::new().script("bin/codex", says("codex-cli 0.169.0")).script("bin/git", "").temporary();
    let path = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    Plugcast::new(folder.path(), &["doctor", "--to", "codex"]).env("PATH", &path).run().expect_code(0);
}

#[test]
fn all_includes_every_host_beside_a_name() {
    let folder = Tree::new().temporary();
    let hosts = |to: &str| {
        let arguments = ["doctor", "--to", to, "--format", "json"];
        let finished = Plugcast::new(folder.path(), &arguments).env("PATH", "/nowhere").run().expect_code(1);
        let answer = answer(&finished);
        let hosts = answer["hosts"].as_array().expect("a list").iter();
        hosts.map(|host| host["host"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for to in ["all,codex", "codex,all", "all"] {
        assert_eq!(hosts(to), ["claude-code", "codex", "opencode"], "{to}");
    }
    for command in ["doctor", "build", "check"] {
        let finished = Plugcast::new(folder.path(), &[command, "--to", "all,mars"]).run().expect_code(2);
        assert!(finished.stderr.contains("unknown host `mars`"), "{command}: {}", finished.stderr);
    }
}
