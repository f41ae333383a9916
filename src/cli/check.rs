//! `plugcast check`: what is wrong with a plugin, and where.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::console::Console;
use super::{CLEAN, FINDINGS, Failure, Global, build as building};
use crate::build::{self, SourceRequest};
use crate::check::context::Context;
use crate::check::{self, Findings};
use crate::diagnostic::Severity;
use crate::disk;
use crate::model::project::Project;
use crate::report::check::{self as report, CheckReport, CheckSummary};
use crate::report::human;

/// Find what is wrong with a plugin, before a host or a user does
///
/// SRC is whatever `build` takes. The facts of the hosts named by `--to` count, else of those that plugcast.toml builds
/// for, else of the format's own host. What is on, and how strict, stands under `[check]` in plugcast.toml.
///
/// Exit codes: 0 no errors; 1 errors; 2 nothing could be checked.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast check\n  plugcast check path/to/plugin --to all\n  plugcast check --format github\n\n`plugcast rules` lists the rules, `plugcast explain RULE` says what one finds and why."
)]
pub struct CheckArgs {
    /// What to check
    #[arg(default_value = ".", value_name = "SRC")]
    src: PathBuf,
    /// The hosts that count, or `all`
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// With the lines they are about
    Human,
    /// One JSON object
    Json,
    /// Annotations of a workflow
    Github,
    /// One line a finding
    Agent,
}

/// What a look at one source gave.
pub(super) struct Examined {
    /// What was found.
    pub findings: Findings,
    /// The source, for the lines that findings are about.
    pub project: Project,
}

/// Runs the command.
///
/// # Errors
/// When the source cannot be read, or the configuration means nothing.
pub fn run(args: &CheckArgs, global: &Global, console: &Console) -> Result<u8, Failure> {
    let Examined { findings, project } = examine(&args.src, &args.to, global)?;
    match args.format {
        CheckFormat::Human => print(&findings, &project, console),
        CheckFormat::Json => console.json(&CheckReport {
            schema: crate::schema::CHECK.tag(),
            summary: CheckSummary::of(&findings),
            diagnostics: findings.diagnostics.clone(),
        }),
        CheckFormat::Github => console.print(&report::annotations(&findings.diagnostics)),
        CheckFormat::Agent => console.print(&report::lines(&findings.diagnostics)),
    }
    Ok(if findings.count(Severity::Error) > 0 { FINDINGS } else { CLEAN })
}

/// Looks at `src` for the hosts `to`; without any, for those that its configuration builds for.
///
/// # Errors
/// When the source cannot be read, or the configuration means nothing.
pub(super) fn examine(src: &Path, to: &[String], global: &Global) -> Result<Examined, Failure> {
    let targets = super::targets(global)?;
    let (config, folder) = building::config_of(src)?;
    let settings = check::settings(&config.check).map_err(|unknown| {
        let near = unknown.near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        Failure {
            code: "config".into(),
            message: format!("`{}` under `[check]` is no rule or group", unknown.word),
            help: Some(format!("{near}`plugcast rules` lists them")),
            place: building::place_of(&folder, &unknown.word),
        }
    })?;
    let asked = if to.is_empty() { &config.build.to } else { to };
    let hosts = if asked.is_empty() {
        targets.iter().filter(|target| target.source.is_some()).collect()
    } else {
        building::named_hosts(asked, &targets)?
    };
    let mut request = SourceRequest { src: src.to_owned(), name: None, outputs: Vec::new(), config };
    let (project, reading) = match build::read(&request, &targets) {
        // A build must not depend on a checkout's folder; to look at one, its name is good enough.
        Err(build::BuildError::NameNeeded(_)) => {
            let whole = disk::canonical(src)?;
            request.name = whole.file_name().map(|name| name.to_string_lossy().into_owned());
            build::read(&request, &targets)?
        }
        other => other?,
    };
    let findings = check::run(&Context::new(&project, &targets, hosts, &settings), reading);
    Ok(Examined { findings, project })
}

fn print(findings: &Findings, project: &Project, console: &Console) {
    let text = human::findings(&findings.diagnostics, |path| project.tree.get(path)?.text(), console.color);
    console.print(&text);
    let summary = CheckSummary::of(findings);
    let mut parts = Vec::new();
    for (count, one, many) in [
        (summary.errors, "error", "errors"),
        (summary.warnings, "warning", "warnings"),
        (summary.infos, "note", "notes"),
    ] {
        if count > 0 {
            parts.push(human::counted(count, one, many));
        }
    }
    let found = if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") };
    let fixable = match summary.fixable {
        0 => String::new(),
        count => format!(", {count} fixable with `--fix`"),
    };
    console.inform(&format!("{found}{fixable} in {}\n", human::counted(summary.files, "file", "files")));
}
