//! Rows for what a manifest says of a command beside its text: they take the place of those that tell where the manifest's
//! field itself went.

use std::collections::BTreeSet;

use super::{LoweredBundle, LoweringContext};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome, RowSpan};
use crate::model::overrides::OverrideValue;

/// A row for each such field that the host has no place for; those that are carried get theirs where they are written.
pub(super) fn rows(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let plugin = scene.plugin;
    let files = plugin.components.iter().map(|own| (&own.qualified, &own.declared, true));
    let inline = plugin.inline.iter().map(|own| (&own.qualified, &own.declared, false));
    let (mut told, mut dropped) = (BTreeSet::new(), Vec::new());
    for (owner, fields, has_file) in files.chain(inline) {
        for (key, said) in fields {
            if scene.target.manifest.passthrough && plugin.keeps(&said.at.path) {
                continue;
            }
            let rule = scene.target.dropped_field(ComponentKind::Command, key);
            if rule.is_some() || has_file {
                told.insert((said.at.path.as_str(), said.at.pointer.as_str()));
            }
            let Some(rule) = rule else { continue };
            let reason = rule.reason.as_deref().unwrap_or("the host takes no such field");
            let row = row(&plugin.name, key, said).became(RowOutcome::Dropped, reason);
            dropped.push(match rule.axis {
                Some(axis) => {
                    let class = rule.class.unwrap_or(axis.floor());
                    row.loss(axis.id(), class, (ComponentKind::Command, owner), key)
                }
                None => row,
            });
        }
    }
    if !told.is_empty() {
        cast.rows.retain(|row| {
            row.pointer.as_deref().is_none_or(|pointer| !told.contains(&(row.path.as_str(), pointer)))
        });
    }
    cast.rows.extend(dropped);
}

/// A row for a field at the place where it is said.
fn row(plugin: &str, key: &str, said: &OverrideValue) -> LedgerRow {
    let place = &said.at;
    let span =
        RowSpan { start: place.span.start, end: place.span.end, line: place.line, column: place.column };
    LedgerRow::kept(plugin, ComponentKind::Field, key, &place.path).at(span).pointer(&place.pointer)
}
