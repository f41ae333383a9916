//! Mentions of components by names that they do not have on the host, which are rewritten: a new name, and the name in
//! a skill's frontmatter, which only the source host takes besides that of its folder.

use super::context::LoweringContext;
use super::overrides;
use crate::model::qualified_name::{QualifiedName, other_name, parts_of};
use crate::model::references::{Reference, ReferenceTarget};
use crate::source::ComponentKind;

/// How a mention is written on the host.
pub(super) struct RewrittenMention {
    pub(super) text: String,
    /// Why it is rewritten.
    pub(super) reason: String,
}

/// Who explains the names of skills that the host does not know.
#[derive(Clone, Copy)]
pub(super) enum NameExplanation<'a> {
    /// The block of this component, but for its own name.
    BlockOf(&'a QualifiedName),
    /// The block of a text whose component has no other name.
    Block,
    /// Nobody: the text belongs to no component.
    Missing,
}

/// How the mention `reference` in `text` is written on the host, unless it stays.
pub(super) fn rewritten(
    context: &LoweringContext<'_>,
    text: &str,
    reference: &Reference,
    explained: NameExplanation<'_>,
) -> Option<RewrittenMention> {
    let ReferenceTarget::Component(kind, name) = &reference.named else { return None };
    let written = reference.span.slice(text);
    if let Some(renamed) = overrides::new_name(context, *kind, name) {
        let text = renamed.renamed_mention(written);
        return Some(RewrittenMention { text, reason: overrides::naming(renamed) });
    }
    let has_block = context.target.block.contains_key("skills");
    let is_explained = match explained {
        NameExplanation::BlockOf(owner) => has_block && owner != name,
        NameExplanation::Block => has_block,
        NameExplanation::Missing => false,
    };
    let (bare, is_typed) = match written.strip_prefix('/') {
        Some(bare) => (bare, true),
        None => (written, false),
    };
    // Without a slash and the plugin's name, it may be a title.
    let is_name = is_typed || parts_of(bare).is_some_and(|(plugin, _)| plugin == name.plugin());
    if *kind != ComponentKind::Skill || is_explained || !is_name || context.takes_written_name(name) {
        return None;
    }
    other_name(name, bare)?;
    let command = &context.target.command;
    let can_be_typed = command.typed.is_none_or(|rule| rule.apply(name) == **name);
    let mark = command.mark.unwrap_or('/');
    let text = if is_typed && can_be_typed { format!("{mark}{name}") } else { name.to_string() };
    let reason = "the host does not take the name in the skill's frontmatter".to_owned();
    Some(RewrittenMention { text, reason })
}
