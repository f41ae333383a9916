//! `plugcast release check`: whether the statements of a release are correct.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, helper};
use crate::build::BuildError;
use crate::diagnostic::{Applicability, Diagnostic};
use crate::disk;
use crate::release::{ReleaseError, ReleaseOptions, ReleaseReport, ReleaseSession, ReleaseSummary};
use crate::report::{check as lines, frame, release as report, screen};

/// Commands for releases of plugins
#[derive(Debug, Args)]
pub struct ReleaseArgs {
    #[command(subcommand)]
    what: ReleaseCommand,
}

#[derive(Debug, Subcommand)]
enum ReleaseCommand {
    Check(ReleaseCheckArgs),
}

/// Check that plugins are ready for a release
///
/// Versions exist, are semantic and agree everywhere; the changelog has an entry; counts in READMEs are correct; the
/// version matches what changed for users since the last tag; committed bundles are up to date and verified; no loss is
/// denied or new. SRC must be in a git clone; only `--fix` changes files. `[release]` in plugcast.toml configures the
/// checks.
///
/// Exit codes: 0 no errors; 1 errors; 2 the check could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast release check\n  plugcast release check plugins/one --fix\n  plugcast release check --base origin/main --format github"
)]
struct ReleaseCheckArgs {
    /// The source to check
    #[arg(default_value = ".", value_name = "SRC")]
    src: PathBuf,
    /// For a branch: report changes since the git commit REF that only a release may make
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The hosts to check for, or `all` [default: `to` under `[build]` in plugcast.toml, else the format's own host]
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// Apply all safe fixes, which bring older versions into line
    #[arg(long)]
    fix: bool,
    /// With `--fix`, also apply fixes that need review, such as counts in READMEs
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = ReleaseFormat::Human)]
    format: ReleaseFormat,
}

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReleaseFormat {
    /// Text with source lines
    Human,
    /// One JSON object
    Json,
    /// Annotations of a workflow
    Github,
}

impl From<ReleaseError> for CommandFailure {
    fn from(error: ReleaseError) -> Self {
        match error {
            ReleaseError::Git(error) => error.into(),
            ReleaseError::Build(error) => error.into(),
            ReleaseError::Disk(error) => error.into(),
            ReleaseError::Check(error) => error.into(),
            ReleaseError::Edit(error) => error.into(),
            ReleaseError::Config { message, help } => {
                Self { code: "config".into(), message, help: Some(help), place: None }
            }
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When there is no repository, or the source, a commit or a bundle cannot be read.
pub fn run(args: &ReleaseArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let ReleaseCommand::Check(args) = &args.what;
    let targets = super::targets(global)?;
    if !disk::is_folder(&args.src) {
        return Err(BuildError::NoSource(args.src.clone()).into());
    }
    let src = disk::canonical(&args.src)?;
    let options = ReleaseOptions {
        to: args.to.iter().collect(),
        base: args.base.as_deref(),
        helper: helper::search_path(&[], &console.progress)?,
        progress: console.progress.clone(),
        ..ReleaseOptions::new(super::git(&src))
    };
    let session = ReleaseSession::new(src, &targets, options)?;
    let mut examined = session.examine()?;
    let mut fixed = 0;
    if args.fix {
        let most = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
        (examined, fixed) = session.repair(examined, most)?;
    }
    examined.remarks.iter().for_each(|remark| console.error_line(remark));
    let summary = ReleaseSummary::from_findings(&examined.found, fixed);
    match args.format {
        ReleaseFormat::Json => console.json(&ReleaseReport {
            schema: crate::schema::RELEASE.tag(),
            released: examined.released,
            diagnostics: examined.found,
            summary,
        }),
        ReleaseFormat::Github => console.commands(&lines::annotations(&examined.found)),
        ReleaseFormat::Human => {
            console.inform(&report::released(&examined.released, global.verbose));
            let file = |path: &str| examined.file(path);
            let style = console.frame_style();
            let text = match global.verbose {
                true => frame::findings(&examined.found, file, style),
                false => {
                    let shown = examined.patterns();
                    let all = &examined.released;
                    let unit = |found: &Diagnostic| report::unit_of(all, &found.path);
                    screen::findings(&shown, file, style, unit, |unit| report::lines_of(all, unit))
                }
            };
            console.print_text(&text);
            console.inform(&report::summary(&summary, global.verbose));
        }
    }
    Ok(if summary.errors > 0 { FINDINGS } else { CLEAN })
}
