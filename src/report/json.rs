//! The JSON documents that commands print under `--format json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, HostId};
pub use crate::emit::json::to_string as document;
use crate::ledger::LedgerSummary;

/// What `build --format json` prints: `plugcast.build/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildReport {
    /// `plugcast.build/1`.
    pub schema: String,
    /// One object per host, in the order of the command line.
    pub targets: Vec<TargetReport>,
    /// All diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of a build for one host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetReport {
    /// The host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// The output folder, as given.
    pub out: String,
    /// The bundle's digest.
    pub digest: String,
    /// The components of each plugin.
    pub plugins: Vec<PluginReport>,
    /// How many files the bundle has, not counting plugcast's own documents.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Counts of the ledger.
    pub ledger: LedgerSummary,
    /// How many files were written; 0 if nothing changed.
    pub written: usize,
}

/// Carried components of one plugin.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginReport {
    /// The plugin.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// Skills.
    pub skills: usize,
    /// Agents.
    pub agents: usize,
    /// Commands.
    pub commands: usize,
    /// Hook handlers.
    pub hooks: usize,
    /// MCP servers.
    pub mcp_servers: usize,
}

/// What any command prints when it ends with exit code 2: `plugcast.error/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorReport {
    /// `plugcast.error/1`.
    pub schema: String,
    /// What went wrong.
    pub error: ErrorBody,
}

/// One error.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// A short name.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The file, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// 1-based line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// 1-based column, in Unicode code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The names and JSON Schemas of every document that plugcast writes.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        ("baseline", schemars::schema_for!(crate::check::baseline::Baseline)),
        ("build", schemars::schema_for!(BuildReport)),
        ("check", schemars::schema_for!(super::check::CheckReport)),
        ("diff", schemars::schema_for!(crate::compare::DiffReport)),
        ("doctor", schemars::schema_for!(super::doctor::DoctorReport)),
        ("eval", schemars::schema_for!(super::eval::EvalReport)),
        ("error", schemars::schema_for!(ErrorReport)),
        ("ledger", schemars::schema_for!(crate::ledger::Ledger)),
        ("manifest", schemars::schema_for!(crate::bundle::BundleManifest)),
        ("promote", schemars::schema_for!(super::promote::PromoteReport)),
        ("promoting", schemars::schema_for!(crate::disk::transaction::TransactionJournal)),
        ("release", schemars::schema_for!(crate::release::ReleaseReport)),
        ("rules", schemars::schema_for!(super::check::RulesReport)),
        ("sourcemap", schemars::schema_for!(crate::sourcemap::SourceMap)),
        ("target", schemars::schema_for!(crate::target::Target)),
        ("verified", schemars::schema_for!(crate::bundle::verification::VerificationRecord)),
        ("verify", schemars::schema_for!(crate::bundle::verification::Verification)),
    ]
}
