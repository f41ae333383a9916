//! What `release check` prints besides its findings: what was released, and the last line.

use super::diff;
use super::human::{counted, fixable};
use crate::compare::Impact;
use crate::printable::PrintableLines;
use crate::release::{ReleaseSummary, ReleasedUnit};

/// More plugins than this without a release are only counted.
const MANY: usize = 8;

/// One line for everything that has a version, but for many that were never released; below it what changed for
/// the users of each host since its last release.
pub fn released(all: &[ReleasedUnit]) -> String {
    let mut out = PrintableLines::default();
    // Of many that were never released, their number is enough.
    let first = all.iter().filter(|one| one.last.is_none()).count();
    let many = first > MANY;
    for one in all.iter().filter(|one| !many || one.last.is_some()) {
        let version = one.version.as_deref().unwrap_or("without a version");
        let place = if one.path.is_empty() { String::new() } else { format!(" in `{}`", one.path) };
        let since = match (&one.last, one.needs) {
            (None, _) => "no release before".to_owned(),
            (Some(last), Impact::None) => format!("last release `{last}`"),
            (Some(last), needs) => {
                format!("last release `{last}`, changes need a {} version", needs.word())
            }
        };
        let _ = writeln!(out, "{} {version}{place}: {since}", one.name);
        let Some(changed) = &one.changed else { continue };
        for text in diff::table(changed).into_string().trim().lines() {
            let _ = writeln!(out, "{}", format!("  {text}").trim_end());
        }
        let _ = writeln!(out);
    }
    if many {
        let _ = writeln!(out, "{first} without a release before");
    }
    out.into_string()
}

/// The last line.
pub fn summary(summary: &ReleaseSummary, verbose: bool) -> String {
    let mut parts = Vec::new();
    for (count, one, many) in [
        (summary.errors, "error", "errors"),
        (summary.warnings, "warning", "warnings"),
        (summary.infos, "note", "notes"),
    ] {
        if count > 0 {
            let hidden = one == "note" && !verbose;
            let shown = match (hidden, count) {
                (false, _) => "",
                (true, 1) => " (`--verbose` shows it)",
                (true, _) => " (`--verbose` shows them)",
            };
            parts.push(counted(count, one, many) + shown);
        }
    }
    let mut line = if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") };
    if summary.fixed > 0 {
        line += &format!("; {} fixed", summary.fixed);
    }
    line += &fixable(summary.fixable, summary.unsafe_fixable);
    line.push('\n');
    line
}
