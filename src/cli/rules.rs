//! `plugcast rules`: everything that `check` can find.

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure, OutputFormat};
use crate::check::rules::RULES;
use crate::report::check::{RuleReport, RulesReport, word};

/// List the rules of `check`
///
/// Exit codes: 0 listed; 2 the list cannot be printed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast rules\n  plugcast rules --format json\n\n`plugcast explain RULE` describes a rule."
)]
pub struct RulesArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
}

/// Runs the command.
///
/// # Errors
/// Never.
pub fn run(args: &RulesArgs, console: &Console) -> Result<u8, CommandFailure> {
    let rules = RULES.iter().map(|rule| RuleReport {
        name: rule.name.to_owned(),
        group: rule.group.id().to_owned(),
        severity: rule.severity,
        on: rule.group.is_default(),
        summary: rule.summary.to_owned(),
    });
    match args.format {
        OutputFormat::Json => {
            console.json(&RulesReport { schema: crate::schema::RULES.tag(), rules: rules.collect() })
        }
        OutputFormat::Human => {
            let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
            for rule in rules {
                let state = if rule.on { word(rule.severity) } else { "off" };
                console.print_line(&format!(
                    "{:width$}  {:11}  {state:7}  {}",
                    rule.name, rule.group, rule.summary
                ));
            }
        }
    }
    Ok(CLEAN)
}
