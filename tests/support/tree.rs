//! A folder as a value: built in a test and written, or read back from disk, so that two trees are
//! compared whole and printed in one ordered text form.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Files and links by path relative to the tree's root, with `/`. Empty folders do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<String, Entry>,
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A regular file with its permission bits.
    File {
        /// The content.
        content: Vec<u8>,
        /// The permission bits, for example `0o644`.
        mode: u32,
    },
    /// A symbolic link with its target, as written.
    Link(String),
}

impl Tree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds everything of another tree.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    /// Adds a file of mode 0644.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.with_entry(path, Entry::File { content: content.as_ref().to_vec(), mode: 0o644 })
    }

    /// Adds a file of mode 0755.
    #[must_use]
    pub fn script(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.with_entry(path, Entry::File { content: content.as_ref().to_vec(), mode: 0o755 })
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.with_entry(path, Entry::Link(target.to_owned()))
    }

    /// Adds an entry of any kind.
    #[must_use]
    pub fn with_entry(mut self, path: &str, entry: Entry) -> Self {
        self.entries.insert(path.to_owned(), entry);
        self
    }

    /// Reads a folder. Links are not followed.
    ///
    /// # Panics
    /// When something below the folder cannot be read or has a name that is not UTF-8.
    pub fn read(folder: &Path) -> Self {
        let mut tree = Self::new();
        tree.read_into(folder, "");
        tree
    }

    fn read_into(&mut self, folder: &Path, prefix: &str) {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a folder entry can be read").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("names in tests are UTF-8");
            let relative = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
            let metadata = fs::symlink_metadata(&path).expect("an entry has metadata");
            if metadata.is_symlink() {
                let target = fs::read_link(&path).expect("a link can be read");
                let target = target.to_str().expect("link targets in tests are UTF-8").to_owned();
                self.entries.insert(relative, Entry::Link(target));
            } else if metadata.is_dir() {
                self.read_into(&path, &relative);
            } else {
                let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let mode = metadata.permissions().mode() & 0o7777;
                self.entries.insert(relative, Entry::File { content, mode });
            }
        }
    }

    /// Sets every mode to 0755 when the owner may execute the file, else 0644: what version
    /// control keeps, whatever the umask of the checkout.
    #[must_use]
    pub fn with_plain_modes(mut self) -> Self {
        for entry in self.entries.values_mut() {
            if let Entry::File { mode, .. } = entry {
                *mode = if *mode & 0o100 == 0 { 0o644 } else { 0o755 };
            }
        }
        self
    }

    /// Writes the tree below a folder, which is created, with exact modes.
    ///
    /// # Panics
    /// When something cannot be written.
    pub fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).expect("the folder can be created");
        for (path, entry) in &self.entries {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("an entry has a parent"))
                .expect("the folder can be created");
            match entry {
                Entry::File { content, mode } => {
                    fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).expect("a mode can be set");
                }
                Entry::Link(target) => symlink(target, &path).expect("a link can be made"),
            }
        }
    }

    /// Writes the tree into a fresh temporary folder.
    pub fn temporary(&self) -> TempDir {
        let folder = TempDir::new().expect("a temporary folder can be made");
        self.write(folder.path());
        folder
    }

    /// The entries, ordered by path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The entry at a path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// The content of a file, to be changed before a comparison.
    pub fn content_mut(&mut self, path: &str) -> Option<&mut Vec<u8>> {
        match self.entries.get_mut(path) {
            Some(Entry::File { content, .. }) => Some(content),
            _ => None,
        }
    }

    /// The tree without what is below a folder, whose path ends in `/`.
    #[must_use]
    pub fn without(mut self, folder: &str) -> Self {
        self.entries.retain(|path, _| !path.starts_with(folder));
        self
    }

    /// The part below a folder, with paths relative to it.
    pub fn below(&self, folder: &str) -> Self {
        let prefix = format!("{folder}/");
        let strip =
            |(path, entry): (&String, &Entry)| Some((path.strip_prefix(&prefix)?.to_owned(), entry.clone()));
        Self { entries: self.entries.iter().filter_map(strip).collect() }
    }

    /// The names directly below the root, folders and files alike.
    pub fn top(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.entries.keys().map(|path| path.split('/').next().unwrap_or(path).to_owned()).collect();
        names.dedup();
        names
    }

    /// Every entry in one text: a line with mode and path, then the content.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (path, entry) in &self.entries {
            text.push_str(&format!("==> {path} {}\n", entry.mode()));
            text.push_str(&entry.text());
            if !text.ends_with('\n') {
                text.push_str("\n\\ no newline at the end\n");
            }
        }
        text
    }
}

impl Entry {
    /// The mode in octal, or `link`.
    pub fn mode(&self) -> String {
        match self {
            Entry::File { mode, .. } => format!("{mode:04o}"),
            Entry::Link(_) => "link".to_owned(),
        }
    }

    /// The content as text; binary content as its size and digest.
    pub fn text(&self) -> String {
        match self {
            Entry::Link(target) => format!("{target}\n"),
            Entry::File { content, .. } => match std::str::from_utf8(content) {
                Ok(text) if !text.contains('\0') => text.to_owned(),
                _ => format!("<binary {} bytes {}>\n", content.len(), digest(content)),
            },
        }
    }
}

/// sha256 of some bytes, in hexadecimal.
pub fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_tree_comes_back_as_it_was_written() {
    let tree = Tree::new()
        .file("a/b.txt", "one\r\n\u{feff}two")
        .script("a/run", "#!/bin/sh\n")
        .file("data", [0, 159, 146, 150])
        .link("a/link", "b.txt");
    let folder = tree.temporary();
    let read = Tree::read(folder.path());
    assert_eq!(read, tree);
    assert_eq!(read.top(), ["a", "data"]);
    assert_eq!(read.below("a").get("run"), tree.get("a/run"));
    let text = read.text();
    assert!(text.contains("==> a/link link\nb.txt\n"), "{text}");
    assert!(text.contains("==> a/run 0755\n#!/bin/sh\n"), "{text}");
    assert!(text.contains("two\n\\ no newline at the end\n"), "{text}");
    assert!(text.contains("==> data 0644\n<binary 4 bytes "), "{text}");
}
