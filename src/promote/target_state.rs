//! The state of the path of the promoted skill: free, a stable skill to replace, or something that must not be
//! replaced.

use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::remarks::{Remark, file_remark};
use super::selection::BetaSkill;
use super::{PromotionPlan, history, new_path};
use crate::disk::{self, DiskError, walk};
use crate::model::paths::join;
use crate::model::project::Project;
use crate::read::markdown;
use crate::source::{FileContent, SKILL_FILE, SourceFile, SourceTree, Span, is_markdown};

/// The state of the new path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetState {
    /// Nothing.
    Free,
    /// A stable skill.
    Stable(SkillDifferences),
    /// Something else, and why it blocks the promotion.
    Blocked(Remark),
}

/// The differences of a stable skill from its replacement. Paths are relative to SRC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SkillDifferences {
    /// Files with different content.
    pub changed: Vec<Utf8PathBuf>,
    /// Files that are new.
    pub added: Vec<Utf8PathBuf>,
    /// Files that the beta does not have.
    pub gone: Vec<Utf8PathBuf>,
}

impl SkillDifferences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.gone.is_empty()
    }
}

/// The state of the new path of `beta`. `files` are all files below `root`, which is SRC.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn target_state(
    project: &Project,
    beta: &BetaSkill<'_>,
    files: &SourceTree,
    root: &Path,
    plan: &PromotionPlan,
) -> Result<TargetState, walk::WalkError> {
    let components = || project.plugins.iter().flat_map(|plugin| &plugin.components);
    let taken = components().find(|found| {
        let there = beta.moves() && found.path.starts_with(&beta.to);
        found.qualified == beta.stable && found.path != beta.component.path && !there
    });
    if let Some(other) = taken {
        let why = format!(
            "`{}` is the name of another {}: rename one of the two first",
            beta.stable,
            other.kind.id()
        );
        return Ok(TargetState::Blocked(file_remark(&other.path, why)));
    }
    let inline = beta.plugin.inline.iter().find(|command| command.qualified == beta.stable);
    if let Some(command) = inline {
        let why = format!("`{}` is the name of a command: rename one of the two first", beta.stable);
        return Ok(TargetState::Blocked(file_remark(&command.path, why)));
    }
    if !beta.moves() {
        return Ok(TargetState::Free);
    }
    match disk::kind(&root.join(&beta.to)) {
        None => return Ok(TargetState::Free),
        Some(disk::FileKind::Folder)
            if components()
                .any(|found| found.folder() == beta.to && found.path.file_name() == Some(SKILL_FILE)) => {}
        Some(_) => {
            let why = "it is at the path of the promoted skill and is not a skill: move it elsewhere first";
            return Ok(TargetState::Blocked(file_remark(&beta.to, why)));
        }
    }
    let mut all = SourceTree::default();
    let nothing =
        walk::WalkOptions { skip_policy: walk::SkipPolicy::Nothing, ..walk::WalkOptions::default() };
    walk::walk(root, &beta.to, &nothing, &mut all)?;
    if let Some(hidden) = all.files().find(|file| files.get(&file.path).is_none()) {
        let why = "version control ignores it, so it could not be restored: move it elsewhere first";
        return Ok(TargetState::Blocked(file_remark(&hidden.path, why)));
    }
    let mut differences = SkillDifferences::default();
    for file in files.files_below(&beta.from) {
        let to = new_path(&file.path, &beta.from, &beta.to);
        match files.get(&to) {
            None => differences.added.push(to),
            Some(there) if !is_same_text(file, there, plan)? => differences.changed.push(to),
            Some(_) => {}
        }
    }
    let back = |file: &SourceFile| new_path(&file.path, &beta.to, &beta.from);
    let gone = files.files_below(&beta.to).filter(|file| files.get(back(file)).is_none());
    differences.gone.extend(gone.map(|file| file.path.clone()));
    Ok(TargetState::Stable(differences))
}

fn is_same_text(own: &SourceFile, there: &SourceFile, plan: &PromotionPlan) -> Result<bool, DiskError> {
    match (plan.text_of(own), &there.content) {
        (Some(text), FileContent::Text(other)) => Ok(text == *other),
        (None, FileContent::OnDisk | FileContent::NotText { .. } | FileContent::Repaired { .. }) => {
            let hash = |file: &SourceFile| disk::hash_in_place(&file.origin, Some(file.size));
            Ok(own.size == there.size && hash(own)? == hash(there)?)
        }
        _ => Ok(false),
    }
}

/// The blocker if the beta would replace a stable skill that differs.
pub(super) fn replacement_blocker(beta: &BetaSkill<'_>, differences: &SkillDifferences) -> Option<Remark> {
    if differences.is_empty() {
        return None;
    }
    let count = |paths: &[Utf8PathBuf]| match paths.len() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let parts = [(&differences.changed, "changed"), (&differences.added, "new"), (&differences.gone, "gone")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(paths, _)| !paths.is_empty())
        .map(|(paths, what)| format!("{} {what}", count(paths)))
        .collect();
    let why = format!(
        "a different stable `{}` exists ({}): pass `--replace` to put the beta in its place",
        beta.stable,
        parts.join(", ")
    );
    Some(file_remark(&beta.to, why))
}

/// Symlinks that moving the folder of `beta` would break, or that point to it.
pub(super) fn blocking_links(beta: &BetaSkill<'_>, files: &SourceTree, root: &Path) -> Vec<Remark> {
    if !beta.moves() {
        return Vec::new();
    }
    let linked = beta.from.ancestors().find(|folder| {
        !folder.as_str().is_empty() && disk::kind(&root.join(folder)) == Some(disk::FileKind::Link)
    });
    if let Some(folder) = linked {
        return vec![file_remark(folder, "it is a link: promote the skill at its real path")];
    }
    let real = root.join(&beta.from);
    let leads = |file: &&SourceFile| !file.path.starts_with(&beta.from) && file.origin.starts_with(&real);
    let mut out: Vec<Remark> = Vec::new();
    // A symlink to a folder above stays valid.
    let breaks = |link: &&Utf8Path| {
        let is_link = !link.as_str().is_empty() && disk::kind(&root.join(link)) == Some(disk::FileKind::Link);
        is_link && disk::canonical(&root.join(link)).is_ok_and(|target| target.starts_with(&real))
    };
    for file in files.files().filter(leads) {
        let Some(link) = file.path.ancestors().filter(breaks).last() else { continue };
        if out.iter().all(|remark| remark.path != link) {
            out.push(file_remark(
                link,
                "the link points into the folder that moves: replace it with a file, or remove it",
            ));
        }
    }
    out
}

/// The paths of the folder of `beta` through symlinks to a folder above it, each with its new path.
pub(super) fn views(
    beta: &BetaSkill<'_>,
    files: &SourceTree,
    root: &Path,
) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
    let own = &beta.component.path;
    let (real, Some(name)) = (root.join(own), beta.to.file_name()) else { return Vec::new() };
    let Ok(inner) = own.strip_prefix(&beta.from) else { return Vec::new() };
    let views = files.files().filter(|file| beta.moves() && file.origin == real && file.path != *own);
    let folder = |path: &Utf8PathBuf| {
        path.ancestors().find(|above| above.join(inner) == *path).map(Utf8Path::to_owned)
    };
    let views = views.filter_map(|file| folder(&file.path));
    views.map(|view| (view.clone(), view.with_file_name(name))).collect()
}

/// Links to removed files of the stable skill, except in texts about the past.
pub(super) fn dead_ends(
    beta: &BetaSkill<'_>,
    files: &SourceTree,
    plan: &PromotionPlan,
    differences: &SkillDifferences,
) -> Vec<Remark> {
    let mut out = Vec::new();
    if differences.gone.is_empty() {
        return out;
    }
    for file in files.files().filter(|file| is_markdown(&file.path) && !file.path.starts_with(&beta.to)) {
        let Some(text) = plan.text_of(file).filter(|text| history::record(&file.path, text).is_none()) else {
            continue;
        };
        let path = new_path(&file.path, &beta.from, &beta.to);
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        for link in markdown::outline(&text, Span::new(0, text.len())).links {
            let (to, _) = markdown::destination_parts(&link.destination);
            let Some(gone) = join(folder, to).filter(|to| differences.gone.contains(to)) else { continue };
            let line = text[..link.span.start].matches('\n').count() + 1;
            let why = format!("points to `{gone}`, which the beta does not have");
            out.push(Remark {
                path: path.clone(),
                line: Some(line),
                column: Some(1),
                text: String::new(),
                why,
            });
        }
    }
    out
}
