//! The real hosts: one driver per host, which starts the host's own binary in a fresh home with a clean environment and
//! a scripted model on loopback, and reports what the host shows.

pub mod anthropic_messages;
pub mod bodies;
pub mod claude_code;
pub mod codex;
mod compared_source;
pub mod emitted_text;
pub mod http;
pub mod installation;
pub mod integrity;
pub mod loaded_bundle;
pub mod model_server;
pub mod observation;
pub mod openai_chat;
pub mod openai_responses;
pub mod opencode;
pub mod script;
pub mod session;
pub mod source;
pub mod verification_session;
pub mod verify;
mod workspace;

use std::path::Path;

use anyhow::Result;

use crate::ledger::ComponentKind;
use loaded_bundle::LoadedBundle;
use observation::{BodyInvocation, Installation, Invoker, Observation, ObservationScope};
use session::{Session, Transcript};
use source::{SourceLayout, SourceListing};
use workspace::HostWorkspace;

/// What is fixed about a host's binary.
#[derive(Debug)]
pub struct HostBinary {
    /// The host, by the name of its target folder.
    pub host: &'static str,
    /// The command with which users start the host.
    pub command: &'static str,
    /// The version that its driver was written against.
    pub pinned: &'static str,
    /// The package that contains the binary.
    pub package: &'static str,
    /// Whether the host shows a plugin's server as `plugin:PLUGIN:SERVER`.
    pub qualifies_servers: bool,
    /// Harmless messages that name files of a bundle, each exactly, with the version in which it was seen in a comment.
    pub known_noise: &'static [&'static str],
}

impl HostBinary {
    /// What holds unless a driver says otherwise.
    const DEFAULT: Self =
        Self { host: "", command: "", pinned: "", package: "", qualifies_servers: false, known_noise: &[] };
}

/// One host that can load a bundle.
pub trait Driver: Sync {
    /// What is fixed about the host's binary.
    fn binary(&self) -> &'static HostBinary;
    /// The host, by the name of its target folder.
    fn host(&self) -> &'static str {
        self.binary().host
    }
    /// The command with which users start the host.
    fn command(&self) -> &'static str {
        self.binary().command
    }
    /// The version that this driver was written against.
    fn pinned(&self) -> &'static str {
        self.binary().pinned
    }
    /// The package that contains the binary.
    fn package(&self) -> &'static str {
        self.binary().package
    }
    /// Whether the host needs ripgrep on its search path.
    fn needs_ripgrep(&self) -> bool {
        false
    }
    /// Whether the host's package contains ripgrep.
    fn carries_ripgrep(&self) -> bool {
        false
    }
    /// The host's name for a component of a plugin with this name in the ledger.
    fn display_name(&self, kind: ComponentKind, plugin: &str, name: &str) -> String {
        match kind {
            // The name of a server may look like a qualified one.
            ComponentKind::McpServer if self.binary().qualifies_servers => format!("plugin:{plugin}:{name}"),
            ComponentKind::Hook => own_name(plugin, name).to_owned(),
            _ => name.to_owned(),
        }
    }
    /// Who can start this skill or command; `None` if nobody can without `--allow-exec`.
    fn invoker(&self, frontmatter: &str, body: &str, scope: ObservationScope) -> Option<Invoker>;
    /// The lines of a body that the host must give to the model.
    fn lines(&self, body: &str) -> Vec<String>;
    /// Why the host does not list some components of this kind, so that they are only resolved.
    fn unshown(&self, kind: ComponentKind) -> &'static str;
    /// Starts the host with the bundle and reports what it shows.
    ///
    /// # Errors
    /// When the host cannot be started or does not respond as expected; its messages about the bundle are part of the
    /// observation.
    fn observe(
        &self,
        bundle: &LoadedBundle,
        bodies: &[BodyInvocation],
        installation: &Installation,
        scope: ObservationScope,
    ) -> Result<Observation>;
    /// Starts the host with an unmodified source, and reports what it lists. Only the host for which sources are
    /// written supports this.
    ///
    /// # Errors
    /// When the host cannot be started, or is not the host for which sources are written.
    fn list_source(
        &self,
        _layout: &SourceLayout,
        _installation: &Installation,
        _scope: ObservationScope,
    ) -> Result<SourceListing> {
        anyhow::bail!("host `{}` cannot load an unmodified source", self.host())
    }
    /// Runs one session for a test, with the plugin's own hooks, servers and commands.
    ///
    /// # Errors
    /// When the host cannot be started.
    fn run(&self, session: Session, installation: &Installation) -> Result<Transcript>;
}

/// Every driver, in the order of the hosts' names.
pub const DRIVERS: &[&dyn Driver] = &[&claude_code::ClaudeCode, &codex::Codex, &opencode::OpenCode];

/// The driver of a host.
pub fn driver(host: &str) -> Option<&'static dyn Driver> {
    DRIVERS.iter().copied().find(|driver| driver.host() == host)
}

/// The time limit for `--version`; the slowest host needs two seconds on a busy machine.
const VERSION_LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

/// The version that a host's binary reports: the first word that starts with a digit.
///
/// # Errors
/// When the binary cannot be started or reports no version.
pub fn version(installation: &Installation) -> Result<String> {
    let workspace = HostWorkspace::new(None, installation)?;
    let command = workspace.command(workspace.project()).argument("--version").limit(VERSION_LIMIT);
    let ended = command.run().map_err(|error| anyhow::anyhow!("{}: {error}", workspace.not_started()))?;
    let output = ended.stdout_text();
    let version =
        output.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    match version {
        Some(version) if ended.succeeded() => Ok(version.to_owned()),
        _ => {
            anyhow::bail!(
                "`{} --version` printed no version ({})",
                installation.binary.display(),
                ended.status_text()
            )
        }
    }
}

/// Runs one session of a host with a scripted model, for a test.
///
/// # Errors
/// When there is no driver for the host, or it cannot be started.
pub fn run(host: &str, session: Session, installation: &Installation) -> Result<Transcript> {
    let driver = driver(host).ok_or_else(|| anyhow::anyhow!("no driver for host `{host}`"))?;
    driver.run(session, installation)
}

/// The local name of a component whose name in the ledger may be qualified by the plugin.
fn own_name<'a>(plugin: &str, name: &'a str) -> &'a str {
    let bare = name.strip_prefix("plugin:").unwrap_or(name);
    bare.strip_prefix(plugin).and_then(|rest| rest.strip_prefix(':')).unwrap_or(name)
}

/// A path as text for an argument or a configuration file.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
