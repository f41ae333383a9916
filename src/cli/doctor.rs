//! `plugcast doctor`: the installed hosts, and what is not verified for their versions.

use std::path::PathBuf;

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat};
use crate::diagnostic::HostSelection;
use crate::drivers::installation::HostSearch;
use crate::drivers::{self, Driver};
use crate::progress::Progress;
use crate::report::doctor::{DoctorReport, HostHealth, HostState, ToolHealth};
use crate::target::Target;

/// Other required programs: command, what needs it, and how to install it.
const TOOLS: [(&str, &str, &str); 1] =
    [("git", "skills that inspect a repository, such as those of `refine`", "install git")];

/// Find the installed hosts, and list what is not verified for their versions
///
/// Hosts are only run with `--version`, in a clean environment with an empty home folder.
///
/// Exit codes: 0 every host is installed in the verified version; 1 something is missing or
/// unverified; 2 the check could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast doctor\n  plugcast doctor --to HOST\n  plugcast doctor --host-bin HOST=path/to/binary --format json"
)]
pub struct DoctorArgs {
    /// Only these hosts
    #[arg(long, value_name = "HOST[,HOST…]", value_delimiter = ',')]
    to: Vec<String>,
    /// The path of a host's binary; `rg=PATH` for ripgrep, which OpenCode needs
    #[arg(long, value_name = "HOST=PATH", value_parser = super::verify::named_binary)]
    host_bin: Vec<(String, PathBuf)>,
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
}

/// Runs the command.
///
/// # Errors
/// When a host is unknown, or a target of `--targets-dir` is invalid.
pub fn run(
    args: &DoctorArgs,
    global: &GlobalOptions,
    console: &Console,
    path: &str,
) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    let selection: HostSelection = args.to.iter().collect();
    let asked = targets.selected(selection.or(HostSelection::every()))?;
    let search = HostSearch {
        named: args.host_bin.clone(),
        search_path: path.to_owned(),
        progress: Progress::default(),
    };
    let mut hosts = Vec::new();
    console.progress.begin("asking hosts for their versions", asked.len());
    for target in asked {
        super::check_interrupt()?;
        hosts.push(health(target, drivers::driver(&target.name), &search));
        console.progress.step();
    }
    super::check_interrupt()?;
    let tools = TOOLS.map(|(name, needed_for, help)| {
        let binary = search.on_path(name);
        ToolHealth {
            name: name.to_owned(),
            help: binary.is_none().then(|| help.to_owned()),
            binary: binary.map(|path| path.display().to_string()),
            needed_for: needed_for.to_owned(),
        }
    });
    let report =
        DoctorReport { schema: crate::schema::DOCTOR.tag(), hosts, tools: tools.into_iter().collect() };
    match args.format {
        OutputFormat::Json => console.json(&report),
        OutputFormat::Human => console.print_text(&report.human()),
    }
    Ok(if report.healthy() { CLEAN } else { FINDINGS })
}

fn health(target: &Target, driver: Option<&dyn Driver>, search: &HostSearch) -> HostHealth {
    let facts = &target.host;
    let mut health = HostHealth {
        host: target.name.clone(),
        title: facts.title.clone(),
        state: HostState::NoDriver,
        pinned: facts.version.clone(),
        version: None,
        binary: None,
        problem: None,
        unverified: Vec::new(),
        help: None,
    };
    let Some(driver) = driver else { return health };
    let name = &target.name;
    match search.installation(driver) {
        Err(missing) => {
            health.state = HostState::Missing;
            health.problem = Some(missing.message);
            health.help = Some(missing.help);
        }
        Ok(installation) => {
            health.binary = Some(installation.binary.display().to_string());
            match drivers::version(&installation) {
                Err(error) => {
                    health.state = HostState::Broken;
                    health.problem = Some(format!("{error:#}"));
                    health.help = Some(format!("pass another binary with `--host-bin {name}=PATH`"));
                }
                Ok(version) if version == facts.version => {
                    health.state = HostState::Pinned;
                    health.version = Some(version);
                }
                Ok(version) => {
                    health.state = HostState::OtherVersion;
                    health.version = Some(version);
                    health.unverified = target.evidence.keys().cloned().collect();
                    health.help = Some(format!(
                        "`plugcast verify` checks a bundle, `plugcast targets --explain {name} SECTION` shows how a fact was verified; `npm install -g {}@{}` installs the verified version",
                        driver.package(),
                        driver.pinned()
                    ));
                }
            }
        }
    }
    health
}
