//! The block *On this host*: it explains exactly the names that a component's files use and that have no meaning, or
//! another one, on the host. A component without such names gets no block.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use serde::Serialize;
use serde_json::json;

use super::context::LoweringContext;
use super::naming::{BlockPaths, NamedComponents};
use super::texts::{ComponentText, TextName};
use super::{paths, programs, sandbox, texts, workflows};
use crate::bundle::draft::{Block, BlockLine};
use crate::ledger::ComponentKind;
use crate::model::component::Component;
use crate::model::plugin::InlineCommand;
use crate::model::qualified_name::last_of;
use crate::model::references::ReferenceTarget;
use crate::read::markdown::RegionKind;
use crate::source::is_markdown;
use crate::target::{Target, TextForm, VariableForm};

#[derive(Debug, Serialize)]
struct ToolSubstitute {
    name: String,
    stands: String,
}

/// Names with the same substitute.
#[derive(Debug, Serialize)]
struct SubstituteGroup {
    names: Vec<String>,
    stands: String,
}

/// The contents of one component's block.
#[derive(Debug, Default)]
pub struct Bindings {
    agents: NamedComponents,
    skills: NamedComponents,
    commands: NamedComponents,
    workflows: NamedComponents,
    /// The agents that the scripts of the workflows name.
    workflow_agents: NamedComponents,
    /// The files with their prompts: the path relative to the file that gets the block, by the path in the plugin's
    /// folder.
    workflow_prompts: BTreeMap<String, String>,
    tools: BTreeMap<String, String>,
    built_in_agents: BTreeMap<String, String>,
    arguments: bool,
    numbered: BTreeSet<String>,
    named: Vec<String>,
    paths: BTreeSet<String>,
    variables: BTreeMap<String, String>,
    /// Programs that are not on the host's search path, with their paths.
    programs: BTreeMap<String, String>,
    shell: bool,
    includes: BTreeSet<String>,
    /// The commands that the sandbox refuses, by the number of its rule.
    pub refused: BTreeSet<(usize, String)>,
    notes: Option<String>,
}

/// A text that a block applies to.
#[derive(Clone, Copy)]
struct BlockText<'a> {
    text: &'a str,
    names: &'a [TextName<'a>],
    /// The qualified name of its component.
    owner: &'a str,
    /// Whether paths in it are edited.
    edited: bool,
    /// Whether the component can dispatch agents on the source host.
    dispatches: bool,
}

impl Bindings {
    /// Collects the names that the block has to explain, in the `own` texts of a component and in shared ones.
    pub fn collect(
        component: &Component,
        own: &[ComponentText<'_>],
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) -> Self {
        let tree = &context.project.tree;
        let mut out = Self::default();
        let dispatches = component.may_dispatch(context.source);
        let shared = texts::shared_names(context, component);
        for ComponentText { text, is_main, names, .. } in own.iter().chain(&shared) {
            let (edited, owner) = (*is_main, &component.qualified);
            out.names(BlockText { text, names, owner, edited, dispatches }, context, places);
        }
        if !out.named.is_empty() {
            out.named = component.arguments();
        }
        let beside = component.files.iter().filter(|path| is_markdown(path));
        let paths = std::iter::once(&component.path).chain(beside);
        let texts =
            paths.filter_map(|path| tree.get(path)?.text()).chain(shared.iter().map(|text| text.text));
        out.commands(texts, context, places);
        out
    }

    /// Collects the names in the text of a command in the manifest, where nothing is edited.
    pub fn from_inline(
        command: &InlineCommand,
        names: &[TextName<'_>],
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) -> Self {
        let mut out = Self::default();
        let text = BlockText {
            text: &command.content,
            names,
            owner: &command.qualified,
            edited: false,
            dispatches: true,
        };
        out.names(text, context, places);
        out.commands(std::iter::once(command.content.as_str()), context, places);
        out
    }

    fn names(&mut self, text: BlockText<'_>, context: &LoweringContext<'_>, places: &BlockPaths<'_>) {
        for name in text.names.iter().filter(|name| !name.is_native && !name.reference.forbidden) {
            match &name.reference.named {
                ReferenceTarget::Component(kind, qualified) => {
                    self.component(*kind, qualified, name, text, context, places)
                }
                ReferenceTarget::Variable(_) => self.variable_in(name, text, context, places),
                _ => self.construct(name, text, context, places),
            }
        }
    }

    /// A component that a text names.
    fn component(
        &mut self,
        kind: ComponentKind,
        qualified: &str,
        name: &TextName<'_>,
        text: BlockText<'_>,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        let says = |line: &str| context.target.block.contains_key(line);
        let written = name.reference.span.slice(text.text);
        let written = name.rewritten.as_ref().map_or(written, |rewritten| &rewritten.text);
        match kind {
            _ if qualified == text.owner => {}
            ComponentKind::Agent if says("agents") && name.reference.asked && text.dispatches => {
                let elsewhere = context.agent_elsewhere(qualified);
                self.agents.note(kind, qualified, written, places, elsewhere.as_deref())
            }
            ComponentKind::Agent => {}
            ComponentKind::Command if says("commands") => {
                self.commands.note(kind, qualified, written, places, None)
            }
            ComponentKind::Workflow if says("workflows") => {
                self.workflow(qualified, written, context, places)
            }
            ComponentKind::Workflow => {}
            _ if says("skills") => self.skills.note(kind, qualified, written, places, None),
            _ => {}
        }
    }

    /// A tool, an agent of the source host, an argument, a command or an include.
    fn construct(
        &mut self,
        name: &TextName<'_>,
        text: BlockText<'_>,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        let forms = &context.target.text;
        match &name.reference.named {
            ReferenceTarget::Tool(tool) if context.target.block.contains_key("tools") => {
                // Of several texts, one that mentions images decides.
                let of_images = context.image_tool(tool, text.text);
                if let Some(stands) = of_images {
                    self.tools.insert(tool.clone(), stands.clone());
                } else if let Some(stands) = context.tool(tool) {
                    self.tools.entry(tool.clone()).or_insert_with(|| stands.clone());
                }
            }
            ReferenceTarget::BuiltInAgent(agent) if name.reference.asked && text.dispatches => {
                let stands = context.built_in_agent(agent);
                self.built_in_agents.extend(stands.map(|stands| (agent.clone(), stands.clone())));
            }
            ReferenceTarget::Argument(written) if name.is_meant => self.argument(written),
            ReferenceTarget::Shell(_) if forms.shell == TextForm::Bound => self.shell = true,
            ReferenceTarget::Include(written) if forms.includes == TextForm::Bound => {
                let shown = if text.edited { include_path(written, context, places) } else { None };
                self.includes.insert(shown.unwrap_or_else(|| written.clone()));
            }
            _ => {}
        }
    }

    fn variable_in(
        &mut self,
        name: &TextName<'_>,
        text: BlockText<'_>,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        let ReferenceTarget::Variable(variable) = &name.reference.named else { return };
        if name.is_tested {
            return self.tested(variable, context, places);
        }
        let says = |line: &str| context.target.block.contains_key(line);
        let rest = paths::rest_of_path(text.text, name.reference.span.end);
        self.variable(variable, rest, context, places, text.edited && says("folder"));
    }

    /// A workflow whose script the model follows, with the agents of the script.
    fn workflow(
        &mut self,
        name: &str,
        written: &str,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        // The path of a script is not shown as another name.
        let written = if written.ends_with(last_of(name)) { written } else { name };
        self.workflows.note(ComponentKind::Workflow, name, written, places, None);
        for agent in workflows::agents(context.project, context.plugin, name) {
            self.workflow_agents.note(ComponentKind::Agent, &agent.qualified, &agent.qualified, places, None);
        }
        if let Some(inner) = workflows::prompts_of(context, name) {
            self.workflow_prompts.insert(inner.to_string(), paths::relative(places.folder, &inner));
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

    /// A variable that a shell test checks, and that stays in the code.
    fn tested(&mut self, name: &str, context: &LoweringContext<'_>, places: &BlockPaths<'_>) {
        let Some(facts) = context.variable(name) else { return };
        match paths::own_place(context.source, name, places.to_root) {
            Some(place) if facts.form == VariableForm::Relative => {
                let stands = format!(
                    "the absolute path of `{place}`, seen from the folder of this file; set it for commands that ask for it"
                );
                self.variables.insert(format!("${{{name}}}"), stands);
            }
            _ => self.variable(name, "", context, places, false),
        }
    }

    /// `rest` is what follows the variable as part of the same path.
    fn variable(
        &mut self,
        name: &str,
        rest: &str,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
        edited: bool,
    ) {
        let Some(facts) = context.variable(name) else { return };
        let place = paths::own_place(context.source, name, places.to_root);
        match (facts.form, &facts.stands) {
            (VariableForm::Relative, _) if edited => {
                if let Some(place) = place {
                    self.paths.insert(head(place, rest));
                }
            }
            // The source host also expands only the main file: other texts stay unchanged.
            (VariableForm::Relative, _) => {
                if let Some(place) = place {
                    let stands = format!("`{place}`, seen from the folder of this file");
                    self.variables.insert(format!("${{{name}}}"), stands);
                }
            }
            (VariableForm::Bound, Some(stands)) => {
                self.variables.insert(format!("${{{name}}}"), context.variable_text(name, stands));
            }
            _ => {}
        }
    }

    /// The programs and the refused commands that `texts` run.
    fn commands<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        context: &LoweringContext<'_>,
        places: &BlockPaths<'_>,
    ) {
        for text in texts {
            if context.target.block.contains_key("programs") {
                self.programs.append(&mut programs::run_by(context, text, places.folder));
            }
            for region in context.commands.code_in(text) {
                let code = region.span.slice(text);
                let runs = match region.kind {
                    RegionKind::CodeBlock => !sandbox::is_document(code),
                    kind => kind == RegionKind::CodeSpan,
                };
                if !runs {
                    continue;
                }
                for (rule, command) in context.commands.run_by(code) {
                    self.refused.insert((rule, command.trim().to_owned()));
                }
            }
        }
        let path = context.target.notes.as_ref().map(|notes| &notes.path);
        self.notes = path.map(|path| paths::relative(places.folder, Utf8Path::new(path)));
    }

    /// The block; `None` if it would be empty.
    pub fn block(&self, target: &Target) -> Option<Block> {
        let mut lines = Vec::new();
        let mut say = |line: &str, needed: bool, values: &dyn Fn() -> serde_json::Value| {
            if let (true, Some(template)) = (needed, target.block.get(line)) {
                lines.push(BlockLine::new(template, values()).into());
            }
        };
        let typed = target.command.typed;
        say("agents", !self.agents.is_empty(), &|| self.agents.values("agents", 2, None));
        say(
            "built-in-agents",
            !self.built_in_agents.is_empty(),
            &|| json!({ "groups": group_by_substitute(&self.built_in_agents) }),
        );
        say("skills", !self.skills.is_empty(), &|| self.skills.values("skills", 1, typed));
        say("commands", !self.commands.is_empty(), &|| self.commands.values("commands", 1, typed));
        say("workflows", !self.workflows.is_empty(), &|| {
            let mut values = self.workflows.values("workflows", usize::MAX, None);
            values["agents"] = self.workflow_agents.values("agents", usize::MAX, None)["agents"].take();
            values["prompts"] = json!(self.workflow_prompts);
            values
        });
        say(
            "tools",
            !self.tools.is_empty(),
            &|| json!({ "tools": substitutes(&self.tools), "groups": group_by_substitute(&self.tools) }),
        );
        let words = || json!({ "numbered": self.numbered, "named": self.named });
        say("arguments", self.arguments, &words);
        say("folder", !self.paths.is_empty(), &|| json!({ "paths": self.paths }));
        let variables = || json!({ "variables": substitutes(&self.variables) });
        say("variables", !self.variables.is_empty(), &variables);
        say("programs", !self.programs.is_empty(), &|| json!({ "programs": self.programs }));
        say("shell", self.shell, &|| json!({}));
        say("includes", !self.includes.is_empty(), &|| json!({ "includes": self.includes }));
        say("sandbox", !self.refused.is_empty(), &|| {
            let commands: BTreeSet<&String> = self.refused.iter().map(|(_, command)| command).collect();
            json!({ "commands": commands, "notes": self.notes, "rules": sandbox::rules(target, "", &self.refused) })
        });
        let heading = target.block.get("heading").cloned().unwrap_or_default();
        (!lines.is_empty()).then_some(Block { heading, lines })
    }
}

/// The prefix of a path after a variable: the path to the plugin's folder, or the first folder below the file's own
/// folder.
fn head(place: &str, rest: &str) -> String {
    if place != "." {
        return format!("{place}/");
    }
    match rest.trim_start_matches('/').split_once('/') {
        Some((first, _)) => format!("./{first}/"),
        None => format!("{place}{rest}"),
    }
}

/// An include whose variable becomes a path in the text, as it stands there.
fn include_path(written: &str, context: &LoweringContext<'_>, places: &BlockPaths<'_>) -> Option<String> {
    let (name, rest) = written.strip_prefix("@${")?.split_once('}')?;
    context.variable(name).filter(|facts| facts.form == VariableForm::Relative)?;
    Some(format!("@{}{rest}", paths::own_place(context.source, name, places.to_root)?))
}

fn substitutes(map: &BTreeMap<String, String>) -> Vec<ToolSubstitute> {
    map.iter().map(|(name, stands)| ToolSubstitute { name: name.clone(), stands: stands.clone() }).collect()
}

/// Names, grouped by substitute.
fn group_by_substitute(map: &BTreeMap<String, String>) -> Vec<SubstituteGroup> {
    let mut out: Vec<SubstituteGroup> = Vec::new();
    for (name, stands) in map {
        match out.iter_mut().find(|group| group.stands == *stands) {
            Some(group) => group.names.push(name.clone()),
            None => out.push(SubstituteGroup { names: vec![name.clone()], stands: stands.clone() }),
        }
    }
    out
}
