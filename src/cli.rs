//! The command line: one file per command, each with its arguments and its `run`. All output of a command goes through
//! [`Console`], so that a closed pipe is not an error.
#![expect(clippy::disallowed_methods, reason = "the command line is the one reader of the environment")]

pub mod build;
pub mod check;
pub mod completions;
pub mod console;
pub mod diff;
pub mod doctor;
pub mod eval;
pub mod explain;
mod failure;
pub mod helper;
pub mod man;
pub mod progress;
pub mod promote;
pub mod release;
pub mod rules;
pub mod schema;
pub mod targets;
pub mod verify;

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::diagnostic::HostId;
use crate::printable::{self, unobeyed};
use crate::process::interrupt;
use crate::report::json::{ErrorBody, ErrorReport};
use crate::target::{TargetError, TargetFiles, Targets};
use crate::usage_error::UsageError;
use console::Console;

/// Exit code: everything is clean.
pub const CLEAN: u8 = 0;
/// Exit code: findings.
pub const FINDINGS: u8 = 1;
/// Exit code: the command could not run, or its arguments are invalid.
pub const FAILED: u8 = 2;

/// Builds one Claude-Code-style plugin for several hosts, and proves in the real hosts that it loads.
#[derive(Debug, Parser)]
#[command(name = "plugcast", version, about, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: CliCommand,
    #[command(flatten)]
    global: GlobalOptions,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalOptions {
    /// When to use color
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true, value_name = "WHEN")]
    pub color: Color,
    /// Print findings and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show everything: all findings, notes, and every location of every loss
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Add or override hosts: a folder with one subfolder per host, each with a `target.toml`
    #[arg(long, global = true, value_name = "DIR")]
    pub targets_dir: Option<PathBuf>,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text
    Human,
    /// One JSON object
    Json,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Build(build::BuildArgs),
    Check(check::CheckArgs),
    Verify(verify::VerifyArgs),
    Diff(diff::DiffArgs),
    Release(release::ReleaseArgs),
    Doctor(doctor::DoctorArgs),
    Explain(explain::ExplainArgs),
    Promote(promote::PromoteArgs),
    Targets(targets::TargetsArgs),
    Rules(rules::RulesArgs),
    Eval(eval::EvalArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Why a command ended with exit code 2.
#[derive(Debug)]
pub struct CommandFailure {
    /// A short name for machines.
    pub code: String,
    /// A sentence, lower case.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// File, line and column, if there is one.
    pub place: Option<(String, usize, usize)>,
}

impl CommandFailure {
    /// The failure of an interrupted command.
    fn interrupted() -> Self {
        Self { code: "interrupted".into(), message: "interrupted".into(), help: None, place: None }
    }

    /// The failure of a command with invalid arguments.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code: "usage".into(), message: message.into(), help: Some(help.into()), place: None }
    }
}

impl From<TargetError> for CommandFailure {
    fn from(error: TargetError) -> Self {
        Self {
            code: "target".into(),
            message: error.to_string(),
            help: Some("correct the `target.toml`".into()),
            place: None,
        }
    }
}

impl From<crate::build::BuildError> for CommandFailure {
    fn from(error: crate::build::BuildError) -> Self {
        let place = match &error {
            crate::build::BuildError::Config { path, line, column, .. } => {
                Some((shown_path(path), *line, *column))
            }
            _ => None,
        };
        Self {
            code: error.code().into(),
            message: error.to_string(),
            help: error.help().map(str::to_owned),
            place,
        }
    }
}

impl std::fmt::Display for CommandFailure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for CommandFailure {}

impl From<crate::git::GitError> for CommandFailure {
    fn from(error: crate::git::GitError) -> Self {
        Self { code: "git".into(), message: error.message, help: Some(error.help), place: None }
    }
}

impl From<crate::disk::DiskError> for CommandFailure {
    fn from(error: crate::disk::DiskError) -> Self {
        crate::build::BuildError::from(error).into()
    }
}

/// Parses the command line, runs the command, and returns the exit code.
pub fn run() -> u8 {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let json = arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
        || arguments.iter().any(|argument| argument == "--format=json");
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, json),
    };
    let mut console = Console::new(&cli.global);
    if let Err(error) = interrupt::listen() {
        console.error_line(&format!("warning: an interrupt will leave temporary files: {error}"));
    }
    console.show_progress();
    let result = match &cli.command {
        CliCommand::Build(args) => build::run(args, &cli.global, &console),
        CliCommand::Check(args) => check::run(args, &cli.global, &console),
        CliCommand::Eval(args) => eval::run(args, &cli.global, &console),
        CliCommand::Rules(args) => rules::run(args, &console),
        CliCommand::Verify(args) => verify::run(args, &cli.global, &console),
        CliCommand::Diff(args) => diff::run(args, &cli.global, &console),
        CliCommand::Release(args) => release::run(args, &cli.global, &console),
        CliCommand::Doctor(args) => doctor::run(args, &cli.global, &console, &search_path()),
        CliCommand::Explain(args) => explain::run(args, &cli.global, &console),
        CliCommand::Promote(args) => promote::run(args, &cli.global, &console),
        CliCommand::Targets(args) => targets::run(args, &cli.global, &console),
        CliCommand::Schema(args) => schema::run(args, &console),
        CliCommand::Completions(args) => Ok(completions::run(args, Cli::command(), &console)),
        CliCommand::Man(args) => man::run(args, Cli::command(), &console),
    };
    console.end_progress();
    match result {
        // After an interrupt, other errors are only its consequences.
        _ if interrupt::pending() => {
            // Standard output is one document: behind a result, no error follows.
            if json && !console.has_result() {
                report(&CommandFailure::interrupted(), true, &console);
            } else {
                console.error("interrupted\n");
            }
            interrupt::INTERRUPTED
        }
        Ok(code) if !console.is_cut_off() => code,
        Ok(_) => {
            console.error(CUT_OFF);
            FAILED
        }
        Err(failure) => {
            report(&failure, json, &console);
            FAILED
        }
    }
}

/// Fails if an interrupt is pending; called between two steps of a command.
///
/// # Errors
/// When an interrupt is pending.
pub fn check_interrupt() -> Result<(), CommandFailure> {
    interrupt::check().map_err(|_| CommandFailure::interrupted())
}

fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

const CUT_OFF: &str = "error: the result cannot be written to standard output\n  help: free some space there, or write it to another place\n";

fn usage(error: &clap::Error, json: bool) -> u8 {
    if json && error.exit_code() != 0 {
        let error = UsageError::from_clap(error);
        let help = error.help("plugcast");
        let failure = CommandFailure::usage(error.message, help);
        report(&failure, true, &Console::plain());
    } else {
        let text = error.render().to_string();
        // Arguments may come from a repository, and clap prints them unchanged.
        if error.exit_code() != 0 && (unobeyed(&text) != text || printable::report(&text) != text) {
            let error = UsageError::from_clap(error);
            let help = error.help("plugcast");
            report(&CommandFailure::usage(error.message, help), false, &Console::plain());
            return FAILED;
        }
        // A closed pipe while printing help is not an error.
        let flushed = error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
        if flushed.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe) {
            Console::plain().error(CUT_OFF);
            return FAILED;
        }
    }
    if error.exit_code() == 0 { CLEAN } else { FAILED }
}

fn report(failure: &CommandFailure, json: bool, console: &Console) {
    if json {
        let place = failure.place.clone();
        let body = ErrorBody {
            code: failure.code.clone(),
            message: failure.message.clone(),
            path: place.as_ref().map(|place| place.0.clone()),
            line: place.as_ref().map(|place| place.1),
            column: place.as_ref().map(|place| place.2),
            help: failure.help.clone(),
        };
        console.json(&ErrorReport { schema: crate::schema::ERROR.tag(), error: body });
    } else {
        let place = failure
            .place
            .as_ref()
            .map(|(path, number, column)| format!("{path}:{number}:{column}: "))
            .unwrap_or_default();
        console.error_line(&format!("error: {place}{}", failure.message.trim_end()));
        if let Some(help) = &failure.help {
            console.error_line(&format!("  help: {help}"));
        }
    }
}

/// The hosts of this run: the embedded ones, overridden by those of `--targets-dir`.
///
/// # Errors
/// When the folder cannot be read, or a target in it is wrong.
pub fn targets(global: &GlobalOptions) -> Result<Targets, CommandFailure> {
    let Some(folder) = &global.targets_dir else { return Ok(Targets::embedded()?) };
    let mut added = std::collections::BTreeMap::new();
    for (host, is_folder) in crate::disk::list(folder)? {
        let file = folder.join(&host).join("target.toml");
        let (true, Some(text)) = (is_folder, crate::disk::read_text(&file)?) else { continue };
        let mut files = TargetFiles::from([("target.toml".to_owned(), text)]);
        let templates = folder.join(&host).join("templates");
        if crate::disk::is_folder(&templates) {
            for (name, _) in crate::disk::list(&templates)? {
                if let Some(text) = crate::disk::read_text(&templates.join(&name))? {
                    files.insert(format!("templates/{name}"), text);
                }
            }
        }
        added.insert(HostId::new(&host), files);
    }
    if added.is_empty() {
        let message = format!("`{}` contains no folder with a `target.toml`", folder.display());
        return Err(CommandFailure::usage(message, "pass the folder above the hosts' folders"));
    }
    Ok(Targets::with_added(added)?)
}

/// A path as the user would write it: relative to the working directory if it is below it.
fn shown_path(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let inner = here.as_deref().and_then(|here| Path::new(path).strip_prefix(here).ok());
    inner.map_or_else(|| path.to_owned(), |inner| inner.display().to_string())
}

/// Whether an environment variable is set and not empty.
pub fn environment_has(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// The value of an environment variable, if it is UTF-8.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The user's git, run in `folder`.
pub fn git(folder: &Path) -> crate::git::Git {
    crate::git::Git::new(folder, environment)
}
