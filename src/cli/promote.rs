//! `plugcast promote`: a beta skill becomes the stable one, with all references, in one step.

use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use clap::Args;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, OutputFormat, environment};
use crate::check_session::{CheckSession, SessionOptions};
use crate::disk;
use crate::disk::transaction::{JournalWitness, TransactionError};
use crate::promote::{
    self, PromotionDecisions, PromotionError, PromotionSession, SelectionError, SkillChoice,
};
use crate::report::promote::{self as report, PromoteReport, PromotionOutcome};

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

impl From<PromotionError> for CommandFailure {
    fn from(error: PromotionError) -> Self {
        match error {
            PromotionError::Check(error) => error.into(),
            PromotionError::Build(error) => error.into(),
            PromotionError::Disk(error) => error.into(),
            PromotionError::Transaction(error) => error.into(),
            PromotionError::Unfinished(message) => Self::usage(message, TO_COMPLETE),
            PromotionError::Interrupted => Self::interrupted(),
        }
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
    let session = CheckSession::new(&src, &options, &targets)?;
    let state = state_folder();
    let witness = JournalWitness(state.as_deref());
    let completed = |what: &str| {
        console.error_line(&format!("completed what an earlier run had begun: {what}"));
    };
    let mut session = PromotionSession::open(session, witness, args.dry_run, &console.progress, completed)?;
    let (project, reading) = session.read()?;
    let (root, named_src) = (session.root().to_owned(), args.src.as_deref());
    let asked = promote::qualified_skill(&project, &root, named_src, &args.skill);
    let place = place(&root, named_src, &args.skill);
    let beta = match promote::select_skill(&project, &asked, place.as_deref())
        .map_err(|unclear| failure(args, &unclear))?
    {
        SkillChoice::Beta(beta) => beta,
        SkillChoice::Stable(stable) => {
            return Ok(print(&PromoteReport::nothing_to_do(&stable), args, console));
        }
    };
    let (plan, judgement) = session.plan((&project, reading), &beta, &decisions, args.replace)?;
    let mut doc = PromoteReport::new(&beta, &plan, &judgement, session.files());
    if doc.result == PromotionOutcome::Promoted {
        session.apply(&beta, &plan)?;
        if session.is_preview() {
            doc.result = PromotionOutcome::Planned;
        }
    }
    // Print the blockers next to the changes.
    if args.dry_run && args.format == OutputFormat::Human {
        console.print_patch(&report::diff(&beta, &plan, session.files()));
        if doc.result == PromotionOutcome::Planned {
            return Ok(CLEAN);
        }
    }
    Ok(print(&doc, args, console))
}

fn print(doc: &PromoteReport, args: &PromoteArgs, console: &Console) -> u8 {
    match args.format {
        OutputFormat::Json => console.json(doc),
        OutputFormat::Human if doc.result == PromotionOutcome::Refused => console.error(&doc.text()),
        OutputFormat::Human => console.inform(&doc.text()),
    }
    if doc.result == PromotionOutcome::Refused { FINDINGS } else { CLEAN }
}

/// The user's state folder.
fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
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
