//! The paths of a bundle or a source, with their folders.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::EmittedFile;
use crate::source::SourceTree;

/// A set of paths, compared as strings, which is much cheaper than by components.
#[derive(Debug)]
pub(super) struct PathIndex<'a> {
    /// Each path, and whether the file is executable.
    files: BTreeMap<&'a str, bool>,
    /// Every name of a file or folder, as a cheap first test: most missing paths end in none of them.
    names: BTreeSet<&'a str>,
    /// Each folder with each name in it.
    children: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> PathIndex<'a> {
    fn new(files: BTreeMap<&'a str, bool>) -> Self {
        let mut out = Self { files, names: BTreeSet::new(), children: BTreeSet::new() };
        let paths: Vec<&str> = out.files.keys().copied().collect();
        paths.into_iter().for_each(|path| out.learn(path));
        out
    }

    fn learn(&mut self, path: &'a str) {
        let mut path = path;
        loop {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            self.names.insert(name);
            if !self.children.insert((folder, name)) || folder.is_empty() {
                return;
            }
            path = folder;
        }
    }

    /// The files of a bundle.
    pub(super) fn from_bundle(files: &[EmittedFile<'a>]) -> Self {
        Self::new(files.iter().map(|file| (file.path.as_str(), file.executable)).collect())
    }

    /// The files of a source; `left_out` are excluded paths, which only [`PathIndex::has_child`] knows.
    pub(super) fn from_source(tree: &'a SourceTree, left_out: impl Iterator<Item = &'a Utf8Path>) -> Self {
        let mut out = Self::new(tree.files().map(|file| (file.path.as_str(), file.executable)).collect());
        left_out.for_each(|path| out.learn(path.as_str()));
        out
    }

    /// Whether `folder` has a file or folder of this name.
    pub(super) fn has_child(&self, folder: &Utf8Path, name: &str) -> bool {
        self.names.contains(name) && self.children.contains(&(folder.as_str(), name))
    }

    /// Whether there is a file or a folder of exactly that name.
    pub(super) fn contains(&self, path: &Utf8Path) -> bool {
        let last = path.as_str().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        path.as_str().is_empty()
            || (self.names.contains(last)
                && (self.files.contains_key(path.as_str()) || self.has_folder(path)))
    }

    /// Whether there is a folder of exactly that name.
    pub(super) fn has_folder(&self, path: &Utf8Path) -> bool {
        let path = path.as_str().trim_end_matches('/');
        if !self.names.contains(path.rsplit('/').next().unwrap_or_default()) {
            return false;
        }
        let folder = format!("{path}/");
        let first = self.files.range(folder.as_str()..).next();
        first.is_some_and(|(found, _)| found.starts_with(&folder))
    }

    /// Whether the file at `path` is executable; `None` if there is no such file.
    pub(super) fn executable(&self, path: &Utf8Path) -> Option<bool> {
        self.files.get(path.as_str()).copied()
    }
}
