//! Where a plugin lies, and what its folder is.

use camino::Utf8PathBuf;

use crate::model::marketplace::MarketplaceEntry;
use crate::source::ComponentKind;

/// What a folder is that is read as a plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LocationForm {
    /// A plugin, or skills that belong to none.
    #[default]
    Plugin,
    /// The source host's own folder in a project: a plugin's form, with settings that hold hooks.
    Project,
    /// Files of a project in a format of another host's, none of which is a component.
    Foreign,
    /// A folder of agents or commands of that kind, which belong to no plugin.
    Loose(ComponentKind),
}

/// Where a plugin lies and what is known of it before it is read.
#[derive(Debug, Clone)]
pub struct PluginLocation {
    /// Its folder, relative to SRC; empty for SRC itself.
    pub root: Utf8PathBuf,
    /// Its name where it has no manifest.
    pub name: Option<String>,
    /// Its entry in the marketplace.
    pub entry: Option<MarketplaceEntry>,
    /// Folders of skills that belong to no plugin, relative to SRC: what their folders hold is theirs, whatever it is
    /// called.
    pub loose_skills: Vec<Utf8PathBuf>,
    /// Whether its folder has parts of a plugin beside loose skills; else there is nothing but these.
    pub has_parts: bool,
    /// It lies beside what a build takes, and only a check reads it.
    pub beside: bool,
    /// What its folder is.
    pub form: LocationForm,
}

impl PluginLocation {
    /// Whether it is nothing but skills that belong to no plugin.
    pub fn is_shelf(&self) -> bool {
        !self.loose_skills.is_empty() && !self.has_parts
    }
}
