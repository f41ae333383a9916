//! The output of `release check` besides its findings: the releases, and the summary line.

use super::human::{count_noun, fixable};
use super::{diff, screen};
use crate::diagnostic::Severity;
use crate::printable::PrintableLines;
use crate::release::{ReleaseSummary, ReleasedUnit};
use crate::source::is_inside;

/// More plugins than this without a release are only counted.
const MOST_UNRELEASED: usize = 8;

/// How many lines the changes of one plugin may take: half a screen, the rest is for its findings.
const CHANGES: usize = screen::SCREEN / 2;

/// One line for everything that has a version, except for many that were never released; below it the changes for the
/// users of each host since its last release, all of them if `verbose`.
pub fn released(all: &[ReleasedUnit], verbose: bool) -> String {
    let mut out = PrintableLines::default();
    // Many that were never released are only counted.
    let first = all.iter().filter(|one| one.last.is_none()).count();
    let many = first > MOST_UNRELEASED;
    for one in all.iter().filter(|one| !many || one.last.is_some()) {
        let version = one.version.as_deref().unwrap_or("without a version");
        let place = if one.path.is_empty() { String::new() } else { format!(" in `{}`", one.path) };
        let since = match (&one.last, &one.least) {
            (None, _) => "no release before".to_owned(),
            (Some(last), None) => format!("last release `{last}`"),
            (Some(last), Some(least)) => {
                format!("last release `{last}`, changes need version {least} or later")
            }
        };
        let _ = writeln!(out, "{} {version}{place}: {since}", one.name);
        let Some(changed) = &one.changed else { continue };
        let table = diff::table(changed).into_string();
        let lines: Vec<&str> = table.trim().lines().collect();
        let shown = if verbose { lines.len() } else { shown_lines(&lines) };
        for text in &lines[..shown] {
            let _ = writeln!(out, "{}", format!("  {text}").trim_end());
        }
        if shown < lines.len() {
            let more = count_noun(lines.len() - shown, "more line", "more lines");
            let _ = writeln!(out, "  {more}: `--verbose` shows all of them");
        }
        let _ = writeln!(out);
    }
    if many {
        let _ = writeln!(out, "{first} without a release before");
    }
    out.into_string()
}

/// How many lines of the screen of the plugin at `path` its own line and its changes occupy.
pub fn lines_of(all: &[ReleasedUnit], path: &str) -> usize {
    let changed = all.iter().find(|one| one.path == path).and_then(|one| one.changed.as_ref());
    let Some(changed) = changed else { return 1 };
    let table = diff::table(changed).into_string();
    2 + table.trim().lines().count().min(CHANGES)
}

/// The folder of the innermost plugin or package that contains `path`; empty if only the repository does.
pub fn unit_of(all: &[ReleasedUnit], path: &str) -> String {
    let holders = all.iter().map(|one| one.path.as_str()).filter(|folder| is_inside(path, folder));
    holders.max_by_key(|folder| folder.len()).unwrap_or_default().to_owned()
}

/// How many of a plugin's lines are shown: all if they fit, else as many as leave room for a line that counts the rest,
/// without a trailing empty line.
fn shown_lines(lines: &[&str]) -> usize {
    if lines.len() <= CHANGES {
        return lines.len();
    }
    let most = CHANGES - 1;
    most - lines[..most].iter().rev().take_while(|line| line.trim().is_empty()).count()
}

/// The summary line.
pub fn summary(summary: &ReleaseSummary, verbose: bool) -> String {
    let mut parts = Vec::new();
    for (severity, count, one, many) in [
        (Severity::Error, summary.errors, "error", "errors"),
        (Severity::Warning, summary.warnings, "warning", "warnings"),
        (Severity::Info, summary.infos, "note", "notes"),
    ] {
        if count > 0 {
            let hidden = severity == Severity::Info && !verbose;
            let shown = match (hidden, count) {
                (false, _) => "",
                (true, 1) => " (`--verbose` shows it)",
                (true, _) => " (`--verbose` shows them)",
            };
            parts.push(count_noun(count, one, many) + shown);
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
