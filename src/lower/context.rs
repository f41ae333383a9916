//! The input for lowering one plugin: the project, the host, and the decisions that apply to the whole plugin.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::listing::{PluginListing, SessionListing};
use super::options;
use super::place::{self, OutputPaths};
use super::sandbox::CommandTable;
use super::server_tools::ServerTools;
use crate::bundle::{BundleNode, NodeContent};
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::{Project, ResolvedProject};
use crate::model::qualified_name::local_of;
use crate::model::references::ANY_TOOL;
use crate::progress::Progress;
use crate::source::ComponentKind;
use crate::source_format::SourceFacts;
use crate::target::{Target, VariableFacts};

/// What shows that a text mentions images.
const IMAGES: [&[u8]; 7] = [b".png", b".jpg", b".jpeg", b".gif", b".webp", b"screenshot", b"Screenshot"];

/// The input for lowering one plugin.
pub(super) struct LoweringContext<'a> {
    pub(super) project: &'a Project,
    /// The names that its texts refer to.
    pub(super) resolved: ResolvedProject<'a>,
    pub(super) plugin: &'a Plugin,
    pub(super) target: &'a Target,
    pub(super) source: &'a SourceFacts,
    /// Qualified names of agents that something in the build dispatches.
    pub(super) dispatched: &'a BTreeSet<&'a str>,
    /// Qualified names of workflows that some text of the build names.
    pub(super) workflows: &'a BTreeSet<&'a str>,
    /// Where every file of the plugin goes.
    pub(super) places: OutputPaths,
    /// How the host's skill list treats it.
    pub(super) listing: PluginListing,
    /// How its skill list treats all plugins together, if anything is cut or omitted.
    pub(super) session: Option<&'a SessionListing>,
    /// What the host's sandbox refuses.
    pub(super) commands: &'a CommandTable,
    /// The host names of server tools.
    pub(super) server_tools: &'a ServerTools,
    /// The default values of options.
    pub(super) defaults: BTreeMap<String, String>,
    /// Reports each component.
    pub(super) progress: &'a Progress,
}

impl LoweringContext<'_> {
    /// The plugin's emitted folder.
    pub(super) fn root(&self) -> Utf8PathBuf {
        Utf8PathBuf::from("plugins").join(&self.plugin.name)
    }

    /// Whether the host takes the name in the frontmatter of the skill `name` besides that of its folder: the source
    /// host does (Claude Code 2.1.330).
    pub(super) fn takes_written_name(&self, name: &str) -> bool {
        let place = self.places.components.get(&(ComponentKind::Skill, name.into()));
        let folder = |place: &Utf8PathBuf| place.parent()?.file_name().map(str::to_owned);
        self.target.source.is_some()
            && place.is_none_or(|place| folder(place).as_deref() == Some(local_of(name)))
    }

    /// A file that is generated at `inner` in the plugin's emitted folder.
    pub(super) fn generated_file(&self, inner: impl AsRef<Utf8Path>, content: NodeContent) -> BundleNode {
        BundleNode { path: self.root().join(inner), executable: false, content, from: None }
    }

    /// Where the main file of `component` goes in the plugin's emitted folder.
    pub(super) fn place_of(&self, component: &Component) -> Option<&Utf8Path> {
        let key = (component.kind, component.qualified.clone());
        self.places.components.get(&key).map(Utf8PathBuf::as_path)
    }

    /// Whether a text in the plugin's folder is generated at `inner`, regardless of the source.
    pub(super) fn is_generated(&self, inner: &Utf8Path) -> bool {
        let registration = self.target.registration.as_ref();
        let module = registration
            .is_some_and(|facts| inner == facts.data || facts.modules.iter().any(|module| inner == module));
        let paths = [
            self.target.hooks.as_ref().and_then(|facts| facts.path.as_ref()),
            self.target.servers.as_ref().and_then(|facts| facts.path.as_ref()),
            self.target.language_servers.as_ref().and_then(|facts| facts.path.as_ref()),
        ];
        let notes = self.target.notes.as_ref().is_some_and(|notes| inner == notes.path);
        module
            || notes
            || inner == self.target.manifest.path
            || paths.into_iter().flatten().any(|path| inner == path)
    }

    /// Whether the target has a section for this kind of component.
    pub(super) fn has_section(&self, kind: ComponentKind) -> bool {
        match kind {
            ComponentKind::Hook => self.target.hooks.is_some(),
            ComponentKind::McpServer => self.target.servers.is_some(),
            ComponentKind::LspServer => self.target.language_servers.is_some(),
            _ => false,
        }
    }

    /// Where hooks or servers are written, for a row: into a document at `path`, or into the data of the module.
    pub(super) fn document_place(&self, path: &Option<String>) -> String {
        let data = self.target.registration.as_ref().map(|facts| &facts.data);
        let path = path.as_ref().or(data).map_or("", String::as_str);
        self.root().join(path).into_string()
    }

    /// The substitute for a tool of the source host, or for the tools of a server.
    pub(super) fn tool(&self, name: &str) -> Option<&String> {
        self.target.tools.get(name).or_else(|| self.server_tools.stands.get(name))
    }

    /// The equivalent of the tool `name` in a text that mentions images, if it differs there.
    pub(super) fn image_tool(&self, name: &str, text: &str) -> Option<&String> {
        let differs = self.target.image_tools.get(name);
        differs.filter(|_| IMAGES.iter().any(|word| memmem::find(text.as_bytes(), word).is_some()))
    }

    /// The substitute for an agent that is built into the source host, if the block explains it.
    pub(super) fn built_in_agent(&self, name: &str) -> Option<&String> {
        self.target.built_in_agents.get(name).filter(|_| self.target.block.contains_key("built-in-agents"))
    }

    /// Where an agent of another plugin is in that plugin's emitted folder.
    pub(super) fn agent_elsewhere(&self, name: &str) -> Option<Utf8PathBuf> {
        let mut others = self.project.plugins.iter().filter(|other| other.name != self.plugin.name);
        others.find_map(|plugin| {
            let mut agents = plugin.components.iter().filter(|other| other.kind == ComponentKind::Agent);
            let agent = agents.find(|agent| agent.qualified == *name)?;
            Some(place::usual_path(plugin, agent, self.target))
        })
    }

    /// The facts about a variable in a body; all options that the user is asked for share the facts of their common
    /// prefix.
    pub(super) fn variable(&self, name: &str) -> Option<&VariableFacts> {
        let option = name.starts_with(&self.source.user_config);
        self.target.variables.get(if option { self.source.user_config.as_str() } else { name })
    }

    /// The text of the block that explains the variable `name`.
    pub(super) fn variable_text(&self, name: &str, stands: &str) -> String {
        let Some(key) = name.strip_prefix(&self.source.user_config) else { return stands.to_owned() };
        let stands = stands.replace("{variable}", &options::variable(self.source, key));
        match self.defaults.get(key) {
            Some(default) => format!("{stands}, or `{default}` where that is not set"),
            None => stands,
        }
    }

    /// Why the host does not get the server whose tool, or prefix of tools, is named here.
    pub(super) fn lost_server(&self, tool: &str) -> Option<&String> {
        let start = tool.strip_suffix(ANY_TOOL).unwrap_or(tool);
        self.server_tools.lost.iter().find_map(|(ours, reason)| start.starts_with(ours).then_some(reason))
    }
}
