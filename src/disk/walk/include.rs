//! The globs of a walk: what takes part although it is ignored.

use camino::Utf8Path;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::WalkError;

/// The set of some patterns.
///
/// # Errors
/// When one of them does not parse.
pub(super) fn globs(patterns: &[String]) -> Result<GlobSet, WalkError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|error| WalkError::Glob(pattern.clone(), error.to_string()))?);
    }
    set.build().map_err(|error| WalkError::Glob(patterns.join(", "), error.to_string()))
}

/// What takes part although it is ignored or is in the output folder.
#[derive(Debug, Default)]
pub(super) struct IncludeSet {
    globs: GlobSet,
    patterns: Vec<String>,
}

impl IncludeSet {
    /// What these globs name.
    ///
    /// # Errors
    /// When one of them does not parse.
    pub(super) fn new(patterns: &[String]) -> Result<Self, WalkError> {
        let plain = |pattern: &String| {
            let pattern = pattern.replace("/./", "/");
            pattern.strip_prefix("./").unwrap_or(&pattern).trim_end_matches('/').to_owned()
        };
        let patterns: Vec<String> = patterns.iter().map(plain).collect();
        // What names a folder means everything in it.
        let below = patterns.iter().map(|pattern| format!("{pattern}/**"));
        let all: Vec<String> = patterns.iter().cloned().chain(below).collect();
        Ok(Self { globs: globs(&all)?, patterns })
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether it names the file, or something that the folder may hold.
    pub(super) fn matches(&self, path: &Utf8Path, is_folder: bool) -> bool {
        let leads = |pattern: &String| {
            let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
            let fixed = fixed.trim_end_matches('/');
            Utf8Path::new(fixed).starts_with(path) || path.starts_with(fixed)
        };
        self.globs.is_match(path.as_std_path()) || is_folder && self.patterns.iter().any(leads)
    }
}
