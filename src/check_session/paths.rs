//! Resolves the paths of the command line to the folder to read and the part of it to report.

use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;

use super::CheckError;
use crate::build;
use crate::disk;
use crate::source::SKILL_FILE;
use crate::target::Targets;

/// The paths to read and to report.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CheckedPaths {
    /// The folder to which paths of findings are relative.
    pub root: PathBuf,
    /// Folders below it to read; empty for all of it.
    pub parts: Vec<Utf8PathBuf>,
    /// The files and folders whose findings are reported, relative to the root; empty for everything.
    pub within: Vec<Utf8PathBuf>,
}

impl CheckedPaths {
    /// Resolves `paths`: a folder means itself; a file, a skill, or a folder of components means its plugin.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub fn resolve(paths: &[PathBuf], targets: &Targets) -> Result<Self, CheckError> {
        if let [folder] = paths
            && main_file(folder, targets).is_none()
        {
            return Ok(Self { root: folder.clone(), ..Self::default() });
        }
        let mut roots = Vec::new();
        let mut given = Vec::new();
        for path in paths {
            if !disk::is_file(path) {
                build::must_be_there(path)?;
            }
            let path = disk::canonical(path)?;
            roots.push(match main_file(&path, targets) {
                Some(file) => plugin_of(&file, targets),
                None => path.clone(),
            });
            given.push(path);
        }
        roots.sort();
        roots.dedup();
        // A folder inside another one is read with it.
        let inner = |root: &PathBuf| roots.iter().any(|other| root != other && root.starts_with(other));
        let roots: Vec<PathBuf> = roots.iter().filter(|root| !inner(root)).cloned().collect();
        let mut root = common_folder(&roots);
        // A host's folder in a project is read as part of the project.
        let in_project =
            is_project(&root, targets) && given.iter().all(|path| main_file(path, targets).is_some());
        if in_project {
            root.pop();
        }
        let below = |path: &PathBuf| {
            let inner = path.strip_prefix(&root).ok()?.to_owned();
            Utf8PathBuf::from_path_buf(inner).ok()
        };
        let parts = match roots.len() {
            1 if !in_project => Vec::new(),
            _ => roots.iter().filter_map(below).collect(),
        };
        let within: Vec<Utf8PathBuf> = given.iter().filter_map(below).collect();
        let whole = within.iter().any(|path| path.as_str().is_empty());
        Ok(Self { root, parts, within: if whole { Vec::new() } else { within } })
    }
}

/// The file whose plugin `path` refers to: the path itself, or a file in it if it is a folder of skills, agents or
/// commands of a plugin.
fn main_file(path: &Path, targets: &Targets) -> Option<PathBuf> {
    if disk::is_file(path) {
        return Some(path.to_owned());
    }
    let real = disk::canonical(path).ok()?;
    let file = real.join(SKILL_FILE);
    let plugin = plugin_of(&file, targets);
    let is_skill = disk::is_file(&file) && plugin != real;
    (is_skill || is_of_components(&real, &plugin, targets)).then_some(file)
}

/// Whether `folder` is, or is inside of, one of the component folders of `plugin`, which has a manifest.
fn is_of_components(folder: &Path, plugin: &Path, targets: &Targets) -> bool {
    let top = folder.strip_prefix(plugin).ok().and_then(|inner| inner.iter().next()?.to_str());
    top.is_some_and(|top| build::COMPONENT_FOLDERS.contains(&top)) && is_declared(plugin, targets)
}

fn is_declared(folder: &Path, targets: &Targets) -> bool {
    let source = targets.source();
    [&source.manifest, &source.marketplace].iter().any(|path| disk::is_file(&folder.join(path)))
}

/// Whether a host reads a folder of that name in a project.
fn is_project(folder: &Path, targets: &Targets) -> bool {
    let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { return false };
    let mut folders = targets.iter().flat_map(|target| &target.checks.project_folders);
    folders.any(|folder| folder.split('/').next() == Some(name))
}

/// The folder of the plugin that `file` belongs to: the nearest one with a manifest, else a host's folder in a project,
/// else the one around `skills/`, `agents/` or `commands/`, else the skill's own.
pub fn plugin_of(file: &Path, targets: &Targets) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let top = folder.ancestors().position(|folder| disk::kind(&folder.join(".git")).is_some());
    let within = || folder.ancestors().take(top.map_or(usize::MAX, |top| top + 1));
    if let Some(declared) = within().find(|folder| is_declared(folder, targets)) {
        return declared.to_owned();
    }
    if let Some(project) = within().find(|folder| is_project(folder, targets)) {
        return project.to_owned();
    }
    let holds = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| build::COMPONENT_FOLDERS.contains(&name))
    };
    let around = within().filter(holds).last().and_then(Path::parent);
    let skill = || within().filter(|folder| disk::is_file(&folder.join(SKILL_FILE))).last();
    around.or_else(skill).unwrap_or(folder).to_owned()
}

/// The folder that holds all of `roots`.
fn common_folder(roots: &[PathBuf]) -> PathBuf {
    let first = roots.first().cloned().unwrap_or_default();
    let holds_all = |folder: &&Path| roots.iter().all(|root| root.starts_with(folder));
    first.ancestors().find(holds_all).map(Path::to_owned).unwrap_or(first)
}
