//! The file beside a skill that states that only the user may invoke it. If the skill has such a file, its content is
//! kept, and missing keys are added at its end.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value as Json};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::{safe_yaml, shape};
use crate::bundle::draft::MarkdownDraft;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::component::Component;
use crate::read::frontmatter::MarkdownDocument;
use crate::read::yaml;
use crate::source::{SourceFile, Span};
use crate::sourcemap::EditKind;
use crate::target::InvocationForm;

/// The path of the file of `component` in the plugin's emitted folder, if the host reads such files.
fn place(context: &LoweringContext<'_>, component: &Component) -> Option<Utf8PathBuf> {
    let facts = &context.target.invocation;
    let path = facts.sidecar_path.as_ref().filter(|_| facts.user_only == InvocationForm::Sidecar)?;
    let main = context.place_of(component)?;
    (component.kind != ComponentKind::Agent).then(|| main.parent().unwrap_or(Utf8Path::new("")).join(path))
}

/// The source's own file at that place.
fn own_sidecar<'a>(context: &'a LoweringContext<'_>, component: &Component) -> Option<&'a SourceFile> {
    let place = place(context, component)?;
    let is_there = |place: &Utf8PathBuf, path: &Utf8PathBuf| {
        context.places.files.get(path).is_some_and(|there| there.as_str() == place.as_str())
    };
    let path = component.files.iter().find(|path| is_there(&place, path))?;
    context.project.tree.get(path)
}

/// The files of skills that only the user may invoke, which are handled here.
pub(super) fn user_only_files<'a>(context: &'a LoweringContext<'_>) -> BTreeSet<&'a Utf8Path> {
    let components = context.plugin.components.iter().filter(|component| component.is_user_only());
    components
        .filter_map(|component| own_sidecar(context, component))
        .map(|file| file.path.as_path())
        .collect()
}

/// The file beside a component.
#[derive(Debug, Default)]
pub(super) struct LoweredSidecar {
    pub(super) part: LoweredPart,
    /// Whether the skill's own file allows the model to invoke it. The host follows the file.
    pub(super) contradicts: bool,
}

/// The file, if `component` needs it.
pub(super) fn lower(context: &LoweringContext<'_>, component: &Component, described: bool) -> LoweredSidecar {
    let mut out = LoweredSidecar::default();
    let Some(document) = &context.target.invocation.sidecar_document else { return out };
    let hidden = component.is_user_only() || described || context.listing.waits(component).is_some();
    let Some(place) = place(context, component).filter(|_| hidden) else { return out };
    let wanted = shape::fill_table(document, &|_| None, &mut Vec::new());
    match own_sidecar(context, component) {
        None => {
            let content = NodeContent::document(&place, wanted);
            out.part.nodes.push(context.generated_file(&place, content));
            out
        }
        Some(file) if component.is_user_only() => merge(context, component, file, &wanted, &place),
        // Its own policy applies, since the author has not reserved the skill for the user.
        Some(_) => out,
    }
}

/// The outcome of the source's own file.
enum Merge {
    /// It already has all wanted keys.
    Kept,
    /// It contradicts them.
    Contradicts,
    /// It is rewritten as this document, since a part of it is incomplete.
    Rewritten(Json),
    /// These lines are added to it.
    Extended(String),
}

/// How to change `text`, parsed as `declared`, so that it contains what is `wanted`.
fn decide(text: &str, declared: Json, wanted: &Json) -> Merge {
    let mut missing = String::new();
    // Only very plain text is read in the same way by every reader.
    let plain = |c: char| c.is_alphanumeric() || " \n\r:_-./\"".contains(c);
    let mut merged = (!text.chars().all(plain)).then(|| declared.clone());
    let wanted: Vec<(&String, &Json)> = wanted.as_object().into_iter().flatten().collect();
    for (key, value) in &wanted {
        match declared.get(key) {
            None => missing.push_str(&format!("{key}: {value}\n")),
            Some(own) if contains(own, value) => {}
            Some(own) => match completed(own, value) {
                Some(complete) => {
                    let document: &mut Json = merged.get_or_insert_with(|| declared.clone());
                    document[*key] = complete;
                }
                None => return Merge::Contradicts,
            },
        }
    }
    match merged {
        Some(mut document) => {
            if let Json::Object(document) = &mut document {
                let absent: Vec<_> = wanted.iter().filter(|(key, _)| !document.contains_key(*key)).collect();
                document.extend(absent.into_iter().map(|(key, value)| ((*key).clone(), (*value).clone())));
            }
            Merge::Rewritten(document)
        }
        None if missing.is_empty() => Merge::Kept,
        None => Merge::Extended(missing),
    }
}

fn merge(
    context: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    wanted: &Json,
    place: &Utf8Path,
) -> LoweredSidecar {
    let mut out = LoweredSidecar::default();
    let text = file.text().unwrap_or_default();
    let decision = Decision::for_file(&context.plugin.name, &file.path);
    let Some(declared) = readable(text) else {
        let reason = "the host cannot read it, so a new one is written: only the user may invoke the skill";
        out.part.decisions.push(decision.with_outcome(RowOutcome::Dropped, reason));
        out.part.nodes.push(context.generated_file(place, NodeContent::document(place, wanted.clone())));
        return out;
    };
    let path = context.root().join(place);
    let decision = decision.placed_at(path.as_str());
    let from = Some(file.path.clone());
    let (decision, content, from) = match decide(text, declared, wanted) {
        Merge::Kept => (decision, NodeContent::CopyOf(file.origin.clone()), from),
        Merge::Contradicts => {
            out.contradicts = true;
            out.part.diagnostics.push(contradiction(context, component, file));
            (decision, NodeContent::CopyOf(file.origin.clone()), from)
        }
        Merge::Rewritten(document) => {
            let reason = "it is rewritten, because a part of it does not state who may invoke the skill";
            let content = NodeContent::document(&path, document);
            let from = from.filter(|_| !matches!(content, NodeContent::Yaml(_)));
            (decision.with_outcome(RowOutcome::Mapped, reason), content, from)
        }
        Merge::Extended(lines) => {
            let reason = "it also states that only the user may invoke the skill";
            let draft = NodeContent::Markdown(Box::new(append_lines(file, text, &lines)));
            (decision.with_outcome(RowOutcome::Mapped, reason), draft, from)
        }
    };
    out.part.decisions.push(decision);
    out.part.nodes.push(BundleNode { path, executable: file.executable, content, from });
    out
}

/// The file with `lines` at its end.
fn append_lines(file: &SourceFile, text: &str, lines: &str) -> MarkdownDraft {
    let document = MarkdownDocument {
        byte_order_mark: false,
        yaml: None,
        body: Span::new(0, text.len()),
        fields: None,
        lost: None,
        cut_off: None,
        faults: Vec::new(),
    };
    let mut draft = MarkdownDraft::new(file, &document.into());
    let lead = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let end = Span::new(text.len(), text.len());
    let reason = "only the user may invoke the skill";
    draft.replace(end, format!("{lead}{lines}"), EditKind::Frontmatter, reason);
    draft
}

/// The document in `text`, if every reader reads it in the same way: a mapping without repeated keys.
fn readable(text: &str) -> Option<Json> {
    if text.trim().is_empty() {
        return Some(Json::Object(Map::new()));
    }
    let (node, repeated) =
        yaml::strict(text).filter(|_| !safe_yaml::has_unsafe_characters(text) && !text.contains('\t'))?;
    Some(node.to_json())
        .filter(|document| document.is_object() && repeated.is_empty() && has_words_for_keys(document))
}

/// Whether all keys are words, and none of them is a YAML literal such as `true`.
fn has_words_for_keys(document: &Json) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_word = |key: &String| {
        let more = matches!(key.to_ascii_lowercase().as_str(), "true" | "false" | "null");
        !more
            && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && key.chars().all(word)
    };
    match document {
        Json::Object(map) => map.iter().all(|(key, value)| is_word(key) && has_words_for_keys(value)),
        Json::Array(items) => items.iter().all(has_words_for_keys),
        _ => true,
    }
}

/// `own` completed with the keys of `wanted`; `None` if a value differs. The host ignores a value of another type.
fn completed(own: &Json, wanted: &Json) -> Option<Json> {
    match (own, wanted) {
        (Json::Object(own), Json::Object(wanted)) => {
            let mut whole = own.clone();
            for (key, value) in wanted {
                let complete = own.get(key).map_or(Some(value.clone()), |own| completed(own, value))?;
                whole.insert(key.clone(), complete);
            }
            Some(Json::Object(whole))
        }
        _ if std::mem::discriminant(own) != std::mem::discriminant(wanted) => Some(wanted.clone()),
        _ => (own == wanted).then(|| own.clone()),
    }
}

/// Whether `own` contains everything in `wanted`.
fn contains(own: &Json, wanted: &Json) -> bool {
    match wanted {
        Json::Object(map) => {
            map.iter().all(|(key, value)| own.get(key).is_some_and(|own| contains(own, value)))
        }
        value => own == value,
    }
}

/// The finding about a skill's own file that contradicts the skill.
fn contradiction(context: &LoweringContext<'_>, component: &Component, file: &SourceFile) -> Diagnostic {
    let message = format!(
        "`{}` is for the user only, but its `{}` does not state that",
        component.qualified, file.path
    );
    let found = Diagnostic::for_file(&file.path, Severity::Error, RuleId::INVOCATION, message)
        .host(&context.target.name);
    found.help("add the setting to that file, or remove the field from the skill")
}
