//! The paths of a bundle or a source, with their folders.

use camino::Utf8Path;

use super::EmittedFile;
use crate::source::{SourceTree, is_inside};

/// A set of paths in sorted lists, compared as strings, which is much cheaper than by components.
#[derive(Debug, Default)]
pub(super) struct PathIndex<'a> {
    /// Each path, and whether the file is executable.
    files: Vec<(&'a str, bool)>,
    /// Every name of a file or folder, as a cheap first test: most missing paths end in none of them.
    names: Vec<&'a str>,
    /// Each folder with each name in it.
    children: Vec<(&'a str, &'a str)>,
}

impl<'a> PathIndex<'a> {
    /// The index of `files`, and of `left_out`, which only [`PathIndex::has_child`] knows.
    fn new(
        files: impl Iterator<Item = (&'a Utf8Path, bool)>,
        left_out: impl Iterator<Item = &'a Utf8Path>,
    ) -> Self {
        let mut out = Self::default();
        let mut last = "";
        for (path, executable) in files {
            out.files.push((path.as_str(), executable));
            out.add_path(path.as_str(), last);
            last = path.as_str();
        }
        left_out.for_each(|path| out.add_path(path.as_str(), ""));
        out.files.sort_unstable();
        out.names.sort_unstable();
        out.names.dedup();
        out.children.sort_unstable();
        out.children.dedup();
        out
    }

    /// Adds the names in `path` but for those of folders that `last`, which was added before it, has too.
    fn add_path(&mut self, path: &'a str, last: &str) {
        let mut path = path;
        loop {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            self.names.push(name);
            self.children.push((folder, name));
            if folder.is_empty() || is_inside(last, folder) {
                return;
            }
            path = folder;
        }
    }

    /// The files of a bundle.
    pub(super) fn from_bundle(files: &[EmittedFile<'a>]) -> Self {
        Self::new(files.iter().map(|file| (file.path, file.executable)), std::iter::empty())
    }

    /// The files of a source; `left_out` are excluded paths, which only [`PathIndex::has_child`] knows.
    pub(super) fn from_source(tree: &'a SourceTree, left_out: impl Iterator<Item = &'a Utf8Path>) -> Self {
        Self::new(tree.files().map(|file| (file.path.as_path(), file.executable)), left_out)
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// Whether `folder` has a file or folder of this name.
    pub(super) fn has_child(&self, folder: &Utf8Path, name: &str) -> bool {
        self.has_name(name) && self.children.binary_search(&(folder.as_str(), name)).is_ok()
    }

    /// Whether there is a file or a folder of exactly that name.
    pub(super) fn contains(&self, path: &Utf8Path) -> bool {
        let last = path.as_str().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        path.as_str().is_empty()
            || (self.has_name(last) && (self.executable(path).is_some() || self.has_folder(path)))
    }

    /// Whether there is a folder of exactly that name.
    pub(super) fn has_folder(&self, path: &Utf8Path) -> bool {
        let path = path.as_str().trim_end_matches('/');
        if !self.has_name(path.rsplit('/').next().unwrap_or_default()) {
            return false;
        }
        let folder = [path, "/"].concat();
        let first = self.files.partition_point(|(file, _)| *file < folder.as_str());
        self.files.get(first).is_some_and(|(file, _)| file.starts_with(&folder))
    }

    /// Whether the file at `path` is executable; `None` if there is no such file.
    pub(super) fn executable(&self, path: &Utf8Path) -> Option<bool> {
        let at = self.files.binary_search_by_key(&path.as_str(), |(file, _)| file).ok()?;
        self.files.get(at).map(|(_, executable)| *executable)
    }
}
