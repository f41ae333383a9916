//! Components that a module registers at run time: everything that differs between plugins is in one data file beside a
//! module that never changes. The data has exactly the types that the host requires, because one wrong type breaks
//! every plugin of the user.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde_json::{Map, Value as Json, json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::fields::LoweredFields;
use super::overrides::HostOverride;
use super::part::LoweredPart;
use super::texts::ComponentText;
use crate::bundle::NodeContent;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::component::Component;
use crate::model::plugin::InlineCommand;
use crate::model::references::ReferenceTarget;
use crate::target::{AgentEmission, InvocationForm, RegistrationFacts};

/// The registration of one component.
#[derive(Debug)]
pub(super) struct RegisteredComponent {
    kind: ComponentKind,
    /// The qualified name.
    name: String,
    entry: Map<String, Json>,
}

/// The input for registering a component whose file is at `inner` in the plugin's folder.
pub(super) struct RegistrationInput<'a> {
    pub(super) component: &'a Component,
    pub(super) inner: &'a Utf8Path,
    pub(super) texts: &'a [ComponentText<'a>],
    pub(super) host_override: &'a HostOverride<'a>,
    pub(super) fields: &'a LoweredFields,
    /// The generated description.
    pub(super) described: Option<&'a str>,
}

/// The registration of a command whose text moves from the manifest to `inner`.
pub(super) fn inline(
    context: &LoweringContext<'_>,
    command: &InlineCommand,
    inner: &Utf8Path,
) -> Option<RegisteredComponent> {
    context.target.registration.as_ref()?;
    let kind = ComponentKind::Command;
    let mut entry = Map::new();
    entry.insert("kind".into(), kind.id().into());
    entry.insert("file".into(), inner.as_str().into());
    if let Some(description) = command.description() {
        entry.insert("description".into(), description.into());
    }
    Some(RegisteredComponent { kind, name: command.qualified.to_string(), entry })
}

/// The registration of a component.
pub(super) fn component(
    context: &LoweringContext<'_>,
    input: &RegistrationInput<'_>,
) -> Option<RegisteredComponent> {
    context.target.registration.as_ref()?;
    let component = input.component;
    let entry = match component.kind {
        ComponentKind::Agent if context.target.agent.emission != AgentEmission::Registered => return None,
        ComponentKind::Agent => agent(input),
        _ => body(context, input),
    };
    Some(RegisteredComponent { kind: component.kind, name: component.qualified.to_string(), entry })
}

fn agent(input: &RegistrationInput<'_>) -> Map<String, Json> {
    let mut entry = Map::new();
    entry.insert("file".into(), input.inner.as_str().into());
    entry.insert("mode".into(), "subagent".into());
    let values: BTreeMap<&String, &Json> =
        input.fields.values.iter().chain(input.host_override.registered()).collect();
    for (key, value) in values.into_iter().filter(|(key, _)| *key != "name") {
        entry.insert(key.clone(), value.clone());
    }
    let limits = &input.fields.limits;
    if let Some(allow) = &limits.allow {
        entry.insert("allow".into(), json!(allow));
    }
    if !limits.deny.is_empty() {
        entry.insert("deny".into(), json!(limits.deny));
    }
    entry
}

/// A skill or a command.
fn body(context: &LoweringContext<'_>, input: &RegistrationInput<'_>) -> Map<String, Json> {
    let component = input.component;
    let mut entry = Map::new();
    entry.insert("kind".into(), component.kind.id().into());
    entry.insert("file".into(), input.inner.as_str().into());
    let description = component.text_field("description").or(input.described.map(str::to_owned));
    if let Some(description) = description {
        entry.insert("description".into(), description.into());
    }
    let (mut runs, mut includes) = (Vec::new(), Vec::new());
    let names = input.texts.iter().flat_map(|text| &text.names);
    for name in names.filter(|name| name.is_native) {
        match &name.reference.named {
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
    if (component.is_user_only() || input.described.is_some())
        && component.kind == ComponentKind::Skill
        && context.target.invocation.user_only == InvocationForm::Registered
    {
        entry.insert("user_only".into(), true.into());
    }
    entry.extend(input.host_override.registered().map(|(key, value)| (key.clone(), value.clone())));
    entry
}

/// The modules and their data: components, and everything else under separate keys. A source file with one of their
/// names is an error.
pub(super) fn lower(
    context: &LoweringContext<'_>,
    components: Vec<RegisteredComponent>,
    others: Vec<(String, Json)>,
) -> LoweredPart {
    let mut part = LoweredPart::default();
    let Some(facts) = &context.target.registration else { return part };
    let template = |path: &String| context.target.templates.get(path).cloned().unwrap_or_default();
    let modules = facts.modules.iter().map(|path| (path, NodeContent::Text(template(path))));
    let data = NodeContent::Json(data(context, facts, components, others));
    for (path, content) in modules.chain([(&facts.data, data)]) {
        let source = context.plugin.root.join(path);
        if context.project.tree.get(&source).is_some() {
            let message =
                format!("`{path}` is the name of a file that is generated for {}", context.target.host.title);
            let finding = Diagnostic::for_file(&source, Severity::Error, RuleId::GENERATED_NAME, message);
            part.diagnostics.push(finding.host(&context.target.name).help("rename the file in the source"));
            let file = Decision::for_file(&context.plugin.name, &source);
            part.decisions.push(
                file.with_outcome(RowOutcome::Dropped, "a file of this name is generated for the host"),
            );
        }
        part.nodes.push(context.generated_file(path, content));
    }
    part
}

fn data(
    context: &LoweringContext<'_>,
    facts: &RegistrationFacts,
    components: Vec<RegisteredComponent>,
    others: Vec<(String, Json)>,
) -> Json {
    let (mut bodies, mut agents) = (Map::new(), Map::new());
    for RegisteredComponent { kind, name, entry } in components {
        let list = if kind == ComponentKind::Agent { &mut agents } else { &mut bodies };
        list.insert(name, Json::Object(entry));
    }
    let shouted: String = context
        .plugin
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    // The host warns about a missing folder.
    let lies_in = |folder: &str| context.places.files.values().any(|path| path.starts_with(folder));
    let skill_folders: Vec<&String> = facts.skill_folders.iter().filter(|folder| lies_in(folder)).collect();
    let mut data = json!({
        "schema": facts.schema,
        "plugin": context.plugin.name,
        "root_variable": facts.root_variable.replace("{PLUGIN}", &shouted),
        "skill_folders": skill_folders,
        "bodies": bodies,
        "agents": agents,
    });
    if let Json::Object(data) = &mut data {
        data.extend(others);
    }
    data
}
