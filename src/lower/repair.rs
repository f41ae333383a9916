//! Frontmatter that the host's reader would refuse or misread is written in a safe form: a field at a time, and as a whole
//! where that is not enough.

use super::portable;
use super::safe_yaml::{self, Repairs, broken, holds_unnamed, is_unnamed};
use crate::bundle::draft::{MarkdownDraft, quoted};
use crate::ledger::RowOutcome;
use crate::model::component::Component;
use crate::read::dialect::{self, DuplicateRule};
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::Span;
use crate::target::Target;

/// Writes what the host's reader would refuse or misread in a form that every reader takes.
pub fn repair(target: &Target, component: &Component, draft: &mut MarkdownDraft) -> Repairs {
    let mut repairs = Repairs::new();
    let yaml = &target.yaml;
    if yaml.byte_order_mark_refused {
        draft.remove_byte_order_mark();
    }
    let Some(fields) = &component.document.fields else { return repairs };
    safe_yaml::marks(target, component, draft);
    // The source host takes all that it was written for.
    let foreign = target.source.is_none();
    if foreign {
        safe_yaml::comments(component, draft);
    }
    safe_yaml::tags(target, component, draft, &mut repairs);
    for entry in fields.entries() {
        let last = fields.entry(&entry.key).is_some_and(|last| last.key_span == entry.key_span);
        if last && repairs.contains_key(&entry.key_span.start) {
            continue;
        }
        let is = |list: &[String]| list.iter().any(|key| key == &entry.key);
        let faults = &component.document.faults;
        let rescued =
            faults.iter().any(|fault| fault.rule == "yaml-dialect" && overlaps(fault.span, entry.span()));
        let scalar = entry.node.scalar();
        let empty = entry.node.value == Value::Null;
        let flag = entry.node.switch();
        // An anchor would be left with the word in place of nothing.
        let unfit_mapping = is(&yaml.mapping_fields)
            && (!dialect::is_mapping(&entry.node) || empty && safe_yaml::is_anchored(entry, &draft.text));
        let unfit_text = is(&yaml.text_fields) && scalar.is_none();
        let done = if !last && yaml.dialect.duplicates != DuplicateRule::Last {
            draft.remove(entry, "the host refuses a duplicate key");
            (RowOutcome::Dropped, "the host refuses a duplicate key, so the last value is kept")
        } else if unfit_mapping || unfit_text && !empty {
            let form = if unfit_text { "text" } else { "a mapping" };
            draft.remove(entry, &format!("the host refuses this field unless it is {form}"));
            (RowOutcome::Dropped, "the host refuses a value of this type, and the source host drops it too")
        } else if let Some(inner) = yaml
            .inner_text_fields
            .get(&entry.key)
            .filter(|inner| dialect::unfit(inner, &entry.node).is_some())
        {
            let reason = "the host refuses a key in it unless it is text and there once";
            draft.rewrite_value(entry, &safe_yaml::quoted_but(&entry.node, inner), reason);
            (
                RowOutcome::Mapped,
                "it is written without what the host refuses in it: a key that is no text, or is there twice",
            )
        } else if unfit_text {
            draft.remove(entry, "the host refuses an empty field");
            (RowOutcome::Dropped, "the field is empty, and the host refuses that")
        } else if is(&yaml.text_fields)
            && (!matches!(entry.node.value, Value::String(_)) || yaml.dialect.text(&entry.node) != scalar)
        {
            draft.rewrite_value(
                entry,
                &quoted(&scalar.unwrap_or_default()),
                "the host refuses this field unless it is text",
            );
            (RowOutcome::Mapped, "it is written as text, as the source host reads it")
        } else if let (true, Some(flag)) =
            (is(&yaml.flag_fields) && !matches!(entry.node.value, Value::Bool(_)), flag)
        {
            draft.rewrite_value(
                entry,
                if flag { "true" } else { "false" },
                "older versions of the host know `true` and `false` only",
            );
            (RowOutcome::Mapped, "it is written as `true` or `false`, which every version of the host knows")
        } else if let Some(fit) =
            yaml.checked_fields.get(&entry.key).and_then(|form| form.fit(entry, &draft.text))
        {
            match fit {
                Some(value) => {
                    draft.rewrite_value(
                        entry,
                        &value,
                        "the host's own check refuses a value of another type",
                    );
                    (RowOutcome::Mapped, "it is written in the type that the host's own check demands")
                }
                None => {
                    draft.remove(
                        entry,
                        "the host's own check refuses a value of this type, and its loader drops it",
                    );
                    (
                        RowOutcome::Dropped,
                        "the host's own check refuses a value of this type, and its loader drops it",
                    )
                }
            }
        } else if yaml.dialect.closing.ends_in(&entry.key)
            || yaml.dialect.closing.ends_in(entry.key_span.of(&draft.text))
        {
            draft.remove(entry, "the host would end the frontmatter at the dashes of this key");
            (RowOutcome::Dropped, "the host would end the frontmatter at the dashes of this key")
        } else if foreign && entry.key == "<<" && !merges(&entry.node) {
            draft.remove(entry, "the host refuses to merge what is no mapping");
            (RowOutcome::Dropped, "the host refuses to merge what is no mapping, and no host knows the field")
        } else if broken(entry.key_span.of(&draft.text)) || foreign && is_unnamed(entry, &draft.text) {
            draft.remove(entry, "the host refuses a key that is not plain text");
            (
                RowOutcome::Dropped,
                "the host refuses a key that is not plain text, and no host knows the field",
            )
        } else if foreign && (holds_unnamed(&entry.node, &draft.text) || broken(entry.span().of(&draft.text)))
        {
            let value = safe_yaml::quoted(&entry.node);
            draft.rewrite_value(entry, &value, "the host refuses the frontmatter with this value as written");
            (RowOutcome::Mapped, "it is written so that every reader takes it as the source host does")
        } else if yaml.dialect.closing.ends_in(entry.span().of(&draft.text)) {
            let value = entry.node.to_json().to_string().replace("--", "\\u002d-");
            draft.rewrite_value(entry, &value, "the host would end the frontmatter at these dashes");
            (RowOutcome::Mapped, "it is written so that the host does not end the frontmatter at its dashes")
        } else if yaml.dialect.duplicates == DuplicateRule::Refused && safe_yaml::repeats(&entry.node) {
            draft.requote(entry, "the host refuses a duplicate key, also within a value");
            (RowOutcome::Mapped, "it is written with the last value of each key, as the source host reads it")
        } else if yaml.rescue_refused
            && (rescued
                || foreign && safe_yaml::is_anchored(entry, &draft.text)
                || safe_yaml::has_tabs(entry, &draft.text))
        {
            draft.requote(entry, "the value is not valid YAML without quotes");
            (RowOutcome::Mapped, "it is written so that every reader takes it as the source host does")
        } else {
            continue;
        };
        repairs.insert(entry.key_span.start, (done.0, done.1.to_owned()));
    }
    let is_rescued = component.document.faults.iter().any(|fault| fault.rule == "yaml-dialect");
    if (foreign || is_rescued || !draft.is_unchanged()) && !portable::is_read(target, component, draft)
        || portable::is_nothing(component, &draft.text)
    {
        let reason = "hosts read this frontmatter in different ways, so it is rewritten, one field per line";
        draft.rewritten = Some(reason.to_owned());
        for entry in fields.entries() {
            repairs.entry(entry.key_span.start).or_insert((RowOutcome::Mapped, reason.to_owned()));
        }
    }
    repairs
}

/// Why the key at `span` within `entry` is not written, where the host refuses it and takes the rest.
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
