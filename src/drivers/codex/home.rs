//! A fresh home of Codex with the bundle's plugins added from its own marketplace file, and the custom agents that the
//! bundle ships next to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::disk::plain_files;
use crate::drivers::observation::Installation;
use crate::drivers::text;
use crate::drivers::workspace::HostWorkspace;
use crate::process::{ChildCommand, ChildOutput};

/// A port where nothing listens.
const CLOSED_PORT: &str = "http://127.0.0.1:9";

/// The home, and the host's messages from its setup.
pub struct CodexHome {
    workspace: HostWorkspace,
    /// The folder of the host's copy of each plugin.
    copies: BTreeMap<String, String>,
    /// The marketplace's name.
    pub marketplace: String,
    /// Refusals by the host: the plugin, or `None` for the whole marketplace, and the message.
    pub refused: Vec<(Option<String>, String)>,
}

impl CodexHome {
    /// Adds the bundle's marketplace and these plugins, and copies their custom agents.
    ///
    /// # Errors
    /// When the host cannot be started or files cannot be written.
    pub fn new<'a>(
        bundle: &Path,
        plugins: impl Iterator<Item = &'a str>,
        installation: &Installation,
    ) -> Result<Self> {
        let mut home = Self::empty(None, installation)?;
        let added = home.call(&["plugin", "marketplace", "add", &text(bundle), "--json"])?;
        match answer(&added).ok().and_then(|answer| answer["marketplaceName"].as_str().map(str::to_owned)) {
            Some(name) => home.marketplace = name,
            None => home.refused.push((None, error_text("refuses the marketplace", &added))),
        }
        for plugin in plugins.filter(|_| home.refused.is_empty()).collect::<Vec<_>>() {
            let added = home.call(&["plugin", "add", &home.id(plugin), "--json"])?;
            match answer(&added) {
                Ok(answer) => {
                    let copy = answer["installedPath"].as_str().unwrap_or_default();
                    home.copies.insert(plugin.to_owned(), copy.to_owned());
                }
                Err(_) => {
                    home.refused.push((Some(plugin.to_owned()), error_text("refuses the plugin", &added)))
                }
            }
            let agents = bundle.join("agents").join(plugin);
            if plain_files::exists(&agents) {
                plain_files::copy_tree(&agents, &home.folder().join("agents").join(plugin))?;
            }
        }
        Ok(home)
    }

    /// An existing home with its content.
    ///
    /// # Errors
    /// When its folders cannot be created.
    pub fn open(home: &Path, installation: &Installation) -> Result<Self> {
        Self::empty(Some(home), installation)
    }

    fn empty(given: Option<&Path>, installation: &Installation) -> Result<Self> {
        let workspace = HostWorkspace::new(given, installation)?;
        let (marketplace, refused) = (String::new(), Vec::new());
        let home = Self { workspace, copies: BTreeMap::new(), marketplace, refused };
        // The host does not create its own folder.
        plain_files::make_folder(&home.folder())?;
        Ok(home)
    }

    /// The host's own folder, `CODEX_HOME`.
    pub fn folder(&self) -> PathBuf {
        self.workspace.home().join(".codex")
    }

    /// An empty folder to work in.
    pub fn project(&self) -> &Path {
        self.workspace.project()
    }

    /// The plugin's id in this home.
    pub fn id(&self, plugin: &str) -> String {
        format!("{plugin}@{}", self.marketplace)
    }

    /// The folder of the host's copy of a plugin; the expected path if it was refused.
    pub fn copy_of(&self, plugin: &str) -> String {
        let place = || format!("{}/plugins/cache/{}/{plugin}", text(&self.folder()), self.marketplace);
        self.copies.get(plugin).filter(|copy| !copy.is_empty()).cloned().unwrap_or_else(place)
    }

    /// The folder of the custom agents that the bundle ships next to a plugin.
    pub fn agents_of(&self, plugin: &str) -> String {
        format!("{}/agents/{plugin}", text(&self.folder()))
    }

    /// A command of the host in this home, not started yet.
    pub fn command(&self, folder: &Path) -> ChildCommand {
        self.workspace.command(folder).environment([
            ("CODEX_HOME", text(&self.folder())),
            // The host and its git download lists of plugins, and `mcp list` asks every server for its login method.
            ("HTTP_PROXY", CLOSED_PORT.to_owned()),
            ("HTTPS_PROXY", CLOSED_PORT.to_owned()),
            ("ALL_PROXY", CLOSED_PORT.to_owned()),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        ])
    }

    /// Runs a command of the host to its end, without network access.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn call(&self, arguments: &[&str]) -> Result<ChildOutput> {
        let command = self.command(self.project()).arguments(arguments.iter().copied());
        let command = command.environment([("NO_PROXY", "")]);
        command.run().with_context(|| self.workspace.not_started())
    }

    /// The MCP servers as the host lists them.
    ///
    /// # Errors
    /// When the host does not answer with JSON.
    pub fn servers(&self) -> Result<Vec<Value>> {
        match answer(&self.call(&["mcp", "list", "--json"])?)? {
            Value::Array(servers) => Ok(servers),
            other => Err(anyhow!("`codex mcp list --json` answers `{other}`")),
        }
    }

    /// The MCP servers as the host lists them, each disabled, whichever plugin it belongs to. Those in `names` are
    /// disabled before the host is first started.
    ///
    /// # Errors
    /// When the configuration cannot be written, or the host would still start one.
    pub fn disabled_servers(&self, names: &BTreeSet<String>) -> Result<Vec<Value>> {
        self.disable(names)?;
        let servers = self.servers()?;
        if servers.iter().all(is_disabled) {
            return Ok(servers);
        }
        let listed = servers.iter().filter_map(|server| server["name"].as_str().map(str::to_owned));
        self.disable(&listed.filter(|name| !names.contains(name)).collect())?;
        match self.servers()?.iter().find(|server| !is_disabled(server)) {
            Some(server) => {
                Err(anyhow!("the server {} cannot be disabled, so nothing is started", server["name"]))
            }
            None => Ok(servers),
        }
    }

    fn disable(&self, names: &BTreeSet<String>) -> Result<()> {
        let path = self.folder().join("config.toml");
        let mut config = plain_files::read(&path)?;
        for server in names {
            for plugin in self.copies.keys() {
                let (id, server) = (key(&self.id(plugin)), key(server));
                config += &format!("\n[plugins.{id}.mcp_servers.{server}]\nenabled = false\n");
            }
        }
        Ok(plain_files::write(&path, config.as_bytes(), false)?)
    }
}

fn is_disabled(server: &Value) -> bool {
    server["enabled"] == false
}

/// A TOML key, quoted on one line, whatever it contains.
fn key(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn answer(ended: &ChildOutput) -> Result<Value> {
    if !ended.succeeded() {
        return Err(anyhow!("{}: {}", ended.status_text(), ended.stderr_text().trim()));
    }
    serde_json::from_slice(&ended.stdout).context("the host's answer is not valid JSON")
}

/// The host's own error line, else everything it wrote.
fn error_text(what: &str, ended: &ChildOutput) -> String {
    let output = ended.stderr_text() + &ended.stdout_text();
    let line = output.lines().find(|line| line.starts_with("Error")).map_or(output.trim(), str::trim);
    format!("`codex plugin` {what}: {line}")
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn case_10_a_name_of_several_lines_is_one_key() {
        for name in ["con\ntrol", "a\"]\n[x", "\\", "\u{7f}\u{1b}\u{85}", "é", ""] {
            let text = format!("[a.{}]\nenabled = false\n", key(name));
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table["a"].as_table().unwrap().keys().collect::<Vec<_>>(), [name]);
        }
    }
}
