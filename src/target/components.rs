//! The sections of `target.toml` for components beside skills, agents and commands. Hooks and servers
//! are what a host runs; a target without a section for them carries the source's own files, as
//! `[components]` says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::axis::Axis;
use crate::diagnostic::LossClass;

/// A kind of component that has no section of its own.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComponentFacts {
    /// Whether its files are carried as they are.
    pub carried: bool,
    /// The axis along which something is lost when it is not.
    pub axis: Option<Axis>,
    /// A graver class than the axis asks for.
    pub class: Option<LossClass>,
    /// Why it is not.
    pub reason: Option<String>,
    /// The `type` that a server gets that has a `url` and none of its own, where it would be dropped.
    pub remote_type: Option<String>,
}

/// `[hooks]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HookFacts {
    /// Where the document lies in the plugin's folder; absent where the module of `[registration]`
    /// runs the hooks.
    pub path: Option<String>,
    /// The key that holds the events, in the document or in the data of the module.
    pub key: String,
    /// The events that fire.
    pub events: Vec<String>,
    /// The types of handlers that run.
    pub handlers: Vec<String>,
    /// The fields of a handler that count; others are dropped.
    pub fields: Vec<String>,
    /// Fields that are only shown: it makes no other difference that they are dropped.
    #[serde(default)]
    pub unshown: Vec<String>,
    /// A time-out must be a whole number of seconds.
    pub whole_seconds: bool,
    /// What a tool of the source host is called in a matcher, and then a tool that is not listed
    /// never fires; without any, matchers stay as written.
    #[serde(default)]
    pub matchers: BTreeMap<String, Vec<String>>,
    /// How the tools of a plugin's own server begin in a matcher, with `{server}`; absent where that
    /// is as on the source host.
    pub server_tools: Option<String>,
    /// Variables that the host does not set for a hook, and the shell's words for their values.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Variables of the source host that the host gives to a hook, too.
    #[serde(default)]
    pub variables: Vec<String>,
    /// What every hook waits for, and the step to take.
    pub trust: Option<String>,
    /// How an event differs, for hooks that wait for it.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    /// Events that do not wait long: the host ends such a hook after so many seconds, and waits for
    /// one that says `async`, too.
    #[serde(default)]
    pub hurried: BTreeMap<String, u64>,
    /// Events whose hooks run and can stop nothing, with the reason.
    #[serde(default)]
    pub unheard: BTreeMap<String, String>,
    /// What a script does that has another effect.
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
    /// Why a hook is dropped whose matcher is no pattern of Rust's `regex`, where the host reads matchers by that.
    pub pattern_loss: Option<String>,
    /// What is lost of the rule in a hook's `if`, where the host does not support such rules: the matcher still names the tool.
    pub gate_loss: Option<String>,
}

/// `[[hooks.scripts]]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScriptFacts {
    /// Words that a script must all have; the row points at the last of them.
    pub words: Vec<String>,
    /// The events that it matters for.
    pub events: Vec<String>,
    /// The tools that it matters for, where the matcher covers one; empty for all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The axis along which something is lost.
    pub axis: Axis,
    /// Why.
    pub reason: String,
}

/// `[servers]` and `[language-servers]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerFacts {
    /// Where the document lies in the plugin's folder; absent where the module of `[registration]`
    /// registers the servers.
    pub path: Option<String>,
    /// The key that holds the servers, in the document or in the data of the module.
    pub key: String,
    /// The name of a server, with `{plugin}` and `{name}`.
    pub name: String,
    /// One server, by the transport that the source names. Leaves are templates over `command`,
    /// `argv` (the command and its arguments), `args`, `cwd`, `env`, `env_vars` (variables that are
    /// passed on), `url`, `headers`, `env_headers` (headers to the variables that hold them),
    /// `bearer` (the variable with the bearer token), `extensions` and, as `/key`, other fields.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    pub transports: BTreeMap<String, Table>,
    /// What a text calls the tools of a server, with `{plugin}` and `{server}`, and `NAME` for the tool; absent where
    /// that is as on the source host.
    pub tools: Option<String>,
    /// What a text says of the tools of a server that the host does not get.
    pub lost_tools: Option<String>,
    /// What stands for a `-` of a plugin's or a server's name in the names of tools; absent where it stays.
    pub tool_dash: Option<char>,
    /// Variables in strings are replaced when a server starts.
    pub expands: bool,
    /// What stands for the plugin's folder, and is the server's working directory, where variables
    /// are not replaced.
    pub root: Option<String>,
    /// What that means for a server that names the plugin's folder.
    pub root_loss: Option<String>,
    /// What a user should know of every server.
    pub note: Option<String>,
    /// Why a server of another transport is dropped.
    pub transport_loss: String,
    /// Why a field of a server is dropped.
    pub field_loss: String,
    /// The program and its options that take a command line as the last argument, and fill its variables, where the host
    /// does not: a server with a variable of the environment in its command or arguments is started by it.
    pub shell: Option<Vec<String>>,
    /// What that means, with `{variables}` for their names.
    pub shell_loss: Option<String>,
    /// Why a server with a variable that nobody replaces is dropped.
    pub variable_loss: Option<String>,
    /// Why a default in `${NAME:-default}` counts alone, or not at all.
    pub default_loss: Option<String>,
}
