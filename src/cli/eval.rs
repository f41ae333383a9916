//! `plugcast eval`: the accuracy of the rules on labelled trees.

use std::path::PathBuf;

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat};
use crate::check_session::{Evaluation, Label};
use crate::report::eval::{EvalReport, RuleScore};

/// Measure precision and recall of the rules over labelled trees
///
/// A labelled tree is a folder with `expected.json`, a list of {rule, path, line}; the source is its
/// subfolder `in`, or the folder itself. CASES are such folders, or folders that contain them.
/// Only rules of `plugcast rules` are measured.
///
/// Exit codes: 0 all findings match the labels; 1 some differ; 2 a label cannot be read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast eval path/to/cases\n  plugcast eval path/to/cases/broken-link --format json"
)]
pub struct EvalArgs {
    /// Labelled trees, or folders that contain them
    #[arg(required = true, value_name = "CASES")]
    cases: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
}

/// Runs the command.
///
/// # Errors
/// When there is no case, or one cannot be read.
pub fn run(args: &EvalArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    let Evaluation { scores, trees, .. } = Evaluation::load(&args.cases, &targets, &console.progress)?;
    let mut differences = Vec::new();
    for (folder, difference) in &trees {
        let describe = |label: &Label, what: &str| {
            format!("{}: {}:{}: {} {what}", folder.display(), label.path, label.line, label.rule)
        };
        differences.extend(difference.missed.iter().map(|label| describe(label, "is missed")));
        let wrong = |label| describe(label, "is wrong: no label expects it");
        differences.extend(difference.wrong.iter().map(wrong));
    }
    let report = EvalReport {
        schema: crate::schema::EVAL.tag(),
        cases: trees.len(),
        rules: scores.into_iter().map(|(rule, score)| RuleScore::new(rule, &score)).collect(),
        differences,
    };
    match args.format {
        OutputFormat::Json => console.json(&report),
        OutputFormat::Human => console.print(&report.table()),
    }
    Ok(if report.differences.is_empty() { CLEAN } else { FINDINGS })
}
