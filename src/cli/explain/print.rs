//! The output about a line of a bundle or of a source.

use crate::diagnostic::HostId;
use crate::explain::{ExplainedLine, LineEdit, LineOrigin, LineOutcome};
use crate::ledger::{LedgerRow, RowOutcome};
use crate::printable;

/// What is known about the line `line`.
pub(super) fn line(explained: &ExplainedLine, line: usize) -> String {
    match explained {
        ExplainedLine::Emitted { path, origin } => emitted(path, origin, line),
        ExplainedLine::Source { path, outcomes } => {
            let mut text = format!("{}\n", printable::line(&format!("{path}:{line}")));
            outcomes.iter().for_each(|outcome| text.push_str(&host(outcome)));
            text
        }
    }
}

fn emitted(path: &str, origin: &LineOrigin, line: usize) -> String {
    let path = printable::line(path);
    match origin {
        LineOrigin::Copied(from) => {
            format!("{path}:{line} is {}:{line}, byte for byte\n", printable::line(from))
        }
        LineOrigin::Edited { path: from, line: at, edits } => {
            let mut out = format!("{path}:{line} comes from {}:{at}\n", printable::line(from));
            if edits.is_empty() {
                out.push_str("  unchanged\n");
            }
            for (kind, reason) in edits {
                out.push_str(&format!("  {kind}: {}\n", printable::line(reason)));
            }
            out
        }
        LineOrigin::Generated(origin) => {
            let [from, what] = [&origin.path, &origin.what].map(|text| printable::line(text));
            format!("{path}:{line} comes from {from}:{}\n  generated: {what}\n", origin.line)
        }
        LineOrigin::Required(reason) => format!("{path}:{line} is generated: {reason}\n"),
    }
}

fn host(outcome: &LineOutcome) -> String {
    let host = &outcome.host;
    if outcome.rows.is_empty() {
        let edits = outcome.edits.iter().map(|made| edit(host, made)).collect::<String>();
        return format!("  {host}: not part of the bundle\n{edits}");
    }
    let rows = outcome.rows.iter().map(|of_line| row(host, of_line));
    rows.chain(outcome.edits.iter().map(|made| edit(host, made))).collect()
}

fn edit(host: &HostId, edit: &LineEdit) -> String {
    let text = format!("{host}: {} edited -> `{}`: {}", edit.kind, edit.text, edit.reason);
    format!("  {}\n", printable::line(&text))
}

fn row(host: &HostId, row: &LedgerRow) -> String {
    let outcome = match row.outcome {
        RowOutcome::Kept => "kept",
        RowOutcome::Mapped => "mapped",
        RowOutcome::Degraded => "degraded",
        RowOutcome::Dropped => "dropped",
    };
    let to = row.to.as_ref().map_or(String::new(), |to| format!(" -> `{to}`"));
    let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let loss = row.loss.as_ref().map_or(String::new(), |loss| format!(" [{}]", loss.id));
    let text = format!("{host}: {} `{}` {outcome}{to}{reason}{loss}", row.kind.id(), row.name);
    format!("  {}\n", printable::line(&text))
}
