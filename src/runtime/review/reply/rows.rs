//! The objects in the text of a model, for any workflow.

use serde_json::Value;

use super::{json, leftover};

/// The rows of the last list in a text, and what had to be repaired. A list is an object with the list `key`, or a list
/// whose rows have the key `row`; without one, each such row alone counts. An earlier list may be a draft, or the quoted
/// form.
///
/// # Errors
/// Why rows are missing or may be.
pub fn rows(text: &str, key: &str, row: &str) -> Result<(Vec<Value>, Vec<String>), String> {
    let is_row = |value: &Value| value.get(row).is_some();
    let listed = |value: &Value| {
        let list = value.get(key).unwrap_or(value);
        match list {
            Value::Array(rows) if value.is_object() || !rows.is_empty() && rows.iter().all(is_row) => {
                Some((true, rows.clone()))
            }
            one => is_row(one).then(|| (false, vec![one.clone()])),
        }
    };
    let (mut found, mut earlier) = (None::<(bool, Vec<Value>)>, Vec::new());
    let mut repaired = Vec::new();
    let scan = json::scan(text, key, &mut |value, repairs| {
        let inner = value.as_object().into_iter().flat_map(|object| object.values());
        let Some((is_list, rows)) = std::iter::once(&value).chain(inner).find_map(listed) else {
            return false;
        };
        repaired.extend(repairs);
        match &mut found {
            None => found = Some((is_list, rows)),
            Some((false, known)) if !is_list => known.extend(rows),
            Some((true, _)) if !is_list => earlier.extend(rows),
            Some((_, known)) => {
                earlier.append(known);
                found = Some((true, rows));
            }
        }
        true
    });
    let Some((_, rows)) = found.filter(|_| scan.broken.is_none()) else {
        return Err(super::unreadable(key, scan.broken));
    };
    if leftover::has_key(&scan.rest, key) {
        return Err("a part of it is not valid JSON".to_owned());
    }
    earlier.retain(|one| !rows.contains(one));
    if !earlier.is_empty() {
        let count = match earlier.len() {
            1 => "1 entry outside of it does".to_owned(),
            more => format!("{more} entries outside of it do"),
        };
        repaired.push(format!("only its last list counts: {count} not"));
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
