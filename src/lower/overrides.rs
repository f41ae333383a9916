//! What `[targets.<host>]` of a `plugcast.toml` adds: new names that every mention follows, and frontmatter that
//! is said where the host takes it: in the file, in the data of a module, or in the file to install.

use serde_json::{Map, Value as Json};

use super::fields::LoweredFields;
use super::{LoweredBundle, LoweringContext};
use crate::bundle::draft::MarkdownDraft;
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome, RowSpan};
use crate::model::component::{Component, FileReferences};
use crate::model::overrides::{ConfigPlace, NewName, OverrideValue};
use crate::model::references::{Reference, ReferenceTarget};
use crate::read::tree::MappingEntry;
use crate::source::SourceFile;
use crate::sourcemap::EditKind;
use crate::target::{AgentEmission, CommandEmission, FieldRule, Target};

/// Where frontmatter of a kind of component is said on a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverrideForm {
    File,
    Registered,
    Installable,
}

fn form(target: &Target, kind: ComponentKind) -> OverrideForm {
    match (kind, target.agent.emission, target.command.emission) {
        (ComponentKind::Agent, AgentEmission::Registered, _) => OverrideForm::Registered,
        (ComponentKind::Agent, AgentEmission::PromptAsset, _) => OverrideForm::Installable,
        (ComponentKind::Command, _, CommandEmission::Native) if target.registration.is_some() => {
            OverrideForm::Registered
        }
        _ => OverrideForm::File,
    }
}

/// What is said in place of a field of the source.
pub(super) fn said_of<'a>(
    component: &'a Component,
    entry: &MappingEntry,
    rule: &FieldRule,
) -> Option<&'a OverrideValue> {
    let said = &component.here.said;
    said.get(&entry.key).or_else(|| said.get(rule.to.as_deref()?))
}

/// Says what is said of `component` where the host takes it.
pub(super) fn say(
    scene: &LoweringContext<'_>,
    component: &Component,
    draft: &mut MarkdownDraft,
    lowered: &mut LoweredFields,
) {
    for (key, said) in &component.here.said {
        match form(scene.target, component.kind) {
            OverrideForm::File => draft.say(key, &said.value.to_string(), &reason(&said.at)),
            OverrideForm::Registered => {
                lowered.values.insert(key.clone(), said.value.clone());
            }
            OverrideForm::Installable => {}
        }
    }
}

/// Adds what is said of a command or a skill to what a module registers.
pub(super) fn register(scene: &LoweringContext<'_>, component: &Component, entry: &mut Map<String, Json>) {
    if form(scene.target, component.kind) == OverrideForm::Registered {
        let said = component.here.said.iter().map(|(key, said)| (key.clone(), said.value.clone()));
        entry.extend(said);
    }
}

/// Adds what is said of an agent to the document to install.
pub(super) fn install(component: &Component, document: &mut Json) {
    if let Json::Object(document) = document {
        document.extend(component.here.said.iter().map(|(key, said)| (key.clone(), said.value.clone())));
    }
}

/// The name that a mention has to be edited for.
pub(super) fn renamed<'a>(scene: &'a LoweringContext<'_>, reference: &Reference) -> Option<&'a NewName> {
    let ReferenceTarget::Component(kind, qualified) = &reference.named else { return None };
    scene.project.renamed(*kind, qualified)
}

/// Lets the mentions in a file beside a skill file follow.
pub(super) fn follow(scene: &LoweringContext<'_>, file: &SourceFile, draft: &mut MarkdownDraft) {
    let Some(at) = scene.places.skills.get(&file.path) else { return };
    let own = |group: &&FileReferences| group.path == file.path;
    let groups = scene.resolved.references(&scene.plugin.components[*at]).iter().filter(own);
    for reference in groups.flat_map(|group| &group.references) {
        if let (Some(renamed), Some(text)) = (renamed(scene, reference), file.text()) {
            let instead = renamed.instead(reference.span.of(text));
            draft.replace(reference.span, instead, EditKind::Name, naming(renamed));
        }
    }
}

/// Why a name is another one.
pub(super) fn naming(renamed: &NewName) -> String {
    let NewName { from, to, at } = renamed;
    match at {
        Some(at) => format!("`{at}` renames `{from}` to `{to}` for this host"),
        None => format!("users cannot type `{from}` here, so it is `{to}`"),
    }
}

fn reason(at: &ConfigPlace) -> String {
    format!("`{at}` sets it for this host")
}

/// A row for each thing that is said, at its place in the `plugcast.toml`.
pub(super) fn rows(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let name = &scene.plugin.name;
    let row = |key: &str, at: &ConfigPlace| {
        let ConfigPlace { span, line, column, .. } = *at;
        let span = RowSpan { start: span.start, end: span.end, line, column };
        LedgerRow::kept(name, ComponentKind::Field, key, &at.path).at(span).pointer(&at.pointer)
    };
    for component in &scene.plugin.components {
        let form = form(scene.target, component.kind);
        let carried = form != OverrideForm::Installable || scene.target.agent.installable.is_some();
        for (key, said) in &component.here.said {
            let row = row(key, &said.at);
            let to = match form {
                OverrideForm::File => "frontmatter",
                OverrideForm::Registered => "registration",
                OverrideForm::Installable => "installable",
            };
            cast.rows.push(match carried {
                true => row.to(to).became(RowOutcome::Mapped, reason(&said.at)),
                false => {
                    row.became(RowOutcome::Dropped, "the host gets no form of the agent that can carry this")
                }
            });
        }
    }
    for (tool, said) in scene.project.tools_here.get(name).into_iter().flatten() {
        cast.rows.push(row(tool, &said.at).to("block").became(RowOutcome::Mapped, reason(&said.at)));
    }
}

/// `target` with what is said of its tools, if anything is.
pub(super) fn target(
    target: &Target,
    tools: Option<&std::collections::BTreeMap<String, OverrideValue>>,
) -> Option<Target> {
    let tools = tools?;
    let mut own = target.clone();
    let said = tools.iter().filter_map(|(tool, said)| Some((tool.clone(), said.value.as_str()?.to_owned())));
    own.tools.extend(said);
    Some(own)
}
