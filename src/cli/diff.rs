//! `plugcast diff`: the changes for the users of each host between two states.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};

use super::console::Console;
use super::{CLEAN, CommandFailure, GlobalOptions};
use crate::build::{self, SourceRequest};
use crate::compare::{self, ComparisonSide};
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::{self, FileSystem, walk::SkipPolicy};
use crate::git::{CommitSnapshot, GitError};
use crate::model::project::Project;
use crate::progress::Progress;
use crate::report::{diff as report, human::count_noun};
use crate::target::{Target, Targets};

/// Show what changed between two states for the users of each host
///
/// A state is a folder with a source, a folder with bundles, a git commit by any name (of the folder on the other
/// side, else of the current folder), or `REF:FOLDER`, where FOLDER is relative to the top of the repository. Sources
/// are built in memory; nothing is written to a repository or its work tree.
///
/// Exit codes: 0 compared, with or without differences; 2 the states cannot be compared.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast diff v1.0.0\n  plugcast diff v1.0.0 v1.1.0 --format markdown\n  plugcast diff main:plugins/one plugins/one --to all\n  plugcast diff dist other/dist"
)]
pub struct DiffArgs {
    /// The old state
    #[arg(value_name = "OLD")]
    old: String,
    /// The new state
    #[arg(value_name = "NEW", default_value = ".")]
    new: String,
    /// The hosts to compare for, or `all` [default: `to` under `[build]` in plugcast.toml, else all; for bundles, the hosts of both sides]
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    format: DiffFormat,
}

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Text
    Human,
    /// Markdown for release notes
    Markdown,
    /// One JSON object
    Json,
}

/// A state to compare, together with the owner of its files.
struct ComparedState {
    held: StateContent,
    /// The hosts that its `plugcast.toml` names.
    to: Vec<String>,
    /// Errors found while it was read.
    errors: Vec<Diagnostic>,
    /// Remarks about parts or settings of a commit that were skipped.
    remarks: Vec<String>,
    /// Keeps its temporary files alive.
    snapshot: Option<CommitSnapshot>,
}

/// The content of a state.
enum StateContent {
    Project(Box<Project>),
    Bundles(BTreeMap<String, PathBuf>),
}

impl ComparedState {
    fn new(held: StateContent) -> Self {
        Self { held, to: Vec::new(), errors: Vec::new(), remarks: Vec::new(), snapshot: None }
    }

    fn side(&self) -> ComparisonSide<'_> {
        match &self.held {
            StateContent::Project(project) => ComparisonSide::Source(project),
            StateContent::Bundles(folders) => ComparisonSide::Bundles(folders),
        }
    }
}

/// Where a state is.
#[derive(Clone)]
enum StateLocation {
    Folder(PathBuf),
    Commit { git: PathBuf, reference: String, folder: Option<Utf8PathBuf> },
}

impl StateLocation {
    fn repository(&self) -> Option<&Path> {
        match self {
            Self::Folder(_) => None,
            Self::Commit { git, .. } => Some(git),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When a state does not exist, or cannot be read.
pub fn run(args: &DiffArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    for folder in [&args.old, &args.new] {
        build::must_be_finished(Path::new(folder))?;
    }
    let (old_place, new_place) = (place(&args.old, &args.new)?, place(&args.new, &args.old)?);
    console.progress.set(format!("reading `{}`, 1 of 2", args.old));
    let old = state(&old_place, &args.old, None, &targets, &console.progress)?;
    console.progress.set(format!("reading `{}`, 2 of 2", args.new));
    // Object ids of another repository cannot be compared with those of this one.
    let beside = old.snapshot.as_ref().filter(|_| old_place.repository() == new_place.repository());
    let new = state(&new_place, &args.new, beside, &targets, &console.progress)?;
    let hosts = hosts(&args.to, &old, &new, &targets)?;
    for (state, label) in [(&old, &args.old), (&new, &args.new)] {
        for remark in &state.remarks {
            console.error_line(remark);
        }
        for line in warning(&state.errors, label) {
            console.error_line(&line);
        }
    }
    super::check_interrupt()?;
    console.progress.begin("comparing hosts", hosts.len());
    let difference = compare::compare(
        (&old.side(), &args.old),
        (&new.side(), &args.new),
        &hosts,
        &targets,
        &console.progress,
    )?;
    match args.format {
        DiffFormat::Json => console.json(&difference),
        DiffFormat::Markdown => console.print(&report::markdown(&difference)),
        DiffFormat::Human => console.print_text(&report::human(&difference)),
    }
    Ok(CLEAN)
}

/// How many errors of a state are printed; no other command shows those of a commit.
const MOST_ERRORS: usize = 10;

/// Describes the errors of a state, line by line; the components with errors are left out of the comparison.
fn warning(errors: &[Diagnostic], label: &str) -> Vec<String> {
    if errors.is_empty() {
        return Vec::new();
    }
    let counted = count_noun(errors.len(), "error", "errors");
    let mut lines =
        vec![format!("warning: `{label}` has {counted}, and the components with errors are left out:")];
    let shown = errors.iter().take(MOST_ERRORS);
    lines.extend(
        shown.map(|found| format!("  {}:{}:{}: {}", found.path, found.line, found.column, found.message)),
    );
    if errors.len() > MOST_ERRORS {
        lines.push(format!("  and {} more", errors.len() - MOST_ERRORS));
    }
    lines
}

/// Resolves an argument: an existing folder is used as such; everything else is resolved by git.
fn place(word: &str, other: &str) -> Result<StateLocation, CommandFailure> {
    if disk::is_folder(Path::new(word)) {
        return Ok(StateLocation::Folder(PathBuf::from(word)));
    }
    let beside = Path::new(other);
    let is_source = disk::is_folder(beside) && compare::bundles(beside)?.is_empty();
    let here = if is_source { beside } else { Path::new(".") };
    let git = super::git(here);
    git.in_work_tree("pass two folders, or name a commit inside a git repository")
        .map_err(|error| no_folder(word, error))?;
    // An existing commit takes precedence over the form `REF:FOLDER`.
    let (reference, folder) = match word.split_once(':') {
        Some((reference, folder)) if git.commit(word).is_err() => {
            (reference, Some(Utf8PathBuf::from(folder)))
        }
        _ => (word, None),
    };
    if let Err(error) = git.commit(reference) {
        return Err(no_folder(word, error));
    }
    Ok(StateLocation::Commit { git: here.to_owned(), reference: reference.to_owned(), folder })
}

/// The failure for an argument that is neither a folder nor a commit.
fn no_folder(word: &str, error: GitError) -> CommandFailure {
    let message = format!("the folder `{word}` does not exist; {}", error.message);
    CommandFailure { message, ..CommandFailure::from(error) }
}

fn state(
    place: &StateLocation,
    label: &str,
    beside: Option<&CommitSnapshot>,
    targets: &Targets,
    progress: &Progress,
) -> Result<ComparedState, CommandFailure> {
    match place {
        StateLocation::Folder(folder) => {
            let bundles = compare::bundles(folder)?;
            if !bundles.is_empty() {
                return Ok(ComparedState::new(StateContent::Bundles(bundles)));
            }
            let real = disk::canonical(folder)?;
            let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
            let (config, _) = build::config_of(&FileSystem::default(), folder)?;
            let to = config.build.to.clone();
            // Bundles inside of a source are not part of it.
            let outputs = vec![folder.join(config.build.out.as_deref().unwrap_or("dist"))];
            let (src, skip_policy) = (folder.clone(), SkipPolicy::IgnoredAndPackages);
            let progress = progress.clone();
            let git = Some(super::git(&real));
            let request = SourceRequest {
                git,
                src,
                config,
                outputs,
                skip_policy,
                progress,
                ..SourceRequest::default()
            };
            let (project, found) = compare::source(request, &name.unwrap_or_default(), targets)?;
            read(project, found, to, label)
        }
        StateLocation::Commit { git, reference, folder } => {
            let real = disk::canonical(git)?;
            let git = super::git(&real);
            let commit = git.commit(reference)?;
            let folder = match folder {
                Some(folder) => plain_folder(folder, label)?,
                None => git.place()?,
            };
            let top = git.top()?;
            let name = folder.file_name().map(str::to_owned);
            let name = name.or_else(|| Some(top.file_name()?.to_string_lossy().into_owned()));
            let mut snapshot =
                CommitSnapshot::load(&git, (&commit, reference), &folder, "plugcast.toml", beside)?;
            let src = snapshot.folder().to_owned();
            let bundles = if snapshot.has_bundles() { compare::bundles(&src)? } else { BTreeMap::new() };
            if !bundles.is_empty() {
                let remarks = snapshot.remark(label).into_iter().collect();
                return Ok(ComparedState {
                    remarks,
                    snapshot: Some(snapshot),
                    ..ComparedState::new(StateContent::Bundles(bundles))
                });
            }
            let past = compare::read_commit(&mut snapshot, (&name.unwrap_or_default(), reference), targets);
            snapshot.must_be_whole()?;
            let past = past.map_err(|error| {
                let failure = CommandFailure::from(error);
                let message = failure.message.replace(&src.display().to_string(), label);
                CommandFailure { message, ..failure }
            })?;
            let remarks = snapshot.remark(label).into_iter().chain(past.remarks).collect();
            let state = read(past.project, past.found, past.to, label)?;
            Ok(ComparedState { remarks, snapshot: Some(snapshot), ..state })
        }
    }
}

/// `folder` without `.` and a trailing slash.
fn plain_folder(folder: &Utf8Path, label: &str) -> Result<Utf8PathBuf, CommandFailure> {
    let parts: Vec<_> =
        folder.components().filter(|part| !matches!(part, camino::Utf8Component::CurDir)).collect();
    if parts.iter().all(|part| matches!(part, camino::Utf8Component::Normal(_))) {
        return Ok(parts.into_iter().collect());
    }
    let message = format!("`{label}` is not a folder of the repository");
    Err(CommandFailure::usage(message, "write `REF:path/to/plugin`, counted from the top of the repository"))
}

/// Reads the state of a source.
fn read(
    project: Project,
    found: Vec<Diagnostic>,
    to: Vec<String>,
    label: &str,
) -> Result<ComparedState, CommandFailure> {
    let errors: Vec<Diagnostic> =
        found.into_iter().filter(|found| found.severity == Severity::Error).collect();
    // A source without a readable plugin is an error: otherwise everything would be reported as removed.
    if let Some(first) = errors.first().filter(|_| project.plugins.is_empty()) {
        let place = Some((first.path.clone(), first.line, first.column));
        let message = format!("no plugin of `{label}` can be read: {}", first.message);
        return Err(CommandFailure { code: "source".into(), message, help: first.help.clone(), place });
    }
    Ok(ComparedState { to, errors, ..ComparedState::new(StateContent::Project(Box::new(project))) })
}

/// The hosts that both sides have.
fn hosts<'a>(
    asked: &[String],
    old: &ComparedState,
    new: &ComparedState,
    targets: &'a Targets,
) -> Result<Vec<&'a Target>, CommandFailure> {
    let all = [String::from("all")];
    let names = [asked, &new.to, &old.to].into_iter().find(|names| !names.is_empty()).unwrap_or(&all);
    let mut hosts = targets.by_names(names)?;
    let bundles: Vec<&BTreeMap<String, PathBuf>> = [&old.held, &new.held]
        .into_iter()
        .filter_map(|held| match held {
            StateContent::Bundles(folders) => Some(folders),
            StateContent::Project(_) => None,
        })
        .collect();
    hosts.retain(|host| bundles.iter().all(|folders| folders.contains_key(&host.name)));
    if hosts.is_empty() {
        let there: Vec<String> =
            bundles.iter().map(|folders| folders.keys().cloned().collect::<Vec<_>>().join(", ")).collect();
        let help = format!("there are bundles for {}", there.join(" on the one side, on the other for "));
        return Err(CommandFailure::usage("the two sides have no host in common", help));
    }
    Ok(hosts)
}
