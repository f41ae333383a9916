//! Frontmatter fields: each leaf gets a row by the target's rule; values in the host's own form are passed on.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::context::LoweringContext;
use super::decision::Decision;
use super::field_leaves;
use super::overrides::HostOverride;
use super::permissions::{self, HostLimits};
use super::repair;
use super::safe_yaml::Repairs;
use crate::bundle::draft::{DraftEdit, MarkdownDraft, one_line};
use crate::ledger::{ComponentKind, LossClass, RowOutcome};
use crate::model::component::Component;
use crate::model::qualified_name::last_of;
use crate::read::tree::{FaultKind, MappingEntry, Node, Value};
use crate::source::{SourceFile, Span};
use crate::sourcemap::EditKind;
use crate::target::{Axis, FieldOutcome, FieldRule, InvocationForm, Target, ValueFormat};

/// The fields of a component on the host.
#[derive(Debug, Default)]
pub struct LoweredFields {
    /// Values in the host's own form, by the host's key.
    pub values: BTreeMap<String, Json>,
    /// Tool limits in the host's own form.
    pub limits: HostLimits,
    /// Whether anything of class `behavior` or above is lost.
    pub degraded: bool,
    /// The decision about each leaf.
    pub decisions: Vec<Decision>,
    /// The edits to the frontmatter.
    pub edits: Vec<FieldEdit>,
}

/// A change of the frontmatter.
#[derive(Debug)]
pub enum FieldEdit {
    /// The field has another key on the host, at this place.
    Key(DraftEdit),
    /// The field has this value on the host, as YAML, for this reason.
    Value(MappingEntry, String, String),
    /// The whole frontmatter is rewritten, for this reason.
    Whole(String),
}

impl LoweredFields {
    /// Writes what was decided.
    pub fn write(&mut self, draft: &mut MarkdownDraft) {
        for edit in self.edits.drain(..) {
            match edit {
                FieldEdit::Key(edit) => draft.edits.push(edit),
                FieldEdit::Value(entry, value, reason) => draft.rewrite_value(&entry, &value, &reason),
                FieldEdit::Whole(reason) => draft.rewritten = Some(reason),
            }
        }
    }
}

/// The field with which the author reserves a component for the user.
const USER_ONLY: &str = "disable-model-invocation";

/// The fields of one component, and what is decided about them already.
pub struct FieldInput<'a> {
    pub component: &'a Component,
    pub file: &'a SourceFile,
    /// The repairs of fields that the host could not read.
    pub repairs: &'a Repairs,
    /// The overrides for this host.
    pub host_override: &'a HostOverride<'a>,
    /// Whether a file of the source contradicts that only the user may invoke the component.
    pub contradicted: bool,
}

/// Decides about every field, including those that were repaired.
pub fn lower(context: &LoweringContext<'_>, input: &FieldInput<'_>) -> LoweredFields {
    let mut out = LoweredFields::default();
    let component = input.component;
    let Some(fields) = &component.document.fields else { return out };
    decide_unread(context, component, input.file, &mut out);
    let rules = context.target.fields(component.kind);
    for entry in fields.entries() {
        let Some(rule) = rules.get(&entry.key).or_else(|| rules.get("*")) else { continue };
        let counts = fields.entry(&entry.key).is_some_and(|last| last.key_span == entry.key_span);
        let (verdict, is_told) = match counts {
            true => input.verdict(context, entry, rule, &mut out),
            false => (FieldVerdict::repeated(), false),
        };
        let is_mapped = verdict.outcome == RowOutcome::Mapped && rule.outcome == FieldOutcome::Mapped;
        if counts && !is_told && is_mapped {
            write_native_value(context.target, entry, rule, &mut out);
        }
        out.degraded |= verdict.class.is_some_and(|class| class <= LossClass::Behavior);
        for (pointer, span) in field_leaves::leaves(entry) {
            let refused = repair::refused_within(context.target, entry, span)
                .filter(|_| counts && verdict.outcome == RowOutcome::Mapped);
            let leaf = Leaf { entry, rule, verdict: &verdict, refused };
            out.decisions.push(input.decision(context, &leaf, pointer, span));
        }
    }
    out
}

/// A leaf of a field, with the verdict on it.
struct Leaf<'a> {
    entry: &'a MappingEntry,
    rule: &'a FieldRule,
    verdict: &'a FieldVerdict,
    /// Why the host refuses this leaf, although it accepts the rest of the field.
    refused: Option<&'static str>,
}

impl FieldInput<'_> {
    /// The verdict on a field that is not repeated below, and whether an override replaces it.
    fn verdict(
        &self,
        context: &LoweringContext<'_>,
        entry: &MappingEntry,
        rule: &FieldRule,
        out: &mut LoweredFields,
    ) -> (FieldVerdict, bool) {
        let own = verdict(context, self.component, entry, rule, out);
        match self.host_override.replacement(entry, rule) {
            Some(told) => {
                let reason = format!("`{}` overrides it for this host", told.at);
                (self.repaired_verdict(FieldVerdict::new(RowOutcome::Mapped, &reason), entry), true)
            }
            None => (self.repaired_verdict(own, entry), false),
        }
    }

    /// `verdict`, or the outcome of a repair for a field that would be kept; a changed name gets its reason.
    fn repaired_verdict(&self, verdict: FieldVerdict, entry: &MappingEntry) -> FieldVerdict {
        let verdict = match self.repairs.get(&entry.key_span.start) {
            Some((outcome, reason)) if verdict.outcome == RowOutcome::Kept => {
                FieldVerdict::new(*outcome, reason)
            }
            _ => verdict,
        };
        match self.host_override.naming() {
            Some(naming) if entry.key == "name" && verdict.outcome == RowOutcome::Mapped => {
                FieldVerdict { reason: Some(naming), ..verdict }
            }
            _ => verdict,
        }
    }

    fn decision(
        &self,
        context: &LoweringContext<'_>,
        leaf: &Leaf<'_>,
        pointer: String,
        span: Span,
    ) -> Decision {
        let Leaf { entry, rule, verdict, refused } = *leaf;
        let owner = (self.component.kind, self.component.qualified.as_str());
        let is_contradicted = self.contradicted && pointer.strip_prefix('/') == Some(USER_ONLY);
        let decision =
            Decision::new_kept(&context.plugin.name, ComponentKind::Field, &entry.key, &self.file.path)
                .in_file(self.file, span)
                .pointer(pointer);
        if is_contradicted {
            let reason = "the skill's own file for this host contradicts it";
            return decision.with_outcome(RowOutcome::Dropped, reason).loss(
                Axis::Invocation,
                owner,
                USER_ONLY,
            );
        }
        let decision = match (refused, &verdict.reason) {
            (Some(reason), _) => decision.with_outcome(RowOutcome::Dropped, reason),
            (None, Some(reason)) => decision.with_outcome(verdict.outcome, reason),
            (None, None) => decision,
        };
        let decision = match &verdict.to {
            Some(to) => decision.placed_at(to),
            None => decision,
        };
        match (verdict.class, verdict.axis.or(rule.axis)) {
            (Some(class), Some(axis)) => decision.loss_as(axis, class, owner, &entry.key),
            _ => decision,
        }
    }
}

/// Decisions about lines that look like fields but are not read by the source host; in the place of frontmatter they
/// are removed, since every host would fail on them.
fn decide_unread(
    context: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    out: &mut LoweredFields,
) {
    let document = &component.document;
    let rows =
        |part, outcome, reason| field_leaves::unread_lines(&context.plugin.name, file, part, outcome, reason);
    if let Some(lost) = document.lost {
        let reason = "invalid YAML; the source host ignores it too";
        out.edits.push(FieldEdit::Whole(reason.to_owned()));
        out.decisions.extend(rows(lost, RowOutcome::Dropped, reason));
    } else if document.faults.iter().any(|fault| fault.kind == FaultKind::FrontmatterUnclosed) {
        let reason =
            "the frontmatter is never closed, so the source host reads it as text, and so do other hosts";
        out.decisions.extend(rows(document.body, RowOutcome::Mapped, reason));
    }
    if let Some(cut_off) = document.cut_off {
        let reason = "dashes end the frontmatter before it, so the source host reads it as text, and so do other hosts";
        out.decisions.extend(rows(cut_off, RowOutcome::Mapped, reason));
    }
}

/// The edits for a mapped field in frontmatter that the host reads itself. If a module registers the component, or the
/// block or the installable form carries the value, the frontmatter stays unchanged.
fn write_native_value(target: &Target, entry: &MappingEntry, rule: &FieldRule, out: &mut LoweredFields) {
    let Some(key) = rule.to.as_deref().filter(|key| !matches!(*key, "block" | "installable")) else { return };
    let Some(value) = out.values.get(key).filter(|_| target.registration.is_none()) else { return };
    let reason = rule.reason.as_deref().unwrap_or("it is written in the host's format");
    let value = (*value != entry.node.to_json()).then(|| value.to_string());
    if key != entry.key {
        let tag = (EditKind::Frontmatter, reason.to_owned());
        out.edits.push(FieldEdit::Key(DraftEdit { span: entry.key_span, text: key.to_owned(), tag }));
    }
    out.edits.extend(value.map(|value| FieldEdit::Value(entry.clone(), value, reason.to_owned())));
}

/// The outcome of one field.
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
    context: &LoweringContext<'_>,
    component: &Component,
    entry: &MappingEntry,
    rule: &FieldRule,
    out: &mut LoweredFields,
) -> FieldVerdict {
    let reason = rule.reason.as_deref().unwrap_or("it is written in the host's format");
    let floor = rule.axis.map(|axis| rule.class.unwrap_or(axis.minimum_class()));
    // An empty list of tools also has a meaning.
    let says = matches!(rule.outcome, FieldOutcome::Invocation | FieldOutcome::Permissions);
    if entry.node.value == Value::Null && !says {
        return FieldVerdict::new(RowOutcome::Mapped, "the field is empty");
    }
    let scalar = entry.node.scalar().unwrap_or_default();
    match rule.outcome {
        FieldOutcome::Kept => FieldVerdict::kept(),
        FieldOutcome::Invocation => invocation(context.target, component, entry),
        FieldOutcome::Dropped => match rule.equivalent(&scalar) {
            Some("") => FieldVerdict::new(RowOutcome::Mapped, "it is the host's default"),
            _ if is_own_name(component, entry, &scalar) => {
                FieldVerdict::new(RowOutcome::Mapped, "it is the same as the name of its file")
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
            let is_lost = |tool: &str| context.lost_server(tool).is_some();
            let verdict = permissions::limit(context.target, entry, reason, &is_lost, &mut out.limits);
            let to = (verdict.outcome != RowOutcome::Dropped).then(|| "permissions".to_owned());
            FieldVerdict { to, class: verdict.class, ..FieldVerdict::new(verdict.outcome, &verdict.reason) }
        }
    }
}

/// Whether a `name` that no host reads is equal to the component's name, so that nothing is lost.
fn is_own_name(component: &Component, entry: &MappingEntry, written: &str) -> bool {
    let own = &component.name;
    entry.key == "name" && (written == own || last_of(own) == written)
}

fn value(rule: &FieldRule, node: &Node) -> Option<Json> {
    let scalar = || node.scalar();
    if let Some(replacement) = scalar().and_then(|text| rule.equivalent(&text).map(Json::from)) {
        return Some(replacement);
    }
    match rule.format {
        // A list where the host requires text would break every plugin of the user.
        Some(ValueFormat::Text) => one_line(node).map(Json::from),
        Some(ValueFormat::PositiveInteger) => {
            scalar()?.parse::<u64>().ok().filter(|number| *number > 0).map(Json::from)
        }
        Some(format @ (ValueFormat::HexColor | ValueFormat::Version)) => {
            scalar().map(Json::from).filter(|text| format.matches(text))
        }
        Some(ValueFormat::Flag) => scalar()?.parse::<bool>().ok().map(Json::from),
        Some(
            format @ (ValueFormat::Number
            | ValueFormat::Mapping
            | ValueFormat::Flags
            | ValueFormat::Texts
            | ValueFormat::TextMapping
            | ValueFormat::List),
        ) => Some(node.to_json()).filter(|value| format.matches(value)),
        None if !rule.values.is_empty() => None,
        None => match &node.value {
            Value::List(_) => Some(node.to_json()),
            _ => one_line(node).map(Json::from),
        },
    }
}

fn invocation(target: &Target, component: &Component, entry: &MappingEntry) -> FieldVerdict {
    let user_only = entry.key == USER_ONLY;
    let (limits, form, axis) = if user_only {
        (component.is_user_only(), target.invocation.user_only, Axis::Invocation)
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
            class: Some(axis.minimum_class()),
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
