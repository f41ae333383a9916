//! The block *On this host*: it binds exactly the names that a component's files use and that mean
//! nothing, or something else, on the host. A component that names nothing of the kind gets none.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::json;

use super::{Scene, overrides};
use crate::bundle::draft::{Block, BlockLine};
use crate::ledger::Kind;
use crate::model::component::Component;
use crate::model::plugin::InlineCommand;
use crate::model::references::{Named, Reference};
use crate::read::format::SourceFacts;
use crate::read::markdown::{self, RegionKind};
use crate::source::Span;
use crate::target::{Target, TextForm, VariableForm};

/// A component as the text of another one names it.
#[derive(Debug, Default, Serialize)]
struct NamedComponent {
    name: String,
    /// The short form that the text uses, if it does.
    alias: Option<String>,
    /// Its file, relative to the file that gets the block; absent if it is in another plugin.
    path: Option<String>,
}

#[derive(Debug, Serialize)]
struct Standing {
    name: String,
    stands: String,
}

/// Everything that the block of one component says.
#[derive(Debug, Default)]
pub struct Bindings {
    agents: BTreeMap<String, NamedComponent>,
    skills: BTreeMap<String, NamedComponent>,
    tools: BTreeMap<String, String>,
    arguments: bool,
    numbered: BTreeSet<String>,
    named: Vec<String>,
    paths: BTreeSet<String>,
    variables: BTreeMap<String, String>,
    shell: bool,
    includes: BTreeSet<String>,
    sandbox: Vec<(BTreeSet<String>, String)>,
}

/// Where things are, for the paths in a block.
pub struct Places<'a> {
    /// The folder of the file that gets the block, relative to the plugin's emitted folder.
    pub folder: &'a Utf8Path,
    /// The plugin's folder, relative to that folder.
    pub to_root: &'a str,
    /// The emitted files of the plugin's components, relative to the plugin's folder, by kind and name.
    pub components: &'a BTreeMap<(Kind, String), Utf8PathBuf>,
}

/// Whether argument placeholders of a component are meant: a text that never speaks of arguments and
/// holds `$1` means money or a shell.
pub(super) fn takes_arguments(component: &Component, scene: &Scene<'_>) -> bool {
    let names = scene.resolved.references(component).iter().flat_map(|file| &file.references);
    component.kind == Kind::Command
        || component.field("arguments").is_some()
        || component.field("argument-hint").is_some()
        || names.into_iter().any(
            |reference| matches!(&reference.named, Named::Argument(text) if text.starts_with("$ARGUMENTS")),
        )
}

impl Bindings {
    /// Collects what `component` names and `target` has to bind.
    pub fn of(component: &Component, scene: &Scene<'_>, places: &Places<'_>) -> Self {
        let tree = &scene.project.tree;
        let mut out = Self::default();
        let arguments = takes_arguments(component, scene);
        for file in scene.resolved.references(component) {
            let Some(text) = tree.get(&file.path).and_then(|file| file.text()) else { continue };
            let main = file.path == component.path;
            out.names(text, &file.references, scene, places, (arguments, main));
        }
        if !out.named.is_empty() {
            out.named = component.arguments();
        }
        let beside = component.files.iter().filter(|path| path.extension() == Some("md"));
        let paths = std::iter::once(&component.path).chain(beside);
        out.sandbox(paths.filter_map(|path| tree.get(path)?.text()), scene);
        out
    }

    /// Collects what the text of a command names that stands in the manifest, where nothing is edited.
    pub fn of_inline(command: &InlineCommand, scene: &Scene<'_>, places: &Places<'_>) -> Self {
        let mut out = Self::default();
        out.names(&command.content, scene.resolved.inline(command), scene, places, (true, false));
        out.sandbox(std::iter::once(command.content.as_str()), scene);
        out
    }

    /// `arguments`: whether the text takes any; `main`: whether paths in it are edited.
    fn names(
        &mut self,
        text: &str,
        references: &[Reference],
        scene: &Scene<'_>,
        places: &Places<'_>,
        (arguments, main): (bool, bool),
    ) {
        let target = scene.target;
        let says = |line: &str| target.block.contains_key(line);
        for reference in references {
            let written = reference.span.of(text);
            let written = match overrides::renamed(scene, reference) {
                Some(renamed) => renamed.instead(written),
                None => written.to_owned(),
            };
            match &reference.named {
                Named::Component(Kind::Agent, name) if says("agents") => {
                    note(&mut self.agents, Kind::Agent, name, &written, places)
                }
                Named::Component(kind, name) if *kind != Kind::Agent && says("skills") => {
                    note(&mut self.skills, *kind, name, &written, places)
                }
                Named::Tool(name) if says("tools") => {
                    if let Some(stands) = target.tools.get(name) {
                        self.tools.insert(name.clone(), stands.clone());
                    }
                }
                Named::Argument(written) if arguments && target.text.arguments == TextForm::Bound => {
                    self.argument(written)
                }
                Named::Variable(name) => {
                    let rest = path_after(text, reference.span.end);
                    self.variable(name, rest, scene, places, main && says("folder"));
                }
                Named::Shell(_) if target.text.shell == TextForm::Bound => self.shell = true,
                Named::Include(written) if target.text.includes == TextForm::Bound => {
                    self.includes.insert(written.clone());
                }
                _ => {}
            }
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

    /// `rest` is what follows the variable as part of the same path.
    fn variable(&mut self, name: &str, rest: &str, scene: &Scene<'_>, places: &Places<'_>, main: bool) {
        let Some(facts) = scene.target.variables.get(name) else { return };
        let place = own_place(scene.source, name, places.to_root);
        match (facts.form, &facts.stands) {
            (VariableForm::Relative, _) if main => {
                if let Some(place) = place {
                    self.paths.insert(format!("{place}{rest}"));
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
                self.variables.insert(format!("${{{name}}}"), stands.clone());
            }
            _ => {}
        }
    }

    fn sandbox<'t>(&mut self, texts: impl Iterator<Item = &'t str>, scene: &Scene<'_>) {
        let rules = &scene.target.sandbox;
        let mut found: Vec<BTreeSet<String>> = vec![BTreeSet::new(); rules.len()];
        for text in texts {
            if !scene.commands.any_in(text) {
                continue;
            }
            for region in markdown::regions(text, Span::new(0, text.len())) {
                if !matches!(region.kind, RegionKind::CodeBlock | RegionKind::CodeSpan) {
                    continue;
                }
                for (rule, command) in scene.commands.run_by(region.span.of(text)) {
                    found[rule].insert(command.trim().to_owned());
                }
            }
        }
        let found = found.into_iter().zip(rules).filter(|(commands, _)| !commands.is_empty());
        self.sandbox = found.map(|(commands, rule)| (commands, rule.text.clone())).collect();
    }

    /// The block; `None` when there is nothing to say.
    pub fn block(&self, target: &Target) -> Option<Block> {
        let mut lines = Vec::new();
        let mut say = |line: &str, needed: bool, values: serde_json::Value| {
            if let (true, Some(template)) = (needed, target.block.get(line)) {
                lines.push(BlockLine { template: template.clone(), values });
            }
        };
        let agents: Vec<_> = self.agents.values().collect();
        let skills: Vec<_> = self.skills.values().collect();
        say("agents", !agents.is_empty(), json!({ "agents": agents }));
        say("skills", !skills.is_empty(), json!({ "skills": skills }));
        say("tools", !self.tools.is_empty(), json!({ "tools": standing(&self.tools) }));
        say("arguments", self.arguments, json!({ "numbered": self.numbered, "named": self.named }));
        say("folder", !self.paths.is_empty(), json!({ "paths": self.paths }));
        say("variables", !self.variables.is_empty(), json!({ "variables": standing(&self.variables) }));
        say("shell", self.shell, json!({}));
        say("includes", !self.includes.is_empty(), json!({ "includes": self.includes }));
        for (commands, text) in &self.sandbox {
            say("sandbox", true, json!({ "commands": commands, "text": text }));
        }
        let heading = target.block.get("heading").cloned().unwrap_or_default();
        (!lines.is_empty()).then_some(Block { heading, lines })
    }
}

/// Where a variable that names an own folder leads, seen from the file; `None` for other variables.
pub(super) fn own_place<'a>(source: &SourceFacts, name: &str, to_root: &'a str) -> Option<&'a str> {
    if name == source.plugin_root { Some(to_root) } else { (name == source.skill_folder).then_some(".") }
}

/// The rest of a path that begins with a variable: up to a blank, a quote or another mark that ends it.
fn path_after(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "/._-".contains(c))).unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches('.');
    if path.starts_with('/') { path } else { "" }
}

fn standing(map: &BTreeMap<String, String>) -> Vec<Standing> {
    map.iter().map(|(name, stands)| Standing { name: name.clone(), stands: stands.clone() }).collect()
}

fn note(
    map: &mut BTreeMap<String, NamedComponent>,
    kind: Kind,
    name: &str,
    written: &str,
    places: &Places<'_>,
) {
    let entry = map.entry(name.to_owned()).or_insert_with(|| NamedComponent {
        name: name.to_owned(),
        alias: None,
        path: places
            .components
            .get(&(kind, name.to_owned()))
            .map(|path| super::paths::relative(places.folder, path)),
    });
    let written = written.trim_start_matches('/');
    if written != name {
        entry.alias = Some(written.to_owned());
    }
}
