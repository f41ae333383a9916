//! A home that outlives a session, so that the user can answer what the session has asked. The plugins are in it as
//! the host's own settings and commands put them there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::{SessionLoad, SessionOpening, Transcript};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::hand::Host;
use crate::hosts::stage::Stage;
use crate::support::tree::Tree;

/// A home with a host's plugins.
pub struct House<'a> {
    stage: &'a Stage,
    host: Host,
    home: TempDir,
    /// Options of every session.
    options: Vec<String>,
    /// Variables of every session.
    pub variables: Vec<(String, String)>,
    /// Whether a session has been.
    begun: bool,
}

impl<'a> House<'a> {
    /// A fresh one with the plugins of a stage; `options` go to every session.
    pub fn new(stage: &'a Stage, host: Host, options: &[&str]) -> Self {
        let home = Tree::new().temporary();
        let mut house = Self { stage, host, home, options: Vec::new(), variables: Vec::new(), begun: false };
        match host {
            Host::ClaudeCode => {
                for plugin in house.plugins() {
                    house.options.extend(["--plugin-dir".to_owned(), plugin.display().to_string()]);
                }
            }
            Host::Codex => house.add_to_codex(),
            Host::OpenCode => {
                let config =
                    json!({ "$schema": "https://opencode.ai/config.json", "plugin": house.plugins() });
                let place = house.home.path().join(".config/opencode");
                fs::create_dir_all(&place).expect("a folder can be made");
                fs::write(place.join("opencode.json"), config.to_string()).expect("it can be written");
            }
        }
        house.options.extend(options.iter().map(|option| (*option).to_owned()));
        house
    }

    fn plugins(&self) -> Vec<PathBuf> {
        let plugins = fs::read_dir(self.stage.bundle.join("plugins")).expect("the bundle has plugins");
        plugins.flatten().map(|entry| entry.path()).collect()
    }

    fn add_to_codex(&self) {
        let own = self.home.path().join(".codex");
        fs::create_dir_all(&own).expect("a folder can be made");
        let bundle = self.stage.bundle.display().to_string();
        let added = self.codex(&["plugin", "marketplace", "add", &bundle, "--json"]);
        let market = added["marketplaceName"].as_str().expect("it has a name").to_owned();
        for plugin in self.plugins() {
            let name = name(&plugin);
            self.codex(&["plugin", "add", &format!("{name}@{market}"), "--json"]);
            let agents = self.stage.bundle.join("agents").join(&name);
            if agents.is_dir() {
                Tree::read(&agents).write(&own.join("agents").join(&name));
            }
        }
    }

    fn codex(&self, words: &[&str]) -> Value {
        let ended = Command::new(&self.stage.installation.binary)
            .args(words)
            .current_dir(self.home.path())
            .env_clear()
            .env("PATH", &self.stage.installation.search_path)
            .env("HOME", self.home.path())
            .env("CODEX_HOME", self.home.path().join(".codex"))
            .stdin(Stdio::null())
            .output()
            .expect("the host can be started");
        serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {ended:?}"))
    }

    /// Lets the next session begin a separate conversation.
    pub fn forget(&mut self) {
        self.begun = false;
    }

    /// One session: the first one begins, and each of the others goes on where the last one ended.
    pub fn session(&mut self, opening: SessionOpening, script: ModelScript, allowed: &[&str]) -> Transcript {
        let mut session = self.stage.session(opening, script);
        session.loading = SessionLoad::Home(self.home.path().to_path_buf());
        session.arguments = self.options.clone();
        session.allowed_tools = allowed.iter().map(|tool| (*tool).to_owned()).collect();
        if self.begun {
            let words: &[&str] =
                if self.host == Host::Codex { &["resume", "--last"] } else { &["--continue"] };
            session.arguments.extend(words.iter().map(|word| (*word).to_owned()));
        }
        self.begun = true;
        session.environment.extend(self.variables.clone());
        self.stage.play(session)
    }
}

fn name(folder: &Path) -> String {
    folder.file_name().and_then(|name| name.to_str()).expect("names are UTF-8").to_owned()
}
