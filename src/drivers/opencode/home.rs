//! A fresh home of OpenCode: a configuration folder that lists the bundle's plugin folders by absolute path (the host
//! writes into that folder, never into the bundle), and a scripted model.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::disk::plain_files;
use crate::drivers::model_server::{FixedAnswer, ModelServer};
use crate::drivers::observation::Installation;
use crate::drivers::openai_chat::OpenaiChat;
use crate::drivers::text;
use crate::drivers::workspace::HostWorkspace;
use crate::process::ChildCommand;

/// The host's requests outside of conversations: none (1.18.33 with a custom provider).
const FIXED_ANSWERS: &[FixedAnswer] = &[];
/// The data of the module that registers a plugin's components.
pub const MODULE_DATA: &str = "plugcast.plugin.json";

/// The folder of the configuration, next to the home.
const CONFIG_FOLDER: &str = "config";

/// The home, its configuration and its model.
pub struct OpenCodeHome {
    workspace: HostWorkspace,
    /// The scripted model.
    pub model: ModelServer,
}

impl OpenCodeHome {
    /// Creates a home, or uses the given one, with a configuration folder next to it that lists these plugin folders.
    /// `quiet` names servers that must not start.
    ///
    /// # Errors
    /// When files cannot be written or no port can be bound.
    pub fn new(
        given: Option<&Path>,
        plugins: &[PathBuf],
        quiet: &[String],
        installation: &Installation,
    ) -> Result<Self> {
        let workspace = HostWorkspace::new(given, installation)?;
        // npm installs into the nearest parent folder with a `package.json`.
        plain_files::write(&workspace.folder().join("package.json"), b"{}\n", false)?;
        let model = ModelServer::start(&OpenaiChat, FIXED_ANSWERS)?;
        let plugins: Vec<String> = plugins.iter().map(|plugin| text(plugin)).collect();
        let servers: serde_json::Map<String, Value> =
            quiet.iter().map(|name| (name.clone(), json!({ "enabled": false }))).collect();
        let options = json!({ "baseURL": format!("{}/v1", model.address()), "apiKey": "scripted" });
        let limit = json!({ "context": 1_000_000, "output": 4000 });
        let models = json!({ "scripted": { "name": "scripted", "tool_call": true, "limit": limit } });
        let config = json!({
            // Without this key the host rewrites the file.
            "$schema": "https://opencode.ai/config.json",
            "plugin": plugins,
            "mcp": servers,
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "enabled_providers": ["scripted"],
            "share": "disabled",
            "autoupdate": false,
            "snapshot": false,
            "provider": { "scripted": { "npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models } },
        });
        let file = workspace.folder().join(CONFIG_FOLDER).join("opencode.json");
        plain_files::write(&file, config.to_string().as_bytes(), false)?;
        Ok(Self { workspace, model })
    }

    /// An empty folder to work in.
    pub fn project(&self) -> &Path {
        self.workspace.project()
    }

    /// A command of the host in this home, not started yet.
    pub fn command(&self, folder: &Path) -> ChildCommand {
        let inside = |folder: &str| text(&self.workspace.home().join(folder));
        let mut pairs = vec![
            ("XDG_CONFIG_HOME", inside(".config")),
            ("XDG_DATA_HOME", inside(".local/share")),
            ("XDG_CACHE_HOME", inside(".cache")),
            ("XDG_STATE_HOME", inside(".local/state")),
            ("OPENCODE_CONFIG_DIR", text(&self.workspace.folder().join(CONFIG_FOLDER))),
            // The host installs one of its packages into every configuration folder, and waits over a minute for an
            // unreachable network.
            ("npm_config_offline", "true".to_owned()),
        ];
        let switches = ["AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "SHARE"];
        let switches: Vec<String> =
            switches.iter().map(|switch| format!("OPENCODE_DISABLE_{switch}")).collect();
        pairs.extend(switches.iter().map(|switch| (switch.as_str(), "1".to_owned())));
        self.workspace.command(folder).environment(pairs)
    }
}
