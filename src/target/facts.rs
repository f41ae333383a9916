//! The shape of `target.toml`: one struct a section, one field a fact. What a field means for the
//! bundle is written here; what a host does is written in the file, with its source.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::axis::Axis;
use super::checks::CheckFacts;
use super::components::{ComponentFacts, HookFacts, ServerFacts};
use super::listing::ListingFacts;
use super::notes::{NotesFacts, PromptsFacts, SandboxFacts};
use super::own_manifest::OwnManifestFacts;
use super::permissions::PermissionFacts;
use super::typed_name::TypedName;
use super::value_format::ValueFormat;
use super::yaml::YamlFacts;
use crate::diagnostic::LossClass;
use crate::read::format::SourceFacts;

/// One host.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Target {
    /// The folder's name.
    #[serde(skip)]
    pub name: String,
    /// The files below `templates/`, by name.
    #[serde(skip)]
    pub templates: BTreeMap<String, String>,
    /// What people call the host, and the version that the facts were seen on.
    pub host: HostFacts,
    /// How each section or field was seen, by its path: what was run and what it printed.
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
    /// How often who may invoke a skill is said.
    pub invocation: InvocationFacts,
    /// What the host's list of skills can hold.
    pub listing: Option<ListingFacts>,
    /// What stands for each tool of the source host.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// How a tool limit becomes a permission.
    pub permissions: Option<PermissionFacts>,
    /// What becomes of variables.
    #[serde(default)]
    pub variables: BTreeMap<String, VariableFacts>,
    /// What becomes of argument placeholders and constructs.
    pub text: TextFacts,
    /// How frontmatter is read.
    pub yaml: YamlFacts,
    /// Hooks, where they are not carried as the source's own files.
    pub hooks: Option<HookFacts>,
    /// MCP servers, where they are not carried as the source's own files.
    pub servers: Option<ServerFacts>,
    /// LSP servers, where they are not carried as the source's own files.
    pub language_servers: Option<ServerFacts>,
    /// Components that are not skills, agents or commands.
    pub components: BTreeMap<String, ComponentFacts>,
    /// The lines of the block *On this host*.
    #[serde(default)]
    pub block: BTreeMap<String, String>,
    /// Commands that the host's default sandbox refuses.
    #[serde(default)]
    pub sandbox: Vec<SandboxFacts>,
    /// A file in the plugin's folder for what the blocks of several texts would repeat.
    pub notes: Option<NotesFacts>,
    /// A file beside the script of a workflow with its prompts, where the host runs no workflows and every prompt stands in
    /// the script as one text.
    pub prompts: Option<PromptsFacts>,
    /// What a source is held against, beside what a build needs to know.
    #[serde(default)]
    pub checks: CheckFacts,
    /// A module that registers components at run time.
    pub registration: Option<RegistrationFacts>,
}

/// `[host]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostFacts {
    /// The name in sentences.
    pub title: String,
    /// The version that every fact of the file was seen on.
    pub version: String,
    /// The day on which they were seen.
    pub verified: String,
    /// Manifests and folders that only this host reads; a source's own copies give way.
    #[serde(default)]
    pub owns: Vec<String>,
    /// Whether folders below `skills/` are searched at every depth, so that a template named like a
    /// skill file would become a skill.
    pub nested_skill_files: bool,
    /// A folder whose Markdown files the host makes skills of by itself, and the folder where files that are none go.
    pub converted_folder: Option<(String, String)>,
}

/// `[manifest]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ManifestFacts {
    /// Where the manifest lies in the plugin's folder.
    pub path: String,
    /// The source's manifest is carried over whole; `document` is for plugins without one.
    pub passthrough: bool,
    /// The document: text leaves are templates, `"{/pointer}"` copies a value of the source's
    /// manifest, and a leaf that names something absent is left out.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub document: Table,
    /// Why a field that the document does not use is not carried; absent where all are.
    pub dropped: Option<String>,
    /// Why a plugin that the source leaves off until the user turns it on is on at once; absent where it stays off.
    pub always_on: Option<String>,
    /// Fields of `document` that replace those of a source file with the manifest's own name; its
    /// other fields stay.
    #[serde(default)]
    pub replace: Vec<String>,
    /// Fields that such a file loses.
    #[serde(default)]
    pub remove: Vec<String>,
    /// What is taken over of the author's own manifest for the host.
    #[serde(default)]
    pub own: OwnManifestFacts,
}

/// `[marketplace]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarketplaceFacts {
    /// Where the file lies in the bundle.
    pub path: String,
    /// The document, as `manifest.document`; pointers go into the source's marketplace file.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub document: Table,
    /// The key of `document` that takes the list of plugins.
    pub list: String,
    /// One plugin of the list; pointers go into the plugin's entry, then into its manifest.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub entry: Table,
    /// Kinds of remote source that the host itself can fetch; such entries stay verbatim.
    pub remote_sources: Vec<String>,
    /// How names begin that the host keeps for itself; such a name gets `cast-` in front.
    pub reserved_prefix: Option<String>,
    /// Names that the host keeps for its own; rules read them.
    #[serde(default)]
    pub reserved_names: Vec<String>,
    /// How the owner's e-mail address ends in marketplaces that may have such a name.
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
    /// How long `name` may be, in characters.
    pub name_limit: Option<usize>,
    /// A skill without a description is refused, so one is made from the text.
    pub description_required: bool,
    /// A skill without `name` is skipped.
    pub name_required: bool,
    /// Words that no skill's name may hold where skills are uploaded to the host's makers.
    #[serde(default)]
    pub reserved_words: Vec<String>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// What becomes of each field; `"*"` for all others.
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
    /// A file beside the plugin for each agent, where plugins carry none.
    pub installable: Option<InstallableFacts>,
    /// What an agent loses that no text of the build dispatches, where plugins carry none.
    pub undispatched: Option<String>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// What becomes of each field; `"*"` for all others.
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
    /// The line of the block that says where paths of the text count from, with `file` and `plugin`.
    pub paths: Option<String>,
}

/// `[command]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommandFacts {
    /// Whether a command stays one.
    pub emission: CommandEmission,
    /// Path of the file, with `{path}`, `{name}` and `{dashed}`.
    pub path: String,
    /// Names that users can type; `-` stands for any other character. Without it, a name stays as it is.
    pub typed: Option<TypedName>,
    /// Fields that have a meaning on this host, besides those of `fields`.
    #[serde(default)]
    pub own_fields: Vec<String>,
    /// What becomes of each field; `"*"` for all others.
    pub fields: BTreeMap<String, FieldRule>,
}

/// Whether a command stays one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandEmission {
    /// The host has commands.
    Native,
    /// It becomes a skill.
    AsSkill,
}

/// What becomes of one frontmatter field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FieldRule {
    /// What becomes of it.
    pub outcome: FieldOutcome,
    /// The axis along which something is lost.
    pub axis: Option<Axis>,
    /// A graver class than the axis asks for.
    pub class: Option<LossClass>,
    /// The key in the host's own form.
    pub to: Option<String>,
    /// Values in the host's own form; an empty one means "nothing to say", others are dropped.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// What else a value may be; anything that is neither this nor in `values` is dropped.
    pub format: Option<ValueFormat>,
    /// Why, in one sentence.
    pub reason: Option<String>,
}

/// What becomes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FieldOutcome {
    /// The host reads it as it is, or nobody reads it.
    Kept,
    /// It is said in the host's own form.
    Mapped,
    /// The host does not know it.
    Dropped,
    /// The tool limits: by `[permissions]`.
    Permissions,
    /// Who may invoke: by `[invocation]`.
    Invocation,
}

/// `[invocation]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InvocationFacts {
    /// How "only the user may invoke it" is said.
    pub user_only: InvocationForm,
    /// How "only the model may invoke it" is said.
    pub model_only: InvocationForm,
    /// The file beside the skill file, for `sidecar`.
    pub sidecar_path: Option<String>,
    /// Its YAML document.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub sidecar_document: Option<Table>,
}

/// How a limit of invocation is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InvocationForm {
    /// The frontmatter field of the source.
    Field,
    /// A file beside the skill file.
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
    /// What becomes of it in a body.
    pub form: VariableForm,
    /// What the block says stands for it.
    pub stands: Option<String>,
    /// Why something is lost.
    pub reason: Option<String>,
}

/// What becomes of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariableForm {
    /// The host or the module replaces it.
    Native,
    /// It becomes a path relative to the skill file.
    Relative,
    /// The block says what stands for it.
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
    /// Where those are bound: whether the host itself runs and includes what a command's text names, and asks nobody.
    #[serde(default)]
    pub native_commands: bool,
}

/// Who acts on a placeholder or construct.
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
