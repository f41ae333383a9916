//! A check of a release: the source is read, every check runs, and what has a fix is corrected until nothing changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::checks::check;
use super::context::{ReleaseContext, ReleaseRequest, WorkTreeFiles};
use super::error::ReleaseError;
use super::finding::shifted;
use super::history::ReleaseHistory;
use super::report::ReleasedUnit;
use super::{past_releases, units};
use crate::build::helper::{self, HelperSearchPath};
use crate::build::{BuildError, SkipPolicy, SourceRequest};
use crate::check::{fix, fold};
use crate::check_session::CheckError;
use crate::compare;
use crate::diagnostic::{self, Applicability, Diagnostic, HostSelection, Severity};
use crate::disk::{self, edit};
use crate::git::Git;
use crate::process::interrupt;
use crate::progress::Progress;
use crate::source::{FileContent, SourceFile};
use crate::target::{Target, Targets};

/// More passes than this mean that fixes undo each other.
const PASSES: usize = 8;

/// What is checked, and how.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseOptions<'a> {
    /// The hosts to check for; empty for those of the settings, else the host that sources are written for.
    pub to: HostSelection,
    /// `--base`.
    pub base: Option<&'a str>,
    /// Git, run in SRC.
    pub git: Git,
    /// Where the helper's binaries are; without them, bundles are examined without it.
    pub helper: Option<HelperSearchPath>,
    /// Receives the progress.
    pub progress: Progress,
}

impl ReleaseOptions<'_> {
    /// The checks of a source in the folder of `git`, without the helper's binaries.
    pub fn new(git: Git) -> Self {
        Self { to: HostSelection::default(), base: None, git, helper: None, progress: Progress::default() }
    }
}

/// The checks of one release.
#[derive(Debug)]
pub struct ReleaseSession<'a> {
    src: PathBuf,
    targets: &'a Targets,
    options: ReleaseOptions<'a>,
}

/// The result of one examination.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseExamination {
    top: PathBuf,
    /// The findings, with paths relative to the top of the repository.
    pub found: Vec<Diagnostic>,
    /// Everything with its own version.
    pub released: Vec<ReleasedUnit>,
    /// Skipped checks, one line each.
    pub remarks: Vec<String>,
    /// The files that findings are about.
    files: BTreeMap<String, Rc<SourceFile>>,
}

impl<'a> ReleaseSession<'a> {
    /// Prepares the checks of the source at `src`, which is absolute.
    ///
    /// # Errors
    /// When it is not in a git work tree.
    pub fn new(
        src: PathBuf,
        targets: &'a Targets,
        options: ReleaseOptions<'a>,
    ) -> Result<Self, ReleaseError> {
        options.git.in_work_tree("run `release check` in a clone of the repository")?;
        Ok(Self { src, targets, options })
    }

    /// Reads the source and runs every check.
    ///
    /// # Errors
    /// When the source, a commit or a bundle cannot be read.
    pub fn examine(&self) -> Result<ReleaseExamination, ReleaseError> {
        let ReleaseOptions { to, base, git, helper, progress } = &self.options;
        let (mut request, config_folder) = SourceRequest::load(&self.src)?;
        let config_folder =
            if config_folder.as_os_str().is_empty() { self.src.clone() } else { config_folder };
        let hosts: Vec<&Target> = match request.hosts(to, self.targets).map_err(CheckError::from)? {
            none if none.is_empty() => vec![self.targets.source_host()],
            hosts => hosts,
        };
        let config = request.config.clone();
        request.git = Some(git.clone());
        request.outputs = vec![config_folder.join(config.build.out.as_deref().unwrap_or("dist"))];
        request.skip_policy = SkipPolicy::IgnoredAndPackages;
        request.readme = true;
        request.progress = progress.clone();
        let name = self.src.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (mut project, reading) = compare::source(request, &name, self.targets)?;
        project.helpers = helper::binaries(&project, helper.as_ref(), true).unwrap_or_default();
        check_interrupt()?;
        let context = read_repository(ReleaseRequest {
            project: &project,
            config: &config,
            config_folder,
            hosts,
            targets: self.targets,
            base: *base,
            git: git.clone(),
            progress: progress.clone(),
        })?;
        let mut found = check(&context)?;
        let errors = reading.into_iter().filter(|found| found.severity == Severity::Error);
        found.extend(errors.map(|found| shifted(found, &context.place)));
        diagnostic::sort(&mut found);
        let mut files = BTreeMap::new();
        for path in found.iter().flat_map(paths).collect::<BTreeSet<&str>>() {
            if let Some(file) = context.files.get(Utf8Path::new(path)) {
                files.insert(path.to_owned(), file);
            }
        }
        let (released, remarks) = (context.released(), context.remarks().to_vec());
        Ok(ReleaseExamination { top: context.top, found, released, remarks, files })
    }

    /// Applies the fixes with applicability up to `most`, and examines the result, until nothing changes. Returns the
    /// last result, and how many fixes were applied.
    ///
    /// # Errors
    /// As [`ReleaseSession::examine`], or when a file cannot be written.
    pub fn repair(
        &self,
        mut examined: ReleaseExamination,
        most: Applicability,
    ) -> Result<(ReleaseExamination, usize), ReleaseError> {
        let mut fixed = 0;
        for _ in 0..PASSES {
            let count = examined.apply_fixes(most)?;
            if count == 0 {
                break;
            }
            fixed += count;
            check_interrupt()?;
            examined = self.examine()?;
        }
        Ok((examined, fixed))
    }
}

impl ReleaseExamination {
    /// The findings for a reader: frequent ones that differ only in names are joined.
    pub fn patterns(&self) -> Vec<Diagnostic> {
        fold::fold_patterns(&self.found, |_| String::new())
    }

    /// The file at `path`, if a finding mentions it.
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.get(path).map(|file| &**file)
    }

    /// Applies the fixes that do not overlap; returns how many.
    fn apply_fixes(&self, most: Applicability) -> Result<usize, ReleaseError> {
        let text = |path: &str| match &self.files.get(path)?.content {
            FileContent::Text(text) => Some(Arc::clone(text)),
            _ => None,
        };
        let pass = fix::plan(&self.found, most, text, &BTreeSet::new());
        for (path, new) in &pass.texts {
            check_interrupt()?;
            if let Some(old) = text(path) {
                edit::rewrite(&self.top, Utf8Path::new(path), &old, new)?;
            }
        }
        Ok(pass.taken.len())
    }
}

/// Finds everything with a version and its last release.
fn read_repository(request: ReleaseRequest<'_>) -> Result<ReleaseContext<'_>, ReleaseError> {
    let git = request.git;
    let top = disk::canonical(&git.top()?)?;
    let place = git.place()?;
    let inner = request.config_folder.strip_prefix(&top).ok().and_then(Path::to_str);
    let config_place = inner.map_or_else(|| place.clone(), Utf8PathBuf::from);
    let mut context = ReleaseContext {
        files: WorkTreeFiles::new(top.clone()),
        top,
        place,
        config_place,
        git,
        project: request.project,
        config: request.config,
        hosts: request.hosts,
        targets: request.targets,
        base: request.base,
        progress: request.progress,
        units: Vec::new(),
        history: ReleaseHistory::default(),
    };
    context.units = units::find(&context)?;
    context.history = past_releases::load(&context)?;
    Ok(context)
}

fn check_interrupt() -> Result<(), BuildError> {
    interrupt::check().map_err(|_| BuildError::Interrupted)
}

/// Every file that a finding mentions.
fn paths(found: &Diagnostic) -> impl Iterator<Item = &str> {
    let edits = found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.path.as_str());
    let related = found.related.iter().map(|related| related.path.as_str());
    std::iter::once(found.path.as_str()).chain(edits).chain(related)
}
