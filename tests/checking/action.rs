//! The action and the workflows of `docs/ci.md`: every input is used, every script does what it says, and
//! every command line that is shown is one that the program takes.

use std::fs;
use std::process::Command;

use plugcast::read::tree::Node;
use plugcast::read::yaml;
use plugcast::source::Span;

use super::plugin;
use super::services::{document, text};
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// The steps of the action.
fn steps() -> Vec<Node> {
    let action = document("action.yml");
    let steps = action.get("runs").and_then(|runs| runs.get("steps")).and_then(Node::items).expect("steps");
    steps.to_vec()
}

/// Runs the script of a step, with the values of its inputs.
fn act(folder: &std::path::Path, step: &Node, environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let output = folder.join("output");
    fs::write(&output, "").unwrap();
    let names = step.get("env").expect("variables").entries().iter().map(|entry| entry.key.clone());
    let ended = Command::new("bash")
        .args(["-euo", "pipefail", "-c", text(step, "run")])
        .current_dir(folder)
        .env_clear()
        .envs(names.map(|name| (name, String::new())))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("PLUGCAST", env!("CARGO_BIN_EXE_plugcast"))
        .env("GITHUB_OUTPUT", &output)
        .env("CHECK_PATH", "src")
        .envs(environment.iter().copied())
        .output()
        .expect("bash");
    let printed =
        String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    (ended.status.code(), printed, fs::read_to_string(output).unwrap())
}

fn step(id: &str) -> Node {
    let found = steps().into_iter().find(|step| step.get("id").and_then(Node::as_str) == Some(id));
    found.unwrap_or_else(|| panic!("no step `{id}`"))
}

#[test]
fn the_bundles_of_a_repository_are_held_to_a_build() {
    let folder = plugin().temporary();
    let bundles = [("CHECK_BUNDLES", "dist"), ("CHECK_TO", "codex")];
    let (code, printed, outputs) = act(folder.path(), &step("bundles"), &bundles);
    assert!(code == Some(0) && outputs == "code=1\n", "nothing is built yet: {printed}");
    Plugcast::new(folder.path(), &["build", "src", "--to", "codex", "--out", "dist"]).run().expect_code(0);
    let (code, printed, outputs) = act(folder.path(), &step("bundles"), &bundles);
    assert!(code == Some(0) && outputs == "code=0\n", "{printed}");
    fs::write(folder.path().join("src/skills/one/more.md"), "# More\n").unwrap();
    let (code, printed, outputs) = act(folder.path(), &step("bundles"), &bundles);
    assert!(code == Some(0) && outputs == "code=1\n" && printed.contains("is stale"), "{printed}");
    let (code, _, outputs) =
        act(folder.path(), &step("bundles"), &[("CHECK_BUNDLES", "dist"), ("CHECK_TO", "none")]);
    assert_eq!((code, outputs.as_str()), (Some(2), ""));
}

#[test]
fn the_last_step_fails_for_each_of_the_others() {
    let folder = Tree::new().temporary();
    let last = steps().pop().expect("a step");
    for (environment, expected, words) in [
        (&[("CHECK", "0")][..], 0, ""),
        (&[("CHECK", "0"), ("BUNDLES", "0"), ("RELEASE", "0")][..], 0, ""),
        (&[("CHECK", "1")][..], 1, "plugcast check found errors"),
        (&[("CHECK", "0"), ("BUNDLES", "1")][..], 1, "a committed bundle is stale"),
        (&[("CHECK", "0"), ("RELEASE", "1")][..], 1, "plugcast release check found errors"),
    ] {
        let (code, printed, _) = act(folder.path(), &last, environment);
        assert_eq!(code, Some(expected), "{environment:?}");
        assert!(printed.contains(words), "{printed}");
    }
}

/// The parsed YAML blocks of `docs/ci.md`.
fn shown() -> Vec<Node> {
    let page = fs::read_to_string(root().join("docs/ci.md")).expect("docs/ci.md");
    let blocks = page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks
        .map(|block| {
            let (node, faults) = yaml::parse(block, Span::new(0, block.len()));
            assert!(faults.is_empty(), "{block}: {faults:?}");
            node.expect("YAML")
        })
        .collect()
}

/// Every node of a tree that has the key `key`.
fn having<'a>(node: &'a Node, key: &str, out: &mut Vec<&'a Node>) {
    if node.get(key).is_some() {
        out.push(node);
    }
    node.entries().iter().for_each(|entry| having(&entry.node, key, out));
    node.items().unwrap_or_default().iter().for_each(|item| having(item, key, out));
}

#[test]
fn the_workflows_of_the_page_use_inputs_that_exist() {
    let action = document("action.yml");
    let inputs = action.get("inputs").expect("inputs");
    let blocks = shown();
    let mut users = Vec::new();
    blocks.iter().for_each(|block| having(block, "uses", &mut users));
    let ours: Vec<_> = users.iter().filter(|step| text(step, "uses").contains("plugcast")).collect();
    assert_eq!(ours.len(), 2);
    let mut passed = std::collections::BTreeSet::new();
    for step in ours {
        for entry in step.get("with").expect("inputs").entries() {
            assert!(inputs.get(&entry.key).is_some(), "there is no input `{}`", entry.key);
            passed.insert(entry.key.clone());
        }
    }
    for wanted in ["shard", "bundles", "release-check", "base"] {
        assert!(passed.contains(wanted), "the page shows no `{wanted}`");
    }
}

#[test]
fn the_commands_of_the_page_and_of_the_action_are_ones_that_the_program_takes() {
    let folder = Tree::new().temporary();
    let blocks = shown();
    let mut runs = Vec::new();
    blocks.iter().for_each(|block| having(block, "run", &mut runs));
    let mut lines: Vec<String> = runs
        .iter()
        .flat_map(|step| text(step, "run").lines())
        .map(|line| line.split(" > ").next().unwrap_or_default().to_owned())
        .collect();
    assert!(lines.len() >= 5, "{lines:?}");
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    lines.extend(
        page.match_indices("`plugcast ")
            .map(|(at, _)| page[at + 1..].split('`').next().unwrap_or_default().replace('\n', " ")),
    );
    let help = |words: &[&str]| Plugcast::new(folder.path(), &[words, &["--help"]].concat()).run();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let name: Vec<&str> = match words[..] {
            ["release", ..] => vec!["release", "check"],
            [command, ..] => vec![command],
            [] => panic!("{line}"),
        };
        let known = help(&name).expect_code(0).stdout;
        for option in words.iter().filter(|word| word.starts_with("--")) {
            assert!(known.contains(option), "`{line}`: there is no `{option}`\n{known}");
        }
    }
}
