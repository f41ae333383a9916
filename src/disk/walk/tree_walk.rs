//! Finds the files below a folder: each folder is listed on its own, and many of them side by side, so that what one
//! holds is put together in the order of names.

use std::borrow::Cow;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use ignore::Match;
use ignore::gitignore::Gitignore;
use rustix::fs::FileType;

use super::include::IncludeSet;
use super::{FolderCache, SkipPolicy};
use crate::disk::FileSystem;
use crate::disk::replace::OWN_FOLDER;
use crate::parallel;
use crate::progress::Progress;
use crate::source::{Exclusion, ExclusionReason, UNFINISHED_ENDING};

/// Folders deeper than this are left out: a link to a parent could go on for ever.
const DEPTH: usize = 64;

/// How many files a folder is taken to have before it is listed.
const FILES_OF_FOLDER: usize = 8;

/// The settings of one walk.
pub(super) struct TreeWalk {
    pub(super) file_system: FileSystem,
    pub(super) folders: FolderCache,
    pub(super) root: PathBuf,
    /// Where the walk begins, without links.
    pub(super) start: PathBuf,
    pub(super) exclude: GlobSet,
    pub(super) include: IncludeSet,
    pub(super) outputs: Vec<PathBuf>,
    pub(super) skip_policy: SkipPolicy,
    pub(super) without_bundles: bool,
    pub(super) progress: Progress,
}

/// What a walk finds, in the order of names.
#[derive(Default)]
pub(super) struct FoundEntries {
    /// Files to read: path and where it lies.
    pub(super) files: Vec<(Utf8PathBuf, PathBuf)>,
    pub(super) exclusions: Vec<Exclusion>,
    /// Links, with the path in the source that each leads to.
    pub(super) links: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    pub(super) empty_folders: Vec<Utf8PathBuf>,
}

impl FoundEntries {
    fn exclude(&mut self, path: Utf8PathBuf, reason: ExclusionReason, fault: bool) {
        self.exclusions.push(Exclusion { path, reason, fault });
    }

    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.exclusions.append(&mut other.exclusions);
        self.links.append(&mut other.links);
        self.empty_folders.append(&mut other.empty_folders);
    }
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

/// A folder that takes part: its path, and where it lies without links.
type Subfolder = (Utf8PathBuf, PathBuf);

/// A part of what a folder holds.
enum FolderPart {
    Found(FoundEntries),
    Below(Subfolder),
}

impl TreeWalk {
    /// Finds what the folder `folder` holds, which lies at the last of `ancestors`. `inner` tells whether its own
    /// `.gitignore` is still to be read.
    pub(super) fn folder(
        &self,
        folder: &Utf8Path,
        ignores: &[Arc<Gitignore>],
        ancestors: &[PathBuf],
        inner: bool,
    ) -> FoundEntries {
        let mut found = FoundEntries::default();
        let Some(real) = ancestors.last() else { return found };
        let names = match self.folders.names(&self.file_system, real) {
            Ok(names) => names,
            Err(error) => {
                found.exclude(folder.to_owned(), ExclusionReason::Unlistable(error.to_string()), true);
                return found;
            }
        };
        let is_bundle = || self.file_system.is_file(&real.join(OWN_FOLDER).join("manifest.json"));
        if self.without_bundles && inner && names.iter().any(|(name, _)| name == OWN_FOLDER) && is_bundle() {
            found.exclude(folder.to_owned(), ExclusionReason::Bundle, false);
            return found;
        }
        if names.is_empty() {
            found.empty_folders.push(folder.to_owned());
        }
        let own = inner && names.iter().any(|(name, _)| name == ".gitignore");
        let above = self.root.join(folder);
        let read = || self.folders.gitignore(&self.file_system, self.skip_policy, &self.root, (&above, real));
        let mut ignores = Cow::Borrowed(ignores);
        match own.then(read).transpose() {
            Ok(own) => own.flatten().into_iter().for_each(|own| ignores.to_mut().push(own)),
            Err(error) => {
                let reason = ExclusionReason::UnreadableIgnoreFile(error.to_string());
                found.exclude(folder.to_owned(), reason, true);
                return found;
            }
        }
        let (mut parts, mut folders) = (Vec::new(), 0);
        for (name, kind) in names.iter() {
            let Some(text) = name.to_str() else {
                let path = folder.join(name.to_string_lossy().as_ref());
                found.exclude(path, ExclusionReason::InvalidName, true);
                continue;
            };
            let path = match folder.as_str() {
                "" => Utf8PathBuf::from(text),
                folder => {
                    let mut path = String::with_capacity(folder.len() + 1 + text.len());
                    path.push_str(folder);
                    path.push('/');
                    path.push_str(text);
                    Utf8PathBuf::from(path)
                }
            };
            let below = match kind {
                // Everything but a link lies where its folder lies.
                kind if !matches!(kind, FileType::Symlink | FileType::Unknown) => {
                    let real = join_path(real, name.as_ref());
                    let (is_folder, is_file) = (*kind == FileType::Directory, *kind == FileType::RegularFile);
                    self.entry(WalkEntry { path, real, is_folder, is_file }, &ignores, ancestors, &mut found)
                }
                _ => self.looked_up(&path, &ignores, ancestors, &mut found),
            };
            if let Some(below) = below {
                folders += 1;
                parts.extend([FolderPart::Found(take(&mut found)), FolderPart::Below(below)]);
            }
        }
        if folders == 0 {
            return found;
        }
        parts.push(FolderPart::Found(found));
        let listed = parallel::map(parts, folders * FILES_OF_FOLDER, |part| match part {
            FolderPart::Found(found) => found,
            FolderPart::Below(below) => self.find_below(below, &ignores, ancestors),
        });
        listed.into_iter().fold(FoundEntries::default(), |mut all, found| {
            all.append(found);
            all
        })
    }

    /// Finds what a folder below the last of `ancestors` holds.
    fn find_below(
        &self,
        (path, real): Subfolder,
        ignores: &[Arc<Gitignore>],
        ancestors: &[PathBuf],
    ) -> FoundEntries {
        let ancestors: Vec<PathBuf> = ancestors.iter().cloned().chain([real]).collect();
        self.folder(&path, ignores, &ancestors, true)
    }

    /// Finds the one entry at `path`, and what it holds where it is a folder.
    pub(super) fn find_one(&self, path: &Utf8Path) -> FoundEntries {
        let mut found = FoundEntries::default();
        if let Some(below) = self.looked_up(path, &[], &[], &mut found) {
            found.append(self.find_below(below, &[], &[]));
        }
        found
    }

    /// An entry that may be a link; a folder is for the caller to list.
    fn looked_up(
        &self,
        path: &Utf8Path,
        ignores: &[Arc<Gitignore>],
        ancestors: &[PathBuf],
        found: &mut FoundEntries,
    ) -> Option<Subfolder> {
        let full = self.root.join(path);
        let mut exclude = |reason, fault| {
            found.exclude(path.to_owned(), reason, fault);
            None
        };
        let link = match self.file_system.is_link(&full) {
            Ok(link) => link,
            Err(error) => return exclude(ExclusionReason::Unreadable(error.to_string()), true),
        };
        if is_version_control(path) {
            return exclude(ExclusionReason::VersionControl, false);
        }
        let real = match self.file_system.real(&full) {
            Ok(real) => real,
            Err(error) if link => return exclude(ExclusionReason::BrokenLink(error.to_string()), true),
            Err(error) => return exclude(ExclusionReason::Unreadable(error.to_string()), true),
        };
        // Also where it was no link a moment ago.
        if !real.starts_with(&self.root) {
            return exclude(ExclusionReason::LinkLeavesSource, true);
        }
        let target = real.strip_prefix(&self.root).ok().and_then(Utf8Path::from_path);
        if let Some(target) = target.filter(|_| link) {
            found.links.push((path.to_owned(), target.to_owned()));
        }
        let (is_folder, is_file) = (self.file_system.is_folder(&real), self.file_system.is_file(&real));
        self.entry(WalkEntry { path: path.to_owned(), real, is_folder, is_file }, ignores, ancestors, found)
    }

    /// An entry by what it is; a folder is for the caller to list.
    fn entry(
        &self,
        entry: WalkEntry,
        ignores: &[Arc<Gitignore>],
        ancestors: &[PathBuf],
        found: &mut FoundEntries,
    ) -> Option<Subfolder> {
        if is_version_control(&entry.path) {
            found.exclude(entry.path, ExclusionReason::VersionControl, false);
        } else if let Some(reason) = self.exclusion_reason(&entry, ignores) {
            found.exclude(entry.path, reason, false);
        } else if entry.is_folder {
            // Both have no links, so that equal paths are equal texts.
            if ancestors.iter().any(|above| above.as_os_str() == entry.real.as_os_str()) {
                found.exclude(entry.path, ExclusionReason::LinkLoop, true);
            } else if ancestors.len() > DEPTH {
                found.exclude(entry.path, ExclusionReason::TooDeep(DEPTH), true);
            } else {
                return Some((entry.path, entry.real));
            }
        } else if entry.is_file {
            self.progress.step();
            found.files.push((entry.path, entry.real));
        } else {
            found.exclude(entry.path, ExclusionReason::NotAFile, true);
        }
        None
    }

    fn exclusion_reason(&self, entry: &WalkEntry, ignores: &[Arc<Gitignore>]) -> Option<ExclusionReason> {
        let included = !self.include.is_empty() && self.include.matches(&entry.path, entry.is_folder);
        // An output folder that holds what is read is not part of it: a marketplace may list plugins in `dist`.
        let in_output = |path: &Path| {
            self.outputs.iter().any(|one| path.starts_with(one) && !self.start.starts_with(one))
        };
        // A bundle in the output folder is one of this command's own.
        let bundle = self.outputs.contains(&entry.real) && entry.real.parent().is_some_and(in_output);
        if in_output(&entry.real) && (bundle || !included) {
            return Some(ExclusionReason::Output);
        }
        if self.exclude.is_match(entry.path.as_std_path()) {
            return Some(ExclusionReason::Setting);
        }
        let packages = self.skip_policy == SkipPolicy::IgnoredAndPackages;
        if packages && entry.is_folder && last_part(&entry.path) == "node_modules" {
            return Some(ExclusionReason::Packages);
        }
        let name = last_part(&entry.path);
        if name.starts_with('.') && name.ends_with(UNFINISHED_ENDING) {
            return Some(ExclusionReason::UnfinishedChange);
        }
        if ignores.is_empty() || included {
            return None;
        }
        let full = join_path(&self.root, entry.path.as_std_path());
        for ignore in ignores.iter().rev() {
            // In a folder that is read for what it includes, the rest stays ignored.
            let matched = match self.include.is_empty() {
                true => ignore.matched(&full, entry.is_folder),
                false => ignore.matched_path_or_any_parents(&full, entry.is_folder),
            };
            match matched {
                Match::Ignore(_) => {
                    self.folders.record_ignored();
                    return Some(ExclusionReason::Ignored);
                }
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        None
    }
}

/// `folder` and `inner` as one path, in memory of just that size: sources have thousands of them.
fn join_path(folder: &Path, inner: &Path) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + inner.as_os_str().len());
    path.push(folder);
    path.push(inner);
    path
}

fn is_version_control(path: &Utf8Path) -> bool {
    matches!(last_part(path), ".git" | ".hg" | ".svn" | ".jj")
}

/// The name of an entry, whose path the walk has put together from names.
fn last_part(path: &Utf8Path) -> &str {
    let path = path.as_str();
    memchr::memrchr(b'/', path.as_bytes()).map_or(path, |at| &path[at + 1..])
}
