//! Frontmatter fields that some host reads, for each kind of component.

use std::collections::BTreeSet;

use crate::source::ComponentKind;
use crate::target::Targets;

/// Every key that some host knows in the frontmatter of `kind`.
pub fn known_keys(targets: &Targets, kind: ComponentKind) -> BTreeSet<&str> {
    let mut keys = BTreeSet::new();
    for target in targets.iter() {
        keys.extend(target.fields(kind).keys().map(String::as_str).filter(|key| *key != "*"));
        keys.extend(target.own_fields(kind).iter().map(String::as_str));
    }
    keys
}
