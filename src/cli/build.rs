//! `plugcast build`: builds a source for one or more hosts and writes the bundles.

mod answer;
mod preview;

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::console::Console;
use super::helper::{self, HelperOption};
use super::{CommandFailure, GlobalOptions, OutputFormat};
use crate::build::cache::{BuildCache, CacheOptions};
use crate::build::{self, BuildError, Denial, OutputFolder, SourceRequest};
use crate::compile::{BuildMode, BuildOptions, OutputBuild};
use crate::model::config::{Config, DeniedLosses};
use crate::model::names;
use crate::target::Target;
use answer::BuildOutcome;

/// Build a plugin for one or more hosts
///
/// SRC is a marketplace, a plugin, a folder with one SKILL.md, a folder of plugins or a folder of
/// skills; it is never changed. The bundle of each host is written to OUT/HOST in one step: an
/// interrupted build leaves either the old bundle or the new one, complete.
///
/// Exit codes: 0 success; 1 findings (everything else is built), or a stale bundle with --check;
/// 2 the build could not run; 130 interrupted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast build --to all\n  plugcast build path/to/plugin --to all --out dist\n  plugcast build --to all --check\n\n`plugcast targets` lists the hosts."
)]
pub struct BuildArgs {
    /// The source to build
    #[arg(default_value = ".", value_name = "SRC")]
    src: PathBuf,
    /// The hosts to build for, or `all` [default: `to` under `[build]` in plugcast.toml]
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// The output folder [default: `out` under `[build]` in plugcast.toml, else dist]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing and exit 1 for a host with a loss of this class or a more severe one
    /// [default: `deny-loss` under `[build]` in plugcast.toml]
    #[arg(long, value_enum, value_name = "CLASS")]
    deny_loss: Option<DeniedLosses>,
    /// Write nothing and exit 1 for a host with a loss that is not in the ledger in OUT
    #[arg(long)]
    deny_new_losses: bool,
    /// Write nothing; exit 1 if a bundle in OUT differs from what would be built
    #[arg(long)]
    check: bool,
    /// Write nothing; print the changes that a build would make as a unified diff
    #[arg(long)]
    diff: bool,
    /// A `plugcast-run` binary for another platform (repeatable), or `none`; for plugins that ship
    /// the helper [default: the one beside this program]
    #[arg(long, value_name = "none|PLATFORM=PATH", value_parser = HelperOption::parse)]
    helper: Vec<HelperOption>,
    /// The plugin's name, if it has no manifest [default: `name` under `[build]` in plugcast.toml, else the name of its
    /// folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The marketplace's name, if the source has no marketplace file [default: `marketplace` under
    /// `[build]` in plugcast.toml, else the name of the only plugin, else that of SRC's folder]
    #[arg(long, value_name = "NAME", value_parser = marketplace_name)]
    marketplace: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
}

/// A marketplace's name that the source host accepts.
fn marketplace_name(text: &str) -> Result<String, &'static str> {
    names::check_installable(text)?;
    Ok(text.to_owned())
}

impl ValueEnum for DeniedLosses {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Security => "A protection of the user is lost",
            Self::Behavior => "Something works differently or worse",
            Self::Cosmetic => "Something looks different or worse",
            Self::Any => "Any loss",
        };
        Some(PossibleValue::new(self.id()).help(help))
    }
}

/// The denied losses by command line and configuration; the command line takes precedence.
fn denial(args: &BuildArgs, config: &Config) -> Denial {
    let class = match &args.deny_loss {
        Some(one) => Some(one.class()),
        None => DeniedLosses::least_severe(&config.build.deny_loss),
    };
    Denial { class, new: args.deny_new_losses }
}

/// Runs the command.
///
/// # Errors
/// When nothing could be built or written.
pub fn run(args: &BuildArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    build::must_be_there(&args.src)?;
    let (mut request, config_folder) = SourceRequest::load(&args.src)?;
    let config = &mut request.config;
    config.build.marketplace = args.marketplace.clone().or(config.build.marketplace.take());
    let hosts = request.hosts(&args.to.iter().collect(), &targets)?;
    if hosts.is_empty() {
        return Err(BuildError::no_host(&targets).into());
    }
    let place = match (&args.out, &request.config.build.out) {
        (Some(out), _) => OutputFolder::named(out),
        (None, Some(out)) => OutputFolder::below(&config_folder, Path::new(out)),
        (None, None) => OutputFolder::below(Path::new(""), Path::new("dist")),
    };
    let (out, denial) = (place.path(), denial(args, &request.config));
    request.git = Some(super::git(&args.src));
    request.name = args.name.clone();
    request.outputs = outputs(out, &hosts);
    request.progress = console.progress.clone();
    let inputs = CacheOptions {
        denied: denial.class,
        helpers: args.helper.iter().map(ToString::to_string).collect(),
        marketplace: args.marketplace.clone(),
    };
    let mode = match (args.check, args.diff) {
        (true, _) => BuildMode::Check,
        (false, true) => BuildMode::Preview,
        (false, false) => BuildMode::Write,
    };
    let helper = helper::search_path(&args.helper, &console.progress)?;
    let (cache, mut hosts_left) = (BuildCache::new(cache_folder()), hosts.len());
    let options = BuildOptions { mode, denial, inputs, ..BuildOptions::new(hosts, &place, &cache) };
    let (mut work, discovery) = OutputBuild::discover(&request, &targets, options)?;
    let mut outcome = BuildOutcome::new(args, global, console, out);
    let mut source = work.run(discovery, helper.as_ref(), |built| {
        let held = outcome.add(built)?;
        hosts_left -= 1;
        // After the last host the program ends: freeing every text would only take time.
        match hosts_left {
            0 => std::mem::forget(held),
            _ => drop(held),
        }
        Ok::<(), CommandFailure>(())
    })?;
    outcome.diagnostics.append(&mut source.findings);
    let concluded = outcome.conclude(source.tree());
    std::mem::forget(source);
    concluded
}

/// The user's cache folder.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| super::environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// Folders that are not part of a source: OUT may be inside of SRC.
fn outputs(out: &Path, hosts: &[&Target]) -> Vec<PathBuf> {
    std::iter::once(out.to_owned()).chain(hosts.iter().map(|target| out.join(&target.name))).collect()
}
