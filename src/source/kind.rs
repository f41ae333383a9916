//! The kinds of things that a source holds; ledgers, reports and loss ids call them by these names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of things that a source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComponentKind {
    /// A plugin as a whole.
    Plugin,
    /// An entry of a marketplace file.
    MarketplaceEntry,
    /// A skill.
    Skill,
    /// An agent.
    Agent,
    /// A command.
    Command,
    /// One hook handler.
    Hook,
    /// One MCP server.
    McpServer,
    /// One LSP server.
    LspServer,
    /// An output style.
    OutputStyle,
    /// A monitor.
    Monitor,
    /// A theme.
    Theme,
    /// A workflow.
    Workflow,
    /// A setting that the plugin brings.
    Setting,
    /// A value that the user is asked to configure.
    UserConfig,
    /// An executable in `bin/`.
    Executable,
    /// Any file.
    File,
    /// A leaf field of a frontmatter or a JSON file.
    Field,
    /// A name in the text that names a component, a tool or an own path.
    Reference,
    /// A variable such as `${CLAUDE_PLUGIN_ROOT}` in the text.
    Variable,
    /// An argument placeholder such as `$ARGUMENTS` in the text.
    Argument,
    /// A construct that the source host executes or includes: `` !`cmd` `` or `@file`.
    Construct,
}

impl ComponentKind {
    /// The kind as it is written in ledgers and loss ids.
    pub fn id(self) -> &'static str {
        match self {
            ComponentKind::Plugin => "plugin",
            ComponentKind::MarketplaceEntry => "marketplace-entry",
            ComponentKind::Skill => "skill",
            ComponentKind::Agent => "agent",
            ComponentKind::Command => "command",
            ComponentKind::Hook => "hook",
            ComponentKind::McpServer => "mcp-server",
            ComponentKind::LspServer => "lsp-server",
            ComponentKind::OutputStyle => "output-style",
            ComponentKind::Monitor => "monitor",
            ComponentKind::Theme => "theme",
            ComponentKind::Workflow => "workflow",
            ComponentKind::Setting => "setting",
            ComponentKind::UserConfig => "user-config",
            ComponentKind::Executable => "executable",
            ComponentKind::File => "file",
            ComponentKind::Field => "field",
            ComponentKind::Reference => "reference",
            ComponentKind::Variable => "variable",
            ComponentKind::Argument => "argument",
            ComponentKind::Construct => "construct",
        }
    }
}
