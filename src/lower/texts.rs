//! The texts of a component with the facts about every name in them, computed once for the rows, the block and the
//! registration.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::context::LoweringContext;
use super::mentions::{self, NameExplanation, RewrittenMention};
use super::{arguments, native_actions, shell_tests};
use crate::model::component::{Component, FileReferences};
use crate::model::plugin::InlineCommand;
use crate::model::references::{Reference, ReferenceTarget};
use crate::read::intent::is_for_maintainers;
use crate::source::{ComponentKind, SourceFile, Span, is_markdown};
use crate::target::TextForm;

/// A text of a component.
pub(super) struct ComponentText<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) text: &'a str,
    /// Whether it is the component's main text, which gets the block.
    pub(super) is_main: bool,
    /// The names in it, in text order.
    pub(super) names: Vec<TextName<'a>>,
}

/// A name in a text.
pub(super) struct TextName<'a> {
    pub(super) reference: &'a Reference,
    /// How it is written on the host, unless it stays.
    pub(super) rewritten: Option<RewrittenMention>,
    /// Whether the host itself runs or includes it.
    pub(super) is_native: bool,
    /// Whether it is a real argument placeholder that the block must explain.
    pub(super) is_meant: bool,
    /// Whether it is a variable that a shell test checks.
    pub(super) is_tested: bool,
}

/// The edits that update mentions in files to the names on the host: span, text and reason of each.
pub(super) type NameEdits<'a> = BTreeMap<&'a Utf8Path, Vec<(Span, String, String)>>;

/// The edits of the files beside skills, and of texts that belong to no component; a file that several skills share is
/// edited for the first one.
pub(super) fn name_edits<'a>(
    context: &LoweringContext<'a>,
    components: &'a [(&Component, Vec<ComponentText<'a>>)],
) -> NameEdits<'a> {
    let mut edits = NameEdits::new();
    for (_, texts) in components.iter().filter(|(component, _)| component.kind == ComponentKind::Skill) {
        for text in texts.iter().filter(|text| !text.is_main) {
            let names = text.names.iter();
            let rewritten = names.filter_map(|name| {
                let rewritten = name.rewritten.as_ref()?;
                Some((name.reference.span, rewritten.text.clone(), rewritten.reason.clone()))
            });
            edits.entry(&text.file.path).or_insert_with(|| rewritten.collect());
        }
    }
    let has_other_name =
        |component: &Component| component.alias().is_some() || component.host_override.renamed.is_some();
    if !context.plugin.components.iter().any(has_other_name) {
        return edits;
    }
    let places = &context.places;
    let is_other = |path: &&'a Utf8PathBuf| {
        is_markdown(path) && !places.mains.contains(path) && !places.skills.contains(path)
    };
    // A text for maintainers describes the source.
    let others = context.plugin.files.kept.iter().filter(is_other).filter(|path| !is_for_maintainers(path));
    for path in others {
        let Some(text) = context.project.tree.get(path).and_then(|file| file.text()) else { continue };
        let names = context.resolved.names_in(text, &context.plugin.name);
        let rewritten = names.iter().filter_map(|name| {
            let rewritten = mentions::rewritten(context, text, name, NameExplanation::Missing)?;
            Some((name.span, rewritten.text, rewritten.reason))
        });
        edits.insert(path, rewritten.collect());
    }
    edits
}

/// The texts of `component`.
pub(super) fn component_names<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
) -> Vec<ComponentText<'a>> {
    let takes_arguments = arguments::takes_arguments(component, context);
    let explained = NameExplanation::BlockOf(&component.qualified);
    texts_of(context, component, context.resolved.references(component), (takes_arguments, explained))
}

/// The shared texts that `component` reads, which belong to no component.
pub(super) fn shared_names<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
) -> Vec<ComponentText<'a>> {
    let groups = context.resolved.shared_references(component);
    texts_of(context, component, groups, (false, NameExplanation::Missing))
}

fn texts_of<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
    groups: &'a [FileReferences],
    (takes_arguments, explained): (bool, NameExplanation<'_>),
) -> Vec<ComponentText<'a>> {
    let texts = groups.iter().filter_map(|group| {
        let file = context.project.tree.get(&group.path)?;
        let text = file.text()?;
        let is_main = group.path == component.path;
        let owner = is_main.then_some(component);
        let names = names(context, text, &group.references, owner, (takes_arguments, explained));
        Some(ComponentText { file, text, is_main, names })
    });
    texts.collect()
}

/// The names in the text of a command in a manifest.
pub(super) fn inline_names<'a>(
    context: &LoweringContext<'a>,
    command: &'a InlineCommand,
) -> Vec<TextName<'a>> {
    let references = context.resolved.inline(command);
    names(context, &command.content, references, None, (true, NameExplanation::Block))
}

fn names<'a>(
    context: &LoweringContext<'a>,
    text: &str,
    references: &'a [Reference],
    owner: Option<&Component>,
    (takes_arguments, explained): (bool, NameExplanation<'_>),
) -> Vec<TextName<'a>> {
    let tested = shell_tests::kept_variables(text, references);
    let is_argument = |reference: &Reference| matches!(reference.named, ReferenceTarget::Argument(_));
    let is_bound = takes_arguments && context.target.text.arguments == TextForm::Bound;
    let meant: BTreeSet<Span> = match is_bound && references.iter().any(is_argument) {
        true => arguments::placeholder_spans(text, references),
        false => BTreeSet::new(),
    };
    let name = |reference| TextName {
        reference,
        rewritten: mentions::rewritten(context, text, reference, explained),
        is_native: owner.is_some_and(|owner| native_actions::is_native(context, owner, reference)),
        is_meant: meant.contains(&reference.span),
        is_tested: tested.contains(&reference.span),
    };
    references.iter().map(name).collect()
}
