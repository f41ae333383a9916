//! `plugcast explain`: the origin of a line of a bundle, or the meaning of a loss and its remedies.

mod axis;
mod print;

use std::path::{Path, PathBuf};

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure, GlobalOptions};
use crate::build;
use crate::check::rule::Rule;
use crate::disk::lock::OutputFolder;
use crate::explain::{self, ExplainError};
use crate::ledger::LedgerRow;
use crate::printable;
use crate::release;
use crate::report::check::word;
use crate::target::Axis;

/// Explain a rule, a loss, the origin of a line in a bundle, or the outcome of a line in a source
///
/// Exit codes: 0 explained; 2 unknown rule, loss or axis, or a file that cannot be read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast explain dist/HOST/plugins/refine/skills/loops/SKILL.md:12\n  plugcast explain skills/loops/SKILL.md:12\n  plugcast explain tool-limits/refine/agent/fresh-reader/tools\n  plugcast explain tool-limits"
)]
pub struct ExplainArgs {
    /// A rule or finding, FILE:LINE in a bundle or a source, a loss id, or an axis of losses
    #[arg(value_name = "RULE|FILE:LINE|LOSS-ID|AXIS")]
    what: String,
    /// The folder of bundles to look up a loss in [default: dist]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the file, line or loss does not exist, or a document of the bundle cannot be read.
pub fn run(args: &ExplainArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let place = args.what.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<usize>().ok()?)));
    if let Some(rule) = crate::check::rules::find(&args.what) {
        console.print_page(rule.page);
        console.print_text(&settings(rule));
        return Ok(CLEAN);
    }
    let mut pages = build::PAGES.iter().chain(release::pages::PAGES);
    if let Some((_, page)) = pages.find(|(id, _)| *id == args.what) {
        console.print_page(page);
        return Ok(CLEAN);
    }
    if let Some(page) = axis::page(&args.what, args.out.as_deref())? {
        console.print_page(&page);
        return Ok(CLEAN);
    }
    let text = match place {
        Some((file, line)) => {
            let explained =
                explain::explain_line(Path::new(file), line, &super::targets(global)?, super::git)?;
            print::line(&explained, line)
        }
        None => loss(&args.what, args.out.as_deref())?,
    };
    console.print_text(&text);
    Ok(CLEAN)
}

/// Whether a rule is on by default, and how to change that.
fn settings(rule: &Rule) -> String {
    let (name, group, severity) = (rule.name, rule.group.id(), word(rule.severity));
    let switch = match rule.group.is_default() {
        true => format!(
            "on by default; `ignore = [\"{name}\"]` under `[check]` in `plugcast.toml` switches it off,\n\
             `<!-- plugcast-allow {name}: reason -->` before a paragraph covers that one"
        ),
        false => format!(
            "off by default; `select = [\"{name}\"]` under `[check]` in `plugcast.toml` switches it on"
        ),
    };
    format!("\n## Settings\n\nGroup `{group}`, {severity}: {switch}.\n")
}

/// The folder of bundles: `--out`, or `dist`.
fn output_folder(out: Option<&Path>) -> OutputFolder {
    match out {
        Some(out) => OutputFolder::named(out),
        None => OutputFolder::below(Path::new(""), Path::new("dist")),
    }
}

impl From<ExplainError> for CommandFailure {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Build(error) => error.into(),
            ExplainError::NotFound { message, help } => Self::usage(message, help),
        }
    }
}

fn loss(id: &str, out: Option<&Path>) -> Result<String, CommandFailure> {
    let mut text = String::new();
    for (host, ledger) in explain::ledgers(&output_folder(out))? {
        let is_it = |row: &&LedgerRow| row.loss.as_ref().is_some_and(|loss| &*loss.id == id);
        for row in ledger.rows.iter().filter(is_it) {
            let place = row.span.map_or_else(
                || row.path.clone(),
                |span| format!("{}:{}:{}", row.path, span.line, span.column),
            );
            let loss = row.loss.as_ref();
            let class = loss
                .and_then(|loss| serde_json::to_value(loss.class).ok())
                .and_then(|class| class.as_str().map(str::to_owned));
            let accepted = if loss.is_some_and(|loss| loss.accepted) { ", accepted" } else { "" };
            let reason = row.reason.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "{}: {}: {} ({}{accepted})\n",
                printable::line(&host),
                printable::line(&place),
                printable::line(reason),
                class.unwrap_or_default()
            ));
        }
    }
    if text.is_empty() {
        let help = match crate::check::nearest_rule(id) {
            Some(rule) => format!("did you mean the rule `{rule}`? `plugcast rules` lists them"),
            None => {
                "`plugcast rules` lists the rules; loss ids are in `.plugcast/ledger.json` of a bundle, and `--out` sets the folder of bundles".to_owned()
            }
        };
        return Err(CommandFailure::usage(
            format!(
                "unknown rule or loss `{id}`: no bundle in `{}` contains it",
                out.unwrap_or(Path::new("dist")).display()
            ),
            help,
        ));
    }
    let axis = id.split('/').next().and_then(Axis::from_id);
    let (about, advice) = axis.map_or(("", ""), |axis| (axis.description(), axis.advice()));
    Ok(format!(
        "{about}\n{text}what to do: {advice}; then accept it with `[[accept-loss]]` and a reason in `plugcast.toml`, or leave the host out\n"
    ))
}
