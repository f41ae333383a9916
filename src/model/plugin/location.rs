//! The location of a plugin, and the form of its folder.

use camino::Utf8PathBuf;

use crate::model::marketplace::MarketplaceEntry;
use crate::source::ComponentKind;

/// The form of a folder that is read as a plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LocationForm {
    /// A plugin, or skills that belong to none.
    #[default]
    Plugin,
    /// The source host's own folder in a project: laid out like a plugin, with settings that contain hooks.
    Project,
    /// Files of a project in a format of another host, none of which is a component.
    Foreign,
    /// A folder of agents or commands of that kind, which belong to no plugin.
    Loose(ComponentKind),
}

/// The location of a plugin, and everything known about it before it is read.
#[derive(Debug, Clone)]
pub struct PluginLocation {
    /// Its folder, relative to SRC; empty for SRC itself.
    pub root: Utf8PathBuf,
    /// Its name if it has no manifest.
    pub name: Option<String>,
    /// Its entry in the marketplace.
    pub entry: Option<MarketplaceEntry>,
    /// Folders of skills that belong to no plugin, relative to SRC. Each skill owns everything in its folder, whatever
    /// its name.
    pub loose_skills: Vec<Utf8PathBuf>,
    /// Whether its folder has parts of a plugin besides loose skills.
    pub has_parts: bool,
    /// Whether no build includes it, so that only a check reads it.
    pub is_check_only: bool,
    /// The form of its folder.
    pub form: LocationForm,
}

impl PluginLocation {
    /// Whether it consists only of skills that belong to no plugin.
    pub fn is_shelf(&self) -> bool {
        !self.loose_skills.is_empty() && !self.has_parts
    }
}
