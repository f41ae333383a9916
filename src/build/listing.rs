//! The files below a source, as a sorted list of paths: the files of a folder are found without scanning the others.

use std::cell::OnceCell;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::{BuildError, SourceRequest};
use crate::disk::walk::{self, FolderCache, SkipPolicy, WalkOptions};
use crate::source::{Exclusion, by_parts};

/// Above this many files, the user is told that reading takes a while.
const SLOW_FROM: usize = 100_000;

/// The files of a source, listed on first use.
pub(super) struct Listing<'a> {
    src: &'a Path,
    request: &'a SourceRequest,
    folders: FolderCache,
    listed: OnceCell<(Files, Vec<Exclusion>)>,
}

impl<'a> Listing<'a> {
    /// The files below `src`, or in the parts of it that `request` names; listed folders are cached in `folders`.
    pub fn new(src: &'a Path, request: &'a SourceRequest, folders: &FolderCache) -> Self {
        Self { src, request, folders: folders.clone(), listed: OnceCell::new() }
    }

    /// The files, and what was skipped.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn get(&self) -> Result<&(Files, Vec<Exclusion>), BuildError> {
        if self.listed.get().is_none() {
            let _ = self.listed.set(self.list()?);
        }
        Ok(self.listed.get_or_init(Default::default))
    }

    /// How many files were listed; 0 before the first use.
    pub fn count(&self) -> usize {
        self.listed.get().map_or(0, |(files, _)| files.0.len())
    }

    fn list(&self) -> Result<(Files, Vec<Exclusion>), BuildError> {
        let config = &self.request.config.build;
        let skip_policy = match self.request.skip_policy {
            SkipPolicy::Ignored => SkipPolicy::IgnoredAndPackages,
            other => other,
        };
        let options = WalkOptions {
            folders: self.folders.clone(),
            file_system: self.request.file_system.clone(),
            exclude: config.exclude.clone(),
            include: config.include.clone(),
            outputs: self.request.outputs.clone(),
            skip_policy,
            without_bundles: true,
            progress: self.request.progress.clone(),
        };
        let whole = [Utf8PathBuf::new()];
        let parts = if self.request.parts.is_empty() { &whole[..] } else { &self.request.parts };
        let (mut files, mut left_out) = (Vec::new(), Vec::new());
        for part in parts {
            let (found, exclusions) = walk::paths(self.src, part, &options)?;
            files.extend(found);
            left_out.extend(exclusions);
        }
        if files.len() > SLOW_FROM {
            let src = self.request.src.display();
            let line = format!("reading `{src}` takes a while: it has {} files", files.len());
            self.request.progress.announce(&line);
        }
        Ok((Files::new(files), left_out))
    }
}

/// Paths of files, sorted by their parts, so that those of a folder are adjacent.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<Utf8PathBuf>);

impl Files {
    fn new(mut paths: Vec<Utf8PathBuf>) -> Self {
        paths.sort_unstable_by(|a, b| by_parts(a.as_str(), b.as_str()));
        // As text: comparing the parts takes several times longer.
        paths.dedup_by(|a, b| a.as_str() == b.as_str());
        Self(paths)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        self.0.iter()
    }

    /// Whether there is a file at `path`.
    pub fn contains(&self, path: &Utf8Path) -> bool {
        self.0.binary_search_by(|file| by_parts(file.as_str(), path.as_str())).is_ok()
    }

    /// The files in `folder`, at any depth.
    pub fn files_below(&self, folder: &Utf8Path) -> &[Utf8PathBuf] {
        let first = self.0.partition_point(|file| by_parts(file.as_str(), folder.as_str()).is_lt());
        let rest = &self.0[first..];
        &rest[..rest.partition_point(|file| is_in(file, folder.as_str()))]
    }

    /// The folders directly in `folder` that hold a file; hidden ones only if `hidden` is set.
    pub fn children(&self, folder: &Utf8Path, hidden: bool) -> Vec<Utf8PathBuf> {
        let start = if folder.as_str().is_empty() { 0 } else { folder.as_str().len() + 1 };
        let (mut rest, mut out) = (self.files_below(folder), Vec::new());
        while let Some(path) = rest.first() {
            let name = path.as_str().get(start..).unwrap_or_default();
            let Some(end) = name.find('/') else {
                rest = &rest[1..];
                continue;
            };
            let child = &path.as_str()[..start + end];
            if hidden || !name.starts_with('.') {
                out.push(Utf8PathBuf::from(child));
            }
            rest = &rest[rest.partition_point(|path| is_in(path, child))..];
        }
        out
    }
}

fn is_in(path: &Utf8Path, folder: &str) -> bool {
    let rest = path.as_str().strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_among_files_that_begin_like_them() {
        let files = ["a-b/x", "a/.h/x", "a/b/c/x", "a/b.md", "a/b/d", "a/c", "z"];
        let files = Files::new(files.map(Utf8PathBuf::from).to_vec());
        let inside = |folder: &str| {
            files.files_below(folder.into()).iter().map(|path| path.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(inside("a/b"), ["a/b/c/x", "a/b/d"]);
        assert_eq!(inside("").len(), 7);
        assert_eq!(inside("b"), [""; 0]);
        assert_eq!(files.children("".into(), false), ["a", "a-b"]);
        assert_eq!(files.children("a".into(), false), ["a/b"]);
        assert_eq!(files.children("a".into(), true), ["a/.h", "a/b"]);
        assert!(files.contains("a/b/d".into()) && !files.contains("a/b".into()));
    }
}
