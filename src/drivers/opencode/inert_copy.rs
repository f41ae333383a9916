//! A copy of a plugin that cannot run its own code: its module is the one that this program writes, its data has
//! neither hooks nor language servers nor commands that the host would run for a text, and its servers are listed by
//! name, so that the configuration can disable them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use camino::Utf8Path;
use serde_json::Value;

use super::home::MODULE_DATA;
use crate::disk::open_beneath;
use crate::disk::plain_files;
use crate::target::Targets;
use crate::temp_dir::TempFolder;

/// The copy.
pub struct InertPlugin {
    /// Its folder.
    pub folder: PathBuf,
    /// Every server that its module would register, by the host's name.
    pub servers: Vec<String>,
}

impl InertPlugin {
    /// Copies a plugin; the inner `Err` explains why the host would run something other than the module.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub fn copy(plugin: &Path, copies: &TempFolder) -> Result<Result<Self, String>> {
        let name = plugin.file_name().context("a plugin's folder has a name")?;
        let folder = copies.path().join(name);
        plain_files::copy_tree(plugin, &folder)?;
        if let Some(changed) = changed_module(&folder)? {
            return Ok(Err(format!(
                "`{changed}` is not the module that this plugcast writes; build the bundle again, or pass `--allow-exec`"
            )));
        }
        let path = folder.join(MODULE_DATA);
        let mut data: Value = serde_json::from_str(&plain_files::read(&path)?)
            .with_context(|| format!("`{}` is not valid JSON", path.display()))?;
        if let Some(data) = data.as_object_mut() {
            data.remove("hooks");
            data.remove("lsp");
        }
        if let Some(path) = path_outside(&data) {
            return Ok(Err(format!(
                "`{MODULE_DATA}` names `{path}`, which is outside of the plugin's folder"
            )));
        }
        for body in
            data["bodies"].as_object_mut().into_iter().flatten().filter_map(|(_, body)| body.as_object_mut())
        {
            body.remove("runs");
            body.remove("includes");
        }
        let servers = data["mcp"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        plain_files::write(&path, data.to_string().as_bytes(), false)?;
        Ok(Ok(Self { folder, servers }))
    }
}

/// The first path in the module's data that leaves the plugin's folder.
fn path_outside(data: &Value) -> Option<&str> {
    let files = ["bodies", "agents"].into_iter().filter_map(|kind| data[kind].as_object()).flatten();
    let files = files.map(|(_, component)| &component["file"]);
    let folders = data["skill_folders"].as_array().into_iter().flatten();
    files.chain(folders).filter_map(Value::as_str).find(|path| !open_beneath::is_inner(Utf8Path::new(path)))
}

/// The first file that would make the host run something other than the module of this program.
fn changed_module(folder: &Path) -> Result<Option<String>> {
    let targets = Targets::embedded()?;
    let target = targets
        .iter()
        .find(|target| target.templates.contains_key(MODULE))
        .context("the module is embedded")?;
    for (name, text) in target.templates.iter().filter(|(name, _)| name.ends_with(".js")) {
        if plain_files::read_bytes(&folder.join(name)).ok().as_deref() != Some(text.as_bytes()) {
            return Ok(Some(name.clone()));
        }
    }
    let package: Value = serde_json::from_str(&plain_files::read(&folder.join(PACKAGE)).unwrap_or_default())
        .unwrap_or_default();
    let loads_module = package["main"] == format!("./{MODULE}").as_str() && package.get("exports").is_none();
    Ok((!loads_module).then(|| PACKAGE.to_owned()))
}

/// The file that the host loads, according to `main` of the package.
const MODULE: &str = "plugcast.plugin.js";
const PACKAGE: &str = "package.json";
