//! The `[release]` settings of one unit: a plugin's own `plugcast.toml` takes precedence, key by key, over the one for
//! the whole source.

use std::path::Path;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::error::ReleaseError;
use crate::build;
use crate::disk::FileSystem;
use crate::model::config::{ChangelogForm, DeniedLosses, OwnedFiles, ReleaseConfig};

/// The settings, with paths relative to the top of the repository.
#[derive(Debug, Clone, Default)]
pub(super) struct PublishedValues {
    /// The form of its tags.
    pub(super) tag: Option<String>,
    /// More files that carry its version, and the key in each.
    pub(super) versions: Vec<(Utf8PathBuf, Option<String>)>,
    /// Its changelog.
    pub(super) changelog: Option<Utf8PathBuf>,
    /// The form of the headings there.
    pub(super) changelog_form: Option<ChangelogForm>,
    /// The files that only a release may change.
    pub(super) owned: Option<Vec<OwnedFiles>>,
    /// Classes of losses that fail its release.
    pub(super) deny_loss: Vec<DeniedLosses>,
    /// Whether new losses fail it.
    pub(super) deny_new_losses: Option<bool>,
}

impl PublishedValues {
    /// Loads the settings of the unit `name` from those of the source, which are in a folder, and from those of the unit,
    /// which are in the folder `own` below the top of the repository.
    ///
    /// # Errors
    /// When its own `plugcast.toml` cannot be read.
    pub(super) fn load(
        (config, place): (&ReleaseConfig, &Utf8Path),
        name: &str,
        own: Option<(&Path, &Utf8Path)>,
    ) -> Result<Self, ReleaseError> {
        let whole = Self::read(config, place, name);
        let Some((top, root)) = own else { return Ok(whole) };
        Ok(match build::read_config_in(&FileSystem::default(), &top.join(root), top)? {
            Some(own) => Self::read(&own.release, root, name).or(whole),
            None => whole,
        })
    }

    /// The settings of `config` in the folder `place`.
    fn read(config: &ReleaseConfig, place: &Utf8Path, name: &str) -> Self {
        let named = |text: &str| text.replace("{plugin}", name);
        let version = |value: &String| match named(value).split_once('#') {
            Some((path, key)) => (file(place, path), Some(key.to_owned())),
            None => (file(place, &named(value)), None),
        };
        Self {
            tag: config.tag.as_deref().map(named),
            versions: config.versions.iter().map(version).collect(),
            changelog: config.changelog.as_deref().map(|path| file(place, &named(path))),
            changelog_form: config.changelog_form,
            owned: config.owned.clone(),
            deny_loss: config.deny_loss.clone(),
            deny_new_losses: config.deny_new_losses,
        }
    }

    /// Fills unset values from `other`.
    fn or(self, other: Self) -> Self {
        let list = |own: bool| if own { &self } else { &other };
        let (versions, deny_loss) = (
            list(!self.versions.is_empty()).versions.clone(),
            list(!self.deny_loss.is_empty()).deny_loss.clone(),
        );
        Self {
            tag: self.tag.or(other.tag),
            versions,
            changelog: self.changelog.or(other.changelog),
            changelog_form: self.changelog_form.or(other.changelog_form),
            owned: self.owned.or(other.owned),
            deny_loss,
            deny_new_losses: self.deny_new_losses.or(other.deny_new_losses),
        }
    }
}

/// The file at `path`, which is relative to the folder `place`, without `..`: fixes do not accept it. Steps above the
/// top are kept, and lead to no file.
fn file(place: &Utf8Path, path: &str) -> Utf8PathBuf {
    let mut out = Utf8PathBuf::new();
    for part in place.join(path).components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if out.file_name().is_some() => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}
