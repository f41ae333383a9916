//! The file system from which a source is read: the disk and, below a path that cannot exist on disk, a tree in memory.
//! Code that reads a commit uses the tree; the command line can only name paths on disk.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FileType;

use super::memory::{MemoryNode, MemoryPath, MemoryTree};
use super::missing_name::existing_path;
use super::reader::SizeLimit;
use super::{DiskError, FileKind, Fingerprint, open_beneath, reader, sha256, stat};
use crate::order;

/// The readable files; by default those on disk.
#[derive(Debug, Clone, Default)]
pub struct FileSystem {
    memory: Option<Arc<MemoryTree>>,
}

impl FileSystem {
    /// The disk, and `tree` at [`MemoryTree::TOP`].
    pub fn with_tree(tree: MemoryTree) -> Self {
        Self { memory: Some(Arc::new(tree)) }
    }

    /// Removes a file from the tree in memory, for this value only; returns whether it existed.
    pub fn remove(&mut self, path: &Path) -> bool {
        self.memory.as_mut().is_some_and(|tree| Arc::make_mut(tree).remove(path))
    }

    /// Resolves `path` in the tree in memory; `None` for a path on disk.
    pub(super) fn in_memory<'a>(&'a self, path: &'a Path) -> Option<MemoryPath<'a>> {
        self.memory.as_ref()?.place(path)
    }

    /// The kind of file at `path`; `None` if it does not exist or is unknown.
    pub fn kind(&self, path: &Path) -> Option<FileKind> {
        match self.in_memory(path) {
            Some(place) => place.entry().map(MemoryNode::kind),
            None => stat::kind(path),
        }
    }

    /// Whether `path` is a link.
    pub(super) fn is_link(&self, path: &Path) -> io::Result<bool> {
        match self.in_memory(path) {
            Some(place) => Ok(place.entry().map(MemoryNode::kind) == Some(FileKind::Link)),
            None => stat::is_link(path),
        }
    }

    /// Whether `path` is a folder, following links.
    pub fn is_folder(&self, path: &Path) -> bool {
        match self.in_memory(path) {
            Some(place) => place.node().is_ok_and(|node| node.kind() == FileKind::Folder),
            None => stat::is_folder(path),
        }
    }

    /// Whether `path` is a file, following links.
    pub fn is_file(&self, path: &Path) -> bool {
        match self.in_memory(path) {
            Some(place) => place.node().is_ok_and(|node| node.kind() == FileKind::File),
            None => stat::is_file(path),
        }
    }

    /// The absolute path with links resolved.
    ///
    /// # Errors
    /// When `path` does not exist.
    pub fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.real(path).map_err(|error| DiskError::unread("find", path, error))
    }

    /// The absolute path with links resolved.
    pub(super) fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.in_memory(path).map_or_else(|| stat::real(path), |place| place.real())
    }

    /// Whether `path` stays in `top`: lexically, and after the links of its existing part are resolved.
    pub fn is_inside(&self, top: &Path, path: &Path) -> bool {
        stat::is_inside_by(top, path, |path| self.kind(path), |path| self.real(path))
    }

    /// Names directly below `folder` with whether each is a folder (through links), sorted; names that are not valid UTF-8
    /// are left out.
    ///
    /// # Errors
    /// When `folder` cannot be listed.
    pub fn list(&self, folder: &Path) -> Result<Vec<(String, bool)>, DiskError> {
        let Some(place) = self.in_memory(folder) else { return stat::list(folder) };
        let node = place.node().map_err(|error| DiskError::unread("list", folder, error))?;
        let MemoryNode::Folder(inner) = node else { return Ok(Vec::new()) };
        let is_folder = |name: &String| self.is_folder(&folder.join(name));
        let mut names: Vec<_> = inner.iter().map(|name| (name.clone(), is_folder(name))).collect();
        order::sort(&mut names);
        Ok(names)
    }

    /// The names in the folder at `path`, which had no link in it when it was found, with the type of each.
    pub(super) fn list_in_place(&self, path: &Path) -> io::Result<Vec<(OsString, FileType)>> {
        let Some(place) = self.in_memory(path) else { return open_beneath::list_in_place(path) };
        let kind = |kind: FileKind| match kind {
            FileKind::Folder => FileType::Directory,
            FileKind::File => FileType::RegularFile,
            FileKind::Link => FileType::Symlink,
        };
        Ok(place.children()?.map(|(name, found)| (name.into(), kind(found))).collect())
    }

    fn read(&self, path: &Path, limit: SizeLimit) -> Result<Option<Vec<u8>>, DiskError> {
        let Some(place) = self.in_memory(path) else { return reader::read(path, limit) };
        let bytes = place.node().and_then(|node| bytes(node, limit));
        existing_path(bytes).map_err(|error| DiskError::unread("read", path, error))
    }

    /// Reads a whole file as text; `None` if there is no such file.
    ///
    /// # Errors
    /// As [`super::read_text`].
    pub fn read_text(&self, path: &Path) -> Result<Option<String>, DiskError> {
        self.read(path, SizeLimit::Document)?.map(|bytes| super::text(path, bytes)).transpose()
    }

    /// Reads a file of settings; `None` if there is no such file.
    ///
    /// # Errors
    /// As [`super::read_settings`].
    pub fn read_settings(&self, path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
        self.read(path, SizeLimit::Settings)
    }

    /// Reads the file at `path`, which had no link in it when it was found.
    pub(super) fn read_in_place(&self, path: &Path, limit: SizeLimit) -> io::Result<Vec<u8>> {
        match self.in_memory(path) {
            Some(place) => place.node_in_place().and_then(|node| bytes(node, limit)),
            None => reader::read_in_place(path, limit),
        }
    }

    /// Reads the file at `path`, which had no link in it when it was found, as text.
    ///
    /// # Errors
    /// As [`super::read_text`], and when a link has replaced it.
    pub fn read_text_in_place(&self, path: &Path) -> Result<String, DiskError> {
        let bytes = self.read_in_place(path, SizeLimit::Document);
        super::text(path, bytes.map_err(|error| DiskError::unread("read", path, error))?)
    }

    /// Size and hash of the file at `path`, which had no link in it when it was found; `size` is its size at that time,
    /// if known.
    ///
    /// # Errors
    /// When it cannot be read, a link has replaced it, or its size differs.
    pub fn hash_in_place(&self, path: &Path, size: Option<u64>) -> Result<Fingerprint, DiskError> {
        let Some(place) = self.in_memory(path) else { return super::hash_in_place(path, size) };
        let bytes = place.node_in_place().and_then(MemoryNode::bytes);
        let bytes = bytes.map_err(|error| DiskError::unread("read", path, error))?;
        Ok(Fingerprint { size: bytes.len() as u64, sha256: sha256(bytes) })
    }
}

/// A copy of the content of `node`.
fn bytes(node: &MemoryNode, limit: SizeLimit) -> io::Result<Vec<u8>> {
    let bytes = node.bytes()?;
    if bytes.len() as u64 > limit.bytes() { Err(limit.too_large_error()) } else { Ok(bytes.to_vec()) }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::disk::walk;
    use crate::source::SourceTree;

    fn file(text: &str) -> MemoryNode {
        MemoryNode::File { bytes: Arc::from(text.as_bytes()), executable: false }
    }

    fn tree(nodes: &[(&str, MemoryNode)]) -> FileSystem {
        let nodes = nodes.iter().map(|(path, node)| (Utf8Path::new(*path), node.clone()));
        FileSystem::with_tree(MemoryTree::new(nodes))
    }

    #[test]
    fn a_tree_in_memory_is_read_like_any_other_and_left_by_no_link() {
        let link = |target: &str| MemoryNode::Link(target.to_owned());
        let files = tree(&[
            ("a/b/x.md", file("x")),
            ("a/.gitignore", file("ignored\n")),
            ("a/ignored", file("i")),
            ("inner", link("a/b")),
            ("outer", link("../../etc")),
            ("whole", link("/etc")),
            ("round", link("round")),
        ]);
        let top = Path::new(MemoryTree::TOP);
        assert!(files.is_folder(&top.join("inner")) && files.is_file(&top.join("inner/x.md")));
        assert_eq!(files.canonical(&top.join("inner/./x.md")).unwrap(), top.join("a/b/x.md"));
        assert_eq!(files.kind(&top.join("inner")), Some(FileKind::Link));
        assert_eq!(files.read_text(&top.join("inner/x.md")).unwrap().as_deref(), Some("x"));
        assert_eq!(files.read_text(&top.join("none")).unwrap(), None);
        assert!(!files.is_inside(top, &top.join("outer/passwd")) && files.is_inside(top, &top.join("a/new")));
        let mut read = SourceTree::default();
        let options = walk::WalkOptions { file_system: files, ..walk::WalkOptions::default() };
        walk::walk(top, "".into(), &options, &mut read).unwrap();
        let paths: Vec<&str> = read.files().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/.gitignore", "a/b/x.md", "inner/x.md"]);
        let left: Vec<&str> = read.exclusions.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(left, ["a/ignored", "outer", "round", "whole"]);
    }

    #[test]
    fn trees_know_nothing_of_one_another_and_the_disk_knows_of_none() {
        let path = Path::new(MemoryTree::TOP).join("a/x");
        let (one, mut other) = (tree(&[("a/x", file("1"))]), tree(&[("a/x", file("2"))]));
        let read = |files: &FileSystem| files.read_text(&path).unwrap();
        assert_eq!((read(&one).as_deref(), read(&other).as_deref()), (Some("1"), Some("2")));
        let before = other.clone();
        assert!(other.remove(&path) && !other.remove(&path));
        assert_eq!(other.list(path.parent().unwrap()).unwrap(), []);
        assert_eq!((read(&other), read(&before).as_deref()), (None, Some("2")));
        assert_eq!(read(&FileSystem::default()), None);
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(
            one.is_file(&here) && one.read_text(&here).unwrap() == super::super::read_text(&here).unwrap()
        );
    }
}
