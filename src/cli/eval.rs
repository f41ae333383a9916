//! `plugcast eval`: the accuracy of the rules on labelled trees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::check::examine;
use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat};
use crate::check::rules;
use crate::check::score::{Label, compare};
use crate::disk;
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
    let mut folders = Vec::new();
    for path in &args.cases {
        collect(path, &mut folders)?;
    }
    if folders.is_empty() {
        let help = "pass a folder with an `expected.json`, or one that contains such folders";
        return Err(CommandFailure::usage("no labelled tree was found", help));
    }
    let mut scores = BTreeMap::new();
    let mut differences = Vec::new();
    let cases = console.progress.repeat("checking labelled trees", folders.len());
    for folder in &folders {
        let labels = labels(folder)?;
        let inner = folder.join("in");
        let tree = if disk::is_folder(&inner) { inner } else { folder.clone() };
        let mut found = examine(&tree, global, &console.progress)?.diagnostics;
        found.retain(|found| rules::find(found.rule.as_str()).is_some());
        let difference = compare(&labels, &found, &mut scores);
        let say = |label: &Label, what: &str| {
            format!("{}: {}:{}: {} {what}", folder.display(), label.path, label.line, label.rule)
        };
        differences.extend(difference.missed.iter().map(|label| say(label, "is missed")));
        differences.extend(difference.wrong.iter().map(|label| say(label, "is wrong: no label expects it")));
        cases.step();
    }
    drop(cases);
    let report = EvalReport {
        schema: crate::schema::EVAL.tag(),
        cases: folders.len(),
        rules: scores.into_iter().map(|(rule, score)| RuleScore::new(rule, &score)).collect(),
        differences,
    };
    match args.format {
        OutputFormat::Json => console.json(&report),
        OutputFormat::Human => console.print(&report.table()),
    }
    Ok(if report.differences.is_empty() { CLEAN } else { FINDINGS })
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), CommandFailure> {
    if disk::is_file(&folder.join("expected.json")) {
        out.push(folder.to_owned());
        return Ok(());
    }
    for (name, is_folder) in disk::list(folder)? {
        if is_folder {
            collect(&folder.join(name), out)?;
        }
    }
    Ok(())
}

/// The message of a parser without the position at its end.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line").map_or(message, |(message, _)| message)
}

fn labels(folder: &Path) -> Result<Vec<Label>, CommandFailure> {
    let path = folder.join("expected.json");
    let text = disk::read_text(&path)?.unwrap_or_default();
    let labels: Vec<Label> = serde_json::from_str(&text).map_err(|error| CommandFailure {
        code: "labels".into(),
        message: without_position(&error.to_string()).to_owned(),
        help: Some("write a list of {\"rule\": …, \"path\": …, \"line\": …}".into()),
        place: Some((path.display().to_string(), error.line(), error.column())),
    })?;
    Ok(labels.into_iter().filter(|label| rules::find(&label.rule).is_some()).collect())
}
