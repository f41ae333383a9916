//! A promotion from the lock to the written change: what an interrupted run left is completed, the change is planned
//! and checked in memory, and then made as one transaction.

use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::rebaseline::rebaseline;
use super::{
    BetaSkill, PromotionDecisions, PromotionPlan, Remark, TargetState, blocking_links, dead_ends, judge,
    new_path, replacement_blocker, target_state,
};
use crate::build::{self, BuildError};
use crate::check::baseline::Baseline;
use crate::check_session::{CheckError, CheckSession, TextOverlay, mark};
use crate::diagnostic::Diagnostic;
use crate::disk::folder::Folder;
use crate::disk::lock::{self, OutputFolder, OutputLock};
use crate::disk::transaction::{self, FolderMove, JournalWitness, TextRewrite, TransactionError};
use crate::disk::walk::{self, WalkError};
use crate::disk::{DiskError, replace};
use crate::emit::json;
use crate::model::project::Project;
use crate::process::interrupt;
use crate::progress::Progress;
use crate::source::{SourceFile, SourceTree};

/// Why a promotion could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromotionError {
    /// The source could not be checked.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The source could not be read, or locked.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The change could not be made.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// A preview found what an interrupted run left.
    #[error("{0}")]
    Unfinished(String),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

impl From<WalkError> for PromotionError {
    fn from(error: WalkError) -> Self {
        BuildError::from(error).into()
    }
}

/// A repository in which a beta is promoted.
#[derive(Debug)]
pub struct PromotionSession<'a> {
    session: CheckSession<'a>,
    witness: JournalWitness<'a>,
    /// Absent in a preview, which writes nothing.
    lock: Option<OutputLock>,
    files: SourceTree,
    baseline: Option<(PathBuf, Baseline)>,
    /// The file of the baseline, if it lies in the repository.
    baseline_file: Option<SourceFile>,
    progress: Progress,
}

/// What stands in the way of a promotion, and what it leaves to review.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct PromotionJudgement {
    /// Files of the stable skill that are removed.
    pub removed: Vec<Utf8PathBuf>,
    /// Places that block it.
    pub refused: Vec<Remark>,
    /// Places to review afterwards.
    pub notes: Vec<Remark>,
}

impl<'a> PromotionSession<'a> {
    /// Opens the repository of `session`. Unless it is a preview, it is locked, and what an interrupted run has begun is
    /// completed: `completed` is told what.
    ///
    /// # Errors
    /// When it cannot be read or locked, or a preview finds something unfinished.
    pub fn open(
        session: CheckSession<'a>,
        witness: JournalWitness<'a>,
        is_preview: bool,
        progress: &Progress,
        completed: impl FnOnce(&str),
    ) -> Result<Self, PromotionError> {
        let output = session.output();
        let lock = match is_preview {
            true => {
                ensure_finished(&session.root, &output, witness)?;
                None
            }
            false => {
                let lock = lock_completed(&session.root, witness, completed)?;
                build::complete(&output)?;
                Some(lock)
            }
        };
        let mut files = read_files(&session.root, lock.as_ref(), progress)?;
        let baseline = session.baseline()?;
        let inner = baseline.as_ref().and_then(|(path, _)| path.strip_prefix(&session.root).ok());
        // The baseline is generated from findings, so references in it are not edited.
        let baseline_file = inner.and_then(Utf8Path::from_path).and_then(|path| files.remove(path));
        let progress = progress.clone();
        Ok(Self { session, witness, lock, files, baseline, baseline_file, progress })
    }

    /// The repository: SRC with symlinks resolved.
    pub fn root(&self) -> &Path {
        &self.session.root
    }

    /// All its files.
    pub fn files(&self) -> &SourceTree {
        &self.files
    }

    /// Whether nothing is written.
    pub fn is_preview(&self) -> bool {
        self.lock.is_none()
    }

    /// Reads its plugins, with the findings of reading them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(&mut self) -> Result<(Project, Vec<Diagnostic>), PromotionError> {
        Ok(self.session.read(TextOverlay::new())?)
    }

    /// Plans the promotion of `beta`, and checks the result; `replaces` permits to replace a stable skill that differs.
    ///
    /// # Errors
    /// When a file cannot be read, or the user interrupts it.
    pub fn plan(
        &mut self,
        (project, reading): (&Project, Vec<Diagnostic>),
        beta: &BetaSkill<'_>,
        decisions: &PromotionDecisions,
        replaces: bool,
    ) -> Result<(PromotionPlan, PromotionJudgement), PromotionError> {
        let (root, source) = (&self.session.root, self.session.targets.source());
        let mut plan = super::plan(project, source, beta, &self.files, root, decisions, &self.progress);
        let mut judgement = PromotionJudgement::default();
        let state = target_state(project, beta, &self.files, root, &plan)?;
        let mut refused = blocking_links(beta, &self.files, root);
        match &state {
            TargetState::Free => {}
            TargetState::Blocked(remark) => refused.push(remark.clone()),
            TargetState::Stable(differences) => {
                judgement.removed.clone_from(&differences.gone);
                refused.extend(replacement_blocker(beta, differences).filter(|_| !replaces));
                refused.extend(dead_ends(beta, &self.files, &plan, differences));
            }
        }
        let is_possible = refused.is_empty();
        judgement.refused.extend(refused.into_iter().chain(plan.unsure.iter().cloned()));
        if is_possible {
            self.check((project, reading), beta, &mut plan, &mut judgement)?;
        }
        Ok((plan, judgement))
    }

    /// Adds what `check` finds after the promotion, and keeps the findings of the baseline known.
    fn check(
        &mut self,
        (project, reading): (&Project, Vec<Diagnostic>),
        beta: &BetaSkill<'_>,
        plan: &mut PromotionPlan,
        judgement: &mut PromotionJudgement,
    ) -> Result<(), PromotionError> {
        ensure_not_interrupted()?;
        let mut before = self.session.examine_read(project, reading);
        mark(&mut before, project);
        let (worse, notes, after) =
            judge::findings_after(&mut self.session, beta, plan, &self.files, &before)?;
        // Each decision for the user is reported once.
        let refused = &judgement.refused;
        let is_known = |remark: &Remark| {
            refused.iter().any(|other| {
                new_path(&other.path, &beta.from, &beta.to) == remark.path && other.line == remark.line
            })
        };
        let worse: Vec<Remark> = worse.into_iter().filter(|remark| !is_known(remark)).collect();
        judgement.refused.extend(worse);
        judgement.notes.extend(notes);
        let Some((path, baseline)) = &self.baseline else { return Ok(()) };
        let renewed = rebaseline(baseline, &before, &after, beta);
        match &self.baseline_file {
            Some(file) => {
                self.files.insert(file.clone());
                plan.renew(file, json::to_string(&renewed), "the baseline");
            }
            None if renewed.findings != baseline.findings => judgement.notes.push(stale_baseline(path)),
            None => {}
        }
        Ok(())
    }

    /// Makes the change, unless this is a preview.
    ///
    /// # Errors
    /// When a file cannot be written, or the user interrupts it.
    pub fn apply(&self, beta: &BetaSkill<'_>, plan: &PromotionPlan) -> Result<(), PromotionError> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let rewrite = |(path, text): (&Utf8PathBuf, &super::RewrittenText)| TextRewrite {
            path: path.clone(),
            old: text.old.clone(),
            new: text.new.clone(),
        };
        let rewrites: Vec<TextRewrite> = plan.texts.iter().map(rewrite).collect();
        let moves = beta.moves().then(|| FolderMove { from: beta.from.clone(), to: beta.to.clone() });
        let moves: Vec<FolderMove> = moves.into_iter().collect();
        ensure_not_interrupted()?;
        let what = format!("`{}` becomes `{}`", beta.component.qualified, beta.stable);
        Ok(transaction::apply(lock.folder(), self.witness, &what, &rewrites, &moves)?)
    }
}

fn ensure_not_interrupted() -> Result<(), PromotionError> {
    interrupt::check().map_err(|_| PromotionError::Interrupted)
}

/// The remark about a baseline outside of the repository.
fn stale_baseline(baseline: &Path) -> Remark {
    let path = baseline.to_string_lossy();
    let why = format!(
        "some of its findings have other places now: `plugcast check --write-baseline {path}` writes it again"
    );
    super::remarks::file_remark(path.as_ref().into(), why)
}

/// Fails if an earlier run left files that a preview would show as part of the repository.
fn ensure_finished(
    root: &Path,
    output: &OutputFolder,
    witness: JournalWitness<'_>,
) -> Result<(), PromotionError> {
    if let Some(journal) = transaction::unfinished_change(&Folder::open(root)?, witness)? {
        return Err(PromotionError::Unfinished(format!("an earlier run was interrupted: {}", journal.what)));
    }
    build::must_be_finished(output.path())?;
    if let Some(folder) = replace::unfinished_outputs(output.path()).first() {
        let message = format!("an interrupted build has left files next to `{}`", folder.display());
        return Err(PromotionError::Unfinished(message));
    }
    Ok(())
}

/// Takes the lock, and completes the change of an interrupted run.
fn lock_completed(
    root: &Path,
    witness: JournalWitness<'_>,
    completed: impl FnOnce(&str),
) -> Result<OutputLock, PromotionError> {
    let lock = lock::acquire(&OutputFolder::named(root), lock::PATIENCE).map_err(BuildError::from)?;
    if let Some(journal) = transaction::unfinished_change(lock.folder(), witness)? {
        transaction::complete(lock.folder(), witness, &journal)?;
        completed(&journal.what);
    }
    Ok(lock)
}

/// All files below `root` except ignored ones and installed packages. The holder of the lock removes the staged files
/// of an earlier run.
fn read_files(
    root: &Path,
    lock: Option<&OutputLock>,
    progress: &Progress,
) -> Result<SourceTree, PromotionError> {
    let options = walk::WalkOptions {
        skip_policy: walk::SkipPolicy::IgnoredAndPackages,
        progress: progress.clone(),
        ..walk::WalkOptions::default()
    };
    let mut files = SourceTree::default();
    walk::walk(root, Utf8Path::new(""), &options, &mut files)?;
    // Files whose encoding cannot be read cannot be judged either; those of plugins have findings.
    let staged = files.files().filter(|file| transaction::is_staged(&file.path));
    let staged: Vec<Utf8PathBuf> = staged.map(|file| file.path.clone()).collect();
    for path in staged {
        if let Some(lock) = lock {
            transaction::remove_staged(lock.folder(), &path)?;
        }
        files.remove(&path);
    }
    Ok(files)
}
