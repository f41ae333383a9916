//! `plugcast build`: casts a source for one or more hosts and writes the bundles.

mod answer;
mod cached;
mod look;

use std::path::{Path, PathBuf};

use clap::Args;

use super::console::Console;
use super::helper::{self, HelperOption};
use super::{Failure, Format, Global};
use crate::build::cache::BuildCache;
use crate::build::{self, Denial, HostBundle, OutputFolder, SourceRequest};
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::folder::Folder;
use crate::disk::{self, lock};
use crate::ledger::Class;
use crate::model::config::Config;
use crate::model::project::Project;
use crate::process::activity;
use crate::report::human;
use crate::source::LineIndex;
use crate::target::{Target, Targets};
use answer::{Outcome, conclude, report, summary};
use cached::CacheLookup;

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
    #[arg(long, value_name = "NAME")]
    marketplace: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
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
    fn class(self) -> Class {
        match self {
            DenyLoss::Security => Class::Security,
            DenyLoss::Behavior => Class::Behavior,
            DenyLoss::Cosmetic | DenyLoss::Any => Class::Cosmetic,
        }
    }
}

/// What the command line and the configuration deny; the command line counts.
fn denial(args: &BuildArgs, config: &Config) -> Result<Denial, Failure> {
    let mut class = args.deny_loss.map(DenyLoss::class);
    for name in config.build.deny_loss.iter().filter(|_| args.deny_loss.is_none()) {
        let known = <DenyLoss as clap::ValueEnum>::from_str(name, false).map_err(|_| {
            let help = "one of: security, behavior, cosmetic, any";
            Failure::usage(format!("unknown loss class `{name}` in `[build] deny-loss`"), help)
        })?;
        class = class.max(Some(known.class()));
    }
    Ok(Denial { class, new: args.deny_new_losses })
}

/// Runs the command.
///
/// # Errors
/// When nothing could be built or written.
pub fn run(args: &BuildArgs, global: &Global, console: &Console) -> Result<u8, Failure> {
    let targets = super::targets(global)?;
    build::must_be_there(&args.src)?;
    let (mut config, config_folder) = config_of(&args.src)?;
    config.build.marketplace = args.marketplace.clone().or(config.build.marketplace);
    let hosts = hosts(&args.to, &config, &targets)?;
    let place = match (&args.out, &config.build.out) {
        (Some(out), _) => OutputFolder::named(out),
        (None, Some(out)) => OutputFolder::below(&config_folder, Path::new(out)),
        (None, None) => OutputFolder::below(Path::new(""), Path::new("dist")),
    };
    let out = place.path();
    let denial = denial(args, &config)?;
    let looking = args.check || args.diff;
    let request = SourceRequest {
        src: args.src.clone(),
        name: args.name.clone(),
        outputs: outputs(out, &hosts),
        config,
        ..SourceRequest::default()
    };
    // Before anything is read: OUT may be SRC itself, and the bundle's ledger counts.
    if looking { build::must_be_finished(out) } else { build::complete(&place) }?;
    activity::set(format!("reading `{}`", args.src.display()));
    let gathered = build::gather(&request, &targets)?;
    let options = format!("{:?} {:?} {:?}", denial.class, args.helper, args.marketplace);
    let inputs = build::cache::inputs(&gathered, &request, &targets, &options)?;
    let mut outcome = Outcome::default();
    let mut losses = build::LossIds::new();
    let names = targets.names();
    let cache = BuildCache::new(cached::folder());
    let lookup = if looking {
        CacheLookup::Miss(None)
    } else {
        cached::lookup((&cache, &inputs), &hosts, args, &place)?
    };
    let held = match lookup {
        CacheLookup::Miss(lock) => lock,
        CacheLookup::Hit(hit) => {
            outcome.diagnostics = hit.found;
            for (target, mut bundle) in hosts.iter().zip(hit.bundles) {
                outcome.diagnostics.append(&mut bundle.diagnostics);
                losses.insert(target.name.clone(), build::loss_ids(&bundle.ledger));
                let folder = out.join(&target.name);
                outcome.diagnostics.extend(unlisted(&folder, &bundle)?);
                outcome.lines.push_str(&human::host(&summary(target, &folder, &bundle, 0, global.verbose)));
                outcome.reports.push(report(target, &folder, &bundle, 0));
            }
            outcome.diagnostics.extend(build::unmatched(&request.config, &losses, &names));
            return conclude(outcome, &gathered.tree, args, global, (console, out));
        }
    };
    let (mut project, mut found) = build::understand(gathered, &request, &targets)?;
    found.extend(build::hidden(&project, &targets, &request.config.check));
    project.helpers = helper::binaries(&project, &args.helper, looking)?;
    if project.plugins.is_empty() && !found.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(build::BuildError::OnlyRemote(args.src.clone()).into());
    }
    // A source without any usable plugin has findings, and nothing takes the place of what is there.
    let hosts = if project.plugins.is_empty() { Vec::new() } else { hosts };
    for target in &hosts {
        build::check_place(&args.src, &place, &target.name)?;
    }
    let writes = !looking && !hosts.is_empty();
    let lock = match held {
        None if writes => Some(lock::acquire(&place, lock::PATIENCE).map_err(build::BuildError::from)?),
        held => held,
    };
    let total = hosts.len();
    for (at, target) in hosts.into_iter().enumerate() {
        super::go_on()?;
        let (title, number) = (&target.host.title, at + 1);
        activity::set(format!("{title} ({number} of {total} hosts): casting {}", named(&project)));
        let mut bundle = build::assemble(&project, target, &targets)?;
        let refusable = bundle.is_refused();
        losses.insert(target.name.clone(), build::loss_ids(&bundle.ledger));
        let before = outcome.diagnostics.len();
        outcome.diagnostics.append(&mut bundle.diagnostics);
        let of_host = before..outcome.diagnostics.len();
        let folder = out.join(&target.name);
        let mut denied = build::denied(&project, &bundle.ledger, &target.name, denial, &folder)?;
        let refused = if !denied.is_empty() {
            Some("a loss is denied")
        } else if refusable {
            Some("the host would refuse a part of it")
        } else {
            None
        };
        outcome.diagnostics.append(&mut denied);
        if refused.is_some() || looking {
            let severity = if args.check { Severity::Error } else { Severity::Warning };
            outcome.diagnostics.extend(build::unlisted_there(&folder, &folder, severity)?);
        }
        let (changes, written) = if refused.is_some() {
            (Vec::new(), 0)
        } else if let Some(lock) = lock.as_ref().filter(|_| !looking) {
            activity::set(format!("{}: writing `{}`", target.host.title, folder.display()));
            let written = build::write(&bundle, lock.folder())?;
            cache.store(&bundle, &inputs, &found, &outcome.diagnostics[of_host]);
            // In a new folder lies what was just written.
            if !written.is_new {
                outcome.diagnostics.extend(unlisted(&folder, &bundle)?);
            }
            (written.changes, written.files)
        } else {
            (build::look(&bundle, &folder)?, 0)
        };
        outcome.stale |= args.check && !changes.is_empty();
        if args.diff && args.format == Format::Human {
            console.print_patch(&look::diff(&bundle, &folder, &changes)?);
        }
        outcome.lines.push_str(&if let Some(why) = refused {
            format!("{}: nothing written, because {why}\n", target.host.title)
        } else if looking {
            look::checked(target, &folder, &changes)
        } else {
            human::host(&summary(target, &folder, &bundle, written, global.verbose))
        });
        outcome.reports.push(report(target, &folder, &bundle, written));
        if number == total {
            // The program ends here: giving every text back one by one would only take time.
            std::mem::forget(bundle);
        }
    }
    outcome.diagnostics.extend(found);
    outcome.diagnostics.extend(build::unmatched(&request.config, &losses, &names));
    let concluded = conclude(outcome, &project.tree, args, global, (console, out));
    std::mem::forget(project);
    concluded
}

/// Warnings about what lies in `folder` beside `bundle`, which stands there as a whole.
fn unlisted(folder: &Path, bundle: &HostBundle) -> Result<Vec<Diagnostic>, build::BuildError> {
    let open = Folder::open(folder)?;
    build::unlisted_findings(&open, &bundle.manifest, folder, Severity::Warning)
}

/// Folders that are no part of a source: OUT may be SRC itself.
fn outputs(out: &Path, hosts: &[&Target]) -> Vec<PathBuf> {
    std::iter::once(out.to_owned()).chain(hosts.iter().map(|target| out.join(&target.name))).collect()
}

/// One plugin by its name, several by their number.
fn named(project: &Project) -> String {
    match project.plugins.as_slice() {
        [one] => format!("`{}`", one.name),
        more => format!("{} plugins", more.len()),
    }
}

/// Builds `src` for `hosts` (none: those of its `plugcast.toml`) into `out`, for another command.
///
/// # Errors
/// When nothing could be built, or a finding is an error: what is shown must be what was meant.
pub fn into(src: &Path, hosts: &[String], out: &Path, global: &Global) -> anyhow::Result<()> {
    let targets = super::targets(global)?;
    let (config, _) = config_of(src)?;
    let chosen = self::hosts(hosts, &config, &targets)?;
    let request = SourceRequest { src: src.to_owned(), name: None, config, ..SourceRequest::default() };
    let (mut project, mut diagnostics) = build::read(&request, &targets).map_err(Failure::from)?;
    project.helpers = helper::binaries(&project, &[], false)?;
    let out = Folder::open(out).map_err(Failure::from)?;
    for target in chosen {
        super::go_on()?;
        let mut bundle = build::assemble(&project, target, &targets).map_err(Failure::from)?;
        diagnostics.append(&mut bundle.diagnostics);
        build::write(&bundle, &out).map_err(Failure::from)?;
    }
    match diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(first) => {
            let message = format!(
                "the source has errors, the first at {}:{}: {}",
                first.path, first.line, first.message
            );
            Err(Failure {
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

/// The `plugcast.toml` that speaks for `src` and its folder: the nearest one up to the repository's top.
pub(super) fn config_of(src: &Path) -> Result<(Config, PathBuf), Failure> {
    let Ok(start) = disk::canonical(src) else { return Ok((Config::default(), PathBuf::new())) };
    let nearest = build::nearest_config(&start, |folder| folder.join(".git").exists())?;
    Ok(nearest.unwrap_or_default())
}

/// Where `word` stands in the `plugcast.toml` of `folder`.
pub(super) fn place_of(folder: &Path, word: &str) -> Option<(String, usize, usize)> {
    let path = folder.join("plugcast.toml");
    let text = disk::read_text(&path).ok().flatten()?;
    let position = LineIndex::new(&text).position(&text, text.find(&format!("\"{word}\""))?);
    Some((path.display().to_string(), position.line, position.column))
}

fn hosts<'a>(asked: &[String], config: &Config, targets: &'a Targets) -> Result<Vec<&'a Target>, Failure> {
    let names = if asked.is_empty() { &config.build.to } else { asked };
    if names.is_empty() {
        let help = format!("pass `--to` with some of: {}, all", targets.names().join(", "));
        return Err(Failure::usage("no host given", help));
    }
    named_hosts(names, targets)
}

/// The hosts of these names, each once; `all` for every one.
pub(super) fn named_hosts<'a>(names: &[String], targets: &'a Targets) -> Result<Vec<&'a Target>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(targets.iter().collect());
    }
    let mut out: Vec<&Target> = Vec::new();
    for name in names {
        match targets.get(name) {
            Some(target) if out.iter().any(|other| other.name == target.name) => {}
            Some(target) => out.push(target),
            None => {
                return Err(super::no_host(name, targets));
            }
        }
    }
    Ok(out)
}
