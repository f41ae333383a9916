//! The result of `doctor`: the installed hosts and tools, and the facts that are not verified for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::HostId;
use crate::printable::PrintableLines;

/// What `doctor --format json` prints: `plugcast.doctor/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoctorReport {
    /// `plugcast.doctor/1`.
    pub schema: String,
    /// Every requested host.
    pub hosts: Vec<HostHealth>,
    /// Other required programs.
    pub tools: Vec<ToolHealth>,
}

/// One host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostHealth {
    /// The host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// Its name for people.
    pub title: String,
    /// Its state.
    pub state: HostState,
    /// The version on which every fact about the host was verified.
    pub pinned: String,
    /// The version that the binary reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// The problem, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Sections of the host's facts that were verified on the pinned version only.
    pub unverified: Vec<String>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The state of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostState {
    /// The version on which the facts were verified.
    Pinned,
    /// Another version.
    OtherVersion,
    /// No binary, or something that it needs is missing.
    Missing,
    /// A binary that reports no version.
    Broken,
    /// `verify` cannot start this host.
    NoDriver,
}

/// Another required program.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolHealth {
    /// The command.
    pub name: String,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// What needs it.
    pub needed_for: String,
    /// How to install it, if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl DoctorReport {
    /// Whether everything is installed, in the versions on which the facts were verified.
    pub fn healthy(&self) -> bool {
        let fine = |host: &HostHealth| matches!(host.state, HostState::Pinned | HostState::NoDriver);
        self.hosts.iter().all(fine) && self.tools.iter().all(|tool| tool.help.is_none())
    }

    /// One line per host and tool, followed by the problem and how to fix it.
    pub fn human(&self) -> String {
        let mut out = PrintableLines::default();
        let width = self.hosts.iter().map(|host| host.title.len()).max().unwrap_or(0);
        for host in &self.hosts {
            let version = host.version.as_deref().unwrap_or_default();
            let what = match host.state {
                HostState::Pinned => format!("{version}, the version that its facts were verified on"),
                HostState::OtherVersion => format!("{version}, its facts were verified on {}", host.pinned),
                HostState::Missing => "not found".to_owned(),
                HostState::Broken => "does not work".to_owned(),
                HostState::NoDriver => "build only: no driver for `verify`".to_owned(),
            };
            let place = host.binary.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
            let _ = writeln!(out, "{:width$}  {what}{place}", host.title);
            if let Some(problem) = &host.problem {
                let _ = writeln!(out, "  {problem}");
            }
            if !host.unverified.is_empty() {
                let _ = writeln!(out, "  unverified here: {}", host.unverified.join(", "));
            }
            if let Some(help) = &host.help {
                let _ = writeln!(out, "  help: {help}");
            }
        }
        for tool in &self.tools {
            let place = tool.binary.as_deref().unwrap_or("not found");
            let _ = writeln!(out, "{:width$}  {place}, needed by {}", tool.name, tool.needed_for);
            if let Some(help) = &tool.help {
                let _ = writeln!(out, "  help: {help}");
            }
        }
        out.into_string()
    }
}
