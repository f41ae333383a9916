//! Files at any depth below a plugin's `skills` folder.

use camino::{Utf8Path, Utf8PathBuf};

use crate::model::plugin::Plugin;

/// The kept files below the folder `skills` of a plugin, each with its path inside that folder.
pub fn in_skill_folders(plugin: &Plugin) -> impl Iterator<Item = (&Utf8PathBuf, &Utf8Path)> {
    plugin.files.kept.iter().filter_map(|path| {
        let inner = plugin.relative_path(path).as_str().strip_prefix("skills")?;
        // A file named `skills` has no path inside it.
        let inner = if inner.is_empty() { inner } else { inner.strip_prefix('/')? };
        Some((path, Utf8Path::new(inner)))
    })
}
