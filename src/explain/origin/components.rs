//! The origin of lines about hooks and servers: the handler of a hook by its position among those that the host
//! received, a server by the name that the target gives it.

use super::{BundleDocuments, FieldOrigin, is, pointer};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::read::tree::Node;

impl BundleDocuments<'_> {
    /// The hook or server of `plugin` at `keys` of the document `node`.
    pub(super) fn run(&self, plugin: &str, node: &Node, keys: &[&str]) -> Option<FieldOrigin> {
        let target = self.target?;
        let [list, name, rest @ ..] = keys else { return None };
        if target.hooks.as_ref().is_some_and(|facts| facts.key == *list) {
            return self.handler(plugin, name, node.get(list)?.get(name)?, rest);
        }
        let kinds = [
            (ComponentKind::McpServer, &target.servers),
            (ComponentKind::LspServer, &target.language_servers),
        ];
        let (kind, facts) = kinds
            .into_iter()
            .find_map(|(kind, facts)| Some((kind, facts.as_ref().filter(|facts| facts.key == *list)?)))?;
        let row = self
            .carried_rows(plugin, kind)
            .into_iter()
            .find(|row| facts.name.replace("{plugin}", plugin).replace("{name}", &row.name) == *name)?;
        Some(self.part_origin(row, rest))
    }

    /// The origin of a handler of `event`: the source's handlers that the host received are in the same order.
    fn handler(&self, plugin: &str, event: &str, groups: &Node, rest: &[&str]) -> Option<FieldOrigin> {
        let rows = self.carried_rows(plugin, ComponentKind::Hook).into_iter();
        let rows: Vec<&LedgerRow> = rows.filter(|row| row.name.split('/').next() == Some(event)).collect();
        let group = rest.first().and_then(|at| at.parse::<usize>().ok()).unwrap_or(0);
        let groups = groups.items()?;
        let handlers = |group: &Node| group.get("hooks").and_then(Node::items).map_or(0, <[_]>::len);
        let before: usize = groups.iter().take(group).map(handlers).sum();
        match rest.get(1..).unwrap_or_default() {
            ["hooks", at, rest @ ..] => {
                Some(self.part_origin(rows.get(before + at.parse::<usize>().ok()?)?, rest))
            }
            rest => {
                let row = rows.get(before)?;
                let group = row.pointer.as_deref()?.rsplit_once("/hooks/")?.0;
                Some(
                    self.declared_at(row, &format!("{group}{}", pointer(rest)))
                        .unwrap_or_else(|| row_origin(row)),
                )
            }
        }
    }

    /// Rows of the components that the host received, in the order of declaration: in separate files, then in the
    /// manifest or a marketplace.
    fn carried_rows(&self, plugin: &str, kind: ComponentKind) -> Vec<&LedgerRow> {
        let is_it =
            |row: &&LedgerRow| row.kind == kind && row.plugin == plugin && row.outcome != RowOutcome::Dropped;
        let mut rows: Vec<&LedgerRow> = self.ledger.rows.iter().filter(is_it).collect();
        rows.sort_by_key(|row| row.path.ends_with("plugin.json") || row.path.ends_with("marketplace.json"));
        rows
    }

    /// The origin of a part of `row`: the row of the field of the same name, if there is one.
    fn part_origin(&self, row: &LedgerRow, keys: &[&str]) -> FieldOrigin {
        let base = row.pointer.as_deref().unwrap_or_default();
        self.declared_at(row, &format!("{base}{}", pointer(keys))).unwrap_or_else(|| row_origin(row))
    }

    fn declared_at(&self, owner: &LedgerRow, place: &str) -> Option<FieldOrigin> {
        self.field(&owner.plugin, |row| row.path == owner.path && is(row, place))
    }
}

fn row_origin(row: &LedgerRow) -> FieldOrigin {
    let why = row.reason.as_deref().map_or(String::new(), |why| format!(": {why}"));
    let what = format!("the {} `{}`{why}", row.kind.id(), row.name);
    FieldOrigin { path: row.path.clone(), line: row.span.map_or(1, |span| span.line), what }
}
