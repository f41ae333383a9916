//! Reads the files of a source: sorted, links followed only inside the source, ignored files left
//! out with the reason, text in memory and everything else left on disk.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::DiskError;
use crate::source::{
    Content, Exclusion, IGNORED, LineIndex, OUTPUT, Position, SourceFile, SourceTree, VERSION_CONTROL,
};

/// Files up to this size are read, to see whether they are text.
const SMALL: u64 = 1024 * 1024;
/// Files whose ending says that they are text are read up to this size.
const LARGE_TEXT: u64 = 64 * 1024 * 1024;
/// Folders deeper than this are left out: a link to a parent could go on for ever.
const DEPTH: usize = 64;

/// What a walk leaves out besides what `.gitignore` files say.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Globs of `[build] exclude`, relative to SRC.
    pub exclude: Vec<String>,
    /// Folders that this very command writes.
    pub outputs: Vec<PathBuf>,
}

struct Walk<'a> {
    root: PathBuf,
    exclude: GlobSet,
    outputs: Vec<PathBuf>,
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
    let root = super::canonical(root)?;
    let mut globs = GlobSetBuilder::new();
    for pattern in &options.exclude {
        globs.add(Glob::new(pattern).map_err(|error| WalkError::Glob(pattern.clone(), error.to_string()))?);
    }
    let exclude =
        globs.build().map_err(|error| WalkError::Glob(options.exclude.join(", "), error.to_string()))?;
    let outputs = options.outputs.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let mut ignores = Vec::new();
    let mut above = root.clone();
    ignores.extend(gitignore(&above));
    for part in folder.components().filter(|_| !folder.as_str().is_empty()) {
        above.push(part.as_str());
        ignores.extend(gitignore(&above));
    }
    fs::read_dir(root.join(folder)).map_err(|error| DiskError::new("list", &root.join(folder), error))?;
    let ancestors = vec![super::canonical(&root.join(folder))?];
    Walk { root, exclude, outputs, tree }.folder(folder, &mut ignores, &ancestors);
    tree.exclusions.sort();
    tree.exclusions.dedup();
    Ok(())
}

/// Reads the one file at `path` (relative to `root`) into `tree`.
///
/// # Errors
/// When `root` is not there.
pub fn read_one(root: &Path, path: &Utf8Path, tree: &mut SourceTree) -> Result<(), WalkError> {
    let root = super::canonical(root)?;
    let mut walk = Walk { root, exclude: GlobSet::empty(), outputs: Vec::new(), tree };
    walk.entry(path, &mut Vec::new(), &[]);
    Ok(())
}

/// Why a walk could not start.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// An exclude pattern is no glob.
    #[error("`{0}` in `[build] exclude` is no glob: {1}")]
    Glob(String, String),
}

fn gitignore(folder: &Path) -> Option<Gitignore> {
    let file = folder.join(".gitignore");
    if !super::is_file(&file) {
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    // A pattern that does not parse is skipped, as git does; the others count.
    builder.add(&file);
    builder.build().ok()
}

impl Walk<'_> {
    fn exclude(&mut self, path: Utf8PathBuf, reason: impl Into<String>, fault: bool) {
        self.tree.exclusions.push(Exclusion { path, reason: reason.into(), fault });
    }

    fn folder(&mut self, folder: &Utf8Path, ignores: &mut Vec<Gitignore>, ancestors: &[PathBuf]) {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) => return self.exclude(folder.to_owned(), format!("cannot be listed: {error}"), true),
        };
        let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            match name.to_str() {
                Some(name) => self.entry(&folder.join(name), ignores, ancestors),
                None => {
                    self.exclude(folder.join(name.to_string_lossy().as_ref()), "its name is no UTF-8", true)
                }
            }
        }
    }

    fn entry(&mut self, path: &Utf8Path, ignores: &mut Vec<Gitignore>, ancestors: &[PathBuf]) {
        let full = self.root.join(path);
        let link = match fs::symlink_metadata(&full) {
            Ok(meta) => meta.is_symlink(),
            Err(error) => return self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        };
        if matches!(path.file_name(), Some(".git" | ".hg" | ".svn" | ".jj")) {
            return self.exclude(path.to_owned(), VERSION_CONTROL, false);
        }
        let real = match fs::canonicalize(&full) {
            Ok(real) => real,
            Err(error) if link => {
                return self.exclude(path.to_owned(), format!("the link cannot be followed: {error}"), true);
            }
            Err(error) => return self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        };
        if link && !real.starts_with(&self.root) {
            return self.exclude(path.to_owned(), "the link leaves the source", true);
        }
        let is_folder = super::is_folder(&real);
        if let Some(reason) = self.left_out(path, &full, &real, is_folder, ignores) {
            return self.exclude(path.to_owned(), reason, false);
        }
        if is_folder {
            if ancestors.contains(&real) || ancestors.len() > DEPTH {
                return self.exclude(path.to_owned(), "the link leads back into a folder above it", true);
            }
            let own = gitignore(&full);
            let added = own.is_some();
            ignores.extend(own);
            let mut below = ancestors.to_vec();
            below.push(real);
            self.folder(path, ignores, &below);
            if added {
                ignores.pop();
            }
        } else {
            self.file(path, real);
        }
    }

    fn left_out(
        &self,
        path: &Utf8Path,
        full: &Path,
        real: &Path,
        is_folder: bool,
        ignores: &[Gitignore],
    ) -> Option<String> {
        if self.outputs.iter().any(|output| output == real) {
            return Some(OUTPUT.to_owned());
        }
        if self.exclude.is_match(path.as_std_path()) {
            return Some("`[build] exclude` names it".to_owned());
        }
        for ignore in ignores.iter().rev() {
            match ignore.matched(full, is_folder) {
                Match::Ignore(_) => return Some(IGNORED.to_owned()),
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        None
    }

    fn file(&mut self, path: &Utf8Path, real: PathBuf) {
        let meta = match fs::metadata(&real) {
            Ok(meta) => meta,
            Err(error) => return self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        };
        if !meta.is_file() {
            return self.exclude(path.to_owned(), "it is neither a file nor a folder", true);
        }
        let limit = if is_text_name(path) { LARGE_TEXT } else { SMALL };
        let content = if meta.len() > limit {
            let large = || Content::NotText {
                reason: format!("is larger than {} MiB", LARGE_TEXT >> 20),
                position: Position { line: 1, column: 1 },
            };
            fs::File::open(&real).map(|_| if is_text_name(path) { large() } else { Content::OnDisk })
        } else {
            fs::read(&real).map(|bytes| decode(bytes, path))
        };
        match content {
            Ok(content) => {
                self.tree.insert(SourceFile::new(
                    path.to_owned(),
                    real,
                    executable(&meta),
                    meta.len(),
                    content,
                ));
            }
            Err(error) => self.exclude(path.to_owned(), format!("cannot be read: {error}"), true),
        }
    }
}

fn decode(bytes: Vec<u8>, path: &Utf8Path) -> Content {
    let (valid, fault) = match std::str::from_utf8(&bytes) {
        Ok(text) => match text.find('\0') {
            None => {
                return String::from_utf8(bytes)
                    .map_or(Content::OnDisk, |text| Content::Text(Arc::from(text)));
            }
            Some(at) => (at, format!("is no text: byte {at} is NUL")),
        },
        Err(error) => {
            (error.valid_up_to(), format!("is no UTF-8: byte {} begins no character", error.valid_up_to()))
        }
    };
    if !is_text_name(path) {
        return Content::OnDisk;
    }
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let position = LineIndex::new(&before).position(&before, before.len());
    Content::NotText { reason: fault, position }
}

fn is_text_name(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("md" | "json" | "toml" | "yaml" | "yml"))
}

#[cfg(unix)]
fn executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &fs::Metadata) -> bool {
    false
}
