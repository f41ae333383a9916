//! `plugcast targets`: the hosts that plugins can be cast for.

use clap::Args;

use super::console::Console;
use super::{CLEAN, Failure, Global};

/// List the hosts that plugins can be cast for
#[derive(Debug, Args)]
pub struct TargetsArgs {}

/// Runs the command.
///
/// # Errors
/// When a target of `--targets-dir` is wrong.
pub fn run(_: &TargetsArgs, global: &Global, console: &Console) -> Result<u8, Failure> {
    let targets = super::targets(global)?;
    let width = targets.names().iter().map(|name| name.len()).max().unwrap_or(0);
    for target in targets.iter() {
        let line = format!(
            "{:width$}  {} {}, verified {}\n",
            target.name, target.host.title, target.host.version, target.host.verified
        );
        console.print(&line);
    }
    Ok(CLEAN)
}
