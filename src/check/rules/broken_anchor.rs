//! A link leads to a place that the text does not have.

use std::collections::BTreeSet;

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths::PathTarget;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::similar_names::{nearest, slip};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "broken-anchor",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a link points to a missing heading",
    page: include_str!("broken_anchor.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for link in text.links(context) {
        let Some(anchor) = link.anchor.as_deref().filter(|anchor| names_a_heading(anchor)) else { continue };
        let path = if link.path.is_empty() {
            text.file.path.clone()
        } else {
            match link.leads(context, text) {
                PathTarget::Here { path, .. } | PathTarget::Away(path) => path.clone(),
                _ => continue,
            }
        };
        let Some(places) = context.anchors().get(&path).filter(|places| !places.has(anchor)) else {
            continue;
        };
        let file = match link.path.is_empty() {
            true => "this text".to_owned(),
            false => format!("`{}`", path.file_name().unwrap_or_default()),
        };
        let shown = link.destination;
        let start = shown.slice(text.text).find('#').map_or(shown.start, |at| shown.start + at + 1);
        let span = Span::new(start, shown.end.max(start));
        let found = sink.report(text.file, span, format!("no heading of {file} matches `#{anchor}`"));
        match nearest(anchor, places.shown.iter().map(String::as_str)) {
            Some(near) => {
                found.help = Some(format!("did you mean `#{near}`?"));
                if numbers(near).eq(numbers(anchor)) && is_sure(anchor, near) {
                    found.fix = Some(replace(text.file, span, near, Applicability::Unsafe));
                }
            }
            None => found.help = Some("link to an existing heading, or remove the anchor".to_owned()),
        }
    }
}

/// Whether two anchors are the same but for a slip of the hand, or for words that one has more: headings that only share
/// a word may be about anything.
fn is_sure(anchor: &str, near: &str) -> bool {
    let words = |anchor: &str| {
        let words = anchor.split('-').filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<BTreeSet<_>>()
    };
    let (anchor_words, near_words) = (words(anchor), words(near));
    let shared = anchor_words.intersection(&near_words).count();
    slip(anchor, [near]).is_some() || shared > 0 && shared == anchor_words.len().min(near_words.len())
}

/// The numbers of an anchor: of another step or version it is another place.
fn numbers(anchor: &str) -> impl Iterator<Item = &str> {
    anchor.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// Whether an anchor means a heading: lines of code, text fragments and routes do not.
fn names_a_heading(anchor: &str) -> bool {
    let line =
        anchor.strip_prefix(['L', 'l']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let other = anchor.starts_with(':') || anchor.contains(['/', '=', '{', '<', '$', '&', '!']);
    !line && !other && !anchor.is_empty() && anchor != "top"
}
