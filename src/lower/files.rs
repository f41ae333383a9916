//! Files other than the main files of components: copied beside the component that they belong to, or dropped with a
//! component of a kind that the host cannot carry.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::context::LoweringContext;
use super::decision::Decision;
use super::declarations::Declarations;
use super::foreign_plugin::ForeignParts;
use super::part::LoweredPart;
use super::texts::NameEdits;
use super::{field_leaves, launcher, paths, script_paths, sidecar, source_json};
use crate::bundle::draft::MarkdownDraft;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::read::frontmatter::{self, MarkdownDocument};
use crate::source::{SourceFile, is_markdown};
use crate::sourcemap::EditKind;
use crate::target::Axis;

/// Reports, in one finding, skills that are carried as plain files because hosts do not search their folder.
pub(super) fn unfound_skills(context: &LoweringContext<'_>) -> Option<Diagnostic> {
    let plugin = context.plugin;
    // A plugin without any other component is reported as an error.
    let is_empty = plugin.components.is_empty() && plugin.inline.is_empty() && plugin.others.is_empty();
    let (message, help) = plugin.about_unfound_skills().filter(|_| !is_empty)?;
    let root = if plugin.root.as_str().is_empty() { Utf8Path::new(".") } else { &plugin.root };
    let found = Diagnostic::for_file(root, Severity::Warning, RuleId::NESTED_SKILL_FILE, message);
    Some(found.host(&context.target.name).help(help))
}

/// The decisions about a plugin's components, made before its other files.
pub(super) struct FilesInput<'a> {
    /// Hooks and servers.
    pub(super) declared: &'a [Decision],
    /// Mentions that are rewritten in texts other than the main texts of components.
    pub(super) names: &'a NameEdits<'a>,
}

/// Lowers every kept file of the plugin except the main files of components.
pub(super) fn lower(context: &LoweringContext<'_>, input: &FilesInput<'_>) -> LoweredPart {
    let mut part = LoweredPart::default();
    let sidecars = sidecar::user_only_files(context);
    let foreign = ForeignParts::new(context);
    let lost = context.plugin.lost.iter().filter(|lost| lost.pointer.is_none());
    let lost = lost.map(|lost| lost.path.as_path()).filter(|path| !context.places.files.contains(path));
    let lost: BTreeSet<&Utf8Path> = lost.collect();
    let mut others: BTreeMap<&Utf8Path, Vec<&OtherComponent>> = BTreeMap::new();
    for other in context.plugin.others.iter().filter(|other| other.own_file) {
        others.entry(&other.path).or_default().push(other);
    }
    for path in &context.plugin.files.kept {
        let Some(file) = context.project.tree.get(path) else { continue };
        let own = context.plugin.relative_path(path);
        let handled = own == context.source.manifest
            || own == context.source.marketplace
            || context.places.mains.contains(path)
            || lost.contains(path.as_path())
            || sidecars.contains(path.as_path());
        let program = context.plugin.runtime.claims(own) || launcher::program(context, path).is_some();
        if handled || program {
            continue;
        }
        let others = others.get(path.as_path()).map_or(&[][..], Vec::as_slice);
        if let Some(other) = others.iter().find(|other| context.has_section(other.kind)) {
            let nothing = matches!(other.body, OtherBody::Nothing);
            part.decisions.push(decided_elsewhere(context, file, nothing, input.declared));
        } else if !context.is_generated(context.places.files.get(path).map_or(own, |place| place)) {
            let other = others.first().copied();
            part.add(PlainFile { context, file, foreign: &foreign, names: input.names }.lower(other));
        }
    }
    part
}

/// A file that is carried, or dropped together with its component.
struct PlainFile<'a> {
    context: &'a LoweringContext<'a>,
    file: &'a SourceFile,
    foreign: &'a ForeignParts,
    names: &'a NameEdits<'a>,
}

impl PlainFile<'_> {
    /// Lowers the file; `other` is its first component if the file holds nothing but components.
    fn lower(&self, other: Option<&OtherComponent>) -> LoweredPart {
        let (context, file) = (self.context, self.file);
        let name = &context.plugin.name;
        let mut part = LoweredPart::default();
        let Some(inner) = context.places.files.get(&file.path) else { return part };
        let decision = self.foreign.decide(context, file, Decision::for_file(name, &file.path));
        let document = document_of(file);
        let lost = other.and_then(|other| Some((other, not_carried(context, other)?)));
        if let Some((_, reason)) = lost.filter(|(other, _)| other.fault.is_some() || !is_root_skill(context))
        {
            part.decisions.push(decision.with_outcome(RowOutcome::Dropped, &reason));
            let fields = document.iter();
            let fields =
                fields.flat_map(|document| field_leaves::dropped_fields(name, file, document, &reason));
            part.decisions.extend(fields);
            return part;
        }
        let path = context.root().join(inner);
        let (decision, content) = self.content(decision.placed_at(path.as_str()), inner);
        part.decisions.push(decision);
        let fields = document.iter().flat_map(|document| field_leaves::all(name, file, document));
        part.decisions.extend(fields.map(|(_, field)| field.placed_at(path.as_str())));
        let executable = file.executable;
        let also = context.places.extra_paths.get(&file.path);
        if let Some(also) = also.filter(|also| !context.is_generated(also)) {
            let (path, from) = (context.root().join(also), Some(file.path.clone()));
            // From there, other paths lead to the same files.
            let content = match edited_file(context, file, also, self.names) {
                Some(draft) => NodeContent::Markdown(Box::new(draft)),
                None => NodeContent::CopyOf(file.origin.clone()),
            };
            part.nodes.push(BundleNode { path, executable, content, from });
        }
        let from = (!matches!(content, NodeContent::Json(_))).then(|| file.path.clone());
        part.nodes.push(BundleNode { path, executable, content, from });
        part
    }

    /// The content of the file at `inner`, and why.
    fn content(&self, decision: Decision, inner: &Utf8Path) -> (Decision, NodeContent) {
        let (context, file) = (self.context, self.file);
        if let Some(draft) = edited_file(context, file, inner, self.names) {
            let reason = "its target has another path or name on the host";
            return (
                decision.with_outcome(RowOutcome::Mapped, reason),
                NodeContent::Markdown(Box::new(draft)),
            );
        }
        if let Some(document) = source_json::cleaned(context, file) {
            let reason =
                "parts that the source host refuses are left out, and credentials are named by variables";
            return (
                decision.with_outcome(RowOutcome::Mapped, reason),
                NodeContent::document(inner, document),
            );
        }
        if let Some(reason) = script_paths::missed(context, file) {
            let owner = (ComponentKind::File, context.plugin.relative_path(&file.path).as_str());
            let decision =
                decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Components, owner, "");
            return (decision, NodeContent::CopyOf(file.origin.clone()));
        }
        let decision = match move_reason(context, file, inner) {
            Some(reason) => decision.with_outcome(RowOutcome::Mapped, reason),
            None => decision,
        };
        (decision, NodeContent::CopyOf(file.origin.clone()))
    }
}

/// Why a file moves to `inner` on the host, if it does.
fn move_reason(context: &LoweringContext<'_>, file: &SourceFile, inner: &Utf8Path) -> Option<&'static str> {
    if context.plugin.linked.contains(&file.path) {
        return Some("it is a link, which the source host does not load as an agent or a command");
    }
    if context.places.renamed.contains(&file.path) {
        return Some("the host would load it as a skill, which it is not on the source host");
    }
    if context.plugin.relative_path(&file.path) == inner {
        return None;
    }
    Some(match context.places.extra_paths.contains(&file.path) {
        true => "it is beside its skill, and also where hooks, servers, agents and commands refer to it",
        false => "it is beside its component",
    })
}

/// The decision about a file whose hooks or servers are written in the host's own form.
fn decided_elsewhere(
    context: &LoweringContext<'_>,
    file: &SourceFile,
    nothing: bool,
    declared: &[Decision],
) -> Decision {
    let decision = Decision::for_file(&context.plugin.name, &file.path);
    if nothing {
        return decision.with_outcome(RowOutcome::Dropped, "it declares nothing");
    }
    match Declarations::new(&file.path, declared).destination("") {
        Some(Ok(to)) => decision
            .placed_at(to)
            .with_outcome(RowOutcome::Mapped, "what it declares is written in the host's format"),
        _ => decision.with_outcome(
            RowOutcome::Dropped,
            "nothing that it declares can be carried; see the rows of its parts",
        ),
    }
}

/// Whether the plugin's folder is also a skill, whose text may name every file in it.
fn is_root_skill(context: &LoweringContext<'_>) -> bool {
    let skills = context.plugin.components.iter().filter(|component| component.kind == ComponentKind::Skill);
    skills.into_iter().any(|skill| skill.folder() == context.plugin.root)
}

/// The reason of the target when the file is the component `other` of a kind that it cannot carry.
fn not_carried(context: &LoweringContext<'_>, other: &OtherComponent) -> Option<String> {
    if let Some(fault) = other.fault.as_ref().filter(|_| other.pointer.is_empty()) {
        return Some(fault.clone());
    }
    match context.target.components.get(&other.kind) {
        Some(facts) if facts.carried => None,
        Some(facts) => {
            Some(facts.reason.clone().unwrap_or_else(|| "the host has no such component".to_owned()))
        }
        None => Some("the target does not cover this kind of component".to_owned()),
    }
}

/// The file with paths and names adapted to the host.
fn edited_file(
    context: &LoweringContext<'_>,
    file: &SourceFile,
    inner: &Utf8Path,
    names: &NameEdits<'_>,
) -> Option<MarkdownDraft> {
    let text = file.text().filter(|_| is_markdown(&file.path))?;
    let names = names.get(file.path.as_path()).filter(|names| !names.is_empty());
    if names.is_none() && !paths::may_follow(context, text) {
        return None;
    }
    let mut draft = MarkdownDraft::new(file, &frontmatter::parse(text).into());
    draft.edits.extend(paths::path_edits(context, file, inner, draft.document.body));
    for (span, instead, reason) in names.into_iter().flatten() {
        draft.replace(*span, instead, EditKind::Name, reason);
    }
    (!draft.is_unchanged()).then_some(draft)
}

/// The parsed file, if it has fields.
fn document_of(file: &SourceFile) -> Option<MarkdownDocument> {
    let text = file.text().filter(|_| is_markdown(&file.path))?;
    text.trim_start_matches('\u{feff}').starts_with("---").then(|| frontmatter::parse(text))
}
