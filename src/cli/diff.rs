//! `plugcast diff`: the changes for the users of each host between two states.

use clap::{Args, ValueEnum};

use super::console::Console;
use super::{CLEAN, CommandFailure, GlobalOptions};
use crate::compare::{ComparisonError, ComparisonRequest, ComparisonSession};
use crate::diagnostic::Diagnostic;
use crate::report::{diff as report, human::count_noun};

/// Show what changed between two states for the users of each host
///
/// A state is a folder with a source, a folder with bundles, a git commit by any name (of the folder on the other
/// side, else of the current folder), or `REF:FOLDER`, where FOLDER is relative to the top of the repository. Sources
/// are built in memory; nothing is written to a repository or its work tree.
///
/// Exit codes: 0 compared, with or without differences; 2 the states cannot be compared.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast diff v1.0.0\n  plugcast diff v1.0.0 v1.1.0 --format markdown\n  plugcast diff main:plugins/one plugins/one --to all\n  plugcast diff dist other/dist"
)]
pub struct DiffArgs {
    /// The old state
    #[arg(value_name = "OLD")]
    old: String,
    /// The new state
    #[arg(value_name = "NEW", default_value = ".")]
    new: String,
    /// The hosts to compare for, or `all` [default: `to` under `[build]` in plugcast.toml, else all; for bundles, the hosts of both sides]
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    format: DiffFormat,
}

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Text
    Human,
    /// Markdown for release notes
    Markdown,
    /// One JSON object
    Json,
}

/// Runs the command.
///
/// # Errors
/// When a state does not exist, or cannot be read.
pub fn run(args: &DiffArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    let request = ComparisonRequest {
        to: args.to.iter().collect(),
        progress: console.progress.clone(),
        ..ComparisonRequest::new(&args.old, &args.new, &super::git, &targets)
    };
    let session = ComparisonSession::open(request)?;
    for state in session.states() {
        for remark in state.remarks() {
            console.error_line(remark);
        }
        for line in warning(state.errors(), state.label()) {
            console.error_line(&line);
        }
    }
    super::check_interrupt()?;
    let difference = session.compare()?;
    match args.format {
        DiffFormat::Json => console.json(&difference),
        DiffFormat::Markdown => console.print(&report::markdown(&difference)),
        DiffFormat::Human => console.print_text(&report::human(&difference)),
    }
    Ok(CLEAN)
}

impl From<ComparisonError> for CommandFailure {
    fn from(error: ComparisonError) -> Self {
        let (message, help) = (error.to_string(), error.help().map(str::to_owned));
        match error {
            ComparisonError::Build(error) => error.into(),
            ComparisonError::Git(error) => error.into(),
            ComparisonError::UnknownHost(error) => error.into(),
            ComparisonError::Commit { error, .. } => Self { message, ..Self::from(*error) },
            ComparisonError::NoState { error, .. } => Self { message, ..Self::from(error) },
            ComparisonError::NoPlugin { first, .. } => {
                let place = Some((first.path.clone(), first.line, first.column));
                Self { code: "source".into(), message, help, place }
            }
            ComparisonError::NotInside { .. } | ComparisonError::NoHost { .. } => {
                Self { code: "usage".into(), message, help, place: None }
            }
        }
    }
}

/// How many errors of a state are printed; no other command shows those of a commit.
const MOST_ERRORS: usize = 10;

/// Describes the errors of a state, line by line; the components with errors are left out of the comparison.
fn warning(errors: &[Diagnostic], label: &str) -> Vec<String> {
    if errors.is_empty() {
        return Vec::new();
    }
    let counted = count_noun(errors.len(), "error", "errors");
    let mut lines =
        vec![format!("warning: `{label}` has {counted}, and the components with errors are left out:")];
    let shown = errors.iter().take(MOST_ERRORS);
    lines.extend(
        shown.map(|found| format!("  {}:{}:{}: {}", found.path, found.line, found.column, found.message)),
    );
    if errors.len() > MOST_ERRORS {
        lines.push(format!("  and {} more", errors.len() - MOST_ERRORS));
    }
    lines
}
