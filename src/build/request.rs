//! What a build, a check or a comparison reads, and what is known of it beforehand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use camino::Utf8PathBuf;

use super::{BuildError, config_of};
use crate::diagnostic::HostSelection;
use crate::disk::FileSystem;
use crate::disk::walk::SkipPolicy;
use crate::git::Git;
use crate::model::config::Config;
use crate::model::names;
use crate::progress::Progress;
use crate::target::{Target, Targets, UnknownHost};

/// Which source to read, and how.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SourceRequest {
    /// Where SRC lies.
    pub file_system: FileSystem,
    /// Git in the folder of SRC, to ask which ignored files it tracks; without it, no ignored file is read.
    pub git: Option<Git>,
    /// SRC.
    pub src: PathBuf,
    /// `--name`.
    pub name: Option<String>,
    /// The name of the folder that SRC is a copy of; `None` if SRC is not a copy.
    pub folder_name: Option<String>,
    /// Folders that this command writes.
    pub outputs: Vec<PathBuf>,
    /// The `plugcast.toml` that applies to SRC.
    pub config: Config,
    /// Texts that replace files of SRC, by path relative to it, such as unsaved changes in an editor.
    pub texts: BTreeMap<Utf8PathBuf, Arc<str>>,
    /// Folders to read as if they had been moved, relative to SRC: from, and to.
    pub moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// What the walk skips in addition to what the author excludes.
    pub skip_policy: SkipPolicy,
    /// Whether to read skills and plugins that no build includes.
    pub everything: bool,
    /// The folders below SRC to read, each separately; empty for all of SRC.
    pub parts: Vec<Utf8PathBuf>,
    /// Whether to read the README above all plugins, which no build needs.
    pub readme: bool,
    /// Receives progress messages.
    pub progress: Progress,
}

impl SourceRequest {
    /// A request for everything at `src` that a build reads, without settings.
    pub fn new(src: impl Into<PathBuf>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }

    /// A request for the source at `src` with the settings that apply to it, and the folder of those.
    ///
    /// # Errors
    /// When the settings cannot be used.
    pub fn load(src: impl Into<PathBuf>) -> Result<(Self, PathBuf), BuildError> {
        let request = Self::new(src);
        let (config, folder) = config_of(&request.file_system, &request.src)?;
        Ok((Self { config, ..request }, folder))
    }

    /// The hosts that `asked` names, else those that the settings name; none if neither names any.
    ///
    /// # Errors
    /// When one is unknown.
    pub fn hosts<'t>(
        &self,
        asked: &HostSelection,
        targets: &'t Targets,
    ) -> Result<Vec<&'t Target>, UnknownHost> {
        targets.selected(asked.or(&self.config.build.to))
    }

    /// The name of SRC's folder, made valid for a plugin or a marketplace: the source host also names a plugin without
    /// a manifest after its folder.
    pub(super) fn own_name(&self) -> String {
        let of_src =
            || Some(self.file_system.canonical(&self.src).ok()?.file_name()?.to_string_lossy().into_owned());
        let name = self.folder_name.clone().or_else(of_src).unwrap_or_default();
        match names::skill_name(&name).trim_matches(['-', '_']) {
            "" => "source".to_owned(),
            name => name.to_owned(),
        }
    }
}
