//! A plugin or package with its own version, and the places that state this version.

use camino::{Utf8Path, Utf8PathBuf};

use super::found_version::FoundVersion;
use super::published_values::PublishedValues;
use super::values::VersionLocation;
use crate::model::config::RECORDS;
use crate::source::Span;

/// A plugin or package with its own version.
#[derive(Debug, Clone)]
pub(super) struct VersionedUnit {
    /// The plugin's name, or that of the package.
    pub(super) name: String,
    /// Its folder, relative to the top; empty for the top.
    pub(super) root: Utf8PathBuf,
    /// Whether it is a plugin of the source.
    pub(super) is_plugin: bool,
    /// Every place that may state its version; the first one that does takes precedence.
    pub(super) places: Vec<VersionPlace>,
    /// The form of its tags in release automation.
    pub(super) tag: Option<String>,
    /// The changelog of release automation, relative to the top.
    pub(super) changelog: Option<Utf8PathBuf>,
    /// Whether release automation sets the version.
    pub(super) automated: bool,
    /// Its `[release]` settings.
    pub(super) published: PublishedValues,
}

/// A place that may state a version.
#[derive(Debug, Clone)]
pub(super) struct VersionPlace {
    /// The file, relative to the top.
    pub(super) path: Utf8PathBuf,
    /// A noun phrase for the place, for messages.
    pub(super) what: String,
    /// The location in the file.
    pub(super) at: VersionLocation,
    /// The index among several versions at this location.
    pub(super) turn: usize,
    /// What was found.
    pub(super) found: FoundVersion,
    /// Whether it must state a version.
    pub(super) required: bool,
}

impl VersionedUnit {
    /// The version that takes precedence.
    pub(super) fn version(&self) -> Option<String> {
        self.stated().map(|(_, version, _)| version.to_owned())
    }

    /// The place that takes precedence, its version, and the span of it.
    pub(super) fn stated(&self) -> Option<(&VersionPlace, &str, Span)> {
        self.places.iter().find_map(|place| match &place.found {
            FoundVersion::Version(version, span) => Some((place, version.as_str(), *span)),
            _ => None,
        })
    }

    /// The file to report a missing version at: its manifest, or its folder.
    pub(super) fn own_path(&self) -> &Utf8Path {
        let own = |place: &&VersionPlace| !RECORDS.contains(&place.path.as_str());
        self.places.iter().find(own).map_or(&self.root, |place| &place.path)
    }
}
