//! The block *On this host*: it binds exactly the names that a component's files use and that mean
//! nothing, or something else, on the host. A component that names nothing of the kind gets none.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::json;

use super::{
    LoweringContext, arguments, commands, hooks_and_servers, naming, native, notes, overrides, shell_tests,
    workflows,
};
use crate::bundle::draft::{Block, BlockLine};
use crate::ledger::ComponentKind;
use crate::model::component::Component;
use crate::model::plugin::InlineCommand;
use crate::model::references::{Reference, ReferenceTarget};
use crate::read::format::SourceFacts;
use crate::read::markdown::{self, RegionKind};
use crate::source::Span;
use crate::target::{Target, TextForm, VariableForm};
use naming::NamedComponents;

#[derive(Debug, Serialize)]
struct ToolSubstitute {
    name: String,
    stands: String,
}

/// Tools for which one thing stands.
#[derive(Debug, Serialize)]
struct ToolSubstitutes {
    names: Vec<String>,
    stands: String,
}

/// Everything that the block of one component says.
#[derive(Debug, Default)]
pub struct Bindings {
    agents: NamedComponents,
    skills: NamedComponents,
    commands: NamedComponents,
    workflows: NamedComponents,
    /// Those that the scripts of the workflows name.
    workflow_agents: NamedComponents,
    /// The files with their prompts, by their paths in the plugin's folder: from the file that gets the block.
    workflow_prompts: BTreeMap<String, String>,
    tools: BTreeMap<String, String>,
    arguments: bool,
    numbered: BTreeSet<String>,
    named: Vec<String>,
    paths: BTreeSet<String>,
    variables: BTreeMap<String, String>,
    shell: bool,
    includes: BTreeSet<String>,
    /// The commands that the sandbox refuses, by the number of its rule.
    pub refused: BTreeSet<(usize, String)>,
    notes: Option<String>,
}

/// Where things are, for the paths in a block.
pub struct BlockPaths<'a> {
    /// The folder of the file that gets the block, relative to the plugin's emitted folder.
    pub folder: &'a Utf8Path,
    /// The plugin's folder, relative to that folder.
    pub to_root: &'a str,
    /// The emitted files of the plugin's components, relative to the plugin's folder, by kind and name.
    pub components: &'a BTreeMap<(ComponentKind, String), Utf8PathBuf>,
}

/// A text that a block is for.
#[derive(Clone, Copy)]
struct BlockText<'a> {
    text: &'a str,
    references: &'a [Reference],
    /// The qualified name of its component.
    owner: &'a str,
    /// The component, if it is one with a file of its own.
    component: Option<&'a Component>,
    /// Whether the component is given arguments.
    arguments: bool,
    /// Whether it is the text that gets the block.
    main: bool,
    /// Whether paths in it are edited.
    edited: bool,
    /// Whether the component can dispatch agents on the source host.
    dispatches: bool,
}

impl Bindings {
    /// Collects what `component` names and `target` has to bind.
    pub fn of(component: &Component, scene: &LoweringContext<'_>, places: &BlockPaths<'_>) -> Self {
        let tree = &scene.project.tree;
        let mut out = Self::default();
        let arguments = arguments::takes_arguments(component, scene);
        for file in scene.resolved.references(component) {
            let Some(text) = tree.get(&file.path).and_then(|file| file.text()) else { continue };
            let main = file.path == component.path;
            let text = BlockText {
                text,
                references: &file.references,
                owner: &component.qualified,
                component: main.then_some(component),
                arguments,
                main,
                edited: main,
                dispatches: component.may_dispatch(scene.source),
            };
            out.names(text, scene, places);
        }
        if !out.named.is_empty() {
            out.named = component.arguments();
        }
        let beside = component.files.iter().filter(|path| path.extension() == Some("md"));
        let paths = std::iter::once(&component.path).chain(beside);
        out.sandbox(paths.filter_map(|path| tree.get(path)?.text()), scene, places);
        out
    }

    /// Collects what the text of a command names that stands in the manifest, where nothing is edited.
    pub fn of_inline(command: &InlineCommand, scene: &LoweringContext<'_>, places: &BlockPaths<'_>) -> Self {
        let mut out = Self::default();
        let text = BlockText {
            text: &command.content,
            references: scene.resolved.inline(command),
            owner: &command.qualified,
            component: None,
            arguments: true,
            main: true,
            edited: false,
            dispatches: true,
        };
        out.names(text, scene, places);
        out.sandbox(std::iter::once(command.content.as_str()), scene, places);
        out
    }

    fn names(&mut self, text: BlockText<'_>, scene: &LoweringContext<'_>, places: &BlockPaths<'_>) {
        let target = scene.target;
        let says = |line: &str| target.block.contains_key(line);
        let mut meant = None;
        let tested = shell_tests::kept(text.text, text.references);
        for reference in text.references {
            if text.component.is_some_and(|component| native::is_native(scene, component, reference)) {
                continue;
            }
            let written = reference.span.of(text.text);
            let written = match overrides::renamed(scene, reference) {
                Some(renamed) => renamed.instead(written),
                None => written.to_owned(),
            };
            match &reference.named {
                ReferenceTarget::Component(_, name) if name == text.owner => {}
                ReferenceTarget::Component(ComponentKind::Agent, name)
                    if says("agents") && reference.asked && text.dispatches =>
                {
                    self.agents.note(ComponentKind::Agent, name, &written, places)
                }
                ReferenceTarget::Component(ComponentKind::Command, name) if says("commands") => {
                    self.commands.note(ComponentKind::Command, name, &written, places)
                }
                ReferenceTarget::Component(ComponentKind::Workflow, name) if says("workflows") => {
                    self.workflow(name, &written, scene, places)
                }
                ReferenceTarget::Component(ComponentKind::Workflow, _) => {}
                ReferenceTarget::Component(kind, name) if *kind != ComponentKind::Agent && says("skills") => {
                    self.skills.note(*kind, name, &written, places)
                }
                ReferenceTarget::Tool(name) if says("tools") && text.main => {
                    if let Some(stands) = scene.tool(name) {
                        self.tools.insert(name.clone(), stands.clone());
                    }
                }
                ReferenceTarget::Argument(written)
                    if text.arguments && target.text.arguments == TextForm::Bound =>
                {
                    let meant = meant.get_or_insert_with(|| arguments::meant(text.text, text.references));
                    if meant.contains(&reference.span) {
                        self.argument(written);
                    }
                }
                ReferenceTarget::Variable(name) if tested.contains(&reference.span) => {
                    self.tested(name, scene, places)
                }
                ReferenceTarget::Variable(name) => {
                    let rest = path_after(text.text, reference.span.end);
                    // A host that expands it in texts runs agents by their names, and the tool's line says how.
                    let relative =
                        scene.variable(name).is_some_and(|facts| facts.form == VariableForm::Relative);
                    let script = (relative && *name == scene.source.plugin_root).then_some(rest);
                    if let Some(name) = script.and_then(|script| workflows::at(scene.plugin, script))
                        && says("workflows")
                    {
                        self.workflow(&name, &name, scene, places);
                    }
                    self.variable(name, rest, scene, places, text.edited && says("folder"));
                }
                ReferenceTarget::Shell(_) if target.text.shell == TextForm::Bound => self.shell = true,
                ReferenceTarget::Include(written) if target.text.includes == TextForm::Bound => {
                    self.includes.insert(written.clone());
                }
                _ => {}
            }
        }
    }

    /// A workflow whose script the model follows, with the agents of the script.
    fn workflow(&mut self, name: &str, written: &str, scene: &LoweringContext<'_>, places: &BlockPaths<'_>) {
        self.workflows.note(ComponentKind::Workflow, name, written, places);
        for agent in workflows::agents(scene.project, scene.plugin, name) {
            self.workflow_agents.note(ComponentKind::Agent, &agent.qualified, &agent.qualified, places);
        }
        if let Some(inner) = workflows::prompts_of(scene, name) {
            self.workflow_prompts.insert(inner.to_string(), super::paths::relative(places.folder, &inner));
        }
    }

    fn argument(&mut self, written: &str) {
        self.arguments = true;
        let is_index = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if written.ends_with(']') || is_index(&written[1..]) {
            self.numbered.insert(written.to_owned());
        } else if written != "$ARGUMENTS" {
            self.named.push(written.to_owned());
        }
    }

    /// A variable that a shell asks for, and that stays in its code.
    fn tested(&mut self, name: &str, scene: &LoweringContext<'_>, places: &BlockPaths<'_>) {
        let Some(facts) = scene.variable(name) else { return };
        match own_place(scene.source, name, places.to_root) {
            Some(place) if facts.form == VariableForm::Relative => {
                let stands = format!(
                    "the absolute path of `{place}`, seen from the folder of this file; set it for commands that ask for it"
                );
                self.variables.insert(format!("${{{name}}}"), stands);
            }
            _ => self.variable(name, "", scene, places, false),
        }
    }

    /// `rest` is what follows the variable as part of the same path.
    fn variable(
        &mut self,
        name: &str,
        rest: &str,
        scene: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
        edited: bool,
    ) {
        let Some(facts) = scene.variable(name) else { return };
        let place = own_place(scene.source, name, places.to_root);
        match (facts.form, &facts.stands) {
            (VariableForm::Relative, _) if edited => {
                if let Some(place) = place {
                    self.paths.insert(head(place, rest));
                }
            }
            // Beside the main file nothing is filled on the source host either: the text stays.
            (VariableForm::Relative, _) => {
                if let Some(place) = place {
                    let stands = format!("`{place}`, seen from the folder of this file");
                    self.variables.insert(format!("${{{name}}}"), stands);
                }
            }
            (VariableForm::Bound, Some(stands)) => {
                self.variables.insert(format!("${{{name}}}"), hooks_and_servers::stands(scene, name, stands));
            }
            _ => {}
        }
    }

    fn sandbox<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        scene: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        for text in texts {
            if !scene.commands.any_in(text) {
                continue;
            }
            for region in markdown::regions(text, Span::new(0, text.len())) {
                let code = region.span.of(text);
                let runs = match region.kind {
                    RegionKind::CodeBlock => !commands::is_document(code),
                    kind => kind == RegionKind::CodeSpan,
                };
                if !runs {
                    continue;
                }
                for (rule, command) in scene.commands.run_by(code) {
                    self.refused.insert((rule, command.trim().to_owned()));
                }
            }
        }
        let path = scene.target.notes.as_ref().map(|notes| &notes.path);
        self.notes = path.map(|path| super::paths::relative(places.folder, Utf8Path::new(path)));
    }

    /// The block; `None` when there is nothing to say.
    pub fn block(&self, target: &Target) -> Option<Block> {
        let mut lines = Vec::new();
        let mut say = |line: &str, needed: bool, values: &dyn Fn() -> serde_json::Value| {
            if let (true, Some(template)) = (needed, target.block.get(line)) {
                lines.push(BlockLine { template: template.clone(), values: values() });
            }
        };
        say("agents", !self.agents.is_empty(), &|| self.agents.values("agents", 2));
        say("skills", !self.skills.is_empty(), &|| self.skills.values("skills", 1));
        say("commands", !self.commands.is_empty(), &|| self.commands.values("commands", 1));
        say("workflows", !self.workflows.is_empty(), &|| {
            let mut values = self.workflows.values("workflows", usize::MAX);
            values["agents"] = self.workflow_agents.values("agents", usize::MAX)["agents"].take();
            values["prompts"] = json!(self.workflow_prompts);
            values
        });
        say(
            "tools",
            !self.tools.is_empty(),
            &|| json!({ "tools": standing(&self.tools), "groups": grouped(&self.tools) }),
        );
        let words = || json!({ "numbered": self.numbered, "named": self.named });
        say("arguments", self.arguments, &words);
        say("folder", !self.paths.is_empty(), &|| json!({ "paths": self.paths }));
        let variables = || json!({ "variables": standing(&self.variables) });
        say("variables", !self.variables.is_empty(), &variables);
        say("shell", self.shell, &|| json!({}));
        say("includes", !self.includes.is_empty(), &|| json!({ "includes": self.includes }));
        say("sandbox", !self.refused.is_empty(), &|| {
            let commands: BTreeSet<&String> = self.refused.iter().map(|(_, command)| command).collect();
            json!({ "commands": commands, "notes": self.notes, "rules": notes::rules(target, "", &self.refused) })
        });
        let heading = target.block.get("heading").cloned().unwrap_or_default();
        (!lines.is_empty()).then_some(Block { heading, lines })
    }
}

/// Where a variable that names an own folder leads, seen from the file; `None` for other variables.
pub(super) fn own_place<'a>(source: &SourceFacts, name: &str, to_root: &'a str) -> Option<&'a str> {
    if name == source.plugin_root { Some(to_root) } else { (name == source.skill_folder).then_some(".") }
}

/// The rest of a path that begins with a variable: up to a blank, a quote or another mark that ends it.
pub(super) fn path_after(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "/._-".contains(c))).unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches('.');
    if path.starts_with('/') { path } else { "" }
}

/// What the paths behind a variable share: the way to the plugin's folder, or the first folder below the file's own.
fn head(place: &str, rest: &str) -> String {
    if place != "." {
        return format!("{place}/");
    }
    match rest.trim_start_matches('/').split_once('/') {
        Some((first, _)) => format!("./{first}/"),
        None => format!("{place}{rest}"),
    }
}

fn standing(map: &BTreeMap<String, String>) -> Vec<ToolSubstitute> {
    map.iter().map(|(name, stands)| ToolSubstitute { name: name.clone(), stands: stands.clone() }).collect()
}

/// Tools by what stands for them.
fn grouped(map: &BTreeMap<String, String>) -> Vec<ToolSubstitutes> {
    let mut out: Vec<ToolSubstitutes> = Vec::new();
    for (name, stands) in map {
        match out.iter_mut().find(|group| group.stands == *stands) {
            Some(group) => group.names.push(name.clone()),
            None => out.push(ToolSubstitutes { names: vec![name.clone()], stands: stands.clone() }),
        }
    }
    out
}
