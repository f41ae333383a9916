//! One skill, agent or command: its place, its fields, its references, its block.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::bindings::Bindings;
use super::context::LoweringContext;
use super::decision::Decision;
use super::fields::{self, FieldInput, LoweredFields};
use super::naming::BlockPaths;
use super::overrides::HostOverride;
use super::part::LoweredPart;
use super::reference_rows::{self, LoweredReferences};
use super::registration::{RegisteredComponent, RegistrationInput};
use super::repair;
use super::safe_yaml::{self, Repairs};
use super::sidecar::{self, LoweredSidecar};
use super::texts::ComponentText;
use super::{agents, field_leaves, installable, paths, place, registration};
use crate::bundle::draft::{Block, DraftEdit, MarkdownDraft, quoted};
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::component::Component;
use crate::model::plugin;
use crate::model::qualified_name::last_of;
use crate::source::SourceFile;
use crate::target::{AgentEmission, Axis, CommandEmission};

/// A component with every text that belongs to it.
#[derive(Debug, Default)]
pub(super) struct LoweredComponent {
    pub(super) part: LoweredPart,
    /// What the module registers for it.
    pub(super) registered: Option<RegisteredComponent>,
    /// The commands in its texts that the host's sandbox refuses, by the number of its rule.
    pub(super) refused: BTreeSet<(usize, String)>,
}

/// Lowers `component` with every text that belongs to it: first everything is decided, then it is written.
pub(super) fn lower<'a>(
    context: &'a LoweringContext<'a>,
    component: &'a Component,
    texts: &'a [ComponentText<'a>],
) -> LoweredComponent {
    let mut out = LoweredComponent::default();
    let told = HostOverride::new(context.target, component);
    out.part.decisions.extend(told.decisions(context));
    let Some(file) = context.project.tree.get(&component.path) else { return out };
    let Some(inner) = context.place_of(component) else { return out };
    if let Some((why, way_out)) = refusal(context, component) {
        out.part.add(refuse(context, component, file, &why, way_out));
        return out;
    }
    let mut plan = ComponentPlan::new(context, component, texts, &told, (file, inner));
    let described = plan.described.as_deref();
    let input =
        RegistrationInput { component, inner, texts, host_override: &told, fields: &plan.fields, described };
    out.registered = registration::component(context, &input);
    plan.write(&told);
    let unchanged = plan.draft.is_unchanged() && !file.is_repaired();
    let same_place = context.plugin.relative_path(&component.path) == inner;
    let state = ComponentState {
        inner,
        host_override: &told,
        degraded: plan.fields.degraded | plan.references.degraded,
        same: unchanged && same_place,
    };
    out.part.decisions.push(decision(context, component, file, &state));
    out.part.decisions.push(file_decision(context, component, (file, inner), unchanged, same_place));
    out.part.decisions.extend(plan.fields.decisions);
    out.part.decisions.extend(plan.references.decisions);
    out.part.add(plan.sidecar.part);
    out.refused = plan.bindings.refused;
    out.part.nodes.extend(installable::node(context, component, &told, inner, &plan.draft));
    if context.places.repeated.contains(&(component.kind, component.qualified.clone())) {
        return out;
    }
    let content = match unchanged {
        true => NodeContent::CopyOf(file.origin.clone()),
        false => NodeContent::Markdown(Box::new(plan.draft)),
    };
    out.part.nodes.push(BundleNode {
        path: context.root().join(inner),
        executable: file.executable,
        content,
        from: Some(component.path.clone()),
    });
    out
}

/// The decisions about a component, made before any of it is written.
struct ComponentPlan {
    /// The file, with frontmatter that the host's reader accepts.
    draft: MarkdownDraft,
    /// The generated description.
    described: Option<String>,
    sidecar: LoweredSidecar,
    fields: LoweredFields,
    bindings: Bindings,
    block: Option<Block>,
    references: LoweredReferences,
    /// Paths that lead elsewhere on the host.
    paths: Vec<DraftEdit>,
}

impl ComponentPlan {
    /// Decides about the component in `file`, which goes to `inner`.
    fn new<'a>(
        context: &'a LoweringContext<'a>,
        component: &'a Component,
        texts: &'a [ComponentText<'a>],
        told: &HostOverride<'_>,
        (file, inner): (&SourceFile, &Utf8Path),
    ) -> Self {
        let mut draft = MarkdownDraft::new(file, &component.document);
        let mut repairs = repair::repair(context.target, component, &mut draft);
        let described = describe(context, component, told, inner, &mut draft, &mut repairs);
        let sidecar = sidecar::lower(context, component, described.is_some());
        let contradicted = sidecar.contradicts;
        let fields = FieldInput { component, file, repairs: &repairs, host_override: told, contradicted };
        let fields = fields::lower(context, &fields);
        let to_root = place::path_to_root(inner);
        let bound = BlockPaths {
            folder: inner.parent().unwrap_or(Utf8Path::new("")),
            to_root: &to_root,
            components: &context.places.components,
        };
        let bindings = Bindings::collect(component, texts, context, &bound);
        let block = bindings.block(context.target);
        let references = reference_rows::lower(context, component, texts, &to_root);
        let paths = paths::path_edits(context, file, inner, draft.document.body);
        Self { draft, described, sidecar, fields, bindings, block, references, paths }
    }

    /// Applies the decisions to the draft.
    fn write(&mut self, told: &HostOverride<'_>) {
        self.fields.write(&mut self.draft);
        told.write(&mut self.draft);
        self.draft.block = self.block.take();
        self.draft.edits.append(&mut self.references.edits);
        self.draft.edits.append(&mut self.paths);
    }
}

/// Why the host cannot take the component, and what to do.
fn refusal(context: &LoweringContext<'_>, component: &Component) -> Option<(String, &'static str)> {
    let long = too_long(context, component).map(|why| (why, "shorten the name"));
    long.or_else(|| context.listing.unread_folder(component).map(|why| (why.to_owned(), "split the plugin")))
}

/// The state of a component once all of its parts are decided.
struct ComponentState<'a> {
    /// Where its file goes in the plugin's emitted folder.
    inner: &'a Utf8Path,
    host_override: &'a HostOverride<'a>,
    /// Whether a part of it is lost.
    degraded: bool,
    /// Whether its file is the unmodified source file at the same path.
    same: bool,
}

fn is_native(context: &LoweringContext<'_>, kind: ComponentKind) -> bool {
    match kind {
        ComponentKind::Agent => context.target.agent.emission == AgentEmission::Native,
        ComponentKind::Command => {
            context.target.command.emission == CommandEmission::Native
                && context.target.registration.is_none()
        }
        _ => context.target.registration.is_none(),
    }
}

/// The decision about the component as a whole.
fn decision(
    context: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    state: &ComponentState<'_>,
) -> Decision {
    let decision =
        component_decision(context, component, file).placed_at(context.root().join(state.inner).as_str());
    let owner = (component.kind, component.qualified.as_str());
    if let Some(reason) = context.listing.waits(component) {
        return decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Limit, owner, "listing");
    }
    if let Some(reason) = agents::unreached(context, component) {
        return decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Components, owner, "");
    }
    if state.degraded {
        let reason = "some of its fields or constructs have a smaller effect; their rows say which";
        return decision.with_outcome(RowOutcome::Degraded, reason);
    }
    if let Some(naming) = state.host_override.naming() {
        return decision.with_outcome(RowOutcome::Mapped, naming);
    }
    if state.same && is_native(context, component.kind) {
        return decision;
    }
    let reason = match (component.kind, context.target.agent.emission, context.target.command.emission) {
        (ComponentKind::Agent, AgentEmission::PromptAsset, _) => {
            "the skills that dispatch it say how to use its file as instructions"
        }
        (ComponentKind::Command, _, CommandEmission::AsSkill) => "it is a skill on the host",
        _ if context.target.registration.is_some() => "it is registered under its qualified name",
        _ => "it is edited or placed as the host needs it",
    };
    decision.with_outcome(RowOutcome::Mapped, reason)
}

/// The decision about the component's own file.
fn file_decision(
    context: &LoweringContext<'_>,
    component: &Component,
    (file, inner): (&SourceFile, &Utf8Path),
    unchanged: bool,
    same_place: bool,
) -> Decision {
    let decision = Decision::for_file(&context.plugin.name, &component.path)
        .placed_at(context.root().join(inner).as_str());
    if file.is_repaired() {
        let reason = "bytes that are not valid UTF-8 become U+FFFD, as the source host shows them; the source map has other edits";
        return decision.with_outcome(RowOutcome::Mapped, reason);
    }
    if !unchanged {
        return decision
            .with_outcome(RowOutcome::Mapped, "edited for the host; the source map has every edit");
    }
    match same_place {
        true => decision,
        false => decision.with_outcome(RowOutcome::Mapped, "it is where the host looks for it"),
    }
}

/// A component as a whole, before anything is decided about it.
fn component_decision(context: &LoweringContext<'_>, component: &Component, file: &SourceFile) -> Decision {
    let decision =
        Decision::new_kept(&context.plugin.name, component.kind, &component.qualified, &component.path);
    decision.in_file(file, plugin::whole_span(&context.project.tree, &component.path))
}

/// Why the name is longer than the host takes.
fn too_long(context: &LoweringContext<'_>, component: &Component) -> Option<String> {
    let limit = context.target.skill.name_limit?;
    let is_skill = component.kind == ComponentKind::Skill
        || (component.kind == ComponentKind::Command
            && context.target.command.emission == CommandEmission::AsSkill);
    let length = component.name.chars().count();
    (is_skill && length > limit).then(|| {
        format!("its name has {length} characters, but {} allows {limit}", context.target.host.title)
    })
}

/// Drops a component that the host cannot take: the component, its file, its fields and its names.
fn refuse(
    context: &LoweringContext<'_>,
    component: &Component,
    file: &SourceFile,
    why: &str,
    way_out: &str,
) -> LoweredPart {
    let mut part = LoweredPart::default();
    let help = format!("{way_out}, or leave this host out for the plugin");
    let message = format!("`{}` cannot be carried: {why}", component.qualified);
    let found = Diagnostic::in_file(file, component.name_span(), Severity::Error, RuleId::LIMIT, message);
    part.diagnostics.push(found.host(&context.target.name).help(help));
    let name = &context.plugin.name;
    let owner = (component.kind, component.qualified.as_str());
    let whole = component_decision(context, component, file).with_outcome(RowOutcome::Dropped, why);
    part.decisions.push(whole.loss(Axis::Limit, owner, ""));
    part.decisions.push(Decision::for_file(name, &component.path).with_outcome(RowOutcome::Dropped, why));
    part.decisions.extend(field_leaves::dropped_fields(name, file, &component.document, why));
    for group in context.resolved.references(component) {
        let Some(file) = context.project.tree.get(&group.path) else { continue };
        part.decisions.extend(group.references.iter().map(|reference| {
            let (kind, text) = reference_rows::kind_and_words(reference);
            let reference = Decision::new_kept(name, kind, text, &group.path).in_file(file, reference.span);
            reference.with_outcome(RowOutcome::Dropped, why)
        }));
    }
    part
}

/// Sets name and description if the host needs different ones. Returns the generated description, if any: without its
/// own description, the source host lists the component only for the user.
fn describe(
    context: &LoweringContext<'_>,
    component: &Component,
    told: &HostOverride<'_>,
    inner: &Utf8Path,
    draft: &mut MarkdownDraft,
    repairs: &mut Repairs,
) -> Option<String> {
    let as_skill = component.kind == ComponentKind::Command
        && context.target.command.emission == CommandEmission::AsSkill;
    if component.kind == ComponentKind::Skill || as_skill {
        name_skill(context, component, told, inner, draft, repairs);
        return generated_description(context, component, draft, repairs);
    }
    if component.kind == ComponentKind::Agent && context.target.source.is_some() {
        name_agent(component, told, inner, draft);
    }
    if let (ComponentKind::Agent, Some(renamed), Some(reason)) = (component.kind, told.renamed, told.naming())
        && let Some(entry) = component.document.fields.as_ref().and_then(|fields| fields.entry("name"))
    {
        draft.set_text("name", last_of(&renamed.to), &reason);
        repairs.insert(entry.key_span.start, (RowOutcome::Mapped, reason));
    }
    None
}

/// Sets the name of an agent without a `name` to that of its source file, if the emitted file has a different name.
fn name_agent(component: &Component, told: &HostOverride<'_>, inner: &Utf8Path, draft: &mut MarkdownDraft) {
    let stem = |path: &Utf8Path| {
        let file = path.file_name().unwrap_or_default();
        file.strip_suffix(".md").unwrap_or(file).to_owned()
    };
    let renamed = told.renamed.map(|renamed| last_of(&renamed.to).to_owned());
    let name = renamed.unwrap_or_else(|| stem(&component.path));
    if component.written_name().is_none() && stem(inner) != name {
        draft.set_text("name", &name, "its file has a different name, which the host would show");
    }
}

/// Sets the name of a skill, which the host may read from its frontmatter.
fn name_skill(
    context: &LoweringContext<'_>,
    component: &Component,
    told: &HostOverride<'_>,
    inner: &Utf8Path,
    draft: &mut MarkdownDraft,
    repairs: &mut Repairs,
) {
    let folder = inner.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let wanted = context.target.skill_name(&component.name, &component.qualified);
    let is_taken = told.renamed.is_none() && context.takes_written_name(&component.qualified);
    if is_taken || component.field("name").is_none() && wanted == folder {
        return;
    }
    let renamed = told.naming();
    let current = component.document.fields.as_ref().and_then(|fields| fields.entry("name"));
    if let Some(entry) = current.filter(|entry| entry.node.as_str() != Some(wanted.as_str())) {
        let reason = format!("the host reads the component's name from here, and it is `{wanted}`");
        let reason = renamed.clone().unwrap_or(reason);
        repairs.insert(entry.key_span.start, (RowOutcome::Mapped, reason));
    }
    let reason = renamed.as_deref().unwrap_or("the host reads the component's name from here");
    draft.set_text("name", &wanted, reason);
    if current.is_some_and(|entry| safe_yaml::is_repeated(component, entry, &draft.text)) {
        let reason = "another field repeats the name, so the frontmatter is rewritten, one field per line";
        repair::rewrite(component, draft, repairs, reason);
    }
}

/// Generates the description of a skill without one, if the host needs one.
fn generated_description(
    context: &LoweringContext<'_>,
    component: &Component,
    draft: &mut MarkdownDraft,
    repairs: &mut Repairs,
) -> Option<String> {
    if !context.target.skill.description_required || component.text_field("description").is_some() {
        return None;
    }
    let text = first_words(draft.document.body.slice(&draft.text)).unwrap_or_else(|| component.name.clone());
    let reason = "the host needs a description of a skill, so it has the first words of the text";
    let current = component.document.fields.as_ref().and_then(|fields| fields.entry("description"));
    if let Some(entry) = current {
        let reason = "it has no readable value; the first words of the text replace it";
        repairs.insert(entry.key_span.start, (RowOutcome::Dropped, reason.to_owned()));
    }
    match current {
        Some(entry) if entry.node.as_str().is_some() => draft.set_text("description", &text, reason),
        _ => draft.fields.push(("description".into(), quoted(&text), reason.into())),
    }
    Some(text)
}

/// The first line of prose in a body, or its first heading.
fn first_words(body: &str) -> Option<String> {
    let lines = || body.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let prose = lines().find(|line| !line.starts_with(['#', '<', '`', '|', '-', '*', '!', '>']));
    let line = prose.or_else(|| lines().next())?.trim_start_matches('#').trim();
    Some(line.chars().take(200).collect())
}
