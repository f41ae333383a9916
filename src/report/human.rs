//! The human output of a build: one line per host with its components, the relevant losses, and the next steps.

use std::collections::BTreeMap;

use crate::ledger::{Ledger, LedgerRow, LedgerSummary, LossClass, LossId};
use crate::printable::PrintableLines;

/// The result of a build for one host.
pub struct HostSummary<'a> {
    /// The host's name for people.
    pub title: &'a str,
    /// The output folder, as given.
    pub out: &'a str,
    /// Carried components, in words.
    pub components: String,
    /// How many files the bundle has.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// How many programs it contains.
    pub programs: usize,
    /// How many files were written.
    pub written: usize,
    /// The ledger.
    pub ledger: &'a Ledger,
    /// Whether to name every place of every loss.
    pub verbose: bool,
}

/// One line per host, then its losses, most severe first.
pub fn host(summary: &HostSummary<'_>) -> String {
    let mut out = PrintableLines::default();
    let state = if summary.written == 0 {
        "up to date".to_owned()
    } else {
        let programs = match summary.programs {
            0 => String::new(),
            count => format!(", and {}", count_noun(count, "program", "programs")),
        };
        format!("{} files, {}{programs}", summary.files, size(summary.bytes))
    };
    let _ = writeln!(out, "{}: {} -> {} ({state})", summary.title, summary.components, summary.out);
    // The ledger also has rows of files next to the plugins, which do not count here.
    let counts = LedgerSummary::from_rows(summary.ledger.rows.iter().filter(|row| !row.plugin.is_empty()));
    let _ = writeln!(
        out,
        "  {} kept, {} mapped, {} degraded, {} dropped",
        counts.kept, counts.mapped, counts.degraded, counts.dropped
    );
    out.push(losses(summary.ledger, summary.verbose));
    out.into_string()
}

/// The width of a line of places above which the rest is only counted, unless `--verbose` is set.
const WIDTH: usize = 110;
/// How many causes of one class are named before the rest is only counted; security losses are always named.
const MOST_CAUSES: usize = 6;

fn losses(ledger: &Ledger, verbose: bool) -> PrintableLines {
    let mut out = PrintableLines::default();
    for class in [LossClass::Security, LossClass::Behavior, LossClass::Cosmetic] {
        let word = class.id();
        let mut first_rows: BTreeMap<&LossId, &LedgerRow> = BTreeMap::new();
        for row in &ledger.rows {
            if let Some(loss) = row.loss.as_ref().filter(|loss| loss.class == class) {
                first_rows.entry(&loss.id).or_insert(row);
            }
        }
        let count = first_rows.len();
        if class == LossClass::Cosmetic && count > 0 && !verbose {
            let _ = writeln!(out, "  {}", count_noun(count, "cosmetic loss", "cosmetic losses"));
        } else if count > 0 {
            let _ = writeln!(out, "  {count} {word} {}:", plural(count, "loss", "losses"));
            let most = if verbose || class == LossClass::Security { usize::MAX } else { MOST_CAUSES };
            out.push(causes(&first_rows, most, verbose));
        }
    }
    out
}

/// The places of a cause, each with the id of its loss.
type CausePlaces<'a> = Vec<(String, &'a LossId)>;

/// The first `most` causes, each once, with as many of its places as fit on one line.
fn causes(losses: &BTreeMap<&LossId, &LedgerRow>, most: usize, verbose: bool) -> PrintableLines {
    let mut by_cause: BTreeMap<(&str, &str, bool), CausePlaces<'_>> = BTreeMap::new();
    for (id, row) in losses {
        let place = row.span.map_or_else(|| row.path.clone(), |span| format!("{}:{}", row.path, span.line));
        let accepted = row.loss.as_ref().is_some_and(|loss| loss.accepted);
        by_cause
            .entry((id.axis(), row.reason.as_deref().unwrap_or_default(), accepted))
            .or_default()
            .push((place, id));
    }
    let mut out = PrintableLines::default();
    let left_out = by_cause.len().saturating_sub(most);
    for ((axis, reason, accepted), places) in by_cause.into_iter().take(most) {
        let room =
            |count: &usize| places[..*count].iter().map(|(place, _)| place.len() + 2).sum::<usize>() <= WIDTH;
        let shown = (1..=places.len()).take_while(room).last().unwrap_or(1);
        let named = places[..shown].iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>().join(", ");
        let more = places.len() - shown;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let accepted = if accepted { " (accepted)" } else { "" };
        let times = if places.len() > 1 { format!(" ({})", places.len()) } else { String::new() };
        let _ = writeln!(out, "    {axis}{times}: {reason}{accepted}");
        // `explain` and `[[accept-loss]]` need the id.
        if verbose {
            for (place, id) in &places {
                let _ = writeln!(out, "      {place}: {id}");
            }
        } else {
            let _ = writeln!(out, "      {named}{more}");
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "    and {}", count_noun(left_out, "more cause", "more causes"));
    }
    out
}

/// `1 skill`, `2 skills`.
pub fn count_noun(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", plural(count, one, many))
}

/// How many findings have fixes: those that `--fix` applies, and those that need a second flag.
pub fn fixable(safe: usize, more: usize) -> String {
    match (safe, more) {
        (0, 0) => String::new(),
        (0, more) => format!("; {more} fixable with `--fix --unsafe-fixes`"),
        (safe, 0) => format!("; {safe} fixable with `--fix`"),
        (safe, more) => format!("; {safe} fixable with `--fix`, {more} more with `--unsafe-fixes`"),
    }
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
