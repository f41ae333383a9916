//! A state that is compared: a folder with a source, a folder with bundles, or a commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::side::{self, ComparisonSide};
use super::{ComparisonError, read_commit};
use crate::build::{BuildError, SkipPolicy, SourceRequest};
use crate::diagnostic::{Diagnostic, HostId, HostSelection, Severity};
use crate::disk;
use crate::git::{CommitSnapshot, Git};
use crate::model::project::Project;
use crate::progress::Progress;
use crate::target::Targets;

/// A state to compare, together with the owner of its files.
#[derive(Debug)]
pub struct ComparedState {
    content: StateContent,
    label: String,
    /// The hosts that its `plugcast.toml` names.
    to: HostSelection,
    errors: Vec<Diagnostic>,
    remarks: Vec<String>,
    /// Keeps its temporary files alive.
    snapshot: Option<CommitSnapshot>,
}

/// The content of a state.
#[derive(Debug)]
enum StateContent {
    Project(Box<Project>),
    Bundles(BTreeMap<HostId, PathBuf>),
}

/// Where a state is.
#[derive(Debug, Clone)]
pub(super) enum StateLocation {
    Folder(PathBuf),
    Commit { git: PathBuf, reference: String, folder: Option<Utf8PathBuf> },
}

impl StateLocation {
    /// Resolves `word`, which is compared with `other`: an existing folder is used as such; everything else is resolved
    /// by git.
    pub(super) fn resolve(
        word: &str,
        other: &str,
        git: &dyn Fn(&Path) -> Git,
    ) -> Result<Self, ComparisonError> {
        if disk::is_folder(Path::new(word)) {
            return Ok(Self::Folder(PathBuf::from(word)));
        }
        let beside = Path::new(other);
        let is_source = disk::is_folder(beside) && side::bundles(beside)?.is_empty();
        let here = if is_source { beside } else { Path::new(".") };
        let git = git(here);
        let no_state = |error| ComparisonError::NoState { label: word.to_owned(), error };
        git.in_work_tree("pass two folders, or name a commit inside a git repository").map_err(no_state)?;
        // An existing commit takes precedence over the form `REF:FOLDER`.
        let (reference, folder) = match word.split_once(':') {
            Some((reference, folder)) if git.commit(word).is_err() => {
                (reference, Some(Utf8PathBuf::from(folder)))
            }
            _ => (word, None),
        };
        git.commit(reference).map_err(no_state)?;
        Ok(Self::Commit { git: here.to_owned(), reference: reference.to_owned(), folder })
    }

    /// The folder in which git finds the commit.
    pub(super) fn repository(&self) -> Option<&Path> {
        match self {
            Self::Folder(_) => None,
            Self::Commit { git, .. } => Some(git),
        }
    }
}

impl ComparedState {
    /// Reads the state at `location`, which the user calls `label`. Files that the snapshot `beside` has are not read
    /// again.
    pub(super) fn read(
        location: &StateLocation,
        label: &str,
        beside: Option<&CommitSnapshot>,
        git: &dyn Fn(&Path) -> Git,
        targets: &Targets,
        progress: &Progress,
    ) -> Result<Self, ComparisonError> {
        match location {
            StateLocation::Folder(folder) => Self::in_folder(folder, label, git, targets, progress),
            StateLocation::Commit { git: place, reference, folder } => {
                let git = git(&disk::canonical(place)?);
                Self::of_commit(&git, (reference, folder.as_deref()), label, beside, targets)
            }
        }
    }

    fn in_folder(
        folder: &Path,
        label: &str,
        git: &dyn Fn(&Path) -> Git,
        targets: &Targets,
        progress: &Progress,
    ) -> Result<Self, ComparisonError> {
        let bundles = side::bundles(folder)?;
        if !bundles.is_empty() {
            return Ok(Self::new(StateContent::Bundles(bundles), label));
        }
        let real = disk::canonical(folder)?;
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
        let (mut request, _) = SourceRequest::load(folder)?;
        let to = request.config.build.to.clone();
        // Bundles inside of a source are not part of it.
        request.outputs = vec![folder.join(request.config.build.out.as_deref().unwrap_or("dist"))];
        request.skip_policy = SkipPolicy::IgnoredAndPackages;
        request.progress = progress.clone();
        request.git = Some(git(&real));
        let (project, found) = side::source(request, &name.unwrap_or_default(), targets)?;
        Self::of_project(project, found, to, label)
    }

    fn of_commit(
        git: &Git,
        (reference, folder): (&str, Option<&Utf8Path>),
        label: &str,
        beside: Option<&CommitSnapshot>,
        targets: &Targets,
    ) -> Result<Self, ComparisonError> {
        let commit = git.commit(reference)?;
        let folder = match folder {
            Some(folder) => plain_folder(folder, label)?,
            None => git.place()?,
        };
        let top = git.top()?;
        let name = folder.file_name().map(str::to_owned);
        let name = name.or_else(|| Some(top.file_name()?.to_string_lossy().into_owned()));
        let mut snapshot = CommitSnapshot::load(git, (&commit, reference), &folder, "plugcast.toml", beside)?;
        let src = snapshot.folder().to_owned();
        let bundles = if snapshot.has_bundles() { side::bundles(&src)? } else { BTreeMap::new() };
        let state = if bundles.is_empty() {
            let past = read_commit(&mut snapshot, (&name.unwrap_or_default(), reference), targets);
            snapshot.must_be_whole()?;
            let in_commit = |error: BuildError| ComparisonError::Commit {
                error: Box::new(error),
                label: label.to_owned(),
                folder: src.display().to_string(),
            };
            let past = past.map_err(in_commit)?;
            let remarks = past.remarks;
            Self { remarks, ..Self::of_project(past.project, past.found, past.to, label)? }
        } else {
            Self::new(StateContent::Bundles(bundles), label)
        };
        let remarks = snapshot.remark(label).into_iter().chain(state.remarks).collect();
        Ok(Self { remarks, snapshot: Some(snapshot), ..state })
    }

    /// The state of a source that was read.
    fn of_project(
        project: Project,
        found: Vec<Diagnostic>,
        to: HostSelection,
        label: &str,
    ) -> Result<Self, ComparisonError> {
        let errors: Vec<Diagnostic> =
            found.into_iter().filter(|found| found.severity == Severity::Error).collect();
        if let Some(first) = errors.first().filter(|_| project.plugins.is_empty()) {
            let first = Box::new(first.clone());
            return Err(ComparisonError::NoPlugin { label: label.to_owned(), first });
        }
        Ok(Self { to, errors, ..Self::new(StateContent::Project(Box::new(project)), label) })
    }

    fn new(content: StateContent, label: &str) -> Self {
        let label = label.to_owned();
        Self {
            content,
            label,
            to: HostSelection::default(),
            errors: Vec::new(),
            remarks: Vec::new(),
            snapshot: None,
        }
    }

    /// The state, as the user names it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Errors found while it was read; the components with errors are left out of the comparison.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// Remarks about parts or settings of a commit that were skipped.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The hosts that its settings name.
    pub(super) fn selected_hosts(&self) -> &HostSelection {
        &self.to
    }

    pub(super) fn snapshot(&self) -> Option<&CommitSnapshot> {
        self.snapshot.as_ref()
    }

    pub(super) fn side(&self) -> ComparisonSide<'_> {
        match &self.content {
            StateContent::Project(project) => ComparisonSide::Source(project),
            StateContent::Bundles(folders) => ComparisonSide::Bundles(folders),
        }
    }

    /// The folder of each host's bundle, unless it is a source.
    pub(super) fn bundles(&self) -> Option<&BTreeMap<HostId, PathBuf>> {
        match &self.content {
            StateContent::Bundles(folders) => Some(folders),
            StateContent::Project(_) => None,
        }
    }
}

/// `folder` without `.` and a trailing slash.
fn plain_folder(folder: &Utf8Path, label: &str) -> Result<Utf8PathBuf, ComparisonError> {
    let parts: Vec<_> = folder.components().filter(|part| !matches!(part, Utf8Component::CurDir)).collect();
    if parts.iter().all(|part| matches!(part, Utf8Component::Normal(_))) {
        return Ok(parts.into_iter().collect());
    }
    Err(ComparisonError::NotInside { label: label.to_owned() })
}
