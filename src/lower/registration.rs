//! Components that a module registers at run time: everything that differs between plugins is one
//! data file beside a module that never changes. What is registered has the types that the host
//! demands, because one wrong type there breaks every plugin of the user.

use std::collections::BTreeSet;

use camino::Utf8Path;
use serde_json::{Map, Value as Json, json};

use super::component::root;
use super::fields::LoweredFields;
use super::{LoweredBundle, LoweringContext, native, overrides};
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::component::Component;
use crate::model::plugin::InlineCommand;
use crate::model::references::ReferenceTarget;
use crate::target::{AgentEmission, InvocationForm, RegistrationFacts};

/// What the module registers, collected component by component.
#[derive(Debug, Default)]
pub(super) struct Registration {
    bodies: Map<String, Json>,
    agents: Map<String, Json>,
    others: Map<String, Json>,
    /// The commands of all texts that the host's sandbox refuses, by the number of its rule.
    pub(super) refused: BTreeSet<(usize, String)>,
}

impl Registration {
    /// Adds a command whose text stood in the manifest, now at `inner`.
    pub(super) fn inline(&mut self, scene: &LoweringContext<'_>, command: &InlineCommand, inner: &Utf8Path) {
        if scene.target.registration.is_none() {
            return;
        }
        let mut entry = Map::new();
        entry.insert("kind".into(), ComponentKind::Command.id().into());
        entry.insert("file".into(), inner.as_str().into());
        if let Some(description) = command.description() {
            entry.insert("description".into(), description.into());
        }
        self.bodies.insert(command.qualified.clone(), Json::Object(entry));
    }

    /// Adds a part of the data that is no skill, command or agent.
    pub(super) fn also(&mut self, key: &str, value: Json) {
        self.others.insert(key.to_owned(), value);
    }

    /// Adds one component, whose file lies at `inner` in the plugin's folder. `described` is the description that had
    /// to be made for it.
    pub(super) fn add(
        &mut self,
        scene: &LoweringContext<'_>,
        component: &Component,
        inner: &Utf8Path,
        lowered: &LoweredFields,
        described: Option<&str>,
    ) {
        if scene.target.registration.is_none() {
            return;
        }
        let mut entry = Map::new();
        if component.kind == ComponentKind::Agent {
            if scene.target.agent.emission != AgentEmission::Registered {
                return;
            }
            entry.insert("file".into(), inner.as_str().into());
            entry.insert("mode".into(), "subagent".into());
            for (key, value) in lowered.values.iter().filter(|(key, _)| *key != "name") {
                entry.insert(key.clone(), value.clone());
            }
            if let Some(allow) = &lowered.limits.allow {
                entry.insert("allow".into(), json!(allow));
            }
            if !lowered.limits.deny.is_empty() {
                entry.insert("deny".into(), json!(lowered.limits.deny));
            }
            self.agents.insert(component.qualified.clone(), Json::Object(entry));
            return;
        }
        entry.insert("kind".into(), component.kind.id().into());
        entry.insert("file".into(), inner.as_str().into());
        let description = component.text_field("description").or(described.map(str::to_owned));
        if let Some(description) = description {
            entry.insert("description".into(), description.into());
        }
        let own = scene.resolved.references(component).iter().filter(|file| file.path == component.path);
        let (mut runs, mut includes) = (Vec::new(), Vec::new());
        for reference in own.flat_map(|file| &file.references) {
            match &reference.named {
                _ if !native::is_native(scene, component, reference) => {}
                ReferenceTarget::Shell(written) => runs.push(written.as_str()),
                ReferenceTarget::Include(written) => includes.push(written.as_str()),
                _ => {}
            }
        }
        for (key, list) in [("runs", runs), ("includes", includes)] {
            if !list.is_empty() {
                entry.insert(key.into(), json!(list));
            }
        }
        let arguments = component.arguments();
        if !arguments.is_empty() {
            entry.insert("arguments".into(), json!(arguments));
        }
        if (component.user_only() || described.is_some())
            && component.kind == ComponentKind::Skill
            && scene.target.invocation.user_only == InvocationForm::Registered
        {
            entry.insert("user_only".into(), true.into());
        }
        overrides::register(scene, component, &mut entry);
        self.bodies.insert(component.qualified.clone(), Json::Object(entry));
    }
}

impl LoweringContext<'_> {
    /// Whether `inner` is a file that this lowering generates itself.
    pub(super) fn generated(&self, inner: &Utf8Path) -> bool {
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
}

/// Writes the modules and their data; a source file with one of their names is an error.
pub(super) fn emit(scene: &LoweringContext<'_>, registered: Registration, cast: &mut LoweredBundle) {
    let Some(facts) = &scene.target.registration else { return };
    let template = |path: &String| scene.target.templates.get(path).cloned().unwrap_or_default();
    let modules = facts.modules.iter().map(|path| (path, NodeContent::Text(template(path))));
    for (path, content) in modules.chain([(&facts.data, NodeContent::Json(data(scene, facts, registered)))]) {
        let source = scene.plugin.root.join(path);
        if scene.project.tree.get(&source).is_some() {
            let message =
                format!("`{path}` is the name of a file that is generated for {}", scene.target.host.title);
            let finding = Diagnostic::whole(&source, Severity::Error, "generated-name", message);
            cast.diagnostics.push(finding.host(&scene.target.name).help("rename the file in the source"));
            let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, source.as_str(), &source);
            cast.rows.push(row.became(RowOutcome::Dropped, "a file of this name is generated for the host"));
        }
        cast.nodes.push(BundleNode { path: root(scene).join(path), executable: false, content, from: None });
    }
}

fn data(scene: &LoweringContext<'_>, facts: &RegistrationFacts, registered: Registration) -> Json {
    let shouted: String = scene
        .plugin
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    // The host warns about a folder that is not there.
    let lies_in = |folder: &str| scene.places.files.values().any(|path| path.starts_with(folder));
    let skill_folders: Vec<&String> = facts.skill_folders.iter().filter(|folder| lies_in(folder)).collect();
    let mut data = json!({
        "schema": facts.schema,
        "plugin": scene.plugin.name,
        "root_variable": facts.root_variable.replace("{PLUGIN}", &shouted),
        "skill_folders": skill_folders,
        "bodies": registered.bodies,
        "agents": registered.agents,
    });
    if let Json::Object(data) = &mut data {
        data.extend(registered.others);
    }
    data
}
