//! Reads the files of a source: sorted, links followed only inside the source, ignored files left
//! out with the reason, text in memory and everything else left on disk.

mod folder_cache;
mod include;
mod one_file;
mod skip;
mod tree_walk;

use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;

use super::{DiskError, FileSystem};
use crate::parallel;
use crate::progress::Progress;
use crate::source::{Exclusion, ExclusionReason, SourceTree};
use include::{IncludeSet, globs};
use tree_walk::{FoundEntries, TreeWalk};

pub use folder_cache::FolderCache;
pub use skip::SkipPolicy;

/// What a walk leaves out besides what `.gitignore` files say.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WalkOptions {
    /// Where the files lie.
    pub file_system: FileSystem,
    /// What other walks of the same files have found.
    pub folders: FolderCache,
    /// Globs of `[build] exclude`, relative to SRC.
    pub exclude: Vec<String>,
    /// Globs of `[build] include`, relative to SRC.
    pub include: Vec<String>,
    /// Folders that this very command writes.
    pub outputs: Vec<PathBuf>,
    /// What is not part of the source by itself.
    pub skip_policy: SkipPolicy,
    /// Leave bundles out: what a build wrote is the source of none.
    pub without_bundles: bool,
    /// Hears which files are found and read.
    pub progress: Progress,
}

/// Reads everything below `folder` (relative to `root`; empty for all) into `tree`.
///
/// # Errors
/// When `folder` itself cannot be listed, or a glob does not parse.
pub fn walk(
    root: &Path,
    folder: &Utf8Path,
    options: &WalkOptions,
    tree: &mut SourceTree,
) -> Result<(), WalkError> {
    let (walk, found) = find_files(root, folder, options)?;
    walk.read(found, tree);
    tree.exclusions.sort();
    tree.exclusions.dedup();
    Ok(())
}

/// Finds the files below `folder`, and reads none of them.
fn find_files(
    root: &Path,
    folder: &Utf8Path,
    options: &WalkOptions,
) -> Result<(TreeWalk, FoundEntries), WalkError> {
    let file_system = options.file_system.clone();
    let root = options.folders.canonical(&file_system, root)?;
    let exclude = globs(&options.exclude)?;
    let include = IncludeSet::new(&options.include)?;
    let outputs = options.outputs.iter().filter_map(|path| file_system.real(path).ok()).collect();
    let (skip_policy, without_bundles) = (options.skip_policy, options.without_bundles);
    let mut ignores = Vec::new();
    let mut above = root.clone();
    let folders = options.folders.clone();
    let ignored = |folder: &Path, real: &Path| {
        let read = folders.gitignore(&file_system, skip_policy, &root, (folder, real));
        read.map_err(|error| DiskError::unread("read", &folder.join(".gitignore"), error))
    };
    ignores.extend(ignored(&above, &above)?);
    let mut lies = Ok(root.clone());
    for part in folder.components().filter(|_| !folder.as_str().is_empty()) {
        above.push(part.as_str());
        lies = folders.canonical(&file_system, &above);
        ignores.extend(ignored(&above, lies.as_ref().unwrap_or(&above))?);
    }
    let real = lies?;
    if !real.starts_with(&root) {
        let error =
            io::Error::new(io::ErrorKind::InvalidInput, ExclusionReason::LinkLeavesSource.to_string());
        return Err(DiskError::unread("list", &above, error).into());
    }
    folders.names(&file_system, &real).map_err(|error| DiskError::unread("list", &above, error))?;
    let ancestors = vec![real.clone()];
    let progress = options.progress.clone();
    let walk = TreeWalk {
        file_system,
        folders,
        root,
        start: real,
        exclude,
        include,
        outputs,
        skip_policy,
        without_bundles,
        progress,
    };
    walk.progress.set(format!("looking for files in `{}`", walk.root.join(folder).display()));
    let found = walk.folder(folder, &ignores, &ancestors, false);
    Ok((walk, found))
}

/// The paths of the files that [`walk`] would read below `folder`, none of their bytes, and what it leaves out.
///
/// # Errors
/// As [`walk`].
pub fn paths(
    root: &Path,
    folder: &Utf8Path,
    options: &WalkOptions,
) -> Result<(Vec<Utf8PathBuf>, Vec<Exclusion>), WalkError> {
    let (_, found) = find_files(root, folder, options)?;
    Ok((found.files.into_iter().map(|(path, _)| path).collect(), found.exclusions))
}

/// Reads the one file at `path` (relative to `root`) into `tree`.
///
/// # Errors
/// When `root` is not there.
pub fn read_one(
    file_system: &FileSystem,
    root: &Path,
    path: &Utf8Path,
    tree: &mut SourceTree,
) -> Result<(), WalkError> {
    let root = file_system.canonical(root)?;
    let walk = TreeWalk {
        file_system: file_system.clone(),
        folders: FolderCache::default(),
        start: root.clone(),
        root,
        exclude: GlobSet::empty(),
        include: IncludeSet::default(),
        outputs: Vec::new(),
        skip_policy: SkipPolicy::Nothing,
        without_bundles: false,
        progress: Progress::default(),
    };
    walk.read(walk.find_one(path), tree);
    Ok(())
}

/// Why a walk could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// An exclude pattern is not a valid glob.
    #[error("invalid glob `{0}` in `[build] exclude`: {1}")]
    Glob(String, String),
}

impl TreeWalk {
    /// Reads the files, in parallel and into the tree in their order.
    fn read(&self, found: FoundEntries, tree: &mut SourceTree) {
        let files = found.files;
        tree.exclusions.extend(found.exclusions);
        tree.links.extend(found.links);
        tree.empty_folders.extend(found.empty_folders);
        let (many, progress, file_system) = (files.len(), self.progress.clone(), self.file_system.clone());
        progress.begin("reading files", many);
        for read in parallel::map_with(files, many, Vec::new, |buffer, (path, real)| {
            progress.step();
            one_file::read(&file_system, path, real, buffer)
        }) {
            match read {
                Ok(file) => tree.insert(file),
                Err(exclusion) => tree.exclusions.push(exclusion),
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
