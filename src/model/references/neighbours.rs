//! Agents whose names are ordinary words, in one list with an agent that is certainly named: "the `judge` and
//! `review:deep` agents".

use super::{Reference, ReferenceTarget};
use crate::model::qualified_name::QualifiedName;
use crate::source::{ComponentKind, Span};

/// The maximum bytes between two names of a list.
const GAP: usize = 12;

/// Words that join the names of a list, also in other languages than English.
const JOINING: [&str; 13] = ["and", "or", "then", "y", "e", "und", "oder", "et", "ou", "и", "或", "和", "と"];

/// Adds those of the `words`, which are in text order, that only separators divide from the name of an agent. `out` is in
/// text order before and after.
pub(super) fn add(
    text: &str,
    words: Vec<(Span, QualifiedName)>,
    out: &mut Vec<Reference>,
    reference: impl Fn(Span, ReferenceTarget) -> Reference,
) {
    if words.is_empty() {
        return;
    }
    let certain: Vec<Span> = out.iter().filter(|one| one.named.is_agent()).map(|one| one.span).collect();
    let mut is_named = vec![false; words.len()];
    // From the front for lists that begin with a certain name, and from the back for those that end with one.
    let mut last: Option<Span> = None;
    let mut rest = certain.iter().peekable();
    for ((span, _), is_named) in words.iter().zip(&mut is_named) {
        while let Some(before) = rest.next_if(|one| one.start < span.start) {
            last = Some(*before);
        }
        *is_named = last.is_some_and(|last| is_gap(text, last, *span));
        last = if *is_named { Some(*span) } else { last };
    }
    let mut next: Option<Span> = None;
    let mut rest = certain.iter().rev().peekable();
    for ((span, _), is_named) in words.iter().zip(&mut is_named).rev() {
        while let Some(after) = rest.next_if(|one| one.start > span.start) {
            next = Some(*after);
        }
        *is_named |= next.is_some_and(|next| is_gap(text, *span, next));
        next = if *is_named { Some(*span) } else { next };
    }
    let named = words.into_iter().zip(is_named).filter(|(_, is_named)| *is_named);
    out.extend(
        named.map(|((span, agent), _)| {
            reference(span, ReferenceTarget::Component(ComponentKind::Agent, agent))
        }),
    );
    out.sort_by_key(|one| one.span);
}

/// Marks the agents of a list as asked for, if the first of them is, and all names of a list as forbidden.
pub(super) fn mark_together(text: &str, out: &mut [Reference]) {
    for at in 1..out.len() {
        let (before, rest) = out.split_at_mut(at);
        let (Some(first), Some(second)) = (before.last(), rest.first_mut()) else { continue };
        if first.asked && second.named.is_agent() && is_gap(text, first.span, second.span) {
            second.asked = true;
        }
        if first.forbidden && second.named.is_called() && is_gap(text, first.span, second.span) {
            second.forbidden = true;
        }
    }
}

/// Whether only separators of a list are between two names.
fn is_gap(text: &str, first: Span, second: Span) -> bool {
    let between = text.get(first.end..second.start).filter(|between| between.len() <= GAP);
    between.is_some_and(|between| {
        let mut words = between.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        between.contains([',', '&', '+', '\n', '\u{3001}', '\u{ff0c}'])
            && words.clone().all(|word| JOINING.contains(&word))
            || words.next().is_some_and(|word| JOINING.contains(&word)) && words.next().is_none()
    })
}
