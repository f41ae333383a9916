//! What a build, a check or a comparison reads, and what is known of it beforehand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::disk::FileSystem;
use crate::disk::walk::SkipPolicy;
use crate::model::config::Config;
use crate::model::names;
use crate::progress::Progress;

/// What to read, and what is known beforehand.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SourceRequest {
    /// Where SRC lies.
    pub file_system: FileSystem,
    /// SRC.
    pub src: PathBuf,
    /// `--name`.
    pub name: Option<String>,
    /// What the folder is called that SRC stands for; SRC's own name where it stands for none.
    pub folder_name: Option<String>,
    /// Folders that this command writes.
    pub outputs: Vec<PathBuf>,
    /// The `plugcast.toml` that applies to SRC.
    pub config: Config,
    /// Texts that take the place of files of SRC, by path relative to it: what an editor has not saved.
    pub texts: BTreeMap<Utf8PathBuf, Arc<str>>,
    /// Folders that are read as if they lay elsewhere, relative to SRC: from, and to.
    pub moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// What the walk leaves out besides what the author excludes.
    pub passed_over: SkipPolicy,
    /// Whether skills and plugins beside those that a build takes are read.
    pub everything: bool,
    /// The folders below SRC that are read, each for itself; empty for SRC as a whole.
    pub parts: Vec<Utf8PathBuf>,
    /// Whether a README that stands above all plugins is read, which no build needs.
    pub readme: bool,
    /// Hears what is being done.
    pub progress: Progress,
}

impl SourceRequest {
    /// Everything at `src` that a build takes, by the settings of `plugcast.toml` there are none of.
    pub fn new(src: impl Into<PathBuf>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }

    /// The name of SRC's folder, as a plugin or a marketplace can have it: the source host, too, names a plugin without
    /// a manifest after its folder.
    pub(super) fn own_name(&self) -> String {
        let of_src =
            || Some(self.file_system.canonical(&self.src).ok()?.file_name()?.to_string_lossy().into_owned());
        let name = self.folder_name.clone().or_else(of_src).unwrap_or_default();
        match names::shown(&name).trim_matches('-') {
            "" => "source".to_owned(),
            name => name.to_owned(),
        }
    }
}
