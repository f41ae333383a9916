//! Whether paths that contain the beta's name lead to its folder.

use camino::{Utf8Path, Utf8PathBuf};

use super::selection::BetaSkill;
use crate::model::paths::join;
use crate::read::path_words::{leading_path, path_start};
use crate::source::{SourceTree, Span};

/// The known paths of a repository.
#[derive(Debug)]
pub(super) struct RepositoryPaths<'a> {
    beta: &'a BetaSkill<'a>,
    files: &'a SourceTree,
    /// Folders of plugins.
    roots: Vec<Utf8PathBuf>,
    /// Plugins that have a skill of the same name.
    rivals: Vec<&'a str>,
}

/// The destination of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathDestination {
    /// To the beta's folder.
    BetaFolder,
    /// To something else of the same name.
    OtherFolder,
    /// Unknown.
    Unknown,
}

impl<'a> RepositoryPaths<'a> {
    pub(super) fn new(
        beta: &'a BetaSkill<'a>,
        files: &'a SourceTree,
        roots: Vec<Utf8PathBuf>,
        rivals: Vec<&'a str>,
    ) -> Self {
        Self { beta, files, roots, rivals }
    }

    /// The destination of the path around `span` of `text`, up to the name `name` at `span`.
    pub(super) fn destination(&self, file: &Utf8Path, text: &str, span: Span, name: &str) -> PathDestination {
        let before = &text[..span.start];
        let prefix = before[path_start(before)..].replace('\\', "/");
        let mut segments: Vec<&str> = prefix.trim_end_matches('/').split('/').collect();
        if self.beta.from.file_name() != Some(name) || !self.beta.moves() {
            return PathDestination::Unknown;
        }
        let variable = |segment: &&str| segment.contains(['$', '{', '}', '<', '>', '*', '~', '%']);
        let open = segments.iter().any(variable) || prefix.starts_with('/');
        if !open {
            let led = |base: &Utf8Path| join(base, &format!("{prefix}{name}"));
            let known = |path: &Utf8PathBuf| *path == self.beta.from || self.files.has_folder(path);
            let folder = file.parent().unwrap_or(Utf8Path::new(""));
            if let Some(path) = folder.ancestors().filter_map(led).find(known) {
                return if path == self.beta.from {
                    PathDestination::BetaFolder
                } else {
                    PathDestination::OtherFolder
                };
            }
            let mut of_plugins: Vec<Utf8PathBuf> =
                self.roots.iter().filter_map(|root| led(root)).filter(known).collect();
            of_plugins.dedup();
            match of_plugins[..] {
                [] => {}
                [ref one] if *one == self.beta.from => return PathDestination::BetaFolder,
                _ if of_plugins.contains(&self.beta.from) => return PathDestination::Unknown,
                _ => return PathDestination::OtherFolder,
            }
        }
        if segments.iter().any(|segment| self.rivals.contains(segment)) {
            return PathDestination::OtherFolder;
        }
        let plain =
            segments.iter().rposition(|segment| variable(segment) || matches!(*segment, "" | "." | ".."));
        let climbs = plain.is_some();
        segments.drain(..plain.map_or(0, |at| at + 1));
        if segments.is_empty() {
            let rest = &text[span.end..];
            let rest = rest.strip_prefix(['/', '\\']).unwrap_or(rest);
            let inner = leading_path(rest).trim_end_matches('/');
            let known = inner.is_empty()
                || self.files.get(self.beta.from.join(inner)).is_some()
                || self.files.has_folder(&self.beta.from.join(inner));
            return if known && !climbs && !prefix.starts_with('/') {
                PathDestination::BetaFolder
            } else {
                PathDestination::Unknown
            };
        }
        let parents: Vec<&str> =
            self.beta.from.parent().map(|parent| parent.as_str().split('/').collect()).unwrap_or_default();
        let same = parents.iter().rev().zip(segments.iter().rev()).all(|(a, b)| a == b);
        let deep = !parents.is_empty() && !parents[0].is_empty();
        if same && deep && self.rivals.is_empty() {
            PathDestination::BetaFolder
        } else {
            PathDestination::Unknown
        }
    }
}

/// Whether the word around `span` is a URL.
pub(super) fn in_address(text: &str, span: Span) -> bool {
    let edge = |c: char| c.is_whitespace() || "`\"'()<>[]".contains(c);
    let before = &text[..span.start];
    let start = before.rfind(edge).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    word.contains("://") || word.starts_with("mailto:")
}
