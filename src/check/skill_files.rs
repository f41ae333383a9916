//! Files below a plugin's folder of skills, wherever they lie in it.

use camino::{Utf8Path, Utf8PathBuf};

use crate::model::plugin::Plugin;

/// What a skill's file is called.
pub const SKILL_FILE: &str = "SKILL.md";

/// The kept files below the folder `skills` of a plugin, each with its path inside that folder.
pub fn in_skill_folders(plugin: &Plugin) -> impl Iterator<Item = (&Utf8PathBuf, &Utf8Path)> {
    let inner = |path: &'_ Utf8PathBuf| plugin.inner(path).starts_with("skills");
    plugin.files.kept.iter().filter(move |path| inner(path)).map(|path| {
        let inner = plugin.inner(path);
        (path, inner.strip_prefix("skills").unwrap_or(inner))
    })
}
