//! The axes along which a host can carry less than the source host, and how grave a loss along each
//! is at least.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Class;

/// Along what a host can carry less than the source host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Which tools an agent or skill may use.
    ToolLimits,
    /// Which tools a skill may use without being asked.
    ToolGrants,
    /// That only the user may invoke something.
    Invocation,
    /// That only the model may invoke something.
    Visibility,
    /// Permission modes.
    Permissions,
    /// Hooks that can stop a tool.
    HookBlocking,
    /// Which model runs.
    Model,
    /// Arguments.
    Arguments,
    /// Variables.
    Variables,
    /// Commands that the source host runs before the text is read.
    ShellExpansion,
    /// Files that the source host includes.
    Includes,
    /// Options of agents.
    AgentOptions,
    /// Kinds of components.
    Components,
    /// Where a plugin comes from.
    Sources,
    /// How something looks.
    Appearance,
    /// Words about a component.
    Metadata,
    /// A cap of the host.
    Limit,
    /// What cannot be read.
    Unreadable,
    /// What cannot be named, or has the name of another.
    Names,
}

impl Axis {
    /// The lowest class that a loss of this axis may have.
    pub fn floor(self) -> Class {
        match self {
            Axis::ToolLimits | Axis::Invocation | Axis::Permissions | Axis::HookBlocking => Class::Security,
            Axis::Appearance | Axis::Metadata | Axis::Visibility => Class::Cosmetic,
            _ => Class::Behavior,
        }
    }

    /// The axis as it stands in a loss id.
    pub fn id(self) -> &'static str {
        match self {
            Axis::ToolLimits => "tool-limits",
            Axis::ToolGrants => "tool-grants",
            Axis::Invocation => "invocation",
            Axis::Visibility => "visibility",
            Axis::Permissions => "permissions",
            Axis::HookBlocking => "hook-blocking",
            Axis::Model => "model",
            Axis::Arguments => "arguments",
            Axis::Variables => "variables",
            Axis::ShellExpansion => "shell-expansion",
            Axis::Includes => "includes",
            Axis::AgentOptions => "agent-options",
            Axis::Components => "components",
            Axis::Sources => "sources",
            Axis::Appearance => "appearance",
            Axis::Metadata => "metadata",
            Axis::Limit => "limit",
            Axis::Unreadable => "unreadable",
            Axis::Names => "names",
        }
    }
}
