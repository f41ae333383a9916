//! Which files of a plugin's folder belong to it: everything but lockfiles and files of the author's tools at its root,
//! and the manifests of other hosts.

use camino::{Utf8Path, Utf8PathBuf};

use crate::source::{Exclusion, ExclusionReason, SourceTree, by_parts, is_inside, normalized};
use crate::source_format::SourceFacts;

/// The files of one plugin.
#[derive(Debug, Clone, Default)]
pub struct PluginFiles {
    /// Included files, relative to SRC, sorted.
    pub kept: Vec<Utf8PathBuf>,
    /// Excluded files and folders, with the reason.
    pub left_out: Vec<Exclusion>,
}

impl PluginFiles {
    /// The included files at or below a path; they are sorted, so no other file is visited.
    pub fn kept_below<'a>(&'a self, path: &'a Utf8Path) -> impl Iterator<Item = &'a Utf8PathBuf> {
        let path = normalized(path);
        let start = self.kept.partition_point(|kept| by_parts(kept.as_str(), path.as_str()).is_lt());
        self.kept[start..].iter().take_while(move |kept| is_inside(kept.as_str(), path.as_str()))
    }
}

/// Divides the files below `root` into kept and excluded ones; `nested` are the roots of other plugins, which own their
/// files; `owned` are manifests and folders of other hosts.
pub fn plugin_files(
    tree: &SourceTree,
    root: &Utf8Path,
    nested: &[Utf8PathBuf],
    source: &SourceFacts,
    owned: &[String],
) -> PluginFiles {
    let mut files = PluginFiles::default();
    let nested: Vec<&str> = nested
        .iter()
        .map(|other| other.as_str())
        .filter(|other| *other != root.as_str() && relative_to(other, root.as_str()).is_some())
        .collect();
    for file in tree.files_below(root) {
        let path = file.path.as_str();
        let Some(inner) = relative_to(path, root.as_str()) else { continue };
        if nested.iter().any(|other| relative_to(path, other).is_some()) {
            continue;
        }
        let own_document = inner == source.manifest || inner == source.marketplace;
        let reason = if source.lockfiles.iter().any(|name| inner == *name) {
            Some((Utf8PathBuf::from(inner), ExclusionReason::Lockfile))
        } else if own_document {
            None
        } else if let Some(top) = build_file(inner, source) {
            Some((top.into(), ExclusionReason::BuildFile))
        } else {
            foreign_prefix(inner, owned).map(|top| (top, ExclusionReason::ForeignFile))
        };
        match reason {
            None => files.kept.push(file.path.clone()),
            Some((top, reason)) => {
                let exclusion = Exclusion { path: root.join(top), reason, fault: false };
                if files.left_out.last() != Some(&exclusion) {
                    files.left_out.push(exclusion);
                }
            }
        }
    }
    files
}

/// The file or folder at the plugin's root that contains `inner`, if it belongs to the author's tools.
fn build_file<'a>(inner: &'a str, source: &SourceFacts) -> Option<&'a str> {
    let top = inner.split('/').next()?;
    source.build_files.iter().any(|name| name == top).then_some(top)
}

/// `path` relative to `folder`, if it is in it; both are plain.
fn relative_to<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// The prefix of `inner` that belongs to a host, if any.
fn foreign_prefix(inner: &str, owned: &[String]) -> Option<Utf8PathBuf> {
    let holds = |owned: &&String| inner == owned.as_str() || relative_to(inner, owned).is_some();
    owned.iter().find(holds).map(Utf8PathBuf::from)
}
