//! The sections of `target.toml` for components other than skills, agents and commands. Hooks and servers are run by
//! the host; a target without a section for them carries the source's own files, as declared in `[components]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::axis::Axis;
use crate::diagnostic::LossClass;

/// A kind of component without a section.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComponentFacts {
    /// Whether its files are copied unchanged.
    pub carried: bool,
    /// The axis of the loss if they are not.
    pub axis: Option<Axis>,
    /// A more severe class than the minimum of the axis.
    pub class: Option<LossClass>,
    /// Why they are not.
    pub reason: Option<String>,
    /// The outcome for one that is not carried; by default, it is dropped.
    #[serde(default)]
    pub outcome: ComponentOutcome,
    /// The reason for one that no text of the build names.
    pub unnamed: Option<String>,
    /// The `type` to add to a server with a `url` but no `type`, if the host would drop it otherwise.
    pub remote_type: Option<String>,
}

/// The outcome for a component that is not carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComponentOutcome {
    /// The host does not have it in any form.
    #[default]
    Dropped,
    /// The user can replace it as the reason says, in which `{variable}` is the environment variable with its value.
    Degraded,
}

/// `[hooks]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HookFacts {
    /// The path of the document in the plugin's folder; absent if the module of `[registration]` runs the hooks.
    pub path: Option<String>,
    /// The key of the events, in the document or in the data of the module.
    pub key: String,
    /// The events that fire.
    pub events: Vec<String>,
    /// The types of handlers that run.
    pub handlers: Vec<String>,
    /// The fields of a handler that the host supports; others are dropped.
    pub fields: Vec<String>,
    /// Fields that the source host only displays: dropping them makes no other difference.
    #[serde(default)]
    pub display_fields: Vec<String>,
    /// Whether a timeout must be a whole number of seconds.
    pub whole_seconds: bool,
    /// The names of the source host's tools in matchers of the host; a tool that is not listed never fires. If empty,
    /// matchers remain unchanged.
    #[serde(default)]
    pub matchers: BTreeMap<String, Vec<String>>,
    /// The prefix of the tools of a plugin's own server in a matcher, with `{server}`; absent if it is the same as on
    /// the source host.
    pub server_tools: Option<String>,
    /// Variables that the host does not set for a hook, with shell expressions for their values.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Variables of the source host that the host also sets for a hook.
    #[serde(default)]
    pub variables: Vec<String>,
    /// What must happen before any hook runs, and what the user must do.
    pub trust: Option<String>,
    /// How an event differs, for hooks that subscribe to it.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    /// Events with a short time limit: the host ends such a hook after this many seconds, and waits even for one with
    /// `async`.
    #[serde(default)]
    pub time_limits: BTreeMap<String, u64>,
    /// Events whose hooks run but cannot block, with the reason.
    #[serde(default)]
    pub non_blocking: BTreeMap<String, String>,
    /// Actions of scripts that have a different effect on the host.
    #[serde(default)]
    pub scripts: Vec<ScriptFacts>,
    /// Why a hook of another event is dropped.
    pub event_loss: String,
    /// Why a hook of another type is dropped.
    pub handler_loss: String,
    /// Why a field of a hook is dropped.
    pub field_loss: String,
    /// Why a name in a matcher is dropped.
    pub matcher_loss: Option<String>,
    /// Why a hook is dropped if its matcher is invalid in Rust's `regex` syntax, which the host uses.
    pub pattern_loss: Option<String>,
    /// What is lost of the rule in a hook's `if`, if the host does not support such rules: the matcher still names the
    /// tool.
    pub gate_loss: Option<String>,
}

/// `[[hooks.scripts]]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScriptFacts {
    /// Words that must all occur in the script; the ledger row points at the last one.
    pub words: Vec<String>,
    /// The events that this applies to.
    pub events: Vec<String>,
    /// The tools that this applies to, if the matcher covers one; empty for all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The axis of the loss.
    pub axis: Axis,
    /// The reason for the loss.
    pub reason: String,
}

/// `[servers]` and `[language-servers]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerFacts {
    /// The path of the document in the plugin's folder; absent if the module of `[registration]` registers the servers.
    pub path: Option<String>,
    /// The key of the servers, in the document or in the data of the module.
    pub key: String,
    /// The name of a server, with `{plugin}` and `{name}`.
    pub name: String,
    /// The entry of one server, by the transport in the source. Leaves are templates over `command`, `argv` (the
    /// command and its arguments), `args`, `cwd`, `env`, `env_vars` (variables that are passed on), `url`, `headers`,
    /// `env_headers` (headers to the variables that hold them), `bearer` (the variable with the bearer token),
    /// `extensions` and, as `/key`, other fields.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    pub transports: BTreeMap<String, Table>,
    /// The names of a server's tools in texts, with `{plugin}`, `{server}`, and `NAME` for the tool; absent if they are
    /// the same as on the source host.
    pub tools: Option<String>,
    /// What texts say about the tools of a server that the host does not get.
    pub lost_tools: Option<String>,
    /// The replacement for `-` in the name of a plugin or server within the names of tools; absent if it is kept.
    pub tool_dash: Option<char>,
    /// Whether variables in strings are expanded when a server starts.
    pub expands: bool,
    /// The replacement for the plugin's folder, and the server's working directory, if variables are not expanded.
    pub root: Option<String>,
    /// The consequence of `root` for a server that names the plugin's folder.
    pub root_loss: Option<String>,
    /// What a user should know about every server.
    pub note: Option<String>,
    /// Why a server of another transport is dropped.
    pub transport_loss: String,
    /// Why a field of a server is dropped.
    pub field_loss: String,
    /// A program with options that runs a command line, given as the last argument, and expands its variables, if the
    /// host does not: it starts servers with environment variables in their command or arguments.
    pub shell: Option<Vec<String>>,
    /// The consequence of `shell`, with `{variables}` for their names.
    pub shell_loss: Option<String>,
    /// Why a server with a variable that cannot be expanded is dropped.
    pub variable_loss: Option<String>,
    /// Why a default in `${NAME:-default}` always applies, or never.
    pub default_loss: Option<String>,
}
