//! `[permissions]` of a target: how tool limits become the host's permissions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[permissions]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PermissionFacts {
    /// Each tool of the source host, with its key in the permission object.
    pub keys: BTreeMap<String, String>,
    /// Tools that grant nothing: neither host has them, or they only stop or read what a shell started.
    #[serde(default)]
    pub no_grant: Vec<String>,
    /// The key for the tools of a server, with `{server}` and `{tool}`.
    pub server_key: String,
    /// What a pattern such as `git:*` becomes, with `{prefix}`.
    pub pattern: String,
    /// The equivalents of a domain in a tool's parentheses: URL patterns with `{domain}`.
    #[serde(default)]
    pub domains: BTreeMap<String, Vec<String>>,
    /// Tools with file patterns in their parentheses; on the host they are relative to the project's folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Why the text in a tool's parentheses has no equivalent.
    pub subject_loss: String,
    /// Keys for several tools of the source host: granting one grants the others.
    #[serde(default)]
    pub shared: BTreeMap<String, Vec<String>>,
    /// Why a shell pattern is less strict than on the source host.
    pub pattern_loss: String,
    /// Why a shared key is less strict.
    pub shared_loss: String,
}
