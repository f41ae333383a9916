//! The effects of `[targets.<host>]` in a `plugcast.toml`: new names, which every mention follows, and frontmatter,
//! which is written where the host reads it: in the file, in the data of a module, or in the file to install.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::context::LoweringContext;
use super::decision::Decision;
use crate::bundle::draft::MarkdownDraft;
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::component::Component;
use crate::model::overrides::{ConfigPlace, NewName, OverrideValue};
use crate::model::references::{Reference, ReferenceTarget};
use crate::read::tree::MappingEntry;
use crate::target::{AgentEmission, CommandEmission, FieldRule, Target};

/// Where a host reads the frontmatter of a kind of component.
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

/// The overrides of one component for the host, passed to every step that writes them.
pub(super) struct HostOverride<'a> {
    /// Its new name.
    pub(super) renamed: Option<&'a NewName>,
    /// Frontmatter, by key.
    fields: &'a BTreeMap<String, OverrideValue>,
    form: OverrideForm,
}

impl<'a> HostOverride<'a> {
    /// The overrides of `component` for `target`.
    pub(super) fn new(target: &Target, component: &'a Component) -> Self {
        let told = &component.host_override;
        Self { renamed: told.renamed.as_ref(), fields: &told.fields, form: form(target, component.kind) }
    }

    /// Why it has a new name.
    pub(super) fn naming(&self) -> Option<String> {
        self.renamed.map(naming)
    }

    /// The override that replaces a field of the source.
    pub(super) fn replacement(&self, entry: &MappingEntry, rule: &FieldRule) -> Option<&'a OverrideValue> {
        self.fields.get(&entry.key).or_else(|| self.fields.get(rule.to.as_deref()?))
    }

    /// Writes the overrides to the file, if the host reads them there.
    pub(super) fn write(&self, draft: &mut MarkdownDraft) {
        for (key, told) in self.fields.iter().filter(|_| self.form == OverrideForm::File) {
            draft.set_value(key, &told.value.to_string(), &reason(&told.at));
        }
    }

    /// The overrides that a module registers.
    pub(super) fn registered(&self) -> impl Iterator<Item = (&'a String, &'a Json)> {
        let fields = self.fields.iter().filter(|_| self.form == OverrideForm::Registered);
        fields.map(|(key, told)| (key, &told.value))
    }

    /// Adds the overrides to the installable document of an agent.
    pub(super) fn install(&self, document: &mut Json) {
        if let Json::Object(document) = document {
            document.extend(self.fields.iter().map(|(key, told)| (key.clone(), told.value.clone())));
        }
    }

    /// A decision about each override, with its position in the `plugcast.toml`.
    pub(super) fn decisions(&self, context: &LoweringContext<'_>) -> impl Iterator<Item = Decision> {
        let is_carried = self.form != OverrideForm::Installable || context.target.agent.installable.is_some();
        let to = match self.form {
            OverrideForm::File => "frontmatter",
            OverrideForm::Registered => "registration",
            OverrideForm::Installable => "installable",
        };
        self.fields.iter().map(move |(key, told)| {
            let decision = decision(&context.plugin.name, key, &told.at);
            match is_carried {
                true => decision.placed_at(to).with_outcome(RowOutcome::Mapped, reason(&told.at)),
                false => decision
                    .with_outcome(RowOutcome::Dropped, "the host does not support this field for agents"),
            }
        })
    }
}

/// The new name to which a mention must be changed, if any.
pub(super) fn renamed<'a>(context: &LoweringContext<'a>, reference: &Reference) -> Option<&'a NewName> {
    let ReferenceTarget::Component(kind, qualified) = &reference.named else { return None };
    new_name(context, *kind, qualified)
}

/// The new name of a component of any plugin, if it has one.
pub(super) fn new_name<'a>(
    context: &LoweringContext<'a>,
    kind: ComponentKind,
    qualified: &str,
) -> Option<&'a NewName> {
    context.project.renamed(kind, qualified)
}

/// Why a name has changed.
pub(super) fn naming(renamed: &NewName) -> String {
    let NewName { from, to, at } = renamed;
    match at {
        Some(at) => format!("`{at}` renames `{from}` to `{to}` for this host"),
        None => format!("users cannot type `{from}` on this host, so it is `{to}`"),
    }
}

fn reason(at: &ConfigPlace) -> String {
    format!("`{at}` sets it for this host")
}

fn decision(plugin: &str, key: &str, at: &ConfigPlace) -> Decision {
    Decision::new_kept(plugin, ComponentKind::Field, key, &at.path).at_place(at)
}

/// A decision about each tool with a substitute.
pub(super) fn tools(context: &LoweringContext<'_>) -> impl Iterator<Item = Decision> {
    let name = &context.plugin.name;
    let tools = context.project.tool_substitutes.get(name).into_iter().flatten();
    tools.map(move |(tool, told)| {
        decision(name, tool, &told.at).placed_at("block").with_outcome(RowOutcome::Mapped, reason(&told.at))
    })
}

/// `target` with the substitutes for `tools`, if there are any.
pub(super) fn target(target: &Target, tools: Option<&BTreeMap<String, OverrideValue>>) -> Option<Target> {
    let tools = tools?;
    let mut own = target.clone();
    let substitutes = tools
        .iter()
        .filter_map(|(tool, substitutes)| Some((tool.clone(), substitutes.value.as_str()?.to_owned())));
    own.tools.extend(substitutes);
    Some(own)
}
