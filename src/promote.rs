//! Promotes a beta to stable: finds everything that has to change in every text of a repository so that the skill
//! `plan-beta` becomes `plan`, the places that correctly keep the old name, and those that need a decision by the user.
//! The plan is pure: texts in, edits by byte range out. A [`PromotionSession`] checks the result in memory and writes it.

mod bundle_folder;
mod history;
mod judge;
mod marks;
mod mention;
mod path;
mod rebaseline;
mod remarks;
mod scope;
mod selection;
mod session;
mod signs;
mod target_state;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;

pub use remarks::Remark;
pub use scope::{qualified_skill, repository};
pub use selection::{BetaSkill, SelectionError, SkillChoice, select_skill};
pub use session::{PromotionError, PromotionJudgement, PromotionSession};
use target_state::{TargetState, blocking_links, dead_ends, replacement_blocker, target_state};

use crate::model::project::Project;
use crate::progress::Progress;
use crate::rewrite::{self, Edit};
use crate::source::{FileContent, SourceFile, SourceTree, Span};
use crate::source_format::SourceFacts;
use mention::{MentionFinder, MentionVerdict};

/// The decisions of the user.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PromotionDecisions {
    /// Files in which every whole mention is the skill's name.
    pub rename: GlobSet,
    /// Files that correctly keep the old name.
    pub leave: GlobSet,
    /// Whether the stable skill, too, is only called by users.
    pub user_only: bool,
}

/// One text that changes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RewrittenText {
    /// The text before.
    pub old: Arc<str>,
    /// The text after.
    pub new: Arc<str>,
    /// The edits, in source order.
    pub edits: Vec<PromotionEdit>,
}

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromotionEdit {
    /// The replaced bytes.
    pub span: Span,
    /// The new text.
    pub text: String,
    /// What kind of place it is.
    pub what: &'static str,
}

/// What a promotion does to a repository.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PromotionPlan {
    /// Texts that change, by their current path, relative to SRC.
    pub texts: BTreeMap<Utf8PathBuf, RewrittenText>,
    /// Places that may name the skill, which only the user can tell.
    pub unsure: Vec<Remark>,
    /// Places that correctly keep the old name.
    pub left: Vec<Remark>,
    /// Places to review afterwards.
    pub notes: Vec<Remark>,
}

/// The remark about a file in a bundle that its manifest does not list.
const UNLISTED: &str =
    "not in the manifest of the bundle, so `plugcast build` leaves it unchanged: move it elsewhere";

/// Plans the promotion of `beta`. `files` are all files below `root`, which is SRC with symlinks resolved, including
/// those of plugins.
fn plan(
    project: &Project,
    source: &SourceFacts,
    beta: &BetaSkill<'_>,
    files: &SourceTree,
    root: &Path,
    decisions: &PromotionDecisions,
    progress: &Progress,
) -> PromotionPlan {
    let mut plan = PromotionPlan::default();
    let finder = MentionFinder::new(project, beta, files);
    let bundles = bundle_folder::bundles(files);
    progress.begin("looking for the beta's name in files", files.files().count());
    for file in files.files() {
        progress.step();
        let path = file.path.as_path();
        if let FileContent::NotText { reason, .. } | FileContent::Repaired { reason, .. } = &file.content {
            plan.notes.push(remarks::file_remark(path, format!("was not searched: the file {reason}")));
        }
        let FileContent::Text(text) = &file.content else { continue };
        // Skip files at the new path, which are removed, and symlinks, whose targets are read at their real paths.
        if beta.moves() && path.starts_with(&beta.to) || file.origin != root.join(path) {
            continue;
        }
        let own = beta.owns(path);
        let mut changes = if path == beta.component.path {
            marks::changes(beta, text, decisions.user_only)
        } else {
            Vec::new()
        };
        let record = history::record(path, text).filter(|_| !own);
        let bundle = bundles.iter().find(|bundle| bundle.contains(path));
        for mention in finder.find(file, text) {
            if changes.iter().any(|change| touches(change.span, mention.span)) {
                continue;
            }
            let remark = |why: &str| remarks::remark(file, mention.span, why);
            match mention.verdict {
                MentionVerdict::Other => {}
                _ if bundle.is_some_and(|bundle| !bundle.writes(path)) => plan.notes.push(remark(UNLISTED)),
                _ if bundle.is_some() => plan.left.push(remark("a bundle, which `plugcast build` rewrites")),
                _ if record.is_some() => plan.left.push(remark(record.unwrap_or_default())),
                _ if decisions.leave.is_match(path) => plan.left.push(remark("the file matches `--leave`")),
                MentionVerdict::Leave(why) => plan.left.push(remark(why)),
                MentionVerdict::Unsure(_) if decisions.rename.is_match(path) => {
                    changes.push(mention.change("a mention in a file that matches `--rename`"));
                }
                MentionVerdict::Name(what) => changes.push(mention.change(what)),
                MentionVerdict::Unsure(why) => plan.unsure.push(remark(why)),
            }
        }
        if own {
            changes.extend(marks::copy_of_itself(beta, text));
        }
        if !changes.is_empty() {
            changes.sort_by_key(|change| change.span);
            changes.dedup_by(|later, earlier| touches(earlier.span, later.span));
            plan.notes.extend(remarks::remarks_near_changes(file, text, &changes, beta));
            plan.rewrite(file, changes);
        }
    }
    plan.notes.extend(remarks::file_remarks(project, source, beta, files, &plan.texts));
    plan
}

impl PromotionPlan {
    fn rewrite(&mut self, file: &SourceFile, changes: Vec<PromotionEdit>) {
        let FileContent::Text(old) = &file.content else { return };
        let edits: Vec<Edit<()>> = changes
            .iter()
            .map(|change| Edit { span: change.span, text: change.text.clone(), tag: () })
            .collect();
        if let Ok((new, _)) = rewrite::apply(old, &edits) {
            let rewritten = RewrittenText { old: Arc::clone(old), new: Arc::from(new), edits: changes };
            self.texts.insert(file.path.clone(), rewritten);
        }
    }

    /// Replaces the text of a file that plugcast itself wrote.
    pub fn renew(&mut self, file: &SourceFile, text: String, what: &'static str) {
        let FileContent::Text(old) = &file.content else { return };
        if **old != *text {
            let change = PromotionEdit { span: Span::new(0, old.len()), text, what };
            self.rewrite(file, vec![change]);
        }
    }

    /// The text that the file at `path` will have.
    pub fn text_of(&self, file: &SourceFile) -> Option<Arc<str>> {
        match (self.texts.get(&file.path), &file.content) {
            (Some(rewritten), _) => Some(Arc::clone(&rewritten.new)),
            (None, FileContent::Text(text)) => Some(Arc::clone(text)),
            _ => None,
        }
    }
}

/// The new path of the file at `path`.
pub fn new_path(path: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Utf8PathBuf {
    match path.strip_prefix(from) {
        Ok(inner) if inner.as_str().is_empty() => to.to_owned(),
        Ok(inner) => to.join(inner),
        Err(_) => path.to_owned(),
    }
}

fn touches(a: Span, b: Span) -> bool {
    a.start == b.start || a.start < b.end && b.start < a.end
}
