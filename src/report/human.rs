//! What a person reads: findings with their source frame, one line a host with what it got, the
//! losses that matter, and what to do next.

use std::fmt::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{Class, Ledger, Outcome, Row};
use crate::source::LineIndex;

/// The longest source line that is shown whole, in characters.
const FRAME_WIDTH: usize = 140;

/// Findings with their source frames; `text` gives a file's text by its path.
pub fn findings<'a>(
    diagnostics: &[Diagnostic],
    text: impl Fn(&str) -> Option<&'a str>,
    color: bool,
) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&finding(diagnostic, text(&diagnostic.path), &renderer));
        out.push_str("\n\n");
    }
    out
}

fn finding(diagnostic: &Diagnostic, text: Option<&str>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let hosts = if diagnostic.hosts.is_empty() {
        String::new()
    } else {
        format!(" ({})", diagnostic.hosts.join(", "))
    };
    let title = format!("{}{hosts}", diagnostic.message);
    let primary = level.primary_title(&title).id(diagnostic.rule.as_str());
    let range = text.and_then(|text| Some((text, bytes(text, diagnostic)?)));
    let mut group = match range {
        Some((text, (line_start, line, from, to))) => {
            let line_number = diagnostic.line;
            let snippet = Snippet::source(line)
                .line_start(line_number)
                .path(&diagnostic.path)
                .annotation(AnnotationKind::Primary.span(from - line_start..to - line_start));
            let _ = text;
            Group::with_title(primary).element(snippet)
        }
        None => Group::with_title(primary).element(annotate_snippets::Origin::path(&diagnostic.path)),
    };
    for related in &diagnostic.related {
        let place = format!("{}: {}:{}:{}", related.message, related.path, related.line, related.column);
        group = group.element(Level::NOTE.message(place));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.clone()));
    }
    renderer.render(&[group])
}

/// The first line of a finding with its bounds and the bounds of the finding in it; lines too long
/// to show are not framed.
fn bytes<'a>(text: &'a str, diagnostic: &Diagnostic) -> Option<(usize, &'a str, usize, usize)> {
    let whole =
        (diagnostic.line, diagnostic.column, diagnostic.end_line, diagnostic.end_column) == (1, 1, 1, 1);
    let index = LineIndex::new(text);
    let line = text.lines().nth(diagnostic.line - 1)?;
    if whole || line.chars().count() > FRAME_WIDTH {
        return None;
    }
    let start = text
        .match_indices('\n')
        .nth(diagnostic.line.wrapping_sub(2))
        .filter(|_| diagnostic.line > 1)
        .map_or(0, |(at, _)| at + 1);
    let at = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let from = at(diagnostic.column);
    let to = if diagnostic.end_line == diagnostic.line { at(diagnostic.end_column) } else { line.len() };
    debug_assert_eq!(index.line(start), diagnostic.line);
    Some((start, line, start + from, start + to.max(from)))
}

/// What one host got.
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
    /// How many files were written.
    pub written: usize,
    /// The ledger.
    pub ledger: &'a Ledger,
}

/// One line a host, then what is lost there, gravest first.
pub fn host(summary: &HostSummary<'_>) -> String {
    let mut out = String::new();
    let state = if summary.written == 0 {
        "up to date".to_owned()
    } else {
        format!("{} files, {} written", summary.files, size(summary.bytes))
    };
    let _ = writeln!(out, "{}: {} -> {} ({state})", summary.title, summary.components, summary.out);
    let counts = summary.ledger.summary;
    let _ = writeln!(
        out,
        "  {} kept, {} mapped, {} degraded, {} dropped",
        counts.kept, counts.mapped, counts.degraded, counts.dropped
    );
    out.push_str(&losses(summary.ledger));
    out
}

/// How many losses of a class are listed before the rest is only counted.
const LISTED: usize = 8;

fn losses(ledger: &Ledger) -> String {
    let mut out = String::new();
    for (class, word) in
        [(Class::Security, "security"), (Class::Behavior, "behavior"), (Class::Cosmetic, "cosmetic")]
    {
        let mut rows: Vec<&Row> = ledger
            .rows
            .iter()
            .filter(|row| row.loss.as_ref().is_some_and(|loss| loss.class == class))
            .collect();
        rows.sort_by_key(|row| row.loss.as_ref().map(|loss| loss.id.clone()));
        rows.dedup_by_key(|row| row.loss.as_ref().map(|loss| loss.id.clone()));
        if rows.is_empty() {
            continue;
        }
        if class == Class::Cosmetic {
            let _ = writeln!(
                out,
                "  {} cosmetic {}, in the ledger",
                rows.len(),
                plural(rows.len(), "loss", "losses")
            );
            continue;
        }
        let _ = writeln!(out, "  {} {word} {}:", rows.len(), plural(rows.len(), "loss", "losses"));
        for row in rows.iter().take(LISTED) {
            let line = row.span.map_or(String::new(), |span| format!(":{}", span.line));
            let verb = if row.outcome == Outcome::Degraded { "degraded" } else { "dropped" };
            let id = row.loss.as_ref().map(|loss| loss.id.as_str()).unwrap_or_default();
            let _ = writeln!(
                out,
                "    {}{line}: {id} {verb}: {}",
                row.path,
                row.reason.as_deref().unwrap_or_default()
            );
        }
        if rows.len() > LISTED {
            let _ = writeln!(out, "    and {} more, in the ledger", rows.len() - LISTED);
        }
    }
    out
}

/// `1 skill`, `2 skills`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", plural(count, one, many))
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
