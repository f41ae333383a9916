//! The output of `check`: its findings in each format, the effect of fixes, and the summary line.

use std::path::Path;

use serde::Serialize;

use crate::check::scope::CheckScope;
use crate::check::{fingerprint, fix};
use crate::check_session::{self, CheckSession, CheckedSource, RepairedSource};
use crate::cli::console::Console;
use crate::diagnostic::{Applicability, Diagnostic, Severity};
use crate::disk;
use crate::printable;
use crate::report::check::{self as report, CheckReport, CheckSummary, SkippedPath};
use crate::report::frame::{self, FrameStyle};
use crate::report::human::{count_noun, fixable};
use crate::report::{sarif, screen};
use crate::source::ExclusionReason;

/// With more findings than this, the output suggests a baseline.
const BASELINE_FROM: usize = 50;
/// More findings than this do not fit on a screen, so a count by rule follows.
const SHOWN_AT_ONCE: usize = 10;

/// The context for printing the findings of a run.
pub(super) struct PrintContext<'a> {
    /// How the source was checked.
    pub session: &'a CheckSession<'a>,
    /// The scope of the run.
    pub scope: &'a CheckScope,
    /// How many findings were fixed.
    pub fixed: usize,
    /// Every place of every finding.
    pub places: Vec<Diagnostic>,
}

impl PrintContext<'_> {
    fn summary(&self, examined: &CheckedSource) -> CheckSummary {
        let fixable = |most| {
            let text = |path: &str| self.session.changeable(&examined.project, path);
            fix::count(&examined.findings.diagnostics, most, text)
        };
        // The text of `--stdin-path` is not on disk.
        let (safe, all) = match &self.scope.only {
            Some(_) => (0, 0),
            None => (fixable(Applicability::Safe), fixable(Applicability::Unsafe)),
        };
        CheckSummary {
            fixable: safe,
            unsafe_fixable: all.saturating_sub(safe),
            fixed: self.fixed,
            ..CheckSummary::from_findings(&examined.findings)
        }
    }

    /// The path of SRC below the top of its repository; empty without one.
    fn prefix(&self) -> String {
        let root = &self.session.root;
        let top = root.ancestors().find(|folder| disk::kind(&folder.join(".git")).is_some());
        let inner = top.and_then(|top| root.strip_prefix(top).ok()).unwrap_or(Path::new(""));
        let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

pub(super) fn json(printed: &PrintContext<'_>, examined: &CheckedSource) -> String {
    as_json(&CheckReport {
        schema: crate::schema::CHECK.tag(),
        diagnostics: examined.findings.diagnostics.clone(),
        summary: printed.summary(examined),
        left_out: unchecked_folders(examined),
    })
}

/// Folders with skills or plugins that were not checked.
fn unchecked_folders(examined: &CheckedSource) -> Vec<SkippedPath> {
    let project = &examined.project;
    let bundles =
        project.tree.exclusions.iter().filter(|left_out| left_out.reason == ExclusionReason::Bundle);
    let mut all: Vec<_> = project.left_out.iter().chain(bundles).collect();
    all.sort();
    all.dedup();
    all.into_iter()
        .map(|one| SkippedPath { path: one.path.to_string(), reason: one.reason.to_string() })
        .collect()
}

fn as_json(value: &impl Serialize) -> String {
    printable::json(&crate::report::json::document(value)).into_owned()
}

/// Services track each location separately: one that a change adds must count as new, so findings are not grouped.
pub(super) fn sarif(printed: &PrintContext<'_>, examined: &CheckedSource) -> String {
    let mut places = printed.places.clone();
    fingerprint::mark(&mut places, |path| examined.project.file(path));
    let prefix = printed.prefix();
    let log = sarif::SarifLog { project: &examined.project, prefix: &prefix, shard: printed.scope.shard };
    as_json(&sarif::log(&places, log))
}

pub(super) fn github(printed: &PrintContext<'_>) -> String {
    let prefix = printed.prefix();
    let path = |found: &Diagnostic| match prefix.as_str() {
        "" => found.path.clone(),
        prefix => format!("{prefix}/{}", found.path),
    };
    let mut of_files = check_session::fold_files(&printed.places);
    of_files.iter_mut().for_each(|found| found.path = path(found));
    report::annotations(&of_files)
}

pub(super) fn agent(printed: &PrintContext<'_>) -> String {
    report::lines(&check_session::fold_files(&printed.places))
}

/// The options of human output.
#[derive(Debug, Clone, Copy)]
pub(super) struct HumanStyle {
    /// Print counts instead of findings.
    pub statistics: bool,
    /// Print everything, including notes.
    pub verbose: bool,
    /// Print only errors, and nothing about the run.
    pub quiet: bool,
    /// How findings are drawn.
    pub frames: FrameStyle,
}

/// Prints findings by severity and rule, errors first, then one line for each further remark.
pub(super) fn human(printed: &PrintContext<'_>, examined: &CheckedSource, style: HumanStyle) -> String {
    let HumanStyle { statistics, verbose, quiet, frames } = style;
    let sorted = |found: &[Diagnostic]| {
        let mut found = found.to_vec();
        found.retain(|found| !quiet || statistics || found.severity == Severity::Error);
        // A stable sort: findings of one rule stay sorted by location.
        found.sort_by(|a, b| (a.severity, &a.rule).cmp(&(b.severity, &b.rule)));
        found
    };
    let found = sorted(&examined.findings.diagnostics);
    let shown = examined.patterns(&found);
    let is_repeated = |found: &Diagnostic| found.severity != Severity::Info && found.place_count() > 1;
    let file = |path: &str| examined.project.file(path);
    let mut out = if statistics {
        frame::statistics(&found)
    } else if verbose {
        frame::findings(&sorted(&printed.places), file, frames)
    } else {
        screen::findings(&shown, file, frames, |found| examined.plugin_of(found), |_| 0)
    };
    if quiet {
        return out;
    }
    let summary = printed.summary(examined);
    let listed = summary.errors + summary.warnings;
    let mut say = |line: &str| out.push_str(&format!("{}\n", printable::line(line)));
    if listed > 0 && !statistics {
        if listed > SHOWN_AT_ONCE {
            let counts = frame::statistics(&found);
            counts.lines().filter(|line| verbose || !line.contains("  info ")).for_each(&mut say);
            say("");
        }
        let mut next =
            "run `plugcast explain RULE` to see why a rule matters and how to configure it".to_owned();
        if listed > BASELINE_FROM && printed.scope.only.is_none() {
            next.push_str("; `--write-baseline FILE` accepts today's findings");
        }
        if !verbose && shown.iter().any(is_repeated) {
            next.push_str("; `--verbose` shows every place on its own");
        }
        say(&next);
    }
    if let Some(left_out) = report::left_out_line(&unchecked_folders(examined)) {
        say(&left_out);
    }
    say(&last_line(&summary, statistics || verbose));
    out
}

/// The number of findings, and how many of them can be fixed or are in the baseline.
fn last_line(summary: &CheckSummary, with_notes: bool) -> String {
    let mut parts = Vec::new();
    for (count, one, many) in [(summary.errors, "error", "errors"), (summary.warnings, "warning", "warnings")]
    {
        if count > 0 {
            parts.push(count_noun(count, one, many));
        }
    }
    if summary.infos > 0 {
        let shown = if summary.infos == 1 { "it" } else { "them" };
        let hint = if with_notes { String::new() } else { format!(" (`--verbose` shows {shown})") };
        parts.push(format!("{}{hint}", count_noun(summary.infos, "note", "notes")));
    }
    let mut line = if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") };
    line.push_str(&format!(" in {}", count_noun(summary.files, "file", "files")));
    line.push_str(&fixable(summary.fixable, summary.unsafe_fixable));
    if summary.known > 0 {
        line.push_str(&format!("; {} in the baseline", summary.known));
    }
    line
}

/// Reports applied and skipped fixes.
pub(super) fn print_repairs(repaired: &RepairedSource, only_shown: bool, console: &Console) {
    for refused in &repaired.refused {
        console.error_line(&format!(
            "warning: a fix of `{}` is skipped, because `{}` would no longer parse: {}",
            refused.rule, refused.path, refused.message
        ));
    }
    if repaired.endless {
        console.error_line("warning: some fixes undo each other; the result of the last pass is kept");
    }
    if !only_shown && repaired.fixed > 0 {
        let findings = count_noun(repaired.fixed, "finding", "findings");
        let files = count_noun(repaired.files.len(), "file", "files");
        console.error_line(&format!("fixed {findings} in {files}"));
    }
}
