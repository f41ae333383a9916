//! JSON documents: two spaces, keys in the order of the value, one line feed at the end.

use serde::Serialize;

/// The text of `value`.
pub fn to_string(value: &impl Serialize) -> String {
    // Every type of this crate that is written here serializes to JSON.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
