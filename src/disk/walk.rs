//! Reads the files of a source: sorted, links followed only inside the source, ignored files left
//! out with the reason, text in memory and everything else left on disk.

mod folder_cache;
mod include;
mod one_file;
mod skip;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use ignore::Match;
use ignore::gitignore::Gitignore;
use rustix::fs::FileType;

use super::replace::OWN_FOLDER;
use super::{DiskError, FileSystem};
use crate::parallel;
use crate::progress::Progress;
use crate::source::{
    BUNDLE, Exclusion, IGNORED, OUTPUT, PACKAGES, SourceTree, UNFINISHED, UNFINISHED_ENDING, VERSION_CONTROL,
};
use include::{IncludeSet, globs};

pub use folder_cache::FolderCache;
pub use skip::SkipPolicy;

/// Folders deeper than this are skipped: a link to a parent could recurse forever.
const DEPTH: usize = 64;

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
    pub passed_over: SkipPolicy,
    /// Leave bundles out: what a build wrote is the source of none.
    pub without_bundles: bool,
    /// Hears which files are found and read.
    pub progress: Progress,
}

struct TreeWalk<'a> {
    file_system: FileSystem,
    folders: FolderCache,
    root: PathBuf,
    /// Where the walk begins, without links.
    start: PathBuf,
    exclude: GlobSet,
    include: IncludeSet,
    outputs: Vec<PathBuf>,
    passed_over: SkipPolicy,
    without_bundles: bool,
    /// Files to read once the walk has seen all folders: path and where it lies.
    files: Vec<(Utf8PathBuf, PathBuf)>,
    progress: Progress,
    tree: &'a mut SourceTree,
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
    found(root, folder, options, tree)?.read();
    tree.exclusions.sort();
    tree.exclusions.dedup();
    Ok(())
}

/// Finds the files below `folder`, and reads none of them.
fn found<'a>(
    root: &Path,
    folder: &Utf8Path,
    options: &WalkOptions,
    tree: &'a mut SourceTree,
) -> Result<TreeWalk<'a>, WalkError> {
    let file_system = options.file_system.clone();
    let root = file_system.canonical(root)?;
    let exclude = globs(&options.exclude)?;
    let include = IncludeSet::new(&options.include)?;
    let outputs = options.outputs.iter().filter_map(|path| file_system.real(path).ok()).collect();
    let (passed_over, without_bundles) = (options.passed_over, options.without_bundles);
    let mut ignores = Vec::new();
    let mut above = root.clone();
    let folders = options.folders.clone();
    let ignored = |folder: &Path, real: &Path| {
        let read = folders.gitignore(&file_system, passed_over, &root, (folder, real));
        read.map_err(|error| DiskError::new("read", &folder.join(".gitignore"), error))
    };
    ignores.extend(ignored(&above, &above)?);
    let mut lies = Ok(root.clone());
    for part in folder.components().filter(|_| !folder.as_str().is_empty()) {
        above.push(part.as_str());
        lies = file_system.canonical(&above);
        ignores.extend(ignored(&above, lies.as_ref().unwrap_or(&above))?);
    }
    let real = lies?;
    if !real.starts_with(&root) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, crate::source::LEAVES);
        return Err(DiskError::new("list", &above, error).into());
    }
    folders.names(&file_system, &real).map_err(|error| DiskError::new("list", &above, error))?;
    let ancestors = vec![real.clone()];
    let (files, progress) = (Vec::new(), options.progress.clone());
    let mut walk = TreeWalk {
        file_system,
        folders,
        root,
        start: real,
        exclude,
        include,
        outputs,
        passed_over,
        without_bundles,
        files,
        progress,
        tree,
    };
    walk.progress.set(format!("looking for files in `{}`", walk.root.join(folder).display()));
    walk.folder(folder, &mut ignores, &ancestors, false);
    Ok(walk)
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
    let mut tree = SourceTree::default();
    let files = std::mem::take(&mut found(root, folder, options, &mut tree)?.files);
    Ok((files.into_iter().map(|(path, _)| path).collect(), tree.exclusions))
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
    let mut walk = TreeWalk {
        file_system: file_system.clone(),
        folders: FolderCache::default(),
        start: root.clone(),
        root,
        exclude: GlobSet::empty(),
        include: IncludeSet::default(),
        outputs: Vec::new(),
        passed_over: SkipPolicy::Nothing,
        without_bundles: false,
        files: Vec::new(),
        progress: Progress::default(),
        tree,
    };
    walk.looked_up(path, &mut Vec::new(), &[]);
    walk.read();
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

/// A path on its way into the tree.
struct WalkEntry {
    /// Relative to the root.
    path: Utf8PathBuf,
    /// Where it lies, without links.
    real: PathBuf,
    is_folder: bool,
    is_file: bool,
}

impl TreeWalk<'_> {
    fn exclude(&mut self, path: Utf8PathBuf, reason: impl Into<String>, fault: bool) {
        self.tree.exclusions.push(Exclusion { path, reason: reason.into(), fault });
    }

    /// Reads the folder `folder`, which lies at the last of `ancestors`. `inner` tells whether its own
    /// `.gitignore` is still to be read.
    fn folder(
        &mut self,
        folder: &Utf8Path,
        ignores: &mut Vec<Arc<Gitignore>>,
        ancestors: &[PathBuf],
        inner: bool,
    ) {
        let Some(real) = ancestors.last() else { return };
        let names = match self.folders.names(&self.file_system, real) {
            Ok(names) => names,
            Err(error) => return self.exclude(folder.to_owned(), format!("cannot be listed: {error}"), true),
        };
        let is_bundle = || self.file_system.is_file(&real.join(OWN_FOLDER).join("manifest.json"));
        if self.without_bundles && inner && names.iter().any(|(name, _)| name == OWN_FOLDER) && is_bundle() {
            return self.exclude(folder.to_owned(), BUNDLE, false);
        }
        if names.is_empty() {
            self.tree.empty_folders.insert(folder.to_owned());
        }
        let own = inner && names.iter().any(|(name, _)| name == ".gitignore");
        let above = self.root.join(folder);
        let read = || self.folders.gitignore(&self.file_system, self.passed_over, &self.root, (&above, real));
        let own = match own.then(read).transpose() {
            Ok(own) => own.flatten(),
            Err(error) => {
                let reason = format!("its `.gitignore` cannot be read: {error}");
                return self.exclude(folder.to_owned(), reason, true);
            }
        };
        let added = own.is_some();
        ignores.extend(own);
        for (name, kind) in names.iter() {
            let Some(text) = name.to_str() else {
                self.exclude(
                    folder.join(name.to_string_lossy().as_ref()),
                    "its name is not valid UTF-8",
                    true,
                );
                continue;
            };
            let path = match folder.as_str() {
                "" => Utf8PathBuf::from(text),
                folder => Utf8PathBuf::from(format!("{folder}/{text}")),
            };
            match kind {
                // What is no link lies where its folder lies.
                kind if !matches!(kind, FileType::Symlink | FileType::Unknown) => {
                    let real = real.join(name);
                    let (is_folder, is_file) = (*kind == FileType::Directory, *kind == FileType::RegularFile);
                    self.entry(WalkEntry { path, real, is_folder, is_file }, ignores, ancestors)
                }
                _ => self.looked_up(&path, ignores, ancestors),
            }
        }
        if added {
            ignores.pop();
        }
    }

    /// An entry that may be a link.
    fn looked_up(&mut self, path: &Utf8Path, ignores: &mut Vec<Arc<Gitignore>>, ancestors: &[PathBuf]) {
        let full = self.root.join(path);
        let link = match self.file_system.is_link(&full) {
            Ok(link) => link,
            Err(error) => return self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        };
        if is_version_control(path) {
            return self.exclude(path.to_owned(), VERSION_CONTROL, false);
        }
        let real = match self.file_system.real(&full) {
            Ok(real) => real,
            Err(error) if link => {
                return self.exclude(path.to_owned(), format!("the link cannot be followed: {error}"), true);
            }
            Err(error) => return self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        };
        // Also where it was no link a moment ago.
        if !real.starts_with(&self.root) {
            return self.exclude(path.to_owned(), crate::source::LEAVES, true);
        }
        let target = real.strip_prefix(&self.root).ok().and_then(Utf8Path::from_path);
        if let Some(target) = target.filter(|_| link) {
            self.tree.links.insert(path.to_owned(), target.to_owned());
        }
        let (is_folder, is_file) = (self.file_system.is_folder(&real), self.file_system.is_file(&real));
        self.entry(WalkEntry { path: path.to_owned(), real, is_folder, is_file }, ignores, ancestors);
    }

    fn entry(&mut self, entry: WalkEntry, ignores: &mut Vec<Arc<Gitignore>>, ancestors: &[PathBuf]) {
        if is_version_control(&entry.path) {
            return self.exclude(entry.path, VERSION_CONTROL, false);
        }
        if let Some(reason) = self.left_out(&entry, ignores) {
            return self.exclude(entry.path, reason, false);
        }
        if entry.is_folder {
            // Both have no links, so that equal paths are equal texts.
            if ancestors.iter().any(|above| above.as_os_str() == entry.real.as_os_str()) {
                return self.exclude(entry.path, "the link leads back into a folder above it", true);
            }
            if ancestors.len() > DEPTH {
                return self.exclude(entry.path, format!("it lies more than {DEPTH} folders deep"), true);
            }
            let mut below = ancestors.to_vec();
            below.push(entry.real);
            self.folder(&entry.path, ignores, &below, true);
        } else if entry.is_file {
            self.progress.step();
            self.files.push((entry.path, entry.real));
        } else {
            self.exclude(entry.path, "it is neither a file nor a folder", true)
        }
    }

    fn left_out(&self, entry: &WalkEntry, ignores: &[Arc<Gitignore>]) -> Option<String> {
        let included = !self.include.is_empty() && self.include.has(&entry.path, entry.is_folder);
        // An output folder that holds what is read is not part of it: a marketplace may list plugins in `dist`.
        let in_output = |path: &Path| {
            self.outputs.iter().any(|one| path.starts_with(one) && !self.start.starts_with(one))
        };
        // A bundle in the output folder is one of this command's own.
        let bundle = self.outputs.contains(&entry.real) && entry.real.parent().is_some_and(in_output);
        if in_output(&entry.real) && (bundle || !included) {
            return Some(OUTPUT.to_owned());
        }
        if self.exclude.is_match(entry.path.as_std_path()) {
            return Some("`[build] exclude` names it".to_owned());
        }
        let packages = self.passed_over == SkipPolicy::IgnoredAndPackages;
        if packages && entry.is_folder && last_part(&entry.path) == "node_modules" {
            return Some(PACKAGES.to_owned());
        }
        let name = last_part(&entry.path);
        if name.starts_with('.') && name.ends_with(UNFINISHED_ENDING) {
            return Some(UNFINISHED.to_owned());
        }
        if ignores.is_empty() || included {
            return None;
        }
        let full = self.root.join(&entry.path);
        for ignore in ignores.iter().rev() {
            // In a folder that is read for what it includes, the rest stays ignored.
            let matched = match self.include.is_empty() {
                true => ignore.matched(&full, entry.is_folder),
                false => ignore.matched_path_or_any_parents(&full, entry.is_folder),
            };
            match matched {
                Match::Ignore(_) => return Some(IGNORED.to_owned()),
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        None
    }

    /// Reads the files, in parallel and into the tree in their order.
    fn read(&mut self) {
        let files = std::mem::take(&mut self.files);
        let (many, progress, file_system) = (files.len(), self.progress.clone(), self.file_system.clone());
        progress.begin("reading files", many);
        for read in parallel::map_with(files, many, Vec::new, |buffer, (path, real)| {
            progress.step();
            one_file::read(&file_system, path, real, buffer)
        }) {
            match read {
                Ok(file) => self.tree.insert(file),
                Err(exclusion) => self.tree.exclusions.push(exclusion),
            }
        }
    }
}

fn is_version_control(path: &Utf8Path) -> bool {
    matches!(last_part(path), ".git" | ".hg" | ".svn" | ".jj")
}

/// The name of an entry, whose path the walk has put together from names.
fn last_part(path: &Utf8Path) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests;
