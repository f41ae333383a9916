//! What `check` does around its rules: fixes, formats, baselines, parts of a source, and text from an
//! editor.

mod action;
mod bad_input;
mod baseline;
mod causes;
mod changed_files;
mod exclusions;
mod filters;
mod fixes;
mod formats;
mod host_selection;
mod hostile;
mod parts;
mod runner;
mod scope;
mod services;
mod stdin;

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// A skill whose name is `name`.
fn skill(name: &str) -> String {
    format!("---\nname: {name}  # short\ndescription: Does a thing when it is asked for.\n---\nDo it.\n")
}

/// A plugin in `src` with three skills, two of which are not named like their folder.
fn plugin() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/one/SKILL.md", skill("one"))
        .file("src/skills/two/SKILL.md", skill("second"))
        .file("src/skills/three/SKILL.md", skill("third"))
}

fn run(folder: &Path, arguments: &[&str]) -> FinishedRun {
    Plugcast::new(folder, &[&["check"], arguments].concat()).run()
}

/// The one JSON object that a run prints.
#[track_caller]
fn json(finished: &FinishedRun) -> Value {
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", finished.stdout, finished.stderr))
}

/// `path:line rule` of each finding.
#[track_caller]
fn found(folder: &TempDir, arguments: &[&str]) -> Vec<String> {
    let finished = run(folder.path(), &[arguments, &["--format", "json"]].concat());
    let shown = json(&finished);
    let findings = shown["diagnostics"].as_array().unwrap_or_else(|| panic!("{shown:#}"));
    let text = |found: &Value, key: &str| found[key].as_str().unwrap_or_default().to_owned();
    findings
        .iter()
        .map(|found| format!("{}:{} {}", text(found, "path"), found["line"], text(found, "rule")))
        .collect()
}

const TWO: &str = "skills/two/SKILL.md:2 name-mismatch";
const THREE: &str = "skills/three/SKILL.md:2 name-mismatch";
