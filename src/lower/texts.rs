//! The texts of a component with the facts about every name in them, computed once for the rows, the block and the
//! registration.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::context::LoweringContext;
use super::{arguments, native_actions, overrides, shell_tests};
use crate::model::component::{Component, FileReferences};
use crate::model::overrides::NewName;
use crate::model::plugin::InlineCommand;
use crate::model::references::{Reference, ReferenceTarget};
use crate::source::{ComponentKind, SourceFile, Span};
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
    /// The new name of its target.
    pub(super) renamed: Option<&'a NewName>,
    /// Whether the host itself runs or includes it.
    pub(super) is_native: bool,
    /// Whether it is a real argument placeholder that the block must explain.
    pub(super) is_meant: bool,
    /// Whether it is a variable that a shell test checks.
    pub(super) is_tested: bool,
}

/// The edits that update mentions in files to new names: span, text and reason of each.
pub(super) type NameEdits<'a> = BTreeMap<&'a Utf8Path, Vec<(Span, String, String)>>;

/// The edits of the files beside skills; a file that several skills share is edited for the first one.
pub(super) fn name_edits<'a>(components: &[(&Component, Vec<ComponentText<'a>>)]) -> NameEdits<'a> {
    let mut edits = NameEdits::new();
    for (_, texts) in components.iter().filter(|(component, _)| component.kind == ComponentKind::Skill) {
        for text in texts.iter().filter(|text| !text.is_main) {
            let renamed = text.names.iter().filter_map(|name| Some((name.reference.span, name.renamed?)));
            let own = renamed.map(|(span, renamed)| {
                (span, renamed.renamed_mention(span.slice(text.text)), overrides::naming(renamed))
            });
            edits.entry(&text.file.path).or_insert_with(|| own.collect());
        }
    }
    edits
}

/// The texts of `component`.
pub(super) fn component_names<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
) -> Vec<ComponentText<'a>> {
    let takes_arguments = arguments::takes_arguments(component, context);
    texts_of(context, component, context.resolved.references(component), takes_arguments)
}

/// The shared texts that `component` reads, which belong to no component.
pub(super) fn shared_names<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
) -> Vec<ComponentText<'a>> {
    texts_of(context, component, context.resolved.shared_references(component), false)
}

fn texts_of<'a>(
    context: &LoweringContext<'a>,
    component: &'a Component,
    groups: &'a [FileReferences],
    takes_arguments: bool,
) -> Vec<ComponentText<'a>> {
    let texts = groups.iter().filter_map(|group| {
        let file = context.project.tree.get(&group.path)?;
        let text = file.text()?;
        let is_main = group.path == component.path;
        let owner = is_main.then_some(component);
        let names = names(context, text, &group.references, owner, takes_arguments);
        Some(ComponentText { file, text, is_main, names })
    });
    texts.collect()
}

/// The names in the text of a command in a manifest.
pub(super) fn inline_names<'a>(
    context: &LoweringContext<'a>,
    command: &'a InlineCommand,
) -> Vec<TextName<'a>> {
    names(context, &command.content, context.resolved.inline(command), None, true)
}

fn names<'a>(
    context: &LoweringContext<'a>,
    text: &str,
    references: &'a [Reference],
    owner: Option<&Component>,
    takes_arguments: bool,
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
        renamed: overrides::renamed(context, reference),
        is_native: owner.is_some_and(|owner| native_actions::is_native(context, owner, reference)),
        is_meant: meant.contains(&reference.span),
        is_tested: tested.contains(&reference.span),
    };
    references.iter().map(name).collect()
}
