//! `action.yml` and `.pre-commit-hooks.yaml`: both parse, every option that they pass exists, and the
//! script of the action does what it says.

use std::fs;
use std::process::Command;

use plugcast::read::tree::Node;
use plugcast::read::yaml;
use plugcast::source::Span;

use super::{plugin, run};
use crate::support::root;
use crate::support::tree::Tree;

/// A file of the repository, as YAML.
pub fn document(path: &str) -> Node {
    let text = fs::read_to_string(root().join(path)).expect(path);
    let (node, faults) = yaml::parse(&text, Span::new(0, text.len()));
    assert!(faults.is_empty(), "{path}: {faults:?}");
    node.expect(path)
}

/// The text at a key.
pub fn text<'a>(node: &'a Node, key: &str) -> &'a str {
    node.get(key).and_then(Node::as_str).unwrap_or_else(|| panic!("no text `{key}`"))
}

/// The long options that are in a text.
fn options(text: &str) -> Vec<&str> {
    let word = |rest: &str| rest.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(rest.len());
    let found = text.match_indices("--").map(|(at, _)| &text[at..at + word(&text[at..])]);
    found.filter(|option| option.len() > 2).collect()
}

/// The script of the step `check` of the action.
fn script() -> String {
    let action = document("action.yml");
    let steps = action.get("runs").and_then(|runs| runs.get("steps")).and_then(Node::items).expect("steps");
    let id = |step: &&Node| step.get("id").and_then(Node::as_str) == Some("check");
    text(steps.iter().find(id).expect("the step"), "run").to_owned()
}

#[test]
fn every_option_that_they_pass_exists() {
    let folder = Tree::new().temporary();
    let help = run(folder.path(), &["--help"]).expect_code(0).stdout;
    let hooks = document(".pre-commit-hooks.yaml");
    let hooks = hooks.items().expect("a list of hooks");
    assert_eq!(hooks.len(), 2);
    for hook in hooks {
        let entry = text(hook, "entry");
        assert!(entry.starts_with("plugcast check "), "{entry}");
        assert!(options(entry).iter().all(|option| help.contains(option)), "{entry}");
    }
    let script = script();
    let passed = options(&script);
    assert_eq!(passed, ["--to", "--since", "--baseline", "--shard", "--format", "--format"]);
    assert!(passed.iter().all(|option| help.contains(option)));
    let action = document("action.yml");
    let inputs = action.get("inputs").expect("inputs").entries();
    let whole = fs::read_to_string(root().join("action.yml")).unwrap();
    for input in inputs {
        let name = &input.key;
        assert!(whole.contains(&format!("inputs.{name}")), "nothing uses the input `{name}`");
    }
}

#[test]
fn the_script_of_the_action_writes_a_log_and_annotations() {
    let folder = plugin().file("temp/x", "").temporary();
    let act = |environment: &[(&str, &str)]| {
        let output = folder.path().join("output");
        fs::write(&output, "").unwrap();
        let ended = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script()])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("PLUGCAST", env!("CARGO_BIN_EXE_plugcast"))
            .env("RUNNER_TEMP", folder.path().join("temp"))
            .env("GITHUB_OUTPUT", &output)
            .envs(["TO", "SINCE", "BASELINE", "SHARD"].map(|name| (format!("CHECK_{name}"), "")))
            .env("CHECK_PATH", "src")
            .envs(environment.iter().copied())
            .output()
            .expect("bash");
        (
            ended.status.code(),
            String::from_utf8_lossy(&ended.stdout).into_owned(),
            fs::read_to_string(output).unwrap(),
        )
    };
    let (code, annotations, outputs) = act(&[]);
    assert_eq!((code, annotations.lines().count()), (Some(0), 2), "{annotations}");
    assert!(outputs.contains("code=0"), "{outputs}");
    let log = outputs.lines().find_map(|line| line.strip_prefix("sarif=")).expect("a path");
    let log = run(folder.path(), &["src", "--format", "sarif"]).stdout == fs::read_to_string(log).unwrap();
    assert!(log, "the log is what `--format sarif` prints");
    let (code, _, outputs) = act(&[("CHECK_TO", "all"), ("CHECK_SHARD", "1/1")]);
    assert!(code == Some(0) && outputs.contains("plugcast-1-of-1.sarif"), "{outputs}");
    let (code, _, outputs) = act(&[("CHECK_PATH", "nowhere")]);
    assert!(code == Some(2) && !outputs.contains("code="), "{outputs}");
    let strict = "[check]\nseverity = { name-mismatch = \"error\" }\n";
    fs::write(folder.path().join("src/plugcast.toml"), strict).unwrap();
    let (code, annotations, outputs) = act(&[]);
    assert!(code == Some(0) && outputs.contains("code=1"), "{outputs}");
    assert!(annotations.contains("::error file=skills/two/SKILL.md"), "{annotations}");
}
