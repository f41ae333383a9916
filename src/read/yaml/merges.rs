//! Merge keys (`<<`), as the source host reads them (Bun 1.4.4).

use crate::read::tree::{MappingEntry, Value};

/// The key that merges.
pub(super) const KEY: &str = "<<";

/// The entries with those from merge keys: a merge key adds the entries of its mapping, or of each mapping in its list,
/// whose keys the outer mapping does not have. The first mapping with a key takes precedence, with its last value for
/// the key. A merge key whose value is neither a mapping nor a list is an ordinary key.
pub(super) fn merged(entries: Vec<MappingEntry>) -> Vec<MappingEntry> {
    let merges =
        |entry: &MappingEntry| entry.key == KEY && matches!(entry.node.value, Value::Map(_) | Value::List(_));
    if !entries.iter().any(merges) {
        return entries;
    }
    let (merges, mut own): (Vec<_>, Vec<_>) = entries.into_iter().partition(merges);
    for merge in merges {
        for base in merge.node.items().unwrap_or(std::slice::from_ref(&merge.node)) {
            let known = own.len();
            for entry in base.entries() {
                match own.iter().position(|existing| existing.key == entry.key) {
                    Some(at) if at < known => {}
                    Some(at) => own[at].node = entry.node.clone(),
                    None => own.push(MappingEntry {
                        key: entry.key.clone(),
                        key_span: merge.key_span,
                        node: entry.node.clone(),
                    }),
                }
            }
        }
    }
    own
}
