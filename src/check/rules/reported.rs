//! Rules without code in this folder: their findings come up while files are read, so the source file that each of them
//! names reports them, under the rule's name. `build.rs` at the top of the package adds them to the table.

use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::diagnostic::Severity;

pub(super) const COMMAND_SKILL_COLLISION: Rule = Rule {
    name: "command-skill-collision",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a command and a skill of a plugin have the same name",
    page: include_str!("command_skill_collision.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/duplicates.rs"),
};

pub(super) const COMPONENT_FORMAT: Rule = Rule {
    name: "component-format",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a command in the manifest has no usable name, or neither `source` nor `content`",
    page: include_str!("component_format.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/find/commands.rs"),
};

pub(super) const DUPLICATE_NAME: Rule = Rule {
    name: "duplicate-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "two components of the same kind share a name",
    page: include_str!("duplicate_name.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/duplicates.rs"),
};

pub(super) const EMPTY_PLUGIN: Rule = Rule {
    name: "empty-plugin",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a plugin has no components",
    page: include_str!("empty_plugin.md"),
    check: RuleCheck::ReportedBy("src/model/plugin.rs"),
};

pub(super) const FRONTMATTER_ENDS_EARLY: Rule = Rule {
    name: "frontmatter-ends-early",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "dashes end the frontmatter before its last line, and the rest of it is text",
    page: include_str!("frontmatter_ends_early.md"),
    check: RuleCheck::ReportedBy("src/read/frontmatter/early_end.rs"),
};

pub(super) const FRONTMATTER_NOT_FIRST: Rule = Rule {
    name: "frontmatter-not-first",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "frontmatter begins after a blank line, so it is read as text",
    page: include_str!("frontmatter_not_first.md"),
    check: RuleCheck::ReportedBy("src/read/frontmatter.rs"),
};

pub(super) const FRONTMATTER_UNCLOSED: Rule = Rule {
    name: "frontmatter-unclosed",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "frontmatter begins and never ends",
    page: include_str!("frontmatter_unclosed.md"),
    check: RuleCheck::ReportedBy("src/read/frontmatter.rs"),
};

pub(super) const HOOK_EVENT: Rule = Rule {
    name: "hook-event",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "hooks are registered for an unknown event",
    page: include_str!("hook_event.md"),
    check: RuleCheck::ReportedBy("src/model/hook.rs"),
};

pub(super) const HOOK_FIELD: Rule = Rule {
    name: "hook-field",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a field of a hook is missing or has a value that hosts refuse",
    page: include_str!("hook_field.md"),
    check: RuleCheck::ReportedBy("src/model/hook/handler.rs"),
};

pub(super) const HOOK_TYPE: Rule = Rule {
    name: "hook-type",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook has no `type`, or one that does not exist",
    page: include_str!("hook_type.md"),
    check: RuleCheck::ReportedBy("src/model/hook/handler.rs"),
};

pub(super) const HOOK_WRAPPER: Rule = Rule {
    name: "hook-wrapper",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the events of a hooks file are not inside a `hooks` object",
    page: include_str!("hook_wrapper.md"),
    check: RuleCheck::ReportedBy("src/model/hook.rs"),
};

pub(super) const HOOKS_RELISTED: Rule = Rule {
    name: "hooks-relisted",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a manifest lists the hooks file that is loaded by default",
    page: include_str!("hooks_relisted.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/other_components.rs"),
};

pub(super) const JSON_SYNTAX: Rule = Rule {
    name: "json-syntax",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a JSON file of the plugin cannot be read",
    page: include_str!("json_syntax.md"),
    check: RuleCheck::ReportedBy("src/read/json.rs"),
};

pub(super) const LINKED_COMPONENT: Rule = Rule {
    name: "linked-component",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "an agent or a command is a link, which hosts skip",
    page: include_str!("linked_component.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/find.rs"),
};

pub(super) const LSP_SHAPE: Rule = Rule {
    name: "lsp-shape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an LSP server lacks its command or its languages",
    page: include_str!("lsp_shape.md"),
    check: RuleCheck::ReportedBy("src/model/server/language.rs"),
};

pub(super) const MANIFEST_PATH: Rule = Rule {
    name: "manifest-path",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a path in a manifest leaves the plugin, or is not valid for its field",
    page: include_str!("manifest_path.md"),
    check: RuleCheck::ReportedBy("src/model/manifest.rs"),
};

pub(super) const MANIFEST_TARGET_MISSING: Rule = Rule {
    name: "manifest-target-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a manifest refers to a missing file or folder",
    page: include_str!("manifest_target_missing.md"),
    check: RuleCheck::ReportedBy("src/model/manifest.rs"),
};

pub(super) const MARKETPLACE_DUPLICATE: Rule = Rule {
    name: "marketplace-duplicate",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a marketplace lists two plugins under the same name",
    page: include_str!("marketplace_duplicate.md"),
    check: RuleCheck::ReportedBy("src/model/marketplace.rs"),
};

pub(super) const MARKETPLACE_SOURCE_MISSING: Rule = Rule {
    name: "marketplace-source-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a marketplace lists a plugin at a missing folder",
    page: include_str!("marketplace_source_missing.md"),
    check: RuleCheck::ReportedBy("src/build/catalogue.rs"),
};

pub(super) const MCP_RESERVED_NAME: Rule = Rule {
    name: "mcp-reserved-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server has a name that a host drops",
    page: include_str!("mcp_reserved_name.md"),
    check: RuleCheck::ReportedBy("src/model/server/fields.rs"),
};

pub(super) const MCP_SHAPE: Rule = Rule {
    name: "mcp-shape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "an MCP server lacks what starts it, or a field of it has a wrong type",
    page: include_str!("mcp_shape.md"),
    check: RuleCheck::ReportedBy("src/model/server.rs"),
};

pub(super) const NOT_UTF8: Rule = Rule {
    name: "not-utf8",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a text file is not valid UTF-8",
    page: include_str!("not_utf8.md"),
    check: RuleCheck::ReportedBy("src/model/manifest.rs"),
};

pub(super) const SECRET_IN_CONFIG: Rule = Rule {
    name: "secret-in-config",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "the configuration of a server or hook contains a credential in plain text",
    page: include_str!("secret_in_config.md"),
    check: RuleCheck::ReportedBy("src/model/credentials.rs"),
};

pub(super) const STALE_BASELINE: Rule = Rule {
    name: "stale-baseline",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "an entry of the baseline no longer matches a finding",
    page: include_str!("stale_baseline.md"),
    check: RuleCheck::ReportedBy("src/check/baseline.rs"),
};

pub(super) const SYMLINK_ESCAPE: Rule = Rule {
    name: "symlink-escape",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a link points outside the source",
    page: include_str!("symlink_escape.md"),
    check: RuleCheck::ReportedBy("src/build/discover.rs"),
};

pub(super) const UNMATCHED_ACCEPTANCE: Rule = Rule {
    name: "unmatched-acceptance",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "an accepted loss matches no loss of the hosts",
    page: include_str!("unmatched_acceptance.md"),
    check: RuleCheck::ReportedBy("src/build/losses.rs"),
};

pub(super) const UNREADABLE_FILE: Rule = Rule {
    name: "unreadable-file",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a file or folder cannot be read, or a link is broken",
    page: include_str!("unreadable_file.md"),
    check: RuleCheck::ReportedBy("src/build/discover.rs"),
};

pub(super) const UNUSED_SUPPRESSION: Rule = Rule {
    name: "unused-suppression",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a suppression matches no finding, names an unknown rule, or gives no reason",
    page: include_str!("unused_suppression.md"),
    check: RuleCheck::ReportedBy("src/check/suppress.rs"),
};

pub(super) const WINDOWS_LINE_ENDINGS: Rule = Rule {
    name: "windows-line-endings",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a skill, agent or command has Windows line endings",
    page: include_str!("windows_line_endings.md"),
    check: RuleCheck::ReportedBy("src/model/plugin/find.rs"),
};

pub(super) const YAML_SYNTAX: Rule = Rule {
    name: "yaml-syntax",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "frontmatter is not valid YAML, and no host can repair it",
    page: include_str!("yaml_syntax.md"),
    check: RuleCheck::ReportedBy("src/read/yaml.rs"),
};
