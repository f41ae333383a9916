//! Counts of an earlier run: nothing of the repositories' text, no times.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Writes the counts, by repository, when there is no file yet; else the differences, one sentence each.
/// Repositories that were not measured this time stay as they are.
pub fn compare(file: &Path, now: &Value) -> Result<Vec<String>> {
    if !file.exists() {
        fs::write(file, serde_json::to_string_pretty(now)? + "\n")
            .with_context(|| format!("cannot write `{}`", file.display()))?;
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let before: Value =
        serde_json::from_str(&text).with_context(|| format!("`{}` is not valid JSON", file.display()))?;
    let mut differences = Vec::new();
    for (label, now) in now.as_object().into_iter().flatten() {
        differ(label, &before[label], now, &mut differences);
    }
    Ok(differences)
}

/// Every leaf that differs, with its place.
fn differ(place: &str, before: &Value, now: &Value, differences: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(old), Value::Object(new)) => {
            let gone = old.keys().filter(|key| !new.contains_key(*key));
            for key in new.keys().chain(gone) {
                differ(&format!("{place} {key}"), &before[key], &now[key], differences);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for at in 0..old.len().max(new.len()) {
                let name = |list: &Vec<Value>| list.get(at)?["host"].as_str().map(str::to_owned);
                let name = name(new).or_else(|| name(old)).unwrap_or_else(|| at.to_string());
                differ(&format!("{place} {name}"), &before[at], &now[at], differences);
            }
        }
        _ if before == now => {}
        _ => differences.push(format!("{place}: {before} before, {now} now")),
    }
}
