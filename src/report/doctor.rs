//! The result of `doctor`: which hosts and tools are there, and what nobody has verified on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable::PrintableLines;

/// What `doctor --format json` prints: `plugcast.doctor/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoctorReport {
    /// `plugcast.doctor/1`.
    pub schema: String,
    /// Every host that was asked for.
    pub hosts: Vec<HostHealth>,
    /// Other programs that something needs.
    pub tools: Vec<ToolHealth>,
}

/// One host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostHealth {
    /// The host.
    pub host: String,
    /// Its name for people.
    pub title: String,
    /// What was found.
    pub state: HostState,
    /// The version that every fact about the host was seen on.
    pub pinned: String,
    /// The version that the binary reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
    /// What is wrong, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Sections of the host's facts that were seen on the pinned version only.
    pub unverified: Vec<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What was found of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostState {
    /// The very version that the facts were seen on.
    Pinned,
    /// Another version.
    OtherVersion,
    /// No binary, or something that it needs is missing.
    Missing,
    /// A binary that names no version.
    Broken,
    /// `verify` cannot start this host.
    NoDriver,
}

/// One program beside the hosts.
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
    /// How to get it, when it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl DoctorReport {
    /// Whether everything is there, in the versions that the facts were seen on.
    pub fn healthy(&self) -> bool {
        let fine = |host: &HostHealth| matches!(host.state, HostState::Pinned | HostState::NoDriver);
        self.hosts.iter().all(fine) && self.tools.iter().all(|tool| tool.help.is_none())
    }

    /// One line a host and a tool; below it what is wrong and what to do.
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
