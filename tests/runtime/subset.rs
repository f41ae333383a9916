//! Whether an answer holds what a case says: objects hold the keys that are named, lists are as long as
//! the case's, and a few words stand for more than one value.

use serde_json::Value;

/// Where `found` does not hold what `wanted` says.
///
/// `{"$has": "text"}` wants a text that holds it, or a list that holds such an item; `{"$not": "text"}` the
/// opposite; `{"$is": "text"}` any text, `"number"` any number; `{"$len": 3}` a list or text of that length;
/// `{"$none": true}` that the key is not there.
pub fn differences(wanted: &Value, found: Option<&Value>, place: &str, out: &mut Vec<String>) {
    let shown = || found.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    if let Value::Object(object) = wanted
        && let Some((word, value)) = object.iter().next()
        && word.starts_with('$')
    {
        if !holds(word, value, found) {
            out.push(format!("{place}: wanted {wanted}, found {}", shown()));
        }
        return;
    }
    match (wanted, found) {
        (Value::Object(wanted), Some(Value::Object(found))) => {
            for (key, value) in wanted {
                differences(value, found.get(key), &format!("{place}/{key}"), out);
            }
        }
        (Value::Array(wanted), Some(Value::Array(found))) if wanted.len() == found.len() => {
            for (at, (value, found)) in wanted.iter().zip(found).enumerate() {
                differences(value, Some(found), &format!("{place}/{at}"), out);
            }
        }
        (wanted, Some(found)) if wanted == found => {}
        _ => out.push(format!("{place}: wanted {wanted}, found {}", shown())),
    }
}

fn holds(word: &str, value: &Value, found: Option<&Value>) -> bool {
    let has = |wanted: &Value| match found {
        Some(Value::String(text)) => wanted.as_str().is_some_and(|wanted| text.contains(wanted)),
        Some(Value::Array(items)) => items.iter().any(|item| {
            let mut out = Vec::new();
            differences(wanted, Some(item), "", &mut out);
            let text = wanted.as_str().zip(item.as_str());
            out.is_empty() || text.is_some_and(|(wanted, item)| item.contains(wanted))
        }),
        _ => false,
    };
    match word {
        "$has" => has(value),
        "$not" => found.is_some() && !has(value),
        "$is" => match value.as_str() {
            Some("text") => found.is_some_and(Value::is_string),
            Some("number") => found.is_some_and(Value::is_number),
            _ => false,
        },
        "$len" => match found {
            Some(Value::Array(items)) => value.as_u64() == Some(items.len() as u64),
            Some(Value::String(text)) => value.as_u64() == Some(text.chars().count() as u64),
            _ => false,
        },
        "$none" => found.is_none(),
        _ => false,
    }
}

#[test]
fn what_a_case_says_is_looked_for() {
    let found = serde_json::json!({"a": [1, {"b": "text"}], "c": null, "d": ["one", "two"]});
    let misses = |wanted: &str| {
        let mut out = Vec::new();
        let wanted: Value = serde_json::from_str(wanted).expect("JSON");
        differences(&wanted, Some(&found), "", &mut out);
        out.len()
    };
    for wanted in [
        r#"{"a": [1, {"b": "text"}]}"#,
        r#"{"a": [{"$is": "number"}, {"b": {"$has": "ex"}}], "c": null}"#,
        r#"{"d": {"$has": "tw"}, "e": {"$none": true}}"#,
        r#"{"a": {"$has": {"b": "text"}}, "d": {"$len": 2}}"#,
        r#"{"d": {"$not": "three"}}"#,
    ] {
        assert_eq!(misses(wanted), 0, "{wanted}");
    }
    for wanted in [
        r#"{"a": [1]}"#,
        r#"{"a": [1, {"b": {"$is": "number"}}]}"#,
        r#"{"c": {"$none": true}}"#,
        r#"{"d": {"$len": 3}}"#,
        r#"{"d": {"$has": "three"}}"#,
        r#"{"d": {"$not": "one"}}"#,
        r#"{"e": null}"#,
        r#"{"d": {"$misspelt": 1}}"#,
    ] {
        assert_eq!(misses(wanted), 1, "{wanted}");
    }
}
