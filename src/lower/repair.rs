//! Rewrites frontmatter that the host's reader would refuse or misread: field by field, and completely if that is not
//! enough.

use std::borrow::Cow;

use super::portable_yaml;
use super::safe_yaml::{self, Repairs, has_unsafe_characters, holds_unnamed, is_unnamed};
use crate::bundle::draft::{MarkdownDraft, quoted};
use crate::ledger::RowOutcome;
use crate::model::component::Component;
use crate::read::dialect::{self, DuplicateRule};
use crate::read::tree::{FaultKind, MappingEntry, Node, Value};
use crate::source::Span;
use crate::target::Target;

/// Rewrites everything that the host's reader would refuse or misread in a form that every reader accepts.
pub fn repair(target: &Target, component: &Component, draft: &mut MarkdownDraft) -> Repairs {
    let mut repairs = Repairs::new();
    let yaml = &target.yaml;
    if yaml.byte_order_mark_refused {
        draft.remove_byte_order_mark();
    }
    let Some(fields) = &component.document.fields else { return repairs };
    safe_yaml::marks(target, component, draft);
    // The source host accepts everything that was written for it.
    let foreign = target.source.is_none();
    if foreign {
        safe_yaml::comments(component, draft);
    }
    safe_yaml::tags(target, component, draft, &mut repairs);
    let text = draft.text.clone();
    for entry in fields.entries() {
        let is_last = fields.entry(&entry.key).is_some_and(|last| last.key_span == entry.key_span);
        if is_last && repairs.contains_key(&entry.key_span.start) {
            continue;
        }
        let field = WrittenField { target, component, entry, text: &text, is_last };
        let Some(FieldRepair { form, edit, why }) = field.decide() else { continue };
        let outcome = match form {
            RepairForm::Removed => {
                draft.remove(entry, &edit);
                RowOutcome::Dropped
            }
            RepairForm::Value(value) => {
                draft.rewrite_value(entry, &value, &edit);
                RowOutcome::Mapped
            }
            RepairForm::Quoted => {
                draft.requote(entry, &edit);
                RowOutcome::Mapped
            }
        };
        repairs.insert(entry.key_span.start, (outcome, why.to_owned()));
    }
    let is_rescued = component.document.faults.iter().any(|fault| fault.kind == FaultKind::YamlDialect);
    if (foreign || is_rescued || !draft.is_unchanged()) && !portable_yaml::is_read(target, component, draft)
        || portable_yaml::is_nothing(component, &draft.text)
    {
        let reason = "hosts read this frontmatter in different ways, so it is rewritten, one field per line";
        rewrite(component, draft, &mut repairs, reason);
    }
    repairs
}

/// Rewrites the whole frontmatter, one field per line.
pub fn rewrite(component: &Component, draft: &mut MarkdownDraft, repairs: &mut Repairs, reason: &str) {
    draft.rewritten = Some(reason.to_owned());
    for entry in component.document.fields.iter().flat_map(|fields| fields.entries()) {
        repairs.entry(entry.key_span.start).or_insert((RowOutcome::Mapped, reason.to_owned()));
    }
}

/// The repair of a field.
struct FieldRepair {
    form: RepairForm,
    /// Why, for the source map.
    edit: Cow<'static, str>,
    /// Why, for the ledger.
    why: &'static str,
}

/// The repaired form of a field.
enum RepairForm {
    /// The field is left out.
    Removed,
    /// With this value, which is YAML.
    Value(String),
    /// With its own value, in quotes.
    Quoted,
}

impl FieldRepair {
    fn removed(edit: impl Into<Cow<'static, str>>, why: &'static str) -> Option<Self> {
        Some(Self { form: RepairForm::Removed, edit: edit.into(), why })
    }

    fn value(value: impl Into<String>, edit: &'static str, why: &'static str) -> Option<Self> {
        Some(Self { form: RepairForm::Value(value.into()), edit: edit.into(), why })
    }

    fn quoting(edit: &'static str, why: &'static str) -> Option<Self> {
        Some(Self { form: RepairForm::Quoted, edit: edit.into(), why })
    }
}

/// A field as the source has it.
struct WrittenField<'a> {
    target: &'a Target,
    component: &'a Component,
    entry: &'a MappingEntry,
    /// The text of the file.
    text: &'a str,
    /// Whether no field with the same name follows.
    is_last: bool,
}

impl WrittenField<'_> {
    /// The repair of the field; `None` if the host reads it as the source host does.
    fn decide(&self) -> Option<FieldRepair> {
        if !self.is_last && self.target.yaml.dialect.duplicates != DuplicateRule::Last {
            return FieldRepair::removed(
                "the host refuses a duplicate key",
                "the host refuses a duplicate key, so the last value is kept",
            );
        }
        self.type_repair()
            .or_else(|| self.check_repair())
            .or_else(|| self.key_repair())
            .or_else(|| self.value_repair())
    }

    fn is_in(&self, list: &[String]) -> bool {
        list.contains(&self.entry.key)
    }

    /// Whether the host is not the source host, which accepts everything that was written for it.
    fn is_foreign(&self) -> bool {
        self.target.source.is_none()
    }

    /// The repair of a value whose type the host refuses.
    fn type_repair(&self) -> Option<FieldRepair> {
        let (yaml, entry) = (&self.target.yaml, self.entry);
        let scalar = entry.node.scalar();
        let empty = entry.node.value == Value::Null;
        // An anchor would remain, with a value in place of an empty one.
        let unfit_mapping = self.is_in(&yaml.mapping_fields)
            && (!dialect::is_mapping(&entry.node) || empty && safe_yaml::is_anchored(entry, self.text));
        let unfit_text = self.is_in(&yaml.text_fields) && scalar.is_none();
        if unfit_mapping || unfit_text && !empty {
            let form = if unfit_text { "text" } else { "a mapping" };
            return FieldRepair::removed(
                format!("the host refuses this field unless it is {form}"),
                "the host refuses a value of this type, and the source host drops it too",
            );
        }
        let inner = yaml.inner_text_fields.get(&entry.key);
        if let Some(inner) = inner.filter(|inner| dialect::unfit(inner, &entry.node).is_some()) {
            return FieldRepair::value(
                safe_yaml::quoted_but(&entry.node, inner),
                "the host refuses a key in it unless it is text and unique",
                "it is written without the keys that the host refuses: those that are not text, or are repeated",
            );
        }
        if unfit_text {
            return FieldRepair::removed(
                "the host refuses an empty field",
                "the field is empty, and the host refuses that",
            );
        }
        let is_text =
            matches!(entry.node.value, Value::String(_)) && yaml.dialect.text(&entry.node) == scalar;
        if !self.is_in(&yaml.text_fields) || is_text {
            return None;
        }
        FieldRepair::value(
            quoted(&scalar.unwrap_or_default()),
            "the host refuses this field unless it is text",
            "it is written as text, as the source host reads it",
        )
    }

    /// The repair of a value that older versions of the host, or its own check, refuse.
    fn check_repair(&self) -> Option<FieldRepair> {
        let (yaml, entry) = (&self.target.yaml, self.entry);
        let is_word = self.is_in(&yaml.flag_fields) && !matches!(entry.node.value, Value::Bool(_));
        if let Some(flag) = entry.node.switch().filter(|_| is_word) {
            return FieldRepair::value(
                if flag { "true" } else { "false" },
                "older versions of the host accept only `true` and `false`",
                "it is written as `true` or `false`, which every version of the host accepts",
            );
        }
        match yaml.checked_fields.get(&entry.key)?.fitted_value(entry, self.text)? {
            Some(value) => FieldRepair::value(
                value,
                "the host's own check refuses a value of another type",
                "it is written in the type that the host's own check requires",
            ),
            None => {
                let why = "the host's own check refuses a value of this type, and its loader drops it";
                FieldRepair::removed(why, why)
            }
        }
    }

    /// The repair of a key that the host refuses.
    fn key_repair(&self) -> Option<FieldRepair> {
        let (closing, entry) = (&self.target.yaml.dialect.closing, self.entry);
        let written = entry.key_span.slice(self.text);
        if closing.ends_in(&entry.key) || closing.ends_in(written) {
            let why = "the host would end the frontmatter at the dashes of this key";
            return FieldRepair::removed(why, why);
        }
        if self.is_foreign() && entry.key == "<<" && !merges(&entry.node) {
            return FieldRepair::removed(
                "the host refuses to merge what is not a mapping",
                "the host refuses to merge what is not a mapping, and no host knows the field",
            );
        }
        let is_strange = has_unsafe_characters(written) || self.is_foreign() && is_unnamed(entry, self.text);
        if !is_strange {
            return None;
        }
        FieldRepair::removed(
            "the host refuses a key that is not plain text",
            "the host refuses a key that is not plain text, and no host knows the field",
        )
    }

    /// The repair of a value that the host misreads.
    fn value_repair(&self) -> Option<FieldRepair> {
        let (yaml, entry, text) = (&self.target.yaml, self.entry, self.text);
        let as_read = "it is written so that every reader reads it as the source host does";
        if self.is_foreign()
            && (holds_unnamed(&entry.node, text) || has_unsafe_characters(entry.span().slice(text)))
        {
            return FieldRepair::value(
                safe_yaml::quote(&entry.node),
                "the host refuses the frontmatter with this value as written",
                as_read,
            );
        }
        if yaml.dialect.closing.ends_in(entry.span().slice(text)) {
            return FieldRepair::value(
                entry.node.to_json().to_string().replace("--", "\\u002d-"),
                "the host would end the frontmatter at these dashes",
                "it is written so that the host does not end the frontmatter at its dashes",
            );
        }
        if yaml.dialect.duplicates == DuplicateRule::Refused && safe_yaml::repeats(&entry.node) {
            return FieldRepair::quoting(
                "the host refuses a duplicate key, also within a value",
                "it is written with the last value of each key, as the source host reads it",
            );
        }
        let mut faults = self.component.document.faults.iter();
        let is_rescued =
            faults.any(|fault| fault.kind == FaultKind::YamlDialect && overlaps(fault.span, entry.span()));
        let is_strange = is_rescued
            || self.is_foreign() && safe_yaml::is_anchored(entry, text)
            || safe_yaml::has_tabs(entry, text);
        if !yaml.rescue_refused || !is_strange {
            return None;
        }
        FieldRepair::quoting("the value is not valid YAML without quotes", as_read)
    }
}

/// Why the key at `span` within `entry` is not written, if the host refuses only that key.
pub fn refused_within(target: &Target, entry: &MappingEntry, span: Span) -> Option<&'static str> {
    let keys = target.yaml.inner_text_fields.get(&entry.key)?;
    let entries = entry.node.entries();
    let holds = |inner: &MappingEntry| inner.span().start <= span.start && span.end <= inner.span().end;
    let at = entries.iter().position(|inner| keys.contains(&inner.key) && holds(inner))?;
    let key = &entries[at].key;
    if entries[at + 1..].iter().any(|later| later.key == *key) {
        return Some("the host refuses this key twice, so the last value is kept");
    }
    let is_collection = matches!(entries[at].node.value, Value::List(_) | Value::Map(_));
    is_collection.then_some("the host refuses this key unless it is text")
}

/// Whether the value can be merged into a mapping.
fn merges(node: &Node) -> bool {
    let is_mapping = |node: &Node| matches!(node.value, Value::Map(_));
    is_mapping(node) || node.items().is_some_and(|items| items.iter().all(is_mapping))
}

fn overlaps(a: Span, b: Span) -> bool {
    a.start < b.end.max(b.start + 1) && b.start < a.end.max(a.start + 1)
}
