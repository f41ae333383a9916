//! Empty plugins in place of dependencies that are not there: the host loads nothing of a plugin without them (2.1.330),
//! and nothing is fetched. It accepts an empty plugin of the name, whatever version is required.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::validation::MANIFEST;
use crate::disk::plain_files;
use crate::drivers::text;
use crate::model::names;

/// A remark about the dependencies that empty plugins stand in for; `None` without any.
pub fn remark(stand_ins: &BTreeSet<String>) -> Option<String> {
    let list: Vec<String> = stand_ins.iter().map(|name| format!("`{name}`")).collect();
    let (which, what) = match list.len() {
        0 => return None,
        1 => ("dependency", "an empty plugin stands in for it"),
        _ => ("dependencies", "empty plugins stand in for them"),
    };
    Some(format!("{which} {}: {what}", list.join(", ")))
}

/// The dependencies of the plugins in these folders that are not among them.
pub fn unmet(plugins: &[String]) -> BTreeSet<String> {
    let manifests: Vec<Value> = plugins.iter().map(|folder| manifest(Path::new(folder))).collect();
    let own: BTreeSet<&str> = manifests.iter().filter_map(|manifest| manifest["name"].as_str()).collect();
    let all = manifests.iter().flat_map(|manifest| manifest["dependencies"].as_array().into_iter().flatten());
    let name = |dependency: &Value| {
        let whole = dependency.as_str().or_else(|| dependency["name"].as_str())?;
        // The name of a marketplace may follow.
        let name = whole.split('@').next()?;
        (!own.contains(name) && names::check_installable(name).is_ok()).then(|| name.to_owned())
    };
    all.filter_map(name).collect()
}

/// Writes an empty plugin below `home` for each name, and returns their folders.
///
/// # Errors
/// When a file cannot be written.
pub fn write(names: &BTreeSet<String>, home: &Path) -> Result<Vec<String>> {
    let mut folders = Vec::new();
    for name in names {
        let folder = home.join("stand-ins").join(name);
        let manifest = json!({ "name": name }).to_string();
        plain_files::write(&folder.join(MANIFEST), manifest.as_bytes(), false)?;
        folders.push(text(&folder));
    }
    Ok(folders)
}

/// The manifest of the plugin in `folder`; null if it has none.
pub fn manifest(folder: &Path) -> Value {
    let text = plain_files::read(&folder.join(MANIFEST)).unwrap_or_default();
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}
