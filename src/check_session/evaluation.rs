//! The accuracy of the rules on labelled trees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{CheckError, CheckSession, SessionOptions, TextOverlay};
use crate::check::rules;
use crate::check::scope::CheckScope;
pub use crate::check::score::Label;
use crate::check::score::{LabelDifference, Score, compare};
use crate::disk;
use crate::progress::Progress;
use crate::target::Targets;

/// The labels of a tree, in its folder.
const LABELS: &str = "expected.json";

/// How the findings of the rules compare with the labels of trees.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Evaluation {
    /// The score of each rule with findings or labels.
    pub scores: BTreeMap<String, Score>,
    /// The trees, and the difference in each.
    pub trees: Vec<(PathBuf, LabelDifference)>,
}

impl Evaluation {
    /// Checks the labelled trees at `paths`, which are folders with labels or contain such folders, each with only its
    /// own configuration.
    ///
    /// # Errors
    /// When no labelled tree is found, or one cannot be read.
    pub fn load(paths: &[PathBuf], targets: &Targets, progress: &Progress) -> Result<Self, CheckError> {
        let mut folders = Vec::new();
        for path in paths {
            collect(path, &mut folders)?;
        }
        if folders.is_empty() {
            return Err(CheckError::NoLabels);
        }
        let mut out = Self::default();
        let cases = progress.repeat("checking labelled trees", folders.len());
        for folder in folders {
            let difference = out.evaluate(&folder, targets, progress)?;
            out.trees.push((folder, difference));
            cases.step();
        }
        Ok(out)
    }

    /// Adds the scores of one tree.
    fn evaluate(
        &mut self,
        folder: &Path,
        targets: &Targets,
        progress: &Progress,
    ) -> Result<LabelDifference, CheckError> {
        let labels = labels(folder)?;
        let inner = folder.join("in");
        let tree = if disk::is_folder(&inner) { inner } else { folder.to_owned() };
        let options =
            SessionOptions { own_config: true, progress: progress.clone(), ..SessionOptions::default() };
        let mut session = CheckSession::new(&tree, &options, targets)?;
        let read = session.read(TextOverlay::new())?;
        let mut found = session.examine(read, &CheckScope::default()).findings.diagnostics;
        found.retain(|found| rules::find(found.rule.as_str()).is_some());
        Ok(compare(&labels, &found, &mut self.scores))
    }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), CheckError> {
    if disk::is_file(&folder.join(LABELS)) {
        out.push(folder.to_owned());
        return Ok(());
    }
    for (name, is_folder) in disk::list(folder)? {
        if is_folder {
            collect(&folder.join(name), out)?;
        }
    }
    Ok(())
}

fn labels(folder: &Path) -> Result<Vec<Label>, CheckError> {
    let path = folder.join(LABELS);
    let text = disk::read_text(&path)?.unwrap_or_default();
    let labels: Vec<Label> = serde_json::from_str(&text).map_err(|error| CheckError::Labels {
        message: super::without_position(&error.to_string()).to_owned(),
        place: (path.display().to_string(), error.line(), error.column()),
    })?;
    Ok(labels.into_iter().filter(|label| rules::find(&label.rule).is_some()).collect())
}
