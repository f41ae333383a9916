//! The action as a runner of workflows runs it: every step of `action.yml` in its order, with its condition, its
//! expressions, its own file for outputs and the shell that runners start, in a real clone with tags.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use plugcast::read::tree::Node;

use super::services::{document, text};
use crate::support::git::{commit, committed, git, write};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// What a run of the action gave.
struct WorkflowRun {
    /// Whether every step ended with 0.
    green: bool,
    /// Names or texts of the steps that ran.
    steps: Vec<String>,
    /// Everything that was printed.
    printed: String,
    /// `step.output` and its value.
    outputs: BTreeMap<String, String>,
}

/// Runs the action in the clone at `folder`; `inputs` take the place of defaults.
fn act(folder: &Path, inputs: &[(&str, &str)]) -> WorkflowRun {
    let action = document("action.yml");
    let scratch = tempfile::tempdir().unwrap();
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for entry in action.get("inputs").expect("inputs").entries() {
        let default = entry.node.get("default").and_then(Node::scalar).unwrap_or_default();
        values.insert(format!("inputs.{}", entry.key), default);
    }
    for (name, value) in inputs.iter().chain(&[("plugcast", env!("CARGO_BIN_EXE_plugcast"))]) {
        values.insert(format!("inputs.{name}"), (*value).to_owned()).expect("an input of the action");
    }
    values.insert("github.action_path".to_owned(), crate::support::root().display().to_string());
    let mut ran =
        WorkflowRun { green: true, steps: Vec::new(), printed: String::new(), outputs: BTreeMap::new() };
    let steps = action.get("runs").and_then(|runs| runs.get("steps")).and_then(Node::items).expect("steps");
    for (at, step) in steps.iter().enumerate() {
        let wanted = step.get("if").and_then(Node::scalar).is_none_or(|condition| holds(&condition, &values));
        if !wanted || !ran.green {
            continue;
        }
        let id = step.get("id").and_then(Node::scalar).unwrap_or_else(|| at.to_string());
        if let Some(other) = step.get("uses").and_then(Node::scalar) {
            ran.steps.push(other);
            continue;
        }
        assert_eq!(text(step, "shell"), "bash");
        let (script, output) =
            (scratch.path().join("script.sh"), scratch.path().join(format!("output-{at}")));
        fs::write(&script, text(step, "run")).unwrap();
        fs::write(&output, "").unwrap();
        let environment = step.get("env").map(Node::entries).unwrap_or_default();
        let environment = environment
            .iter()
            .map(|entry| (entry.key.clone(), filled(&entry.node.scalar().unwrap(), &values)));
        let ended = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&script)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", scratch.path())
            .env("CI", "true")
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_WORKSPACE", folder)
            .env("GITHUB_OUTPUT", &output)
            .env("RUNNER_TEMP", scratch.path())
            .envs(environment)
            .output()
            .expect("bash");
        ran.printed += &String::from_utf8_lossy(&ended.stdout);
        ran.printed += &String::from_utf8_lossy(&ended.stderr);
        for line in fs::read_to_string(&output).unwrap().lines() {
            let (name, value) = line.split_once('=').expect("NAME=VALUE");
            values.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            ran.outputs.insert(format!("{id}.{name}"), value.to_owned());
        }
        ran.steps.push(id);
        ran.green = ended.status.success();
    }
    ran
}

/// Whether `a == 'b'` or `a != 'b'` is true.
fn holds(condition: &str, values: &BTreeMap<String, String>) -> bool {
    let (name, equal, value) = match condition.split_once(" == ") {
        Some((name, value)) => (name, true, value),
        None => condition.split_once(" != ").map(|(name, value)| (name, false, value)).expect("a comparison"),
    };
    let known = values.get(name).map_or("", String::as_str);
    (known == value.trim_matches('\'')) == equal
}

/// A value with its expressions: names, the first of several with `||` that says something.
fn filled(value: &str, values: &BTreeMap<String, String>) -> String {
    let Some(inner) = value.strip_prefix("${{").and_then(|inner| inner.strip_suffix("}}")) else {
        assert!(!value.contains("${{"), "{value}");
        return value.to_owned();
    };
    let known = |name: &str| values.get(name.trim()).filter(|value| !value.is_empty()).cloned();
    inner.split("||").find_map(known).unwrap_or_default()
}

/// A plugin that was released as `v1.0.0`, with its bundle.
fn released() -> tempfile::TempDir {
    let tree = Tree::new()
        .file(".claude-plugin/plugin.json", manifest("1.0.0"))
        .file("plugcast.toml", "[build]\nto = [\"codex\"]\n\n[release]\nverified = false\n")
        .file("CHANGELOG.md", "# Changelog\n\n## 1.0.0\n\n- It plans.\n")
        .file("skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&tree);
    build(folder.path());
    commit(folder.path(), "the bundle");
    git(folder.path(), &["tag", "v1.0.0"]);
    folder
}

fn manifest(version: &str) -> String {
    format!(
        "{{\n  \"name\": \"demo\",\n  \"version\": \"{version}\",\n  \"description\": \"Plans.\",\n  \"author\": {{ \"name\": \"Us\" }}\n}}\n"
    )
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Writes a {name} when somebody asks for one.\n---\nWrite it.\n")
}

fn build(folder: &Path) {
    Plugcast::new(folder, &["build", "--helper", "none", "--out", "dist"]).run().expect_code(0);
}

const ALL: [(&str, &str); 3] = [("bundles", "dist"), ("release-check", "true"), ("upload", "false")];

#[test]
fn a_released_plugin_is_green() {
    let folder = released();
    let ran = act(folder.path(), &ALL);
    assert!(ran.green, "{}", ran.printed);
    assert_eq!(ran.steps[..3], ["check", "bundles", "release"]);
    for (name, value) in [("check.code", "0"), ("bundles.code", "0"), ("release.code", "0")] {
        assert_eq!(ran.outputs.get(name).map(String::as_str), Some(value), "{}", ran.printed);
    }
    assert!(ran.outputs["check.sarif"].ends_with("plugcast-.sarif"), "{:?}", ran.outputs);
    assert!(!ran.printed.contains("::error"), "{}", ran.printed);
    // Without being asked for, neither of them runs; the log is uploaded.
    let ran = act(folder.path(), &[]);
    assert!(
        ran.green && ran.steps.iter().any(|step| step.starts_with("github/codeql-action/")),
        "{:?}",
        ran.steps
    );
    assert!(!ran.steps.contains(&"bundles".to_owned()) && !ran.steps.contains(&"release".to_owned()));
}

#[test]
fn everything_that_is_wrong_is_said_before_the_job_fails() {
    let folder = released();
    let at = folder.path();
    write(at, "skills/more/SKILL.md", &skill("more"));
    write(at, "package.json", "{\n  \"version\": \"1.0.1\"\n}\n");
    let ran = act(at, &ALL);
    assert!(!ran.green);
    assert_eq!((ran.outputs["bundles.code"].as_str(), ran.outputs["release.code"].as_str()), ("1", "1"));
    for part in [
        "is stale",
        "::error file=package.json,line=2,endLine=2,col=15,endColumn=20,title=version-differs::",
        "a committed bundle is stale: run plugcast build",
        "plugcast release check found errors",
    ] {
        assert!(ran.printed.contains(part), "{part}: {}", ran.printed);
    }
    write(at, "package.json", "{\n  \"version\": \"1.0.0\"\n}\n");
    build(at);
    let ran = act(at, &ALL);
    assert!(ran.green, "what is not released yet is a note: {}", ran.printed);
    assert!(ran.printed.contains("title=unreleased::"), "{}", ran.printed);
}

#[test]
fn a_branch_is_held_to_the_base() {
    let folder = released();
    let at = folder.path();
    git(at, &["checkout", "-qb", "work"]);
    write(at, ".claude-plugin/plugin.json", &manifest("1.1.0"));
    write(at, "CHANGELOG.md", "# Changelog\n\n## 1.1.0\n\n- More.\n\n## 1.0.0\n\n- It plans.\n");
    build(at);
    commit(at, "by hand");
    let with_base = |base| [&ALL[..], &[("base", base)]].concat();
    assert!(act(at, &ALL).green);
    let ran = act(at, &with_base("main"));
    assert!(!ran.green && ran.outputs["release.code"] == "1", "{}", ran.printed);
    assert!(ran.printed.contains("title=release-owned::"), "{}", ran.printed);
    // What cannot be done ends the job at once, with what to do.
    let ran = act(at, &with_base("origin/none"));
    assert!(!ran.green && !ran.outputs.contains_key("release.code"), "{}", ran.printed);
    assert!(ran.printed.contains("`origin/none`"), "{}", ran.printed);
    assert_eq!(ran.steps.last().map(String::as_str), Some("release"));
}

#[test]
fn hosts_and_the_path_reach_every_step() {
    let folder = released();
    let at = folder.path();
    let ran = act(at, &[&ALL[..], &[("to", "none")]].concat());
    assert!(!ran.green && ran.printed.contains("`none`"), "{}", ran.printed);
    let ran = act(at, &[&ALL[..], &[("path", "gone")]].concat());
    assert!(!ran.green && ran.printed.contains("`gone`"), "{}", ran.printed);
}
