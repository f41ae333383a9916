//! `plugcast promote`: a beta skill becomes the stable one, with all references, in one step.

use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat, check_interrupt, environment};
use crate::build;
use crate::check_session::{CheckSession, SessionOptions, TextOverlay, mark};
use crate::disk::folder::Folder;
use crate::disk::lock::{self, OutputFolder, OutputLock};
use crate::disk::transaction::{self, FolderMove, JournalWitness, TextRewrite, TransactionError};
use crate::disk::{self, replace, walk};
use crate::emit::json;
use crate::model::project::Project;
use crate::promote::{self, BetaSkill, PromotionDecisions, SelectionError, SkillChoice, TargetState};
use crate::report::promote::{self as report, PromoteReport, PromotionOutcome, RemarkReport};
use crate::source::SourceTree;

/// Promote a beta skill to stable, in one step
///
/// Renames its folder and name, removes the beta mark from its description and the flag that keeps the
/// model from calling it, and updates its paths and all references in every plugin of SRC, in manifests,
/// marketplaces, READMEs and docs. Changelogs and dated texts keep the old name. A reference that needs
/// a decision by the user stops the promotion and is listed.
///
/// Exit codes: 0 promoted, or nothing to do; 1 refused, because something would be left behind or lost;
/// 2 the promotion could not run; 130 interrupted. The next run completes an interrupted one.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast promote plan-beta --dry-run\n  plugcast promote demo:plan-beta --replace\n  plugcast promote skills/plan-beta --leave 'docs/adr/**' --rename 'tests/**'"
)]
pub struct PromoteArgs {
    /// The beta: `plugin:name`, a name, or the path of its folder
    #[arg(value_name = "SKILL")]
    skill: String,
    /// The repository, marketplace or plugin; for a plugin, the marketplace that lists it or the plugins beside it also count [default: those that contain the current folder]
    #[arg(value_name = "SRC")]
    src: Option<PathBuf>,
    /// Replace an existing stable skill that differs; its references stay unchanged
    #[arg(long)]
    replace: bool,
    /// Files, relative to SRC, in which every mention is the skill's name (repeatable)
    #[arg(long, value_name = "GLOB")]
    rename: Vec<String>,
    /// Files, relative to SRC, that keep the old name (repeatable)
    #[arg(long, value_name = "GLOB")]
    leave: Vec<String>,
    /// Keep `disable-model-invocation`: only users call the stable skill, too
    #[arg(long)]
    user_only: bool,
    /// Print the changes as a diff for `git apply` without making them, even if the promotion would be refused
    #[arg(long)]
    dry_run: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    format: OutputFormat,
}

impl From<TransactionError> for CommandFailure {
    fn from(error: TransactionError) -> Self {
        let help = match &error {
            TransactionError::Edit(_) => "make it a regular, writable file, then try again",
            TransactionError::Disk(_) => "nothing was changed: make it writable, then try again",
            TransactionError::Unfinished(_) => "run the same command again: it completes the change",
            TransactionError::Journal { .. } => {
                "see which changes are made, complete or undo them, and remove the file"
            }
        };
        Self { code: "io".into(), message: error.to_string(), help: Some(help.into()), place: None }
    }
}

/// The help if a preview finds an unfinished change.
const TO_COMPLETE: &str = "first run the command without `--dry-run` to complete the change";

/// Runs the command.
///
/// # Errors
/// When the source cannot be read, SKILL is ambiguous, or a file cannot be changed.
pub fn run(args: &PromoteArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let targets = super::targets(global)?;
    let src = promote::repository(args.src.as_deref(), &targets);
    let decisions = PromotionDecisions {
        rename: globs(&args.rename)?,
        leave: globs(&args.leave)?,
        user_only: args.user_only,
    };
    let options = SessionOptions {
        git: Some(super::git(&src)),
        no_baseline: true,
        progress: console.progress.clone(),
        ..SessionOptions::default()
    };
    let mut session = CheckSession::new(&src, &options, &targets)?;
    let root = session.root.clone();
    let state = state_folder();
    let witness = JournalWitness(state.as_deref());
    let output = session.output();
    let lock = match args.dry_run {
        true => {
            nothing_unfinished(&root, &output, witness)?;
            None
        }
        false => {
            let lock = completed(&root, witness, console)?;
            build::complete(&output)?;
            Some(lock)
        }
    };
    let mut files = files(&root, lock.as_ref(), console)?;
    let baseline = session.baseline()?;
    let inner = baseline.as_ref().and_then(|(path, _)| Utf8Path::from_path(path.strip_prefix(&root).ok()?));
    // The baseline is generated from findings, so references in it are not edited.
    let of_baseline = inner.and_then(|inner| files.remove(inner));
    let (project, reading) = session.read(TextOverlay::new())?;
    let asked = promote::qualified_skill(&project, &root, args.src.as_deref(), &args.skill);
    let place = place(&root, args.src.as_deref(), &args.skill);
    let beta = match promote::select_skill(&project, &asked, place.as_deref())
        .map_err(|unclear| failure(args, &unclear))?
    {
        SkillChoice::Beta(beta) => beta,
        SkillChoice::Stable(stable) => {
            return Ok(print(&PromoteReport::nothing_to_do(&stable), args, console));
        }
    };
    let mut plan = promote::plan(
        &project,
        session.targets.source(),
        &beta,
        &files,
        &root,
        &decisions,
        &console.progress,
    );
    let (mut doc, is_possible) = report_of(args, (&project, &beta), (&root, &files), &plan)?;
    if is_possible {
        check_interrupt()?;
        let mut before = session.examine_read(&project, reading);
        mark(&mut before, &project);
        let (worse, notes, after) = promote::check_after(&mut session, &beta, &plan, &files, &before)?;
        // Each decision for the user is reported once.
        let known = |remark: &RemarkReport| {
            doc.refused.iter().any(|other| {
                promote::new_path(&other.path, &beta.from, &beta.to) == remark.path
                    && other.line == remark.line
            })
        };
        let worse: Vec<RemarkReport> =
            worse.iter().map(RemarkReport::from).filter(|remark| !known(remark)).collect();
        doc.refused.extend(worse);
        doc.notes.extend(notes.iter().map(RemarkReport::from));
        if let Some((path, baseline)) = &baseline {
            let renewed = promote::renewed(baseline, &before, &after, &beta);
            match &of_baseline {
                Some(file) => {
                    files.insert(file.clone());
                    let text = json::to_string(&renewed);
                    plan.renew(file, text, "the baseline");
                    doc.edits = PromoteReport::new(&beta, &plan, &files).edits;
                }
                None if renewed.findings != baseline.findings => doc.notes.push(to_write_again(path)),
                None => {}
            }
        }
    }
    if !doc.refused.is_empty() {
        doc.result = PromotionOutcome::Refused;
    } else if let Some(lock) = &lock {
        write(lock.folder(), witness, &beta, &plan)?;
    } else {
        doc.result = PromotionOutcome::Planned;
    }
    // Print the blockers next to the changes.
    if args.dry_run && args.format == OutputFormat::Human {
        console.print_patch(&report::diff(&beta, &plan, &files));
        if doc.result == PromotionOutcome::Planned {
            return Ok(CLEAN);
        }
    }
    Ok(print(&doc, args, console))
}

/// The report of `plan` with its blockers, and whether it can be applied.
fn report_of(
    args: &PromoteArgs,
    (project, beta): (&Project, &BetaSkill<'_>),
    (root, files): (&Path, &SourceTree),
    plan: &promote::PromotionPlan,
) -> Result<(PromoteReport, bool), CommandFailure> {
    let standing =
        promote::target_state(project, beta, files, root, plan).map_err(crate::build::BuildError::from)?;
    let mut refused = promote::blocking_links(beta, files, root);
    let mut doc = PromoteReport::new(beta, plan, files);
    match &standing {
        TargetState::Free => {}
        TargetState::Blocked(remark) => refused.push(remark.clone()),
        TargetState::Stable(differences) => {
            doc.removed.clone_from(&differences.gone);
            refused.extend(report::replacement_blocker(beta, differences).filter(|_| !args.replace));
            refused.extend(promote::dead_ends(beta, files, plan, differences));
        }
    }
    doc.refused = refused.iter().chain(&plan.unsure).map(RemarkReport::from).collect();
    let free = matches!(standing, TargetState::Free | TargetState::Stable(_));
    Ok((doc, free && refused.is_empty()))
}

fn print(doc: &PromoteReport, args: &PromoteArgs, console: &Console) -> u8 {
    match args.format {
        OutputFormat::Json => console.json(doc),
        OutputFormat::Human if doc.result == PromotionOutcome::Refused => console.error(&doc.text()),
        OutputFormat::Human => console.inform(&doc.text()),
    }
    if doc.result == PromotionOutcome::Refused { FINDINGS } else { CLEAN }
}

fn write(
    root: &Folder,
    witness: JournalWitness<'_>,
    beta: &BetaSkill<'_>,
    plan: &promote::PromotionPlan,
) -> Result<(), CommandFailure> {
    let rewrites: Vec<TextRewrite> = plan
        .texts
        .iter()
        .map(|(path, text)| TextRewrite { path: path.clone(), old: text.old.clone(), new: text.new.clone() })
        .collect();
    let moves: Vec<FolderMove> = beta
        .moves()
        .then(|| FolderMove { from: beta.from.clone(), to: beta.to.clone() })
        .into_iter()
        .collect();
    check_interrupt()?;
    let what = format!("`{}` becomes `{}`", beta.component.qualified, beta.stable);
    Ok(transaction::apply(root, witness, &what, &rewrites, &moves)?)
}

/// The user's state folder.
fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
}

/// The remark about a baseline outside of the repository.
fn to_write_again(baseline: &Path) -> RemarkReport {
    let path = baseline.to_string_lossy();
    RemarkReport {
        path: path.as_ref().into(),
        line: None,
        column: None,
        text: String::new(),
        why: format!(
            "some of its findings have other places now: `plugcast check --write-baseline {path}` writes it again"
        ),
    }
}

/// Fails if an earlier run left files that a preview would show as part of the repository.
fn nothing_unfinished(
    root: &Path,
    output: &OutputFolder,
    witness: JournalWitness<'_>,
) -> Result<(), CommandFailure> {
    if let Some(journal) = transaction::unfinished_change(&Folder::open(root)?, witness)? {
        let message = format!("an earlier run was interrupted: {}", journal.what);
        return Err(CommandFailure::usage(message, TO_COMPLETE));
    }
    build::must_be_finished(output.path())?;
    if let Some(folder) = replace::unfinished_outputs(output.path()).first() {
        let message = format!("an interrupted build has left something beside `{}`", folder.display());
        return Err(CommandFailure::usage(message, TO_COMPLETE));
    }
    Ok(())
}

/// Takes the lock, and completes the change of an interrupted run.
fn completed(
    root: &Path,
    witness: JournalWitness<'_>,
    console: &Console,
) -> Result<OutputLock, CommandFailure> {
    let lock =
        lock::acquire(&OutputFolder::named(root), lock::PATIENCE).map_err(crate::build::BuildError::from)?;
    if let Some(journal) = transaction::unfinished_change(lock.folder(), witness)? {
        transaction::complete(lock.folder(), witness, &journal)?;
        console.error_line(&format!("completed what an earlier run had begun: {}", journal.what));
    }
    Ok(lock)
}

/// All files below `root` except ignored ones and installed packages. The holder of the lock removes the staged files
/// of an earlier run.
fn files(root: &Path, lock: Option<&OutputLock>, console: &Console) -> Result<SourceTree, CommandFailure> {
    let options = walk::WalkOptions {
        skip_policy: walk::SkipPolicy::IgnoredAndPackages,
        progress: console.progress.clone(),
        ..walk::WalkOptions::default()
    };
    let mut files = SourceTree::default();
    walk::walk(root, Utf8Path::new(""), &options, &mut files).map_err(crate::build::BuildError::from)?;
    // Files whose encoding cannot be read cannot be judged either; those of plugins have findings.
    let staged: Vec<Utf8PathBuf> = files
        .files()
        .filter(|file| transaction::is_staged(&file.path))
        .map(|file| file.path.clone())
        .collect();
    for path in staged {
        if let Some(lock) = lock {
            transaction::remove_staged(lock.folder(), &path)?;
        }
        files.remove(&path);
    }
    Ok(files)
}

/// The path of SKILL relative to SRC, if it is a path.
fn place(root: &Path, src: Option<&Path>, skill: &str) -> Option<Utf8PathBuf> {
    let path = Path::new(skill.trim_end_matches('/'));
    if !skill.contains('/') || skill.starts_with('/') && !disk::is_folder(path) && !disk::is_file(path) {
        return None;
    }
    let inner = |base: &Path| {
        // The folder itself may no longer exist.
        let whole = base.join(path);
        // A symlink itself is not resolved.
        let mut above = whole.ancestors().skip(usize::from(whole.file_name().is_some()));
        let there = above.find_map(|above| Some((above, disk::canonical(above).ok()?)));
        let (above, real) = there?;
        let rest = whole.strip_prefix(above).ok()?;
        let whole = if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        Utf8PathBuf::from_path_buf(whole.strip_prefix(root).ok()?.to_owned()).ok()
    };
    let named = |place: &Utf8PathBuf| disk::kind(&root.join(place)).is_some();
    let (of_here, of_root) = (inner(Path::new(".")), inner(root));
    let of_src = src.and_then(inner).filter(named);
    let first = of_src.or_else(|| {
        of_here.filter(|place| named(place) || of_root.as_ref().is_none_or(|other| !named(other)))
    });
    first.or(of_root)
}

fn globs(patterns: &[String]) -> Result<GlobSet, CommandFailure> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            CommandFailure::usage(
                format!("invalid glob `{pattern}`: {}", error.kind()),
                "write one such as `docs/**`",
            )
        })?;
        set.add(glob);
    }
    set.build().map_err(|error| CommandFailure::usage(error.to_string(), "pass fewer globs"))
}

fn failure(args: &PromoteArgs, unclear: &SelectionError) -> CommandFailure {
    let asked = &args.skill;
    match unclear {
        SelectionError::Unknown(near) => {
            let help = near.as_ref().map_or_else(
                || "no skill of the source has this name: pass `plugin:name`, a name, or the path of its folder".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            CommandFailure::usage(format!("unknown beta `{asked}`"), help)
        }
        SelectionError::NotBeta(name, beta) => {
            let help = beta.as_ref().map_or_else(
                || {
                    "a beta's folder or name ends in `-beta`, or its description begins with `[BETA]`"
                        .to_owned()
                },
                |beta| format!("did you mean `{beta}`?"),
            );
            CommandFailure::usage(format!("`{name}` is not a beta"), help)
        }
        SelectionError::NotSkill(kind) => {
            CommandFailure::usage(format!("`{asked}` is a {}", kind.id()), "only a skill can be promoted")
        }
        SelectionError::Ambiguous(several) => {
            let names: Vec<String> =
                several.iter().map(|(name, path)| format!("`{name}` ({path})")).collect();
            let message = format!("several betas are named `{asked}`: {}", names.join(", "));
            CommandFailure::usage(
                message,
                "choose one with `plugcast promote PLUGIN:NAME`, or the path of its folder",
            )
        }
    }
}
