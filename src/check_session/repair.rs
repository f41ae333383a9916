//! `--fix`: fixes are applied to texts in memory, pass by pass, until nothing changes; only then each changed file is
//! written, in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::{CheckError, CheckSession, CheckedSource, TextOverlay};
use crate::check::fix::{self, RefusedFix};
use crate::check::scope::CheckScope;
use crate::diagnostic::Applicability;
use crate::disk::edit;
use crate::model::project::Project;
use crate::printable::patch_path;
use crate::process::interrupt;

/// More passes than this mean that fixes undo each other.
const PASSES: usize = 32;

/// The result of the fixes of a source.
#[derive(Debug)]
#[non_exhaustive]
pub struct RepairedSource {
    /// The findings in the new texts.
    pub examined: CheckedSource,
    /// Each file that changes: its path, its text before, and its text now.
    pub files: Vec<(Utf8PathBuf, Arc<str>, Arc<str>)>,
    /// How many findings were fixed.
    pub fixed: usize,
    /// Fixes after which the file would no longer parse.
    pub refused: BTreeSet<RefusedFix>,
    /// Whether fixes kept undoing each other.
    pub endless: bool,
}

/// Repeatedly applies the fixes of `examined` with applicability up to `most`.
///
/// # Errors
/// When the source cannot be read again.
pub fn repair(
    session: &mut CheckSession<'_>,
    mut examined: CheckedSource,
    scope: &CheckScope,
    most: Applicability,
) -> Result<RepairedSource, CheckError> {
    let mut before: BTreeMap<Utf8PathBuf, Arc<str>> = BTreeMap::new();
    let mut texts = TextOverlay::new();
    let mut refused = BTreeSet::new();
    let mut fixed = 0;
    let mut endless = true;
    for _ in 0..PASSES {
        interrupt::check().map_err(CheckError::Interrupted)?;
        let text = |path: &str| session.changeable(&examined.project, path);
        let pass = fix::plan(&examined.findings.diagnostics, most, text, &refused);
        refused.extend(pass.refused);
        if pass.texts.is_empty() {
            endless = false;
            break;
        }
        fixed += pass.taken.len();
        for (path, new) in pass.texts {
            let path = Utf8PathBuf::from(path);
            if let Some(old) = shared_text(&examined.project, path.as_str()) {
                before.entry(path.clone()).or_insert(old);
            }
            texts.insert(path, new);
        }
        let read = session.read(texts.clone())?;
        examined = session.examine(read, scope);
    }
    let files = before
        .into_iter()
        .filter_map(|(path, old)| texts.get(&path).map(|new| (path, old, Arc::clone(new))))
        .filter(|(_, old, new)| old != new)
        .collect();
    Ok(RepairedSource { examined, files, fixed, refused, endless })
}

impl RepairedSource {
    /// Writes the changed files.
    ///
    /// # Errors
    /// When a file cannot be written, or has changed since it was read; the files before it are already written.
    pub fn write(&self, session: &CheckSession<'_>) -> Result<(), CheckError> {
        for (path, old, new) in &self.files {
            interrupt::check().map_err(CheckError::Interrupted)?;
            edit::rewrite(&session.root, path, old, new)?;
        }
        Ok(())
    }

    /// What the fixes would change, as a unified diff.
    pub fn diff(&self) -> String {
        let mut out = String::new();
        for (path, old, new) in &self.files {
            let (from, to) = (format!("a/{path}"), format!("b/{path}"));
            let (from, to) = (patch_path(&from), patch_path(&to));
            let lines = similar::TextDiff::from_lines(old.as_ref(), new.as_ref());
            out.push_str(&lines.unified_diff().context_radius(3).header(&from, &to).to_string());
        }
        out
    }
}

impl CheckSession<'_> {
    /// The text of a file that a fix may change: one that is not reached through a symlink.
    pub fn changeable(&self, project: &Project, path: &str) -> Option<Arc<str>> {
        let file = project.file(path)?;
        let plain =
            Utf8Path::new(path).components().all(|part| matches!(part, camino::Utf8Component::Normal(_)));
        let in_place = plain && file.origin == self.root.join(path);
        in_place.then(|| shared_text(project, path)).flatten()
    }
}

fn shared_text(project: &Project, path: &str) -> Option<Arc<str>> {
    match &project.file(path)?.content {
        crate::source::FileContent::Text(text) => Some(Arc::clone(text)),
        _ => None,
    }
}
