//! Where returns come from: files with one or a list of them, or one list on standard input; a return may be the text that an agent wrote.

use serde_json::Value;

use super::Options;
use crate::runtime::answer::{Failure, MALFORMED};
use crate::runtime::document;
use crate::runtime::surroundings::Surroundings;

/// What one reviewer gave: its name where that is known apart, and the document or why there is none.
pub(super) type Given = (Option<String>, Result<Value, String>);

/// All returns, in their order.
pub(super) fn returns(options: &Options, surroundings: &Surroundings) -> Result<Vec<Given>, Failure> {
    if options.files.is_empty() {
        let text = surroundings.input_text()?;
        let list: Value = serde_json::from_str(&text).map_err(|error| {
            let hint = "give a JSON list of returns";
            Failure::new(MALFORMED, "malformed_json", error.to_string(), hint).at(
                "<stdin>",
                Some(error.line()),
                Some(error.column()),
            )
        })?;
        return Ok(each(list).collect());
    }
    let mut returns = Vec::new();
    for file in &options.files {
        let text = document::text(&surroundings.path(file))?.ok_or_else(|| {
            let message = format!("`{}` is not there", file.display());
            Failure::environment("file_unreadable", message, "check the path")
        })?;
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match written(&text) {
            Ok(list @ Value::Array(_)) => returns.extend(each(list)),
            one => returns.push((name, one)),
        }
    }
    Ok(returns)
}

/// The returns of a list.
fn each(list: Value) -> impl Iterator<Item = Given> {
    let items = match list {
        Value::Array(items) => items,
        one => vec![one],
    };
    items.into_iter().map(|item| match item {
        Value::String(text) => (None, written(&text)),
        other => (None, Ok(other)),
    })
}

/// A return as an agent wrote it: JSON, in a fence or with words around it.
fn written(text: &str) -> Result<Value, String> {
    let trimmed = text.trim();
    let whole = serde_json::from_str(trimmed);
    whole.or_else(|error| {
        let inner = trimmed.find('{').zip(trimmed.rfind('}')).filter(|(start, end)| start < end);
        let inner = inner.and_then(|(start, end)| serde_json::from_str(&trimmed[start..=end]).ok());
        inner.ok_or_else(|| format!("no JSON: {error}"))
    })
}
