//! `plugcast explain AXIS`: what its losses are about, their minimum class, and which ones each bundle has.

use std::path::Path;

use super::output_folder;
use crate::cli::CommandFailure;
use crate::diagnostic::{HostId, LossClass};
use crate::explain;
use crate::ledger::LedgerRow;
use crate::printable;
use crate::target::Axis;

/// The page of the axis called `id`, if there is one.
///
/// # Errors
/// When a ledger in the output folder cannot be read.
pub(super) fn page(id: &str, out: Option<&Path>) -> Result<Option<String>, CommandFailure> {
    let Some(axis) = Axis::from_id(id) else { return Ok(None) };
    let floor = match axis.minimum_class() {
        LossClass::Security => "`security`: the host allows something that the author does not",
        LossClass::Behavior => "`behavior`: something works differently, or not at all",
        LossClass::Cosmetic => "`cosmetic`: something looks different",
    };
    let but = match axis {
        Axis::ToolLimits => {
            ". Two kinds are only of class `behavior`: a limit with an unrestricted shell, which limits nothing, and a \
             limit that the host makes stricter"
        }
        _ => "",
    };
    let mut text = format!(
        "# {id}\n\n{}\n\nIts losses are at least of class {floor}{but}.\n\n{}\n\n\
         Accept one with `[[accept-loss]]` in `plugcast.toml`: its `id` or a glob such as `{id}/**`, and a `reason`.\n",
        axis.description(),
        axis.advice()
    );
    for (host, ledger) in explain::ledgers(&output_folder(out))? {
        let of_axis = |row: &&LedgerRow| row.loss.as_ref().is_some_and(|loss| loss.id.is_on(axis));
        let mut lines: Vec<String> = ledger.rows.iter().filter(of_axis).map(|row| line(&host, row)).collect();
        lines.dedup();
        if !lines.is_empty() {
            text.push('\n');
            lines.iter().for_each(|line| text.push_str(line));
        }
    }
    Ok(Some(text))
}

fn line(host: &HostId, row: &LedgerRow) -> String {
    let id = row.loss.as_ref().map_or("", |loss| loss.id.as_str());
    let reason = row.reason.as_deref().unwrap_or_default();
    format!("{}: {}: {}\n", printable::line(host), printable::line(id), printable::line(reason))
}
