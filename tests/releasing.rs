//! `plugcast release check` in real git repositories: every kind of failure has its file, its line and what to
//! do, and only `--fix` changes a file.

mod automation;
mod bad_input;
mod bundles;
mod history;
mod monorepo;
mod texts;

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::git::{commit, committed, git, state, write};
use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

fn run(folder: &Path, arguments: &[&str]) -> FinishedRun {
    Plugcast::new(folder, &[&["release", "check"], arguments].concat()).run()
}

/// The report as JSON.
#[track_caller]
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let finished = run(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", finished.stdout, finished.stderr))
}

/// `path:line severity rule` of each finding; each says what to do.
#[track_caller]
fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let report = json(folder, arguments);
    let findings = report["diagnostics"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let text = |found: &Value, key: &str| found[key].as_str().unwrap_or_default().to_owned();
    let line = |found: &Value| {
        assert!(!text(found, "help").is_empty(), "no help: {found:#}");
        format!(
            "{}:{} {} {}",
            text(found, "path"),
            found["line"],
            text(found, "severity"),
            text(found, "rule")
        )
    };
    findings.iter().map(line).collect()
}

/// The message of the only finding of a rule.
#[track_caller]
fn message(folder: &Path, rule: &str, arguments: &[&str]) -> String {
    let report = json(folder, arguments);
    let findings = report["diagnostics"].as_array().expect("diagnostics");
    let of_rule: Vec<&Value> = findings.iter().filter(|found| found["rule"] == rule).collect();
    let [one] = of_rule.as_slice() else { panic!("{rule}: {report:#}") };
    format!("{}; {}", one["message"].as_str().unwrap_or_default(), one["help"].as_str().unwrap_or_default())
}

fn skill(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Does {name} when it is asked for.\n---\nDo {name}, and say so.\n"
    )
}

fn manifest(name: &str, version: &str) -> String {
    format!("{{\n  \"name\": \"{name}\",\n  \"version\": \"{version}\"\n}}\n")
}

fn changelog(versions: &[&str]) -> String {
    let entries: String =
        versions.iter().map(|version| format!("\n## {version}\n\n- Something.\n")).collect();
    format!("# Changelog\n{entries}")
}

/// A plugin at the top of a repository, ready to be released.
fn plugin() -> Tree {
    Tree::new()
        .file(".claude-plugin/plugin.json", manifest("demo", "1.0.0"))
        .file("CHANGELOG.md", changelog(&["1.0.0"]))
        .file("README.md", "# Demo\n\nIt brings 1 skill.\n")
        .file("skills/plan/SKILL.md", skill("plan"))
}

/// [`plugin`], released as `v1.0.0`.
fn released() -> TempDir {
    let folder = committed(&plugin());
    git(folder.path(), &["tag", "v1.0.0"]);
    folder
}

/// Raises the version of [`plugin`], with an entry in the changelog.
fn raise(folder: &Path, version: &str) {
    write(folder, ".claude-plugin/plugin.json", &manifest("demo", version));
    write(folder, "CHANGELOG.md", &changelog(&[version, "1.0.0"]));
}

const NONE: [&str; 0] = [];

#[test]
fn a_plain_plugin_needs_no_configuration() {
    let folder = committed(&plugin());
    let at = folder.path();
    let first = ".claude-plugin/plugin.json:1 info first-release";
    assert_eq!(found(at, &[]), [first]);
    let shown = run(at, &[]).expect_code(0).stdout;
    assert!(shown.starts_with("demo 1.0.0: no release before\n"), "{shown}");
    git(at, &["tag", "-a", "v1.0.0", "-m", "first"]);
    assert_eq!(found(at, &[]), NONE);
    raise(at, "1.0.1");
    assert_eq!(found(at, &[]), NONE);
    let shown = run(at, &[]).expect_code(0).stdout;
    assert_eq!(shown, "demo 1.0.1: last release `v1.0.0`\nnothing found\n");
}

#[test]
fn this_repository_passes() {
    let asked = std::process::Command::new("git")
        .args(["rev-parse", "--is-shallow-repository"])
        .current_dir(root())
        .output();
    // An unpacked archive has no history, and a shallow clone not all of it.
    let whole = asked.is_ok_and(|ended| ended.stdout.starts_with(b"false"));
    if whole {
        let report = json(root(), &[]);
        assert_eq!(report["summary"]["errors"], 0, "{report:#}");
        assert!(report["released"].as_array().is_some_and(|all| !all.is_empty()), "{report:#}");
    }
}

#[test]
fn findings_are_annotations_and_lines() {
    let folder = released();
    let at = folder.path();
    write(at, "package.json", "{\n  \"version\": \"1.0.1\"\n}\n");
    let before = state(at);
    let shown = run(at, &["--format", "github"]).expect_code(1).stdout;
    assert!(
        shown.starts_with(
            "::error file=package.json,line=2,endLine=2,col=15,endColumn=20,title=version-differs::"
        ),
        "{shown}"
    );
    assert!(
        shown.contains("%0Ahelp: write `1.0.0` in both, or run it with `--fix --unsafe-fixes`"),
        "{shown}"
    );
    let shown = run(at, &[]).expect_code(1).stdout;
    for part in [
        "error[version-differs]",
        " --> package.json:2:15",
        "2 |   \"version\": \"1.0.1\"",
        "1 error; 1 fixable with `--fix --unsafe-fixes`\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(state(at), before);
}

#[test]
fn a_release_needs_nothing_more_and_notes_are_shown_where_asked_for() {
    let folder = released();
    let at = folder.path();
    write(at, "skills/more/SKILL.md", &skill("more"));
    write(at, "README.md", "# Demo\n\nIt brings 2 skills.\n");
    let shown = run(at, &[]).expect_code(0).stdout;
    let first = "demo 1.0.0: last release `v1.0.0`, changes need version 1.1.0 or later\n";
    let table = "  added\n    skill demo:more\n      Does more when it is asked for.\n\n";
    assert_eq!(shown, format!("{first}{table}1 note (`--verbose` shows it)\n"));
    let shown = run(at, &["--verbose"]).expect_code(0).stdout;
    assert!(
        shown.contains("[unreleased]: `demo` changed since `v1.0.0`: added skill `demo:more`"),
        "{shown}"
    );
    assert!(shown.ends_with("1 note\n"), "{shown}");
    raise(at, "1.1.0");
    commit(at, "1.1.0");
    git(at, &["tag", "v1.1.0"]);
    assert_eq!(run(at, &[]).expect_code(0).stdout, "demo 1.1.0: last release `v1.1.0`\nnothing found\n");
}
