//! What a model that obeys does with a text: takes the call under a heading, puts values in place of capital words,
//! and reads answers.

use plugcast::drivers::script::ModelRequest;
use serde_json::{Deserializer, Value};

use crate::hosts::model::between;

/// The fenced blocks under a heading, up to the next one.
pub fn block(text: &str, heading: &str, number: usize) -> Result<String, String> {
    let (_, rest) = text.split_once(heading).ok_or_else(|| format!("no `{heading}` in `{text}`"))?;
    let section = rest.split("\n## ").next().unwrap_or(rest);
    let fences: Vec<&str> = section.split("```").collect();
    let block = fences.get(2 * number + 1).ok_or_else(|| format!("no code block {number} in `{section}`"))?;
    let (_, command) = block.split_once('\n').ok_or_else(|| format!("an empty block in `{section}`"))?;
    Ok(command.trim_end().to_owned())
}

/// A block as its call, and the input that the call is given on its standard input; empty if none.
pub fn call_and_input(block: &str) -> (&str, &str) {
    block.split_once(" <<").unwrap_or((block, ""))
}

/// An input with what the user wrote behind the name of the skill.
pub fn with_arguments(request: &ModelRequest, skill: &str, input: &str) -> Result<String, String> {
    if !input.contains("$ARGUMENTS") {
        return Ok(input.to_owned());
    }
    let words = request.texts.iter().find_map(|spoken| spoken.text.strip_prefix(&format!("${skill}")));
    Ok(input.replace("$ARGUMENTS", words.ok_or("no mention")?.trim()))
}

/// Puts a value in place of a word that stands alone.
pub fn put(command: &str, word: &str, value: &str) -> String {
    let inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (mut out, mut rest) = (String::new(), command);
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        out += before;
        let alone = !inner(out.chars().next_back()) && !inner(after.chars().next());
        out += if alone { value } else { word };
        rest = after;
    }
    out + rest
}

/// The newest answer of the helper with this schema.
pub fn answer(request: &ModelRequest, schema: &str) -> Result<Value, String> {
    let head = format!("{{\"schema\":\"{schema}\"");
    let results = request.tool_results.iter().rev();
    let text = results.map(|result| result.text.as_str()).find(|text| text.contains(&head));
    let text = text.ok_or_else(|| format!("no answer `{schema}` in `{}`", request.latest_text()))?;
    let at = text.find(&head).unwrap_or_default();
    first(&text[at..]).ok_or_else(|| format!("no JSON in `{text}`"))
}

/// The objects with this key that agents returned, once each, in the order in which they came.
pub fn returned(request: &ModelRequest, key: &str) -> Vec<Value> {
    let head = format!("{{\"{key}\":");
    let mut found: Vec<Value> = Vec::new();
    for result in &request.tool_results {
        // Some hosts put what an agent said into a string of JSON.
        let own = result.text.find('{').and_then(|at| first(&result.text[at..])).unwrap_or_default();
        let mut inner = vec![result.text.as_str()];
        texts(&own, &mut inner);
        for text in inner {
            for (at, _) in text.match_indices(&head) {
                found.extend(first(&text[at..]).filter(|value| !found.contains(value)));
            }
        }
    }
    found
}

/// What a call has printed, from its first words to its last.
pub fn shown(request: &ModelRequest, from: &str, to: &str) -> Result<String, String> {
    let result = request.tool_results.iter().rev().find(|result| result.text.contains(from));
    let result = result.ok_or_else(|| format!("no `{from}` in `{}`", request.latest_text()))?;
    Ok(format!("{from}{}{to}", between(&result.text, from, to)?))
}

/// Every text of a document.
pub fn texts<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(object) => object.values().for_each(|value| texts(value, out)),
        _ => {}
    }
}

/// The words of a list.
pub fn words(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn first(text: &str) -> Option<Value> {
    Deserializer::from_str(text).into_iter().next()?.ok()
}
