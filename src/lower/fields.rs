//! Frontmatter fields: each leaf gets a row by the target's rule, values in the host's own form are
//! handed on.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::overrides;
use super::permissions::{self, HostLimits};
use super::repair::{self, Repairs};
use super::rows;
use super::{LoweredBundle, LoweringContext};
use crate::bundle::draft::{MarkdownDraft, one_line};
use crate::ledger::{ComponentKind, LedgerRow, LossClass, RowOutcome};
use crate::model::component::Component;
use crate::read::frontmatter::MarkdownDocument;
use crate::read::tree::{MappingEntry, Node, Value, escaped};
use crate::source::SourceFile;
use crate::sourcemap::EditKind;
use crate::target::{Axis, FieldOutcome, FieldRule, InvocationForm, Target, ValueFormat};

/// What the fields of a component mean on the host.
#[derive(Debug, Default)]
pub struct LoweredFields {
    /// Values in the host's own form, by the host's key.
    pub values: BTreeMap<String, Json>,
    /// Tool limits in the host's own form.
    pub limits: HostLimits,
    /// Whether something of class behavior or worse is lost.
    pub degraded: bool,
}

/// Lowers every field of `component` and writes its rows; a field that was repaired says so.
pub fn lower(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    repairs: &Repairs,
    draft: &mut MarkdownDraft,
    cast: &mut LoweredBundle,
) -> LoweredFields {
    let mut out = LoweredFields::default();
    let Some(fields) = &component.document.fields else { return out };
    unread(scene, component, file, draft, cast);
    let rules = scene.target.fields(component.kind);
    for entry in fields.entries() {
        let Some(rule) = rules.get(&entry.key).or_else(|| rules.get("*")) else { continue };
        let counts = fields.entry(&entry.key).is_some_and(|last| last.key_span == entry.key_span);
        let mut verdict =
            if counts { verdict(scene, component, entry, rule, &mut out) } else { FieldVerdict::repeated() };
        let said = overrides::said_of(component, entry, rule).filter(|_| counts);
        if let Some(said) = said {
            verdict =
                FieldVerdict::new(RowOutcome::Mapped, &format!("`{}` overrides it for this host", said.at));
        }
        if let (RowOutcome::Kept, Some((outcome, reason))) =
            (verdict.outcome, repairs.get(&entry.key_span.start))
        {
            verdict = FieldVerdict::new(*outcome, reason);
        }
        if let (Some(renamed), "name", RowOutcome::Mapped) =
            (component.here.renamed.as_ref(), entry.key.as_str(), verdict.outcome)
        {
            verdict.reason = Some(overrides::naming(renamed));
        }
        if counts
            && said.is_none()
            && verdict.outcome == RowOutcome::Mapped
            && rule.outcome == FieldOutcome::Mapped
        {
            say_natively(scene.target, entry, rule, &out, draft);
        }
        out.degraded |= verdict.class.is_some_and(|class| class <= LossClass::Behavior);
        for (pointer, span, _) in leaves(entry) {
            let mut row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Field, &entry.key, &file.path)
                .at(rows::span(file, span))
                .pointer(pointer);
            let refused = repair::refused_within(scene.target, entry, span)
                .filter(|_| counts && verdict.outcome == RowOutcome::Mapped);
            if let Some(reason) = refused {
                row = row.became(RowOutcome::Dropped, reason);
            } else if let Some(reason) = &verdict.reason {
                row = row.became(verdict.outcome, reason);
            }
            if let Some(to) = &verdict.to {
                row = row.to(to);
            }
            if let (Some(class), Some(axis)) = (verdict.class, verdict.axis.or(rule.axis)) {
                row = row.loss(axis.id(), class, (component.kind, &component.qualified), &entry.key);
            }
            cast.rows.push(row);
        }
    }
    out
}

/// Rows for what looks like fields and is none for the source host; where it stands in the frontmatter's place, it goes,
/// since every host would stumble over it.
fn unread(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    draft: &mut MarkdownDraft,
    cast: &mut LoweredBundle,
) {
    let document = &component.document;
    let plugin = &scene.plugin.name;
    if let Some(lost) = document.lost {
        let reason = "it is no YAML, and the source host reads no field of it either";
        draft.rewritten = Some(reason.to_owned());
        cast.rows.extend(rows::unread_fields(plugin, file, lost, RowOutcome::Dropped, reason));
    } else if document.faults.iter().any(|fault| fault.rule == "frontmatter-unclosed") {
        let reason =
            "the frontmatter is never closed, so the source host reads it as text, and so do other hosts";
        cast.rows.extend(rows::unread_fields(plugin, file, document.body, RowOutcome::Mapped, reason));
    }
    if let Some(cut_off) = document.cut_off {
        let reason = "dashes end the frontmatter before it, so the source host reads it as text, and so do other hosts";
        cast.rows.extend(rows::unread_fields(plugin, file, cut_off, RowOutcome::Mapped, reason));
    }
}

/// Writes a mapped field into frontmatter that the host reads itself. Where a module registers the
/// component, or the block or the installable form says it, the frontmatter stays.
fn say_natively(
    target: &Target,
    entry: &MappingEntry,
    rule: &FieldRule,
    lowered: &LoweredFields,
    draft: &mut MarkdownDraft,
) {
    let Some(key) = rule.to.as_deref().filter(|key| !matches!(*key, "block" | "installable")) else { return };
    let Some(value) = lowered.values.get(key).filter(|_| target.registration.is_none()) else { return };
    let reason = rule.reason.as_deref().unwrap_or("it is written in the host's format");
    if key != entry.key {
        draft.replace(entry.key_span, key, EditKind::Frontmatter, reason);
    }
    if *value != entry.node.to_json() {
        draft.rewrite_value(entry, &value.to_string(), reason);
    }
}

/// Rows for the fields of a file that is no component: kept as text, or dropped with the file.
pub fn plain(
    plugin: &str,
    file: &SourceFile,
    document: &MarkdownDocument,
    dropped: Option<&str>,
    to: Option<&str>,
) -> Vec<LedgerRow> {
    let entries = document.fields.iter().flat_map(Node::entries);
    let leaves = entries.flat_map(|entry| leaves(entry).into_iter().map(move |leaf| (entry, leaf)));
    leaves
        .map(|(entry, (pointer, span, _))| {
            let row = LedgerRow::kept(plugin, ComponentKind::Field, &entry.key, &file.path)
                .at(rows::span(file, span))
                .pointer(pointer);
            match (dropped, to) {
                (Some(reason), _) => row.became(RowOutcome::Dropped, reason),
                (None, Some(to)) => row.to(to),
                (None, None) => row,
            }
        })
        .collect()
}

fn leaves(entry: &MappingEntry) -> Vec<(String, crate::source::Span, &Node)> {
    let key = format!("/{}", escaped(&entry.key));
    if entry.node.entries().is_empty() {
        return vec![(key, entry.span(), &entry.node)];
    }
    entry
        .node
        .leaves()
        .into_iter()
        .map(|(pointer, span, node)| (format!("{key}{pointer}"), span, node))
        .collect()
}

struct FieldVerdict {
    outcome: RowOutcome,
    reason: Option<String>,
    to: Option<String>,
    class: Option<LossClass>,
    axis: Option<Axis>,
}

impl FieldVerdict {
    fn kept() -> Self {
        Self { outcome: RowOutcome::Kept, reason: None, to: None, class: None, axis: None }
    }

    fn new(outcome: RowOutcome, reason: &str) -> Self {
        Self { outcome, reason: Some(reason.to_owned()), to: None, class: None, axis: None }
    }

    fn repeated() -> Self {
        Self::new(RowOutcome::Dropped, "the key is repeated below, and the last one is used")
    }
}

fn verdict(
    scene: &LoweringContext<'_>,
    component: &Component,
    entry: &MappingEntry,
    rule: &FieldRule,
    out: &mut LoweredFields,
) -> FieldVerdict {
    let reason = rule.reason.as_deref().unwrap_or("it is written in the host's format");
    let floor = rule.axis.map(|axis| rule.class.unwrap_or(axis.floor()));
    // An empty list of tools is one.
    let says = matches!(rule.outcome, FieldOutcome::Invocation | FieldOutcome::Permissions);
    if entry.node.value == Value::Null && !says {
        return FieldVerdict::new(RowOutcome::Mapped, "the field is empty");
    }
    let scalar = entry.node.scalar().unwrap_or_default();
    match rule.outcome {
        FieldOutcome::Kept => FieldVerdict::kept(),
        FieldOutcome::Invocation => invocation(scene.target, component, entry),
        FieldOutcome::Dropped => match rule.values.get(&scalar) {
            Some(said) if said.is_empty() => {
                FieldVerdict::new(RowOutcome::Mapped, "it is the host's default")
            }
            _ => FieldVerdict { class: floor, ..FieldVerdict::new(RowOutcome::Dropped, reason) },
        },
        FieldOutcome::Mapped => match value(rule, &entry.node) {
            Some(value) => {
                let to = rule.to.clone().unwrap_or_else(|| entry.key.clone());
                out.values.insert(to.clone(), value);
                FieldVerdict { to: Some(to), ..FieldVerdict::new(RowOutcome::Mapped, reason) }
            }
            None if entry.node.scalar().is_none() => FieldVerdict {
                class: floor,
                ..FieldVerdict::new(
                    RowOutcome::Dropped,
                    "its value is not text, and the source host drops it too",
                )
            },
            None => FieldVerdict {
                class: floor,
                ..FieldVerdict::new(RowOutcome::Dropped, &format!("`{scalar}` has no counterpart: {reason}"))
            },
        },
        FieldOutcome::Permissions => {
            let is_lost = |tool: &str| scene.lost_server(tool).is_some();
            let verdict = permissions::limit(scene.target, entry, reason, &is_lost, &mut out.limits);
            let to = (verdict.outcome != RowOutcome::Dropped).then(|| "permissions".to_owned());
            FieldVerdict { to, class: verdict.class, ..FieldVerdict::new(verdict.outcome, &verdict.reason) }
        }
    }
}

fn value(rule: &FieldRule, node: &Node) -> Option<Json> {
    let scalar = || node.scalar();
    if let Some(said) = scalar().and_then(|text| rule.values.get(&text).cloned()) {
        return Some(said.into());
    }
    match rule.format {
        // A list where the host demands text would break every plugin of the user.
        Some(ValueFormat::Text) => one_line(node).map(Json::from),
        Some(ValueFormat::PositiveInteger) => {
            scalar()?.parse::<u64>().ok().filter(|number| *number > 0).map(Json::from)
        }
        Some(ValueFormat::HexColor) => {
            scalar().map(Json::from).filter(|text| ValueFormat::HexColor.holds(text))
        }
        Some(ValueFormat::Flag) => scalar()?.parse::<bool>().ok().map(Json::from),
        Some(format @ (ValueFormat::Number | ValueFormat::Mapping | ValueFormat::Flags)) => {
            Some(node.to_json()).filter(|value| format.holds(value))
        }
        None if !rule.values.is_empty() => None,
        None => match &node.value {
            Value::List(_) => Some(node.to_json()),
            _ => one_line(node).map(Json::from),
        },
    }
}

fn invocation(target: &Target, component: &Component, entry: &MappingEntry) -> FieldVerdict {
    let user_only = entry.key == "disable-model-invocation";
    let (limits, form, axis) = if user_only {
        (component.user_only(), target.invocation.user_only, Axis::Invocation)
    } else {
        (component.model_only(), target.invocation.model_only, Axis::Visibility)
    };
    if !limits {
        return FieldVerdict::new(RowOutcome::Mapped, "it is the host's default");
    }
    match form {
        InvocationForm::Field => FieldVerdict::kept(),
        InvocationForm::Sidecar => FieldVerdict {
            to: target.invocation.sidecar_path.clone(),
            ..FieldVerdict::new(RowOutcome::Mapped, "a file beside the skill carries it")
        },
        InvocationForm::Registered => FieldVerdict {
            to: Some("user_only".into()),
            ..FieldVerdict::new(RowOutcome::Mapped, "it is registered that way")
        },
        InvocationForm::None => FieldVerdict {
            class: Some(axis.floor()),
            axis: Some(axis),
            ..FieldVerdict::new(
                RowOutcome::Dropped,
                if user_only {
                    "the host cannot keep the model from it"
                } else {
                    "the host cannot hide it from the user"
                },
            )
        },
    }
}
