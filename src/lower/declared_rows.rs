//! What became of the components that one file declares, by the place of their declaration. A manifest may declare
//! thousands, so that no place is looked for among all rows.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::LoweredBundle;
use crate::ledger::{ComponentKind, RowOutcome};

/// The kinds that a manifest can declare whole.
const KINDS: [ComponentKind; 4] =
    [ComponentKind::Hook, ComponentKind::McpServer, ComponentKind::LspServer, ComponentKind::Command];

/// The rows of components that one file declares.
#[derive(Debug)]
pub(super) struct Declarations {
    /// By pointer: the first row that was carried, with where it went, and the first one, with why it was dropped.
    rows: BTreeMap<String, (Option<DeclaredRow>, DeclaredRow)>,
}

/// The number of a row, and what it tells.
type DeclaredRow = (usize, String);

impl Declarations {
    /// Of the file at `path`.
    pub(super) fn new(path: &Utf8Path, cast: &LoweredBundle) -> Self {
        let mut rows: BTreeMap<String, (Option<DeclaredRow>, DeclaredRow)> = BTreeMap::new();
        let here = |row: &crate::ledger::LedgerRow| KINDS.contains(&row.kind) && row.path == path.as_str();
        for (at, row) in cast.rows.iter().enumerate().filter(|(_, row)| here(row)) {
            let Some(pointer) = &row.pointer else { continue };
            let carried = row.outcome != RowOutcome::Dropped;
            let told = rows
                .entry(pointer.clone())
                .or_insert_with(|| (None, (at, row.reason.clone().unwrap_or_default())));
            if carried && told.0.is_none() {
                told.0 = Some((at, row.to.clone().unwrap_or_default()));
            }
        }
        Self { rows }
    }

    /// What became of what is declared at or around `pointer`: where the first of them went, or why none did. `None`
    /// when nothing that is lowered here is declared there.
    pub(super) fn became(&self, pointer: &str) -> Option<Result<String, String>> {
        let above = around(pointer).filter_map(|above| self.rows.get(above));
        let inner = format!("{pointer}/");
        let below = self.rows.range(inner.clone()..).take_while(|(found, _)| found.starts_with(&inner));
        let (mut carried, mut first): (Option<&DeclaredRow>, Option<&DeclaredRow>) = (None, None);
        for (to, any) in above.chain(below.map(|(_, row)| row)) {
            carried = carried.into_iter().chain(to).min_by_key(|told| told.0);
            first = first.into_iter().chain([any]).min_by_key(|told| told.0);
        }
        carried.map(|(_, to)| Ok(to.clone())).or_else(|| first.map(|(_, why)| Err(why.clone())))
    }
}

/// `pointer`, and every place that holds it, the outermost first.
pub(super) fn around(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.match_indices('/').map(|(at, _)| &pointer[..at]).chain([pointer])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_hold_what_lies_below() {
        assert_eq!(around("/a/b").collect::<Vec<_>>(), ["", "/a", "/a/b"]);
        assert_eq!(around("").collect::<Vec<_>>(), [""]);
    }
}
