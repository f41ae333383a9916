//! The structure of `target.toml`: one struct per section, one field per fact. The meaning of each field is documented
//! here; the facts about a host are in the file, with their evidence.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::axis::Axis;
use super::checks::CheckFacts;
use super::command::CommandFacts;
use super::components::{ComponentFacts, HookFacts, ServerFacts};
use super::listing::ListingFacts;
use super::notes::{NotesFacts, PromptsFacts, SandboxFacts};
use super::own_manifest::OwnManifestFacts;
use super::permissions::PermissionFacts;
use super::value_format::ValueFormat;
use super::yaml::YamlFacts;
use crate::diagnostic::{HostId, LossClass};
use crate::source::ComponentKind;
use crate::source_format::SourceFacts;

/// One host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Target {
    /// The folder's name.
    #[serde(skip)]
    pub name: HostId,
    /// The files below `templates/`, by name.
    #[serde(skip)]
    pub templates: BTreeMap<String, String>,
    /// The title of the host, and the version on which the facts were verified.
    pub host: HostFacts,
    /// The evidence for each section or field, by its path: what was run and what it printed.
    pub evidence: BTreeMap<String, String>,
    /// The format that plugins are written in; exactly one target carries it.
    pub source: Option<SourceFacts>,
    /// The plugin's own manifest.
    pub manifest: ManifestFacts,
    /// The file that lists several plugins.
    pub marketplace: Option<MarketplaceFacts>,
    /// Skills.
    pub skill: SkillFacts,
    /// Agents.
    pub agent: AgentFacts,
    /// Commands.
    pub command: CommandFacts,
    /// Frontmatter that an author may set for this host, by `skill`, `agent` and `command`.
    #[serde(default)]
    pub settable: BTreeMap<String, BTreeMap<String, ValueFormat>>,
    /// How limits on who may invoke a skill are expressed.
    pub invocation: InvocationFacts,
    /// What the host's list of skills can hold.
    pub listing: Option<ListingFacts>,
    /// The equivalent of each tool of the source host.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// Those that differ in a text that mentions images.
    #[serde(default)]
    pub image_tools: BTreeMap<String, String>,
    /// The equivalent of each agent that is built into the source host.
    #[serde(default)]
    pub built_in_agents: BTreeMap<String, String>,
    /// How a tool limit becomes a permission.
    pub permissions: Option<PermissionFacts>,
    /// How variables are lowered.
    #[serde(default)]
    pub variables: BTreeMap<String, VariableFacts>,
    /// How argument placeholders and constructs are lowered.
    pub text: TextFacts,
    /// How frontmatter is read.
    pub yaml: YamlFacts,
    /// Hooks, unless the source's own files are carried.
    pub hooks: Option<HookFacts>,
    /// MCP servers, unless the source's own files are carried.
    pub servers: Option<ServerFacts>,
    /// LSP servers, unless the source's own files are carried.
    pub language_servers: Option<ServerFacts>,
    /// Components that are not skills, agents or commands.
    pub components: BTreeMap<ComponentKind, ComponentFacts>,
    /// The lines of the block *On this host*.
    #[serde(default)]
    pub block: BTreeMap<String, String>,
    /// Commands that the host's default sandbox refuses.
    #[serde(default)]
    pub sandbox: Vec<SandboxFacts>,
    /// A file in the plugin's folder for what the blocks of several texts would repeat.
    pub notes: Option<NotesFacts>,
    /// A file with the prompts of a workflow, next to its script, if the host does not run workflows and every prompt
    /// is a single literal in the script.
    pub prompts: Option<PromptsFacts>,
    /// Facts that only `plugcast check` uses.
    #[serde(default)]
    pub checks: CheckFacts,
    /// A module that registers components at run time.
    pub registration: Option<RegistrationFacts>,
}

/// `[host]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostFacts {
    /// The name for use in sentences.
    pub title: String,
    /// The version on which every fact of the file was verified.
    pub version: String,
    /// The day on which they were verified.
    pub verified: String,
    /// Manifests and folders that only this host reads; the source's own copies are replaced.
    #[serde(default)]
    pub owns: Vec<String>,
    /// Whether folders below `skills/` are searched at every depth, where a template may be named like a skill.
    pub nested_skill_files: bool,
    /// A folder whose Markdown files the host turns into skills, and the folder to move its other files to.
    pub converted_folder: Option<(String, String)>,
}

/// `[manifest]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestFacts {
    /// The path of the manifest in the plugin's folder.
    pub path: String,
    /// Whether the source's manifest is copied unchanged; `document` is for plugins without one.
    pub passthrough: bool,
    /// The document: text leaves are templates, `"{/pointer}"` copies a value of the source's manifest, and a leaf
    /// whose value is missing is omitted.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub document: Table,
    /// The formats that the host requires of values of the source's manifest, by pointer. Any other value is left out.
    #[serde(default)]
    pub formats: BTreeMap<String, ValueFormat>,
    /// Why a field that the document does not use is dropped; absent if all are carried.
    pub dropped: Option<String>,
    /// Why a plugin that is disabled by default in the source is enabled at once; absent if it remains disabled.
    pub always_on: Option<String>,
    /// Fields of `document` that replace those of a source file with the same name as the manifest; its other fields
    /// are kept.
    #[serde(default)]
    pub replace: Vec<String>,
    /// Fields that are removed from such a file.
    #[serde(default)]
    pub remove: Vec<String>,
    /// What is kept of the author's own manifest for the host.
    #[serde(default)]
    pub own: OwnManifestFacts,
}

/// `[marketplace]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarketplaceFacts {
    /// The path of the file in the bundle.
    pub path: String,
    /// The document, like `manifest.document`; pointers refer to the source's marketplace file.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub document: Table,
    /// The key of `document` for the list of plugins.
    pub list: String,
    /// The entry of one plugin; pointers refer to the plugin's entry in the source, then to its manifest.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub entry: Table,
    /// Kinds of remote source that the host itself can fetch; such entries are kept verbatim.
    pub remote_sources: Vec<String>,
    /// Whether the host refuses a dot in the name; it becomes `-`.
    #[serde(default)]
    pub refuses_dots: bool,
    /// A prefix of names that the host reserves; such a name gets the prefix `cast-`.
    pub reserved_prefix: Option<String>,
    /// Names that the host reserves; rules and builds report them.
    #[serde(default)]
    pub reserved_names: Vec<String>,
    /// The end of the owner's email address in marketplaces that may use such a name.
    pub reserved_for: Option<String>,
}

/// `[skill]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SkillFacts {
    /// Path of the skill file, with `{name}`.
    pub path: String,
    /// The `name` field, with `{name}` and `{qualified}`.
    pub name: String,
    /// The maximum length of `name`, in characters.
    pub name_limit: Option<usize>,
    /// Whether a skill without a description is refused, so that one is generated from the text.
    pub description_required: bool,
    /// Whether a skill without `name` is skipped.
    pub name_required: bool,
    /// Words that the name of a skill must not contain if it is uploaded to the host's vendor.
    #[serde(default)]
    pub reserved_words: Vec<String>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// How each field is lowered; `"*"` for all others.
    pub fields: BTreeMap<String, FieldRule>,
}

/// `[agent]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentFacts {
    /// How an agent reaches the host.
    pub emission: AgentEmission,
    /// Path of the agent's file, with `{path}` (the source's own), `{name}` and `{dashed}`.
    pub path: String,
    /// A file outside the plugin for each agent, if plugins cannot carry agents.
    pub installable: Option<InstallableFacts>,
    /// What is lost of an agent that no text of the build dispatches, if plugins cannot carry agents.
    pub undispatched: Option<String>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// How each field is lowered; `"*"` for all others.
    pub fields: BTreeMap<String, FieldRule>,
}

/// How an agent reaches the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentEmission {
    /// The host reads the file.
    Native,
    /// The block says how to use the file as instructions.
    PromptAsset,
    /// The module of `[registration]` registers it.
    Registered,
}

/// `[agent.installable]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InstallableFacts {
    /// Path in the bundle, with `{plugin}` and `{dashed}`.
    pub path: String,
    /// The TOML document; `{body}` is the agent's text.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub document: Table,
    /// The line of the block that says what paths in the text are relative to, with `file` and `plugin`.
    pub paths: Option<String>,
}

/// How one frontmatter field is lowered.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FieldRule {
    /// The outcome for the field.
    pub outcome: FieldOutcome,
    /// The axis of the loss.
    pub axis: Option<Axis>,
    /// A more severe class than the minimum of the axis.
    pub class: Option<LossClass>,
    /// The key on the host.
    pub to: Option<String>,
    /// The host's equivalents of values; an empty one omits the field without a loss. Other values are dropped.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// The format of other valid values; anything that neither matches it nor is in `values` is dropped.
    pub format: Option<ValueFormat>,
    /// Why, in one sentence.
    pub reason: Option<String>,
}

/// The outcome for a frontmatter field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FieldOutcome {
    /// The host reads it unchanged, or nothing reads it.
    Kept,
    /// It is translated into the host's own form.
    Mapped,
    /// The host does not know it.
    Dropped,
    /// A tool limit, lowered by `[permissions]`.
    Permissions,
    /// A limit on who may invoke it, lowered by `[invocation]`.
    Invocation,
}

/// `[invocation]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InvocationFacts {
    /// How "only the user may invoke it" is expressed.
    pub user_only: InvocationForm,
    /// How "only the model may invoke it" is expressed.
    pub model_only: InvocationForm,
    /// The file next to the skill file, for `sidecar`.
    pub sidecar_path: Option<String>,
    /// Its YAML document.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub sidecar_document: Option<Table>,
}

/// How a limit on invocation is expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InvocationForm {
    /// The frontmatter field of the source.
    Field,
    /// A file next to the skill file.
    Sidecar,
    /// The data of `[registration]`.
    Registered,
    /// Not at all.
    None,
}

/// One variable.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VariableFacts {
    /// How it is lowered in a body.
    pub form: VariableForm,
    /// What the block says replaces it.
    pub stands: Option<String>,
    /// Why something is lost.
    pub reason: Option<String>,
}

/// How a variable is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariableForm {
    /// The host or the module replaces it.
    Native,
    /// It becomes a path relative to the skill file.
    Relative,
    /// The block says what replaces it.
    Bound,
}

/// `[text]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextFacts {
    /// `$ARGUMENTS`, `$1` and declared names.
    pub arguments: TextForm,
    /// `` !`command` ``
    pub shell: TextForm,
    /// `@path` in a command.
    pub includes: TextForm,
    /// If those are bound, whether the host itself still runs and includes what a command's text names, without asking.
    #[serde(default)]
    pub native_commands: bool,
}

/// What acts on a placeholder or construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TextForm {
    /// The host or the module.
    Native,
    /// The model, as the block says.
    Bound,
}

/// `[registration]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegistrationFacts {
    /// The templates that are copied, by their paths in the plugin's folder; the host loads the first.
    pub modules: Vec<String>,
    /// Path of the data file in the plugin's folder.
    pub data: String,
    /// The `schema` field of the data file.
    pub schema: String,
    /// Folders in which the host looks for skills.
    pub skill_folders: Vec<String>,
    /// The variable that names the plugin's folder, with `{PLUGIN}`.
    pub root_variable: String,
}
