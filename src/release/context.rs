//! The input of the checks: the repository, the source in it, everything with a version, and the files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::history::ReleaseHistory;
use super::report::ReleasedUnit;
use super::unit::VersionedUnit;
use crate::compare::Impact;
use crate::disk;
use crate::git::Git;
use crate::model::config::Config;
use crate::model::project::Project;
use crate::progress::Progress;
use crate::source::{FileContent, SourceFile};
use crate::target::{Target, Targets};

/// The request for a run.
pub(super) struct ReleaseRequest<'a> {
    /// The source that was read from there.
    pub(super) project: &'a Project,
    /// The configuration that applies to SRC, and its folder.
    pub(super) config: &'a Config,
    /// The folder of that configuration; SRC without one.
    pub(super) config_folder: PathBuf,
    /// The selected hosts.
    pub(super) hosts: Vec<&'a Target>,
    /// Every host.
    pub(super) targets: &'a Targets,
    /// `--base`.
    pub(super) base: Option<&'a str>,
    /// Git, run in SRC.
    pub(super) git: Git,
    /// Receives the progress.
    pub(super) progress: Progress,
}

/// The context that every check receives.
pub(super) struct ReleaseContext<'a> {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// SRC, relative to the top.
    pub(super) place: Utf8PathBuf,
    /// The folder of the configuration, relative to the top.
    pub(super) config_place: Utf8PathBuf,
    pub(super) git: Git,
    /// The source.
    pub(super) project: &'a Project,
    pub(super) config: &'a Config,
    pub(super) hosts: Vec<&'a Target>,
    pub(super) targets: &'a Targets,
    pub(super) base: Option<&'a str>,
    pub(super) progress: Progress,
    pub(super) units: Vec<VersionedUnit>,
    /// The files of the work tree.
    pub(super) files: WorkTreeFiles,
    pub(super) history: ReleaseHistory,
}

impl ReleaseContext<'_> {
    /// One line for each commit of which something was skipped.
    pub(super) fn remarks(&self) -> &[String] {
        &self.history.remarks
    }

    /// Everything with its own version, for a report.
    pub(super) fn released(&self) -> Vec<ReleasedUnit> {
        let released = self.units.iter().map(|unit| {
            let last = self.history.released(unit);
            let changed = self.history.changes(unit);
            let needs = changed.map(|changed| changed.impact).unwrap_or_default();
            let least =
                last.filter(|_| needs != Impact::None).map(|last| needs.lowest_version(&last.version));
            ReleasedUnit {
                name: unit.name.clone(),
                path: unit.root.to_string(),
                version: unit.version(),
                last: last.map(|release| release.tag.clone()),
                needs,
                least: least.map(|version| version.to_string()),
                changed: changed.cloned(),
            }
        });
        released.collect()
    }
}

/// Files of the work tree, each read once.
pub(super) struct WorkTreeFiles {
    top: PathBuf,
    read_files: RefCell<BTreeMap<Utf8PathBuf, Option<Rc<SourceFile>>>>,
}

impl WorkTreeFiles {
    /// The files below `top`.
    pub(super) fn new(top: PathBuf) -> Self {
        Self { top, read_files: RefCell::default() }
    }

    /// The file at `path`, relative to the top; `None` if it is missing, outside of the work tree, or not text.
    pub(super) fn get(&self, path: &Utf8Path) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.read_files.borrow().get(path) {
            return known.clone();
        }
        let origin = self.top.join(path);
        let text =
            if disk::is_inside(&self.top, &origin) { disk::read_text(&origin).ok().flatten() } else { None };
        let file = text.map(|text| {
            let size = text.len() as u64;
            Rc::new(SourceFile::new(path.to_owned(), origin, false, size, FileContent::Text(Arc::from(text))))
        });
        self.read_files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }
}
