//! Trees of files that lie in memory: a commit is read as git has it, and laid out nowhere. Code that reads through `disk`
//! finds them below a path that no file system has, links and all.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use camino::Utf8Path;

use super::FileKind;

/// Nothing lies below a device.
const TOP: &str = "/dev/null";
/// How many links may lead to one another, as on Linux.
const MOST_LINKS: usize = 40;

/// What lies in memory, by the top of its tree.
static TREES: RwLock<BTreeMap<PathBuf, Arc<MemoryNodes>>> = RwLock::new(BTreeMap::new());

/// Everything of one tree.
#[derive(Debug, Clone, Default)]
struct MemoryNodes {
    /// By its path from the top, which is empty for the top itself.
    all: BTreeMap<PathBuf, MemoryNode>,
    /// Without links every path is where it says.
    has_links: bool,
}

impl MemoryNodes {
    fn get(&self, path: &Path) -> Option<&MemoryNode> {
        self.all.get(path)
    }
}

/// What lies at a path.
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
    /// A file whose content nobody has, and whether somebody asked for it.
    Absent(Arc<AtomicBool>),
    /// A link and what it says.
    Link(String),
}

/// A tree in memory, which is gone when this is dropped.
#[derive(Debug)]
pub struct MemoryTree {
    top: PathBuf,
}

impl MemoryTree {
    /// A tree of these files and links, and of the folders that hold them.
    pub fn new<'p>(nodes: impl IntoIterator<Item = (&'p Utf8Path, MemoryNode)>) -> Self {
        let mut all = MemoryNodes::default();
        all.all.insert(PathBuf::new(), MemoryNode::Folder(Vec::new()));
        for (path, node) in nodes {
            all.has_links |= matches!(node, MemoryNode::Link(_));
            add(&mut all.all, path.as_std_path(), node);
        }
        let mut trees = TREES.write().unwrap_or_else(PoisonError::into_inner);
        let number = trees.keys().next_back().and_then(|top| top.file_name()?.to_str()?.parse::<u64>().ok());
        // Of one width, so that the last of them is the highest.
        let top = Path::new(TOP).join(format!("{:020}", number.map_or(0, |number| number + 1)));
        trees.insert(top.clone(), Arc::new(all));
        Self { top }
    }

    /// The path of its top.
    pub fn path(&self) -> &Path {
        &self.top
    }

    /// Takes a file away; whether it was there.
    pub fn remove(&self, path: &Path) -> bool {
        let (Ok(inner), Some(name)) = (path.strip_prefix(&self.top), path.file_name()) else { return false };
        let mut trees = TREES.write().unwrap_or_else(PoisonError::into_inner);
        let Some(nodes) = trees.get_mut(&self.top).map(Arc::make_mut) else { return false };
        if let Some(MemoryNode::Folder(names)) = inner.parent().and_then(|parent| nodes.all.get_mut(parent)) {
            names.retain(|other| Path::new(other) != Path::new(name));
        }
        nodes.all.remove(inner).is_some()
    }
}

impl Drop for MemoryTree {
    fn drop(&mut self) {
        TREES.write().unwrap_or_else(PoisonError::into_inner).remove(&self.top);
    }
}

fn add(nodes: &mut BTreeMap<PathBuf, MemoryNode>, path: &Path, node: MemoryNode) {
    nodes.insert(path.to_owned(), node);
    // Up to the first folder that is known.
    for path in path.ancestors() {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let name = name.to_string_lossy().into_owned();
        match nodes.get_mut(parent) {
            Some(MemoryNode::Folder(names)) => return names.push(name),
            _ => nodes.insert(parent.to_owned(), MemoryNode::Folder(vec![name])),
        };
    }
}

/// A path of a tree in memory.
pub(super) struct MemoryPath {
    top: PathBuf,
    nodes: Arc<MemoryNodes>,
    inner: PathBuf,
}

/// The tree that `path` leads into; `None` for every path of the file system.
pub(super) fn place(path: &Path) -> Option<MemoryPath> {
    if !path.as_os_str().as_encoded_bytes().starts_with(TOP.as_bytes()) {
        return None;
    }
    let trees = TREES.read().unwrap_or_else(PoisonError::into_inner);
    let top: PathBuf = path.components().take(4).collect();
    let nodes = trees.get(&top)?.clone();
    Some(MemoryPath { inner: path.strip_prefix(&top).ok()?.to_owned(), top, nodes })
}

impl MemoryPath {
    /// What lies there, no link followed but on the way.
    pub(super) fn entry(&self) -> Option<&MemoryNode> {
        let parent = self.inner.parent().map_or(Ok(PathBuf::new()), |parent| self.follow(parent)).ok()?;
        match self.inner.file_name() {
            Some(name) => self.nodes.get(&parent.join(name)),
            None => self.nodes.get(&self.follow(&self.inner).ok()?),
        }
    }

    /// What lies there, through links.
    pub(super) fn node(&self) -> io::Result<&MemoryNode> {
        let inner = self.follow(&self.inner)?;
        self.nodes.get(&inner).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The same, where no link may lead.
    pub(super) fn in_place(&self) -> io::Result<&MemoryNode> {
        self.nodes.get(&self.inner).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The names in a folder to which no link leads, each with what lies there.
    pub(super) fn children(&self) -> io::Result<impl Iterator<Item = (&String, FileKind)>> {
        let MemoryNode::Folder(names) = self.in_place()? else {
            return Err(rustix::io::Errno::NOTDIR.into());
        };
        let kind =
            |name: &String| self.nodes.get(&self.inner.join(name)).map_or(FileKind::Link, MemoryNode::kind);
        Ok(names.iter().map(move |name| (name, kind(name))))
    }

    /// The path without links; one that leaves the tree is not below its top.
    pub(super) fn real(&self) -> io::Result<PathBuf> {
        let inner = self.follow(&self.inner)?;
        let is_there = self.nodes.get(&inner).is_some();
        // What lies outside is nobody's to know.
        if !is_there && inner != Path::new(TOP) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(self.top.join(inner))
    }

    /// `path` from the top without links; [`TOP`] for what leaves the tree.
    fn follow(&self, path: &Path) -> io::Result<PathBuf> {
        let is_plain = || path.components().all(|part| matches!(part, Component::Normal(_)));
        if !self.nodes.has_links && is_plain() && self.nodes.get(path).is_some() {
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
                    return Ok(TOP.into());
                }
                Some(Component::CurDir) | None => continue,
            }
            match self.nodes.get(&at) {
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
    /// What it is.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{self, walk};
    use crate::source::SourceTree;

    fn file(text: &str) -> MemoryNode {
        MemoryNode::File { bytes: Arc::from(text.as_bytes()), executable: false }
    }

    #[test]
    fn a_tree_in_memory_is_read_like_any_other_and_left_by_no_link() {
        let link = |target: &str| MemoryNode::Link(target.to_owned());
        let nodes = [
            ("a/b/x.md", file("x")),
            ("a/.gitignore", file("ignored\n")),
            ("a/ignored", file("i")),
            ("inner", link("a/b")),
            ("outer", link("../../etc")),
            ("whole", link("/etc")),
            ("round", link("round")),
        ];
        let tree = MemoryTree::new(nodes.iter().map(|(path, node)| (Utf8Path::new(*path), node.clone())));
        let top = tree.path().to_owned();
        assert!(disk::is_folder(&top.join("inner")) && disk::is_file(&top.join("inner/x.md")));
        assert_eq!(disk::canonical(&top.join("inner/./x.md")).unwrap(), top.join("a/b/x.md"));
        assert_eq!(disk::kind(&top.join("inner")), Some(FileKind::Link));
        assert_eq!(disk::read_text(&top.join("inner/x.md")).unwrap().as_deref(), Some("x"));
        assert_eq!(disk::read_text(&top.join("none")).unwrap(), None);
        assert!(
            !disk::is_inside(&top, &top.join("outer/passwd")) && disk::is_inside(&top, &top.join("a/new"))
        );
        let mut read = SourceTree::default();
        walk::walk(&top, "".into(), &walk::WalkOptions::default(), &mut read).unwrap();
        let paths: Vec<&str> = read.files().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/.gitignore", "a/b/x.md", "inner/x.md"]);
        let left: Vec<&str> = read.exclusions.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(left, ["a/ignored", "outer", "round", "whole"]);
        assert!(tree.remove(&top.join("a/b/x.md")) && !disk::is_file(&top.join("a/b/x.md")));
        drop(tree);
        assert!(!disk::is_folder(&top));
    }
}
