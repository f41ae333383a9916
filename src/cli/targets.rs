//! `plugcast targets`: the hosts that plugins can be built for, and what is known of each.

use clap::Args;
use serde_json::Value;

use super::console::Console;
use super::{CLEAN, CommandFailure, GlobalOptions};
use crate::target::Target;

/// List the supported hosts, or show the facts about one
///
/// Exit codes: 0 shown; 2 unknown host or field, or an invalid `target.toml`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast targets\n  plugcast targets --explain HOST\n  plugcast targets --explain HOST skill.name-limit"
)]
pub struct TargetsArgs {
    /// Print the facts about a host, how they were verified, and on which version
    #[arg(long, value_name = "HOST")]
    explain: Option<String>,
    /// Only this field, such as `skill.name-limit`
    #[arg(requires = "explain")]
    field: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When a target of `--targets-dir` is invalid, or the host or field is unknown.
pub fn run(args: &TargetsArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    if let Some(host) = &args.explain {
        let target = targets.find(host)?;
        console.print(&explain(target, args.field.as_deref().unwrap_or_default())?);
        return Ok(CLEAN);
    }
    let width = targets.names().iter().map(|name| name.len()).max().unwrap_or(0);
    for target in targets.iter() {
        let facts = &target.host;
        console.print_line(&format!(
            "{:width$}  {} {}, verified {}",
            target.name, facts.title, facts.version, facts.verified
        ));
    }
    Ok(CLEAN)
}

/// The value at `field`, and how its section was verified.
fn explain(target: &Target, field: &str) -> Result<String, CommandFailure> {
    let whole = serde_json::to_value(target).unwrap_or_default();
    let keys: Vec<&str> = field.split('.').filter(|key| !key.is_empty()).collect();
    let Some(value) = keys.iter().try_fold(&whole, |value, key| value.get(key)) else {
        let sections: Vec<&str> =
            whole.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        return Err(CommandFailure::usage(
            format!("`{}` has no `{field}`", target.name),
            format!("sections: {}", sections.join(", ")),
        ));
    };
    let text = match value {
        Value::Null => "not set".to_owned(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    let seen = (0..=keys.len()).rev().find_map(|length| target.evidence.get(&keys[..length].join(".")));
    let seen = seen.map_or_else(String::new, |how| format!("seen by: {how}\n"));
    let facts = &target.host;
    Ok(format!("{text}\n{seen}on {} {}, {}\n", facts.title, facts.version, facts.verified))
}
