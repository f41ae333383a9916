//! The emitted paths, with their folders, and what a path that is not there may have meant.

use std::collections::BTreeMap;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::Emitted;

/// Every emitted path.
#[derive(Debug)]
pub(super) struct Index {
    /// Path to whether it can be run.
    files: BTreeMap<Utf8PathBuf, bool>,
}

impl Index {
    pub(super) fn of(files: &[Emitted<'_>]) -> Self {
        Self { files: files.iter().map(|file| (file.path.to_owned(), file.executable)).collect() }
    }

    /// Whether a file or a folder of exactly that name is emitted.
    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        path.as_str().is_empty() || self.files.contains_key(path) || self.is_folder(path)
    }

    fn is_folder(&self, path: &Utf8Path) -> bool {
        let first = self.files.range(path.join("")..).next();
        first.is_some_and(|(found, _)| found.starts_with(path))
    }

    /// Whether the file at `path` can be run; `None` when there is no such file.
    pub(super) fn executable(&self, path: &Utf8Path) -> Option<bool> {
        self.files.get(path).copied()
    }
}

/// `base/path` without dots; `None` when it climbs out of the tree.
pub(super) fn joined(base: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    let mut out = base.to_owned();
    for part in Utf8Path::new(path).components() {
        match part {
            Utf8Component::Normal(name) => out.push(name),
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(out)
}

/// The path among `known` that `wanted` most likely meant: the same name but for case, the same file
/// elsewhere, or a name with a slip.
pub(super) fn meant<'a>(
    wanted: &Utf8Path,
    known: impl Iterator<Item = &'a Utf8Path>,
) -> Option<&'a Utf8Path> {
    let lower = |path: &Utf8Path| {
        // A skill file is known by its folder.
        let own = path.file_stem().is_some_and(|stem| stem.chars().all(|c| !c.is_lowercase()));
        let name = if own { path.parent().and_then(Utf8Path::file_name) } else { path.file_name() };
        name.unwrap_or_default().to_lowercase()
    };
    let name = lower(wanted);
    let score = |path: &Utf8Path| {
        let same = strsim::jaro_winkler(&lower(path), &name);
        let whole = strsim::jaro_winkler(&path.as_str().to_lowercase(), &wanted.as_str().to_lowercase());
        (same > 0.9 && path.extension() == wanted.extension()).then_some(same * 2.0 + whole)
    };
    let scored = known.filter_map(|path| Some((score(path)?, path)));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
    best.map(|(_, path)| path)
}
