//! The source as read: files with their text, byte spans, and the line index that converts a byte offset to the line
//! and column that the user sees. Pure data; `disk` fills it.

mod exclusion;
mod hashed_paths;
mod kind;
mod lines;
mod markdown_path;
mod paths;
mod script;
mod span;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};

pub use exclusion::{Exclusion, ExclusionReason};
pub use hashed_paths::HashedPaths;
pub use kind::ComponentKind;
pub use lines::{LineIndex, last_line, line_end, line_start, next_line};
pub use markdown_path::{is_lowercase_markdown, is_markdown};
pub use paths::{PathMap, by_parts};
pub use script::{ScriptKind, script_kind, script_kind_of};
pub use span::{Position, Span};
pub use text::SharedText;

/// The file that marks its folder as a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The content of a file, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// Valid UTF-8, in memory.
    Text(Arc<str>),
    /// Markdown with bytes that are not valid UTF-8, which are read as U+FFFD, as hosts show them. Nothing rewrites such
    /// a file in place.
    Repaired {
        /// The text, valid UTF-8.
        text: Arc<str>,
        /// What is repaired, to be put after "the file".
        reason: String,
        /// The position of the first invalid byte.
        position: Position,
    },
    /// Not text, or too large for memory: it is copied from disk when needed.
    OnDisk,
    /// A file that should contain text but does not.
    NotText {
        /// Why, to be put after "the file".
        reason: String,
        /// The position of the first invalid byte.
        position: Position,
    },
}

/// One file of the source.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path relative to SRC, with `/`.
    pub path: Utf8PathBuf,
    /// The path of the bytes on disk.
    pub origin: PathBuf,
    /// Whether any execute bit is set.
    pub executable: bool,
    /// Size in bytes.
    pub size: u64,
    /// The text, if it is text.
    pub content: FileContent,
    /// Computed lazily.
    lines: OnceLock<LineIndex>,
    /// Computed lazily; several bundles need it.
    sha256: OnceLock<String>,
}

impl SourceFile {
    /// A file at `path` (relative to SRC) whose bytes are at `origin`.
    pub fn new(
        path: Utf8PathBuf,
        origin: PathBuf,
        executable: bool,
        size: u64,
        content: FileContent,
    ) -> Self {
        Self { path, origin, executable, size, content, lines: OnceLock::new(), sha256: OnceLock::new() }
    }

    /// Line and column of a byte of the text.
    pub fn position(&self, offset: usize) -> Position {
        let text = self.text().unwrap_or("");
        self.lines.get_or_init(|| LineIndex::new(text)).position(text, offset)
    }

    /// The byte offset of a position in the text; a column after the end of the line is clamped.
    pub fn offset(&self, place: Position) -> Option<usize> {
        let text = self.text()?;
        self.lines.get_or_init(|| LineIndex::new(text)).offset(text, place)
    }

    /// The span of a 1-based line of the text, including its line end.
    pub fn line(&self, line: usize) -> Option<Span> {
        let text = self.text()?;
        self.lines.get_or_init(|| LineIndex::new(text)).span(text, line)
    }

    /// sha256 of the bytes in hexadecimal; computed by `hash` the first time.
    ///
    /// # Errors
    /// Those of `hash`.
    pub fn sha256<E>(&self, hash: impl FnOnce(&Self) -> Result<String, E>) -> Result<&str, E> {
        if self.sha256.get().is_none() {
            let made = hash(self)?;
            return Ok(self.sha256.get_or_init(|| made));
        }
        Ok(self.sha256.get().map_or("", String::as_str))
    }

    /// Whether bytes were replaced to read the text.
    pub fn is_repaired(&self) -> bool {
        matches!(self.content, FileContent::Repaired { .. })
    }

    /// The text, if the file contains text that was read.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            FileContent::Text(text) | FileContent::Repaired { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The suffix of staged texts.
pub const UNFINISHED_ENDING: &str = ".plugcast-new";

/// The maximum total size of a source: a sparse file takes no space there, but all of it in a bundle.
pub const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// Everything that was read below SRC.
#[derive(Debug, Clone, Default)]
pub struct SourceTree {
    /// Sorted by path, part by part.
    files: Vec<SourceFile>,
    /// Paths left out, sorted.
    pub exclusions: Vec<Exclusion>,
    /// Links to files and folders, with the path of each target in the source.
    pub links: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// Empty folders.
    pub empty_folders: BTreeSet<Utf8PathBuf>,
    /// The index of `files`, unless one was added or removed since.
    index: Option<HashedPaths>,
}

impl SourceTree {
    /// Where a path below a link is in the source; `None` for a path without a link.
    pub fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut above = path.ancestors().filter(|_| !self.links.is_empty());
        let (link, target) = above.find_map(|part| self.links.get_key_value(part))?;
        Some(target.join(path.strip_prefix(link).ok()?))
    }

    fn place(&self, path: &str) -> Result<usize, usize> {
        // Files arrive sorted, so a new one is nearly always appended.
        if self.files.last().is_none_or(|last| by_parts(last.path.as_str(), path).is_lt()) {
            return Err(self.files.len());
        }
        self.files.binary_search_by(|file| by_parts(file.path.as_str(), path))
    }

    /// Adds a file, or replaces the one of the same path.
    pub fn insert(&mut self, file: SourceFile) {
        match self.place(file.path.as_str()) {
            Ok(at) => self.files[at] = file,
            Err(at) => {
                self.index = None;
                self.files.insert(at, file);
            }
        }
    }

    /// Makes lookups fast until a file is added or removed.
    pub fn index_paths(&mut self) {
        let paths: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        self.index = Some(HashedPaths::new(&paths));
    }

    /// Adds everything in `other`.
    pub fn append(&mut self, other: SourceTree) {
        for file in other.files {
            self.insert(file);
        }
        self.links.extend(other.links);
        self.empty_folders.extend(other.empty_folders);
        // Those of folders in path order follow each other.
        let follow = |last: &Exclusion| other.exclusions.first().is_none_or(|first| last < first);
        let are_sorted = self.exclusions.last().is_none_or(follow);
        self.exclusions.extend(other.exclusions);
        if !are_sorted {
            self.exclusions.sort();
            self.exclusions.dedup();
        }
    }

    /// Excludes the files that would exceed [`MOST_BYTES`] in total; one of them is reported as the author's fault.
    pub fn enforce_size_limit(&mut self) {
        let total =
            |files: &[SourceFile]| files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
        if total(&self.files) <= MOST_BYTES {
            return;
        }
        self.index = None;
        let (mut sum, mut fault) = (0, true);
        let mut left_out = Vec::new();
        self.files.retain(|file| {
            if file.size <= MOST_BYTES - sum {
                sum += file.size;
                return true;
            }
            let reason = match file.size > MOST_BYTES {
                true => ExclusionReason::TooLarge,
                false => ExclusionReason::TooLargeTogether,
            };
            let fault = std::mem::take(&mut fault);
            left_out.push(Exclusion { path: file.path.clone(), reason, fault });
            false
        });
        self.exclusions.extend(left_out);
        self.exclusions.sort();
    }

    /// Replaces the text of the file at `path`; a missing file is added as if it were at `origin`, unless the path is
    /// excluded.
    pub fn set_text(&mut self, path: &Utf8Path, origin: PathBuf, text: &Arc<str>) {
        let (origin, executable) = match self.get(path) {
            Some(file) => (file.origin.clone(), file.executable),
            None if self.exclusions.iter().any(|left_out| path.starts_with(&left_out.path)) => return,
            None => (origin, false),
        };
        let content = FileContent::Text(Arc::clone(text));
        self.insert(SourceFile::new(path.to_owned(), origin, executable, text.len() as u64, content));
    }

    /// Moves the folder `from` to `to` in this tree, replacing its content.
    pub fn move_folder(&mut self, from: &Utf8Path, to: &Utf8Path) {
        self.index = None;
        let (moved, mut rest): (Vec<SourceFile>, Vec<SourceFile>) = std::mem::take(&mut self.files)
            .into_iter()
            .partition(|file| is_inside(file.path.as_str(), from.as_str()));
        rest.retain(|file| !is_inside(file.path.as_str(), to.as_str()));
        self.files = rest;
        for mut file in moved {
            if let Ok(inner) = file.path.strip_prefix(from) {
                file.path = to.join(inner);
            }
            self.insert(file);
        }
        let placed = |path: Utf8PathBuf| match path.strip_prefix(from) {
            Ok(inner) => to.join(inner),
            Err(_) => path,
        };
        self.links.retain(|path, _| !path.starts_with(to));
        let links = std::mem::take(&mut self.links).into_iter();
        self.links = links.map(|(path, target)| (placed(path), placed(target))).collect();
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &Utf8Path) -> Option<SourceFile> {
        self.index = None;
        self.place(normalized(path).as_str()).ok().map(|at| self.files.remove(at))
    }

    /// The file at `path`.
    pub fn get(&self, path: impl AsRef<Utf8Path>) -> Option<&SourceFile> {
        let path = normalized(path.as_ref());
        let at = match &self.index {
            Some(index) => index.find(path.as_str(), |at| self.files[at].path.as_str()),
            None => self.place(path.as_str()).ok(),
        };
        at.map(|at| &self.files[at])
    }

    /// All files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The files below `folder` (all of them for an empty path), sorted by path.
    pub fn files_below<'a>(&'a self, folder: &'a Utf8Path) -> impl Iterator<Item = &'a SourceFile> {
        let folder = normalized(folder);
        let start = self.files.partition_point(|file| by_parts(file.path.as_str(), folder.as_str()).is_lt());
        self.files[start..].iter().take_while(move |file| is_inside(file.path.as_str(), folder.as_str()))
    }

    /// Whether there is any file below `folder`.
    pub fn has_folder(&self, folder: &Utf8Path) -> bool {
        self.files_below(folder).any(|file| file.path != folder)
    }

    /// Names of the folders directly below `folder`, sorted.
    pub fn child_folders(&self, folder: &Utf8Path) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        // Paths are normalized, and those below one folder follow each other.
        let above = normalized(folder).as_str().len();
        for file in self.files_below(folder) {
            let rest = file.path.as_str().get(above..).unwrap_or_default();
            if let Some((name, _)) = rest.strip_prefix('/').unwrap_or(rest).split_once('/')
                && names.last().is_none_or(|last| last != name)
            {
                names.push(name.to_owned());
            }
        }
        names
    }
}

/// Whether `path` is `folder` or inside of it; both must be normalized.
pub fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `path` without empty parts and `.`.
pub fn normalized(path: &Utf8Path) -> Cow<'_, Utf8Path> {
    let text = path.as_str();
    let is_odd = |pair: &[u8]| pair[0] == b'/' && matches!(pair[1], b'/' | b'.');
    if text.ends_with('/') || text.as_bytes().windows(2).any(is_odd) {
        return Cow::Owned(path.components().collect());
    }
    Cow::Borrowed(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_stops_at_the_folder_and_ignores_namesakes() {
        let mut tree = SourceTree::default();
        for path in ["a/x", "a-b/x", "a/b/y", "b/z"] {
            tree.insert(SourceFile::new(path.into(), PathBuf::new(), false, 0, FileContent::OnDisk));
        }
        let below: Vec<_> = tree.files_below(Utf8Path::new("a")).map(|file| file.path.as_str()).collect();
        assert_eq!(below, ["a/b/y", "a/x"]);
        assert_eq!(tree.child_folders(Utf8Path::new("")), ["a", "a-b", "b"]);
        assert_eq!(tree.child_folders(Utf8Path::new("a")), ["b"]);
        assert!(tree.get("a//b/./y").is_some() && tree.get("a/b").is_none());
        let files: Vec<_> = tree.files().map(|file| file.path.clone()).collect();
        assert!(files.is_sorted(), "the order is that of paths: {files:?}");
    }
}
