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
    /// Hooks that stop nothing, and what else is special about them.
    Hooks,
    /// Servers.
    Servers,
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
            Axis::Hooks => "hooks",
            Axis::Servers => "servers",
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

    /// The axis of that id.
    pub fn from_id(id: &str) -> Option<Self> {
        serde_json::from_value(id.into()).ok()
    }

    /// What an author can do about a loss along it.
    pub fn advice(self) -> &'static str {
        match self {
            Axis::ToolLimits => {
                "say in the text what must not be done, and keep what is dangerous behind a question to the user"
            }
            Axis::ToolGrants => "nothing is needed: the user is asked instead",
            Axis::Invocation => "say in the description that only the user starts it",
            Axis::Visibility => "nothing is needed: the user sees one name more",
            Axis::Permissions => "name the permissions that the user should set in the README",
            Axis::HookBlocking => "say the rule in the text of the skills too",
            Axis::Hooks => "say in the README what the user must do, or what is not watched here",
            Axis::Servers => "say in the README what the user must set up for the server",
            Axis::Model => "write the text so that any model of the host can follow it",
            Axis::Arguments => "say in words which arguments the text expects",
            Axis::Variables => "use paths inside the skill's own folder",
            Axis::ShellExpansion => "say in words which command to run and when",
            Axis::Includes => "say in words which file to read",
            Axis::AgentOptions => "say in the agent's text what the option does",
            Axis::Components => "describe the step in a skill for hosts without such components",
            Axis::Sources => "list the plugin in a marketplace of that host as well",
            Axis::Appearance | Axis::Metadata => "nothing is needed: no behavior changes",
            Axis::Limit => "shorten or split it",
            Axis::Unreadable => "correct the file",
            Axis::Names => "rename it",
        }
    }
}
