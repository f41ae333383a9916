//! The output of `plugcast build`: findings, a line or a report per host, the next steps, and the exit code.

use std::path::Path;

use super::{BuildArgs, CommandFailure, Console, GlobalOptions, OutputFormat, preview};
use crate::build::BundleRecord;
use crate::cli::{CLEAN, FINDINGS, check_interrupt};
use crate::compile::{BundleRefusal, HostBuild, HostBuildOutcome};
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::ledger::{ComponentKind, LossCounts};
use crate::report::frame;
use crate::report::human::{self, HostSummary};
use crate::report::json::{BuildReport, PluginReport, TargetReport};
use crate::source::SourceTree;
use crate::target::Target;

/// The outcome of a build, as it is printed.
pub(super) struct BuildOutcome<'a> {
    args: &'a BuildArgs,
    global: &'a GlobalOptions,
    console: &'a Console,
    out: &'a Path,
    pub(super) diagnostics: Vec<Diagnostic>,
    reports: Vec<TargetReport>,
    /// The output for each host.
    lines: String,
    /// Whether `--check` has found a difference.
    stale: bool,
}

impl<'a> BuildOutcome<'a> {
    pub(super) fn new(
        args: &'a BuildArgs,
        global: &'a GlobalOptions,
        console: &'a Console,
        out: &'a Path,
    ) -> Self {
        let (diagnostics, reports) = (Vec::new(), Vec::new());
        Self { args, global, console, out, diagnostics, reports, lines: String::new(), stale: false }
    }

    /// Adds the bundle of one host, and returns what it holds.
    pub(super) fn add(
        &mut self,
        built: HostBuild<'_>,
    ) -> Result<(BundleRecord, HostBuildOutcome), CommandFailure> {
        let HostBuild { target, folder, record, findings, outcome } = built;
        let args = self.args;
        self.diagnostics.extend(findings);
        if let HostBuildOutcome::Compiled { files, changes, .. } = &outcome {
            self.stale |= args.check && !changes.is_empty();
            if args.diff && args.format == OutputFormat::Human {
                self.console.print_patch(&preview::diff(files, &folder, changes)?);
            }
        }
        let written = outcome.written();
        let lines = match &outcome {
            HostBuildOutcome::Compiled { refusal: Some(refusal), .. } => {
                let why = match refusal {
                    BundleRefusal::DeniedLoss => "a loss is denied",
                    BundleRefusal::RefusedByHost => "the host would refuse a part of it",
                };
                format!("{}: nothing written, because {why}\n", target.host.title)
            }
            HostBuildOutcome::Compiled { changes, .. } if args.check || args.diff => {
                preview::checked(target, &folder, changes)
            }
            HostBuildOutcome::InPlace | HostBuildOutcome::Compiled { .. } => {
                human::host(&summary(target, &folder, &record, written, self.global.verbose))
            }
        };
        self.lines.push_str(&lines);
        self.reports.push(report(target, &folder, &record, written));
        Ok((record, outcome))
    }

    /// Prints the outcome, and returns the exit code.
    pub(super) fn conclude(self, tree: &SourceTree) -> Result<u8, CommandFailure> {
        check_interrupt()?;
        let Self { args, global, console, out, mut diagnostics, reports, lines, stale } = self;
        let looking = args.check || args.diff;
        diagnostic::sort(&mut diagnostics);
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        match args.format {
            OutputFormat::Json => console.json(&BuildReport {
                schema: crate::schema::BUILD.tag(),
                targets: reports,
                diagnostics,
            }),
            OutputFormat::Human => {
                print_findings(&diagnostics, tree, console);
                if !args.diff {
                    console.inform(&lines);
                }
                if !looking
                    && !global.verbose
                    && reports.iter().any(|report| report.ledger.losses != LossCounts::default())
                {
                    console.inform_line("next: build again with `--verbose` to list every loss");
                }
                if !looking && errors == 0 {
                    console.inform_line(&format!(
                        "next: run `plugcast verify {}` to load it in the real host",
                        out.display()
                    ));
                }
            }
        }
        Ok(if errors > 0 || stale { FINDINGS } else { CLEAN })
    }
}

fn print_findings(diagnostics: &[Diagnostic], tree: &SourceTree, console: &Console) {
    if diagnostics.is_empty() {
        return;
    }
    let text = frame::findings(diagnostics, |path| tree.get(path), console.error_frame_style());
    let count = |severity| diagnostics.iter().filter(|found| found.severity == severity).count();
    let mut total = format!(
        "{}, {}",
        human::count_noun(count(Severity::Error), "error", "errors"),
        human::count_noun(count(Severity::Warning), "warning", "warnings")
    );
    if let notes @ 1.. = count(Severity::Info) {
        total += &format!(", {}", human::count_noun(notes, "note", "notes"));
    }
    console.error(&text);
    console.error_line(&total);
}

fn bytes(record: &BundleRecord) -> u64 {
    record.manifest.files.iter().map(|file| file.size).sum()
}

fn summary<'a>(
    target: &'a Target,
    folder: &'a Path,
    record: &'a BundleRecord,
    written: usize,
    verbose: bool,
) -> HostSummary<'a> {
    let count = |kind| record.plugins.iter().filter_map(|plugin| plugin.counts.get(&kind)).sum::<usize>();
    let mut parts = vec![human::count_noun(record.plugins.len(), "plugin", "plugins")];
    for (kind, one, many) in [
        (ComponentKind::Skill, "skill", "skills"),
        (ComponentKind::Agent, "agent", "agents"),
        (ComponentKind::Command, "command", "commands"),
        (ComponentKind::Hook, "hook", "hooks"),
        (ComponentKind::McpServer, "server", "servers"),
    ] {
        if count(kind) > 0 {
            parts.push(human::count_noun(count(kind), one, many));
        }
    }
    HostSummary {
        title: &target.host.title,
        out: folder.to_str().unwrap_or("?"),
        components: parts.join(", "),
        files: record.manifest.files.len(),
        bytes: bytes(record),
        programs: record.manifest.helpers.len(),
        written,
        ledger: &record.ledger,
        verbose,
    }
}

fn report(target: &Target, folder: &Path, record: &BundleRecord, written: usize) -> TargetReport {
    let plugins = record.plugins.iter().map(|plugin| {
        let count = |kind| plugin.counts.get(&kind).copied().unwrap_or(0);
        PluginReport {
            name: plugin.name.clone(),
            version: plugin.version.clone(),
            skills: count(ComponentKind::Skill),
            agents: count(ComponentKind::Agent),
            commands: count(ComponentKind::Command),
            hooks: count(ComponentKind::Hook),
            mcp_servers: count(ComponentKind::McpServer),
        }
    });
    TargetReport {
        host: target.name.clone(),
        out: folder.display().to_string(),
        digest: record.manifest.digest.clone(),
        plugins: plugins.collect(),
        files: record.manifest.files.len(),
        bytes: bytes(record),
        ledger: record.ledger.summary,
        written,
    }
}
