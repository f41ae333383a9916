//! Where returns come from: files with one or a list of them, or one list on standard input; a return may be the text that an agent wrote.

use serde_json::Value;

use super::Options;
use crate::runtime::answer::Failure;
use crate::runtime::document;
use crate::runtime::surroundings::Surroundings;

/// What one reviewer gave: its name where that is known apart, and the document or why there is none.
pub(super) type Given = (Option<String>, Result<Value, String>);

/// All returns, in their order.
pub(super) fn returns(options: &Options, surroundings: &Surroundings) -> Result<Vec<Given>, Failure> {
    if options.files.is_empty() {
        let text = surroundings.input_text()?;
        let list: Value = serde_json::from_str(&text)
            .map_err(|error| document::no_json(&error, "<stdin>", "give a JSON list of returns"))?;
        return Ok(each(list).collect());
    }
    let mut returns = Vec::new();
    for file in &options.files {
        let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let read = match document::text(&surroundings.path(file)) {
            // One reviewer that writes nonsense does not silence the others.
            Err(failure) if failure.error.code == document::NOT_UTF8 => {
                returns.push((name, Err("it is no UTF-8".to_owned())));
                continue;
            }
            read => read?,
        };
        let text = read.ok_or_else(|| {
            let message = format!("`{}` is not there", file.display());
            Failure::environment("file_unreadable", message, "check the path")
        })?;
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
