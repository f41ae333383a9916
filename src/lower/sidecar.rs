//! The file beside a skill that says that only the user may invoke it. A skill that brings such a
//! file keeps what it says; what is missing is added at its end.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value as Json};

use super::component::root;
use super::{LoweredBundle, LoweringContext, safe_yaml, shape};
use crate::bundle::draft::MarkdownDraft;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::component::Component;
use crate::read::frontmatter::MarkdownDocument;
use crate::read::yaml;
use crate::source::{SourceFile, Span};
use crate::sourcemap::EditKind;
use crate::target::{Axis, InvocationForm};

/// Where the file of `component` lies in the plugin's emitted folder, if the host has such files.
fn place(scene: &LoweringContext<'_>, component: &Component) -> Option<Utf8PathBuf> {
    let facts = &scene.target.invocation;
    let path = facts.sidecar_path.as_ref().filter(|_| facts.user_only == InvocationForm::Sidecar)?;
    let main = scene.places.components.get(&(component.kind, component.qualified.clone()))?;
    (component.kind != ComponentKind::Agent).then(|| main.parent().unwrap_or(Utf8Path::new("")).join(path))
}

/// The source's own file at that place.
fn own<'a>(scene: &'a LoweringContext<'_>, component: &Component) -> Option<&'a SourceFile> {
    let place = place(scene, component)?;
    let is_there = |place: &Utf8PathBuf, path: &Utf8PathBuf| {
        scene.places.files.get(path).is_some_and(|there| there.as_str() == place.as_str())
    };
    let path = component.files.iter().find(|path| is_there(&place, path))?;
    scene.project.tree.get(path)
}

/// The files of skills that only the user may invoke, which are handled here.
pub(super) fn handled<'a>(scene: &'a LoweringContext<'_>) -> BTreeSet<&'a Utf8Path> {
    let components = scene.plugin.components.iter().filter(|component| component.user_only());
    components.filter_map(|component| own(scene, component)).map(|file| file.path.as_path()).collect()
}

/// Emits the file where `component` needs it.
pub(super) fn lower(
    scene: &LoweringContext<'_>,
    component: &Component,
    described: bool,
    cast: &mut LoweredBundle,
) {
    let Some(document) = &scene.target.invocation.sidecar_document else { return };
    let hidden = component.user_only() || described || scene.listing.waits(component).is_some();
    let Some(place) = place(scene, component).filter(|_| hidden) else { return };
    let wanted = shape::fill(document, &|_| None, &mut Vec::new());
    let path = root(scene).join(place);
    match own(scene, component) {
        None => cast.nodes.push(BundleNode {
            path: path.clone(),
            executable: false,
            content: NodeContent::document(&path, wanted),
            from: None,
        }),
        Some(file) if component.user_only() => merge(scene, component, file, &wanted, path, cast),
        // Its own policy counts; only the source host's silence would have hidden the skill.
        Some(_) => {}
    }
}

fn merge(
    scene: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    wanted: &Json,
    path: Utf8PathBuf,
    cast: &mut LoweredBundle,
) {
    let text = file.text().unwrap_or_default();
    let whole = Span::new(0, text.len());
    let Some(said) = readable(text) else {
        let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, file.path.as_str(), &file.path);
        let reason = "the host cannot read it, so a new one is written: only the user may invoke the skill";
        cast.rows.push(row.became(RowOutcome::Dropped, reason));
        let content = NodeContent::document(&path, wanted.clone());
        cast.nodes.push(BundleNode { path, executable: false, content, from: None });
        return;
    };
    let mut missing = String::new();
    // Only the plainest of texts is taken by every reader as it stands.
    let plain = |c: char| c.is_alphanumeric() || " \n\r:_-./\"".contains(c);
    let (mut contradicts, mut merged) = (false, (!text.chars().all(plain)).then(|| said.clone()));
    for (key, value) in wanted.as_object().into_iter().flatten() {
        match said.get(key) {
            None => missing.push_str(&format!("{key}: {value}\n")),
            Some(own) if holds(own, value) => {}
            Some(own) => match completed(own, value) {
                Some(complete) => {
                    let document: &mut Json = merged.get_or_insert_with(|| said.clone());
                    document[key] = complete;
                }
                None => contradicts = true,
            },
        }
    }
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, file.path.as_str(), &file.path)
        .to(path.as_str());
    let mut content = NodeContent::CopyOf(file.origin.clone());
    let row = if contradicts {
        refuse(scene, component, file, cast);
        row
    } else if let Some(mut document) = merged {
        if let (Json::Object(document), Json::Object(wanted)) = (&mut document, wanted) {
            let absent: Vec<_> = wanted.iter().filter(|(key, _)| !document.contains_key(*key)).collect();
            document.extend(absent.into_iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        content = NodeContent::document(&path, document);
        row.became(
            RowOutcome::Mapped,
            "it is rewritten, because a part of it says nothing of who may invoke the skill",
        )
    } else if missing.is_empty() {
        row
    } else {
        let document = MarkdownDocument {
            byte_order_mark: false,
            yaml: None,
            body: whole,
            fields: None,
            lost: None,
            cut_off: None,
            faults: Vec::new(),
        };
        let mut draft = MarkdownDraft::new(file, &document);
        let lead = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let end = Span::new(text.len(), text.len());
        draft.replace(
            end,
            format!("{lead}{missing}"),
            EditKind::Frontmatter,
            "only the user may invoke the skill",
        );
        content = NodeContent::Markdown(Box::new(draft));
        row.became(RowOutcome::Mapped, "it also states that only the user may invoke the skill")
    };
    cast.rows.push(row);
    let from = (!matches!(content, NodeContent::Yaml(_))).then(|| file.path.clone());
    cast.nodes.push(BundleNode { path, executable: file.executable, content, from });
}

/// The document in `text`, where every reader takes it in the same way: a mapping without repeated keys.
fn readable(text: &str) -> Option<Json> {
    if text.trim().is_empty() {
        return Some(Json::Object(Map::new()));
    }
    let (node, repeated) = yaml::strict(text).filter(|_| !safe_yaml::broken(text) && !text.contains('\t'))?;
    Some(node.to_json())
        .filter(|document| document.is_object() && repeated.is_empty() && has_words_for_keys(document))
}

/// Whether all keys are words, and none of them means more than text.
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

/// `own` with what it lacks of `wanted`; `None` where it says something else. A value of another type says nothing to the
/// host.
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

/// Whether `own` says everything that `wanted` does.
fn holds(own: &Json, wanted: &Json) -> bool {
    match wanted {
        Json::Object(map) => map.iter().all(|(key, value)| own.get(key).is_some_and(|own| holds(own, value))),
        value => own == value,
    }
}

/// The skill's own file says otherwise: an error, and a loss, because the host will believe the file.
fn refuse(scene: &LoweringContext<'_>, component: &Component, file: &SourceFile, cast: &mut LoweredBundle) {
    let message =
        format!("`{}` is for the user only, and its `{}` does not say so", component.qualified, file.path);
    let found =
        Diagnostic::whole(&file.path, Severity::Error, "invocation", message).host(&scene.target.name);
    cast.diagnostics.push(found.help("say it in that file, or remove the field from the skill"));
    let axis = Axis::Invocation;
    for row in &mut cast.rows {
        if row.path == component.path.as_str() && row.pointer.as_deref() == Some("/disable-model-invocation")
        {
            let owner = (component.kind, component.qualified.as_str());
            let lost =
                row.clone().became(RowOutcome::Dropped, "the skill's own file for this host contradicts it");
            *row = lost.loss(axis.id(), axis.floor(), owner, "disable-model-invocation");
            row.to = None;
        }
    }
}
