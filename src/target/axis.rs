//! The axes along which a host can support less than the source host, and the minimum class of a loss along each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::LossClass;

/// An axis along which a host can support less than the source host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Which tools an agent or skill may use.
    ToolLimits,
    /// Which tools a skill may use without being asked.
    ToolGrants,
    /// Limits that let only the user invoke something.
    Invocation,
    /// Limits that let only the model invoke something.
    Visibility,
    /// Permission modes.
    Permissions,
    /// Hooks that can stop a tool.
    HookBlocking,
    /// Hooks that cannot block, and other differences of hooks.
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
    /// The appearance of something.
    Appearance,
    /// Descriptive metadata of a component.
    Metadata,
    /// A limit of the host.
    Limit,
    /// Files that cannot be read.
    Unreadable,
    /// Components that cannot have their name, or share it with another one.
    Names,
}

impl Axis {
    /// The minimum class of a loss of this axis.
    pub fn minimum_class(self) -> LossClass {
        match self {
            Axis::ToolLimits | Axis::Invocation | Axis::Permissions | Axis::HookBlocking => {
                LossClass::Security
            }
            Axis::Appearance | Axis::Metadata | Axis::Visibility => LossClass::Cosmetic,
            _ => LossClass::Behavior,
        }
    }

    /// The axis as it is written in a loss id.
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

    /// The axis with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        serde_json::from_value(id.into()).ok()
    }

    /// What is lost along this axis, in one sentence.
    pub fn description(self) -> &'static str {
        match self {
            Axis::ToolLimits => "tool-limits: the source limits tools, but the host does not enforce it",
            Axis::ToolGrants => {
                "tool-grants: the source lets some tools run without asking, and the host asks"
            }
            Axis::Invocation => {
                "invocation: the source lets only the user start it, and on the host the model may"
            }
            Axis::Visibility => "visibility: the source hides it from the user, and the host lists it",
            Axis::Permissions => {
                "permissions: the source sets how much an agent may do, but the host does not enforce it"
            }
            Axis::HookBlocking => {
                "hook-blocking: a hook of the source can stop a tool, and on the host it cannot"
            }
            Axis::Hooks => {
                "hooks: a hook of the source runs later, less often or only after a step of the user"
            }
            Axis::Servers => "servers: a server of the source starts or is reached differently",
            Axis::Model => "model: the source chooses a model or its effort, and the host does not",
            Axis::Arguments => {
                "arguments: the source host puts arguments into the text, and the host does not"
            }
            Axis::Variables => "variables: the source host gives a variable a value, but the host does not",
            Axis::ShellExpansion => {
                "shell-expansion: the source host runs a command before the text is read, and the host does not"
            }
            Axis::Includes => "includes: the source host puts a file into the text, and the host does not",
            Axis::AgentOptions => {
                "agent-options: the source sets how an agent runs, and the host has no such option"
            }
            Axis::Components => {
                "components: the plugin brings something that the host cannot take from a plugin"
            }
            Axis::Sources => "sources: the plugin comes from a place that the host cannot fetch from",
            Axis::Appearance => "appearance: something looks different",
            Axis::Metadata => "metadata: the host reads less of its metadata",
            Axis::Limit => "limit: it exceeds what the host loads",
            Axis::Unreadable => "unreadable: the file cannot be read, so no host gets it",
            Axis::Names => "names: it cannot keep its name",
        }
    }

    /// What an author can do about a loss along this axis.
    pub fn advice(self) -> &'static str {
        match self {
            Axis::ToolLimits => {
                "say in the text what it must not do, and let it ask the user before anything that cannot be undone"
            }
            Axis::ToolGrants => {
                "nothing to do: the user is asked; the README can name the permissions that avoid the question"
            }
            Axis::Invocation => {
                "let the text begin with a question to the user, and say in the description that only the user starts it"
            }
            Axis::Visibility => "nothing to do: the user sees one more name",
            Axis::Permissions => "name the permissions that the user should set in the README",
            Axis::HookBlocking => {
                "state the rule in every text that could break it, and guard what matters outside the host too"
            }
            Axis::Hooks => "say in the README what the user must do, or what is not watched here",
            Axis::Servers => "say in the README what the user must set up for the server",
            Axis::Model => "write the text so that any model can follow it",
            Axis::Arguments => "say in words which arguments the text expects",
            Axis::Variables => {
                "use paths inside the skill's own folder, or let the text ask the user for the value"
            }
            Axis::ShellExpansion => "say in words which command to run first and what its output is for",
            Axis::Includes => "say in words which file to read first",
            Axis::AgentOptions => "say in the agent's text what the option would have done",
            Axis::Components => {
                "say in a skill what it would have done, so that the model or the user can do it"
            }
            Axis::Sources => "list the plugin in a marketplace of that host as well",
            Axis::Appearance => "nothing to do: it works the same",
            Axis::Metadata => "say what matters for choosing it in the description",
            Axis::Limit => "shorten or split it",
            Axis::Unreadable => "fix the file at the location that the build reports",
            Axis::Names => "rename it",
        }
    }
}
