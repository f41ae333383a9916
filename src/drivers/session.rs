//! One run of a host with a scripted model, for a test: the loaded plugins, the first input of the user, the answers of
//! the model, and the result.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;

use super::loaded_bundle::plugin_folders;
use super::script::{Exchange, ModelScript};
use crate::process::ChildOutput;

/// One run of a host.
pub struct Session {
    /// What the host loads.
    pub loading: SessionLoad,
    /// The project's folder, in which the host works.
    pub project: PathBuf,
    /// The first input of the user.
    pub opening: SessionOpening,
    /// The script of the model.
    pub script: ModelScript,
    /// Tools that run without asking, in the host's own form; only Claude Code has such a list.
    pub allowed_tools: Vec<String>,
    /// Arguments for the host beyond those of the driver.
    pub arguments: Vec<String>,
    /// Environment variables beyond those of the driver.
    pub environment: Vec<(String, String)>,
}

/// What a host loads in a session.
#[derive(Debug, Clone)]
pub enum SessionLoad {
    /// Plugins of a bundle, in a fresh home; no names mean all of them.
    Bundle {
        /// The bundle's folder.
        folder: PathBuf,
        /// The plugins.
        plugins: Vec<String>,
    },
    /// The content of this home; the driver loads nothing else.
    Home(PathBuf),
}

impl SessionLoad {
    /// The folders of the plugins to load.
    ///
    /// # Errors
    /// When the bundle or a named plugin is missing.
    pub fn plugin_folders(&self) -> Result<Vec<PathBuf>> {
        match self {
            SessionLoad::Bundle { folder, plugins } => plugin_folders(folder, plugins),
            SessionLoad::Home(_) => Ok(Vec::new()),
        }
    }

    /// The existing home, if one is given.
    pub fn home(&self) -> Option<&Path> {
        match self {
            SessionLoad::Bundle { .. } => None,
            SessionLoad::Home(home) => Some(home),
        }
    }
}

/// The first input of a session.
#[derive(Debug, Clone)]
pub enum SessionOpening {
    /// A literal prompt.
    Prompt(String),
    /// A skill or command by its qualified name, with arguments, in the host's own form.
    Invoke {
        /// The qualified name.
        name: String,
        /// The arguments as one text; may be empty.
        arguments: String,
    },
}

impl SessionOpening {
    /// The prompt on a host that invokes a skill by its name after `sign`.
    pub fn prompt(&self, sign: char) -> String {
        match self {
            SessionOpening::Prompt(prompt) => prompt.clone(),
            SessionOpening::Invoke { name, arguments } => {
                format!("{sign}{name} {arguments}").trim_end().to_owned()
            }
        }
    }
}

impl Session {
    /// A session with all plugins of a bundle.
    pub fn from_bundle(folder: &Path, project: &Path, opening: SessionOpening, script: ModelScript) -> Self {
        Self {
            loading: SessionLoad::Bundle { folder: folder.to_path_buf(), plugins: Vec::new() },
            project: project.to_path_buf(),
            opening,
            script,
            allowed_tools: Vec::new(),
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }
}

/// The result of a session.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// What passed between the host and its model.
    pub exchange: Exchange,
    /// The host's own events, one JSON object each.
    pub events: Vec<Value>,
    /// The exit code; `None` if the host had to be killed.
    pub code: Option<i32>,
    /// What the host wrote to standard error.
    pub stderr: String,
}

impl Transcript {
    /// The transcript of an ended host, with one event per line, and its exchange with the model.
    pub fn new(ended: &ChildOutput, exchange: Exchange) -> Self {
        let events = ended.stdout_text().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { exchange, events, code: ended.code, stderr: ended.stderr_text() }
    }

    /// The results of every tool call, in order, each once.
    pub fn tool_results(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let all = self.exchange.received.iter().flat_map(|received| &received.request.tool_results);
        all.filter(|result| seen.insert(result.call.clone())).map(|result| result.text.clone()).collect()
    }

    /// The requests of one conversation, in order.
    pub fn requests<'a>(
        &'a self,
        conversation: &'a str,
    ) -> impl Iterator<Item = &'a super::script::ModelRequest> {
        let ours = self
            .exchange
            .received
            .iter()
            .filter(move |received| received.conversation.as_deref() == Some(conversation));
        ours.map(|received| &received.request)
    }

    /// The faults of the exchange: rejected requests and unreached steps.
    pub fn faults(&self) -> Vec<String> {
        self.exchange.rejected.iter().chain(&self.exchange.unmet).cloned().collect()
    }
}
