//! `plugcast build`: builds a source for one or more hosts and writes the bundles.

mod answer;
mod preview;

use std::path::{Path, PathBuf};

use clap::Args;

use super::console::Console;
use super::helper::{self, HelperOption};
use super::{CommandFailure, GlobalOptions, OutputFormat};
use crate::build::cache::{BuildCache, CacheOptions};
use crate::build::{self, Denial, OutputFolder, SourceRequest};
use crate::compile::{BuildMode, BuildOptions, CacheLookup, OutputBuild, Source};
use crate::diagnostic::Severity;
use crate::disk::FileSystem;
use crate::disk::folder::Folder;
use crate::ledger::LossClass;
use crate::model::config::Config;
use crate::model::names;
use crate::model::project::Project;
use crate::progress::Progress;
use crate::target::{Target, Targets};
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
    deny_loss: Option<DenyLoss>,
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

/// Which losses fail a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DenyLoss {
    /// A protection of the user is lost
    Security,
    /// Something works differently or worse
    Behavior,
    /// Something looks different or worse
    Cosmetic,
    /// Any loss
    Any,
}

impl DenyLoss {
    fn class(self) -> LossClass {
        match self {
            DenyLoss::Security => LossClass::Security,
            DenyLoss::Behavior => LossClass::Behavior,
            DenyLoss::Cosmetic | DenyLoss::Any => LossClass::Cosmetic,
        }
    }
}

/// The denied losses by command line and configuration; the command line takes precedence.
fn denial(args: &BuildArgs, config: &Config) -> Result<Denial, CommandFailure> {
    let mut class = args.deny_loss.map(DenyLoss::class);
    for name in config.build.deny_loss.iter().filter(|_| args.deny_loss.is_none()) {
        let known = <DenyLoss as clap::ValueEnum>::from_str(name, false).map_err(|_| {
            let help = "one of: security, behavior, cosmetic, any";
            CommandFailure::usage(format!("unknown loss class `{name}` in `[build] deny-loss`"), help)
        })?;
        class = class.max(Some(known.class()));
    }
    Ok(Denial { class, new: args.deny_new_losses })
}

/// Runs the command.
///
/// # Errors
/// When nothing could be built or written.
pub fn run(args: &BuildArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    build::must_be_there(&args.src)?;
    let (mut config, config_folder) = build::config_of(&FileSystem::default(), &args.src)?;
    config.build.marketplace = args.marketplace.clone().or(config.build.marketplace);
    let hosts = hosts(&args.to, &config, &targets)?;
    let place = match (&args.out, &config.build.out) {
        (Some(out), _) => OutputFolder::named(out),
        (None, Some(out)) => OutputFolder::below(&config_folder, Path::new(out)),
        (None, None) => OutputFolder::below(Path::new(""), Path::new("dist")),
    };
    let (out, denial) = (place.path(), denial(args, &config)?);
    let request = SourceRequest {
        git: Some(super::git(&args.src)),
        src: args.src.clone(),
        name: args.name.clone(),
        outputs: outputs(out, &hosts),
        config,
        progress: console.progress.clone(),
        ..SourceRequest::default()
    };
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
    let cache = BuildCache::new(cache_folder());
    let options = BuildOptions { hosts, place: &place, mode, denial, cache: &cache, inputs };
    let (mut work, discovery) = OutputBuild::discover(&request, &targets, options)?;
    let mut outcome = BuildOutcome::new(args, global, console, out);
    let held = match work.look_up()? {
        CacheLookup::Miss(lock) => lock,
        CacheLookup::Hit(bundles) => {
            let (builds, findings) = work.cached(bundles)?;
            outcome.diagnostics.extend(findings);
            builds.into_iter().try_for_each(|built| outcome.add(built).map(drop))?;
            outcome.diagnostics.extend(work.unmatched());
            return outcome.conclude(discovery.tree());
        }
    };
    let mut source = work.read(discovery)?;
    let only_existing = mode != BuildMode::Write;
    source.project.helpers =
        helper::binaries(&source.project, &args.helper, only_existing, &console.progress)?;
    let (hosts, lock) = work.prepare(&source, held)?;
    let total = hosts.len();
    for (at, target) in hosts.into_iter().enumerate() {
        super::check_interrupt()?;
        let (title, number) = (&target.host.title, at + 1);
        let project = project_label(&source.project);
        let activity = format!("{title} ({number} of {total} hosts): compiling {project}");
        console.progress.begin(activity, components(&source.project));
        let (record, files) = outcome.add(work.build(&source, target, lock.as_ref())?)?;
        if number == total {
            // The program ends here: freeing every text would only take time.
            std::mem::forget((record, files));
        }
    }
    outcome.diagnostics.append(&mut source.findings);
    outcome.diagnostics.extend(work.unmatched());
    let concluded = outcome.conclude(&source.project.tree);
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

/// The name of a single plugin, or the number of several.
fn project_label(project: &Project) -> String {
    match project.plugins.as_slice() {
        [one] => format!("`{}`", one.name),
        more => format!("{} plugins", more.len()),
    }
}

/// How many skills, agents and commands are built.
fn components(project: &Project) -> usize {
    project.plugins.iter().map(|plugin| plugin.components.len()).sum()
}

/// Builds `src` for `hosts` (none: those of its `plugcast.toml`) into `out`, for another command.
///
/// # Errors
/// When nothing could be built, or a finding is an error: the caller needs complete bundles.
pub fn build_into(
    src: &Path,
    hosts: &[String],
    out: &Path,
    global: &GlobalOptions,
    progress: &Progress,
) -> anyhow::Result<()> {
    let targets = super::targets(global)?;
    let (config, _) = build::config_of(&FileSystem::default(), src).map_err(CommandFailure::from)?;
    let chosen = self::hosts(hosts, &config, &targets)?;
    let request = SourceRequest {
        git: Some(super::git(src)),
        src: src.to_owned(),
        config,
        progress: progress.clone(),
        ..SourceRequest::default()
    };
    let mut source = Source::read(&request, &targets).map_err(CommandFailure::from)?;
    source.project.helpers = helper::binaries(&source.project, &[], false, progress)?;
    let mut diagnostics = std::mem::take(&mut source.findings);
    let out = Folder::open(out).map_err(CommandFailure::from)?;
    for target in chosen {
        super::check_interrupt()?;
        progress.begin(format!("{}: compiling", target.host.title), components(&source.project));
        let mut bundle = source.bundle(target).map_err(CommandFailure::from)?;
        diagnostics.append(&mut bundle.record.diagnostics);
        progress.begin(format!("{}: writing", target.host.title), bundle.files.len());
        build::write(&bundle, &out, progress).map_err(CommandFailure::from)?;
    }
    match diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(first) => {
            let message = format!(
                "the source has errors, the first at {}:{}: {}",
                first.path, first.line, first.message
            );
            Err(CommandFailure {
                code: "source".into(),
                message,
                help: Some("run `plugcast build` to see them all".into()),
                place: None,
            }
            .into())
        }
        None => Ok(()),
    }
}

fn hosts<'a>(
    asked: &[String],
    config: &Config,
    targets: &'a Targets,
) -> Result<Vec<&'a Target>, CommandFailure> {
    let names = if asked.is_empty() { &config.build.to } else { asked };
    if names.is_empty() {
        let help = format!("pass `--to` with some of: {}, all", targets.names().join(", "));
        return Err(CommandFailure::usage("no host given", help));
    }
    Ok(targets.by_names(names)?)
}
