//! A tree of files in memory: a commit is read directly from git, without a checkout. A [`super::FileSystem`] serves it
//! below a path that cannot exist on disk, including links.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::Utf8Path;

use super::FileKind;

/// No file can exist below a device.
const DEVICE: &str = "/dev/null";
/// The maximum number of links to follow, as on Linux.
const MOST_LINKS: usize = 40;

/// A tree in memory.
#[derive(Debug, Clone)]
pub struct MemoryTree {
    /// By path relative to the top; empty for the top itself.
    nodes: BTreeMap<PathBuf, MemoryNode>,
    /// Whether there are links; without them, paths need no resolution.
    has_links: bool,
}

/// The node at a path.
#[derive(Debug, Clone)]
pub enum MemoryNode {
    /// A folder, with the names in it.
    Folder(Vec<String>),
    /// A file.
    File {
        /// Its content.
        bytes: Arc<[u8]>,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A file with missing content, and whether it was requested.
    Absent(Arc<AtomicBool>),
    /// A link and its target.
    Link(String),
}

impl MemoryTree {
    /// The path of its top.
    pub const TOP: &str = "/dev/null/tree";

    /// A tree of these files and links, and of their folders.
    pub fn new<'p>(nodes: impl IntoIterator<Item = (&'p Utf8Path, MemoryNode)>) -> Self {
        let top = (PathBuf::new(), MemoryNode::Folder(Vec::new()));
        let mut tree = Self { nodes: BTreeMap::from([top]), has_links: false };
        for (path, node) in nodes {
            tree.has_links |= matches!(node, MemoryNode::Link(_));
            tree.add(path.as_std_path(), node);
        }
        tree
    }

    fn add(&mut self, path: &Path, node: MemoryNode) {
        self.nodes.insert(path.to_owned(), node);
        // Up to the first known folder.
        for path in path.ancestors() {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
            let name = name.to_string_lossy().into_owned();
            match self.nodes.get_mut(parent) {
                Some(MemoryNode::Folder(names)) => return names.push(name),
                _ => self.nodes.insert(parent.to_owned(), MemoryNode::Folder(vec![name])),
            };
        }
    }

    /// Resolves `path` in the tree; `None` for every path outside of it.
    pub(super) fn place<'a>(&'a self, path: &'a Path) -> Option<MemoryPath<'a>> {
        Some(MemoryPath { tree: self, inner: path.strip_prefix(Self::TOP).ok()? })
    }

    /// Removes a file; returns whether it existed.
    pub(super) fn remove(&mut self, path: &Path) -> bool {
        let (Ok(inner), Some(name)) = (path.strip_prefix(Self::TOP), path.file_name()) else { return false };
        if let Some(MemoryNode::Folder(names)) = inner.parent().and_then(|parent| self.nodes.get_mut(parent))
        {
            names.retain(|other| Path::new(other) != Path::new(name));
        }
        self.nodes.remove(inner).is_some()
    }
}

/// A path of a tree in memory.
pub(super) struct MemoryPath<'a> {
    tree: &'a MemoryTree,
    inner: &'a Path,
}

impl<'a> MemoryPath<'a> {
    /// The node itself, following links only in its parent path.
    pub(super) fn entry(&self) -> Option<&'a MemoryNode> {
        let parent =
            self.inner.parent().map_or(Ok(PathBuf::new()), |parent| self.resolve_links(parent)).ok()?;
        match self.inner.file_name() {
            Some(name) => self.tree.nodes.get(&parent.join(name)),
            None => self.tree.nodes.get(&self.resolve_links(self.inner).ok()?),
        }
    }

    /// The node, following links.
    pub(super) fn node(&self) -> io::Result<&'a MemoryNode> {
        let inner = self.resolve_links(self.inner)?;
        self.tree.nodes.get(&inner).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The node, which must not be reached through a link.
    pub(super) fn node_in_place(&self) -> io::Result<&'a MemoryNode> {
        self.tree.nodes.get(self.inner).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The names in a folder that is not reached through a link, each with its kind.
    pub(super) fn children(self) -> io::Result<impl Iterator<Item = (&'a String, FileKind)>> {
        let MemoryNode::Folder(names) = self.node_in_place()? else {
            return Err(rustix::io::Errno::NOTDIR.into());
        };
        let kind = move |name: &String| {
            self.tree.nodes.get(&self.inner.join(name)).map_or(FileKind::Link, MemoryNode::kind)
        };
        Ok(names.iter().map(move |name| (name, kind(name))))
    }

    /// The path with links resolved; if it leaves the tree, it is not below the top.
    pub(super) fn real(&self) -> io::Result<PathBuf> {
        let inner = self.resolve_links(self.inner)?;
        let is_there = self.tree.nodes.contains_key(&inner);
        // Files outside of the tree are unknown.
        if !is_there && inner != Path::new(DEVICE) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Path::new(MemoryTree::TOP).join(inner))
    }

    /// `path` relative to the top with links resolved; [`DEVICE`] if it leaves the tree.
    fn resolve_links(&self, path: &Path) -> io::Result<PathBuf> {
        let is_plain = || path.components().all(|part| matches!(part, Component::Normal(_)));
        if !self.tree.has_links && is_plain() && self.tree.nodes.contains_key(path) {
            return Ok(path.to_owned());
        }
        let parts =
            |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
        let mut rest: VecDeque<_> = parts(path).into();
        let (mut at, mut links) = (PathBuf::new(), 0);
        while let Some(part) = rest.pop_front() {
            match Path::new(&part).components().next() {
                Some(Component::Normal(name)) => at.push(name),
                Some(Component::ParentDir) if at.pop() => {}
                Some(Component::ParentDir | Component::RootDir | Component::Prefix(_)) => {
                    return Ok(DEVICE.into());
                }
                Some(Component::CurDir) | None => continue,
            }
            match self.tree.nodes.get(&at) {
                Some(MemoryNode::Link(target)) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(rustix::io::Errno::LOOP.into());
                    }
                    at.pop();
                    for part in parts(Path::new(target)).into_iter().rev() {
                        rest.push_front(part);
                    }
                }
                Some(MemoryNode::File { .. } | MemoryNode::Absent(_)) if !rest.is_empty() => {
                    return Err(rustix::io::Errno::NOTDIR.into());
                }
                Some(_) => {}
                None => return Err(io::ErrorKind::NotFound.into()),
            }
        }
        Ok(at)
    }
}

impl MemoryNode {
    /// Its kind.
    pub(super) fn kind(&self) -> FileKind {
        match self {
            MemoryNode::Folder(_) => FileKind::Folder,
            MemoryNode::File { .. } | MemoryNode::Absent(_) => FileKind::File,
            MemoryNode::Link(_) => FileKind::Link,
        }
    }

    /// Whether it is a file that may be executed.
    pub(super) fn is_executable(&self) -> bool {
        matches!(self, MemoryNode::File { executable: true, .. })
    }

    /// The content of a file.
    pub(super) fn bytes(&self) -> io::Result<&Arc<[u8]>> {
        match self {
            MemoryNode::File { bytes, .. } => Ok(bytes),
            MemoryNode::Absent(asked) => {
                asked.store(true, Ordering::Relaxed);
                Err(io::Error::other("its content is not there"))
            }
            MemoryNode::Folder(_) => Err(rustix::io::Errno::ISDIR.into()),
            MemoryNode::Link(_) => Err(rustix::io::Errno::LOOP.into()),
        }
    }
}
