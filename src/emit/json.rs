//! JSON documents: two spaces, keys in the order of the value, one line feed at the end.

use serde::Serialize;

/// The bytes of `value`.
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    // Every type of this crate that is written here serializes to JSON.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
