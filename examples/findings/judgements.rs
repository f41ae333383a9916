//! Findings that were judged by reading: whether each error is true, and whether the author would act on each warning.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use plugcast::diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

/// What was judged, by the name of the repository, the rule and the place.
pub struct Judgements(Vec<Value>);

impl Judgements {
    /// Reads the file.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let document: Value = serde_json::from_str(&text)?;
        Ok(Self(document.as_array().cloned().context("a list of judgements")?))
    }

    /// One line for each judgement of `label` that matches no finding.
    pub fn gone(&self, label: &str, found: &[Diagnostic]) -> Vec<String> {
        let here: BTreeSet<(&str, &str, usize)> =
            found.iter().map(|one| (one.rule.as_str(), one.path.as_str(), one.line)).collect();
        let own = self.0.iter().filter(|one| one["repository"] == label);
        let place = |one: &Value| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            (
                text("rule"),
                text("path"),
                one["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(0),
            )
        };
        own.map(place)
            .filter(|(rule, path, line)| !here.contains(&(rule.as_str(), path.as_str(), *line)))
            .map(|(rule, path, line)| format!("{label}: {path}:{line}: {rule} was judged, and is not found"))
            .collect()
    }
}

/// Findings to judge: facts about each, and nothing of its text.
pub fn sheet(label: &str, found: &[Diagnostic]) -> Vec<Value> {
    let weighs = |one: &&Diagnostic| one.severity != Severity::Info;
    found
        .iter()
        .filter(weighs)
        .map(|one| {
            json!({ "repository": label, "rule": one.rule, "severity": one.severity, "path": one.path, "line": one.line })
        })
        .collect()
}
