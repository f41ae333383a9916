//! `[permissions]` of a target: what tool limits become in the host's own form.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[permissions]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PermissionFacts {
    /// Tool of the source host to key of the permission object.
    pub keys: BTreeMap<String, String>,
    /// Tools that grant nothing: the host and the source host have none of them, or they only end or read what a shell began.
    #[serde(default)]
    pub no_grant: Vec<String>,
    /// Key for the tools of a server, with `{server}` and `{tool}`.
    pub server_key: String,
    /// What a pattern such as `git:*` becomes, with `{prefix}`.
    pub pattern: String,
    /// What stands for a domain in a tool's parentheses: addresses with `{domain}`.
    #[serde(default)]
    pub domains: BTreeMap<String, Vec<String>>,
    /// Tools in whose parentheses patterns of files stand; on the host they count from the project's folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Why nothing stands for the text in a tool's parentheses.
    pub subject_loss: String,
    /// Keys that stand for several tools of the source host: granting one grants the others.
    #[serde(default)]
    pub shared: BTreeMap<String, Vec<String>>,
    /// Why a shell pattern bounds less than on the source host.
    pub pattern_loss: String,
    /// Why a shared key bounds less.
    pub shared_loss: String,
}
