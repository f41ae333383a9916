//! `plugcast verify`: loads built bundles in the real hosts and reports what the hosts show.

use std::path::PathBuf;

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat, helper};
use crate::drivers::installation::HostSearch;
use crate::drivers::observation::ObservationScope;
use crate::drivers::verification_session::{self, VerificationRequest};
use crate::report;

/// Load bundles in their real hosts, offline, and compare what each host shows with the ledger
///
/// Exit codes: 0 every host shows everything; 1 something differs, or a host is not installed; 2 no host could be started,
/// or the bundles cannot be read.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Examples:\n  plugcast verify dist\n  plugcast verify dist/HOST --all\n  plugcast verify path/to/plugin --to HOST --format json\n\n`plugcast doctor` shows which hosts are installed."
)]
pub struct VerifyArgs {
    /// A bundle, a folder of bundles, or a source to build to a temporary folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Only these hosts
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    to: Vec<String>,
    /// Also show this source, unmodified, to the host that it was written for: each component that the host lists must
    /// be in every bundle, or a loss with a class in its ledger [default: the source, where DIR is one or is in the
    /// one that it was built from]
    #[arg(long, value_name = "SRC")]
    against: Option<PathBuf>,
    /// The path of a host's binary; `rg=PATH` for ripgrep, which OpenCode needs
    #[arg(long, value_name = "HOST=PATH", value_parser = named_binary)]
    host_bin: Vec<(String, PathBuf)>,
    /// Compare all skill and command bodies, not only one per plugin and the edited ones
    #[arg(long)]
    all: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
    /// Allow hooks, servers and shell commands of the plugins to run
    #[arg(long)]
    allow_exec: bool,
}

pub(super) fn named_binary(value: &str) -> Result<(String, PathBuf), String> {
    match value.split_once('=') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            Ok((host.to_owned(), PathBuf::from(path)))
        }
        _ => Err("expected `HOST=PATH`".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// When no host could be started, or the bundles cannot be read.
pub fn run(args: &VerifyArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    let progress = console.progress.clone();
    let search = HostSearch {
        named: args.host_bin.clone(),
        search_path: super::search_path(),
        progress: progress.clone(),
    };
    let request = VerificationRequest {
        folder: &args.folder,
        to: args.to.iter().collect(),
        against: args.against.as_deref(),
        scope: ObservationScope { all: args.all, allow_exec: args.allow_exec },
        search,
        helper: helper::search_path(&[], &progress)?,
        git: &super::git,
        targets: &targets,
        progress,
    };
    let verification = verification_session::run(&request)?;
    match args.format {
        OutputFormat::Json => {
            let text = serde_json::to_string(&verification).map_err(anyhow::Error::from)?;
            console.print(&(text + "\n"));
        }
        OutputFormat::Human => console.print(&report::verify::human(&verification)),
    }
    Ok(if verification.passed() { CLEAN } else { FINDINGS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_named_binaries() {
        assert_eq!(named_binary("a=b=c"), Ok(("a".to_owned(), PathBuf::from("b=c"))));
        assert!(named_binary("a").is_err() && named_binary("=b").is_err());
    }
}
