//! The objects in the text of a model, for any workflow.

use serde_json::Value;

use super::{json, leftover};

/// The rows of the lists `key` of a text: of each JSON object with that list, of a list whose rows have the key `row`,
/// and each such row alone; and what had to be repaired.
///
/// # Errors
/// Why rows are missing or may be.
pub fn rows(text: &str, key: &str, row: &str) -> Result<(Vec<Value>, Vec<String>), String> {
    let is_row = |value: &Value| value.get(row).is_some();
    let listed = |value: &Value| {
        let list = value.get(key).unwrap_or(value);
        match list {
            Value::Array(rows) if value.is_object() || !rows.is_empty() && rows.iter().all(is_row) => {
                Some(rows.clone())
            }
            one => is_row(one).then(|| vec![one.clone()]),
        }
    };
    let (mut found, mut rows, mut repaired) = (false, Vec::new(), Vec::new());
    let scan = json::scan(text, key, &mut |value, repairs| {
        let inner = value.as_object().into_iter().flat_map(|object| object.values());
        let Some(more) = std::iter::once(&value).chain(inner).find_map(listed) else { return false };
        found = true;
        rows.extend(more);
        repaired.extend(repairs);
        true
    });
    if !found || scan.broken.is_some() {
        return Err(super::unreadable(key, scan.broken));
    }
    if leftover::has_key(&scan.rest, key) {
        return Err("a part of it is not valid JSON".to_owned());
    }
    Ok((rows, repaired))
}

/// The objects of a text with a known key, and the text around them.
pub fn objects(text: &str, is_known: impl Fn(&str) -> bool) -> (Vec<Value>, String) {
    let mut found = Vec::new();
    let scan = json::scan(text, "", &mut |value, _| {
        let fits = value.as_object().is_some_and(|object| object.keys().any(|key| is_known(key)));
        if fits {
            found.push(value);
        }
        fits
    });
    (found, scan.rest)
}
