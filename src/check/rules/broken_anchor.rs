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
        let message = format!("no heading of {file} matches `#{anchor}`");
        if let Some((line, there)) = places.swallowed(anchor).zip(context.file(&path)) {
            let message = format!("{message}: the one that it means is part of an HTML block");
            let found = sink.report(text.file, span, message);
            found.help = Some("put an empty line above the heading".to_owned());
            let place = found.clone().related(there, line, "Markdown reads this line as HTML");
            found.related = place.related;
            continue;
        }
        let found = sink.report(text.file, span, message);
        let near = nearest(anchor, places.shown.iter().map(String::as_str));
        match near.filter(|near| numbers(near).eq(numbers(anchor))) {
            Some(near) => {
                found.help = Some(format!("did you mean `#{near}`?"));
                let others = places.shown.iter().filter(|other| other.as_str() != near);
                // A heading that is a link to itself is one that a site has made.
                let is_heading =
                    || text.outline().headings.iter().any(|heading| heading.span.contains(span.start));
                if is_sure(anchor, near)
                    && !others.into_iter().any(|other| may_mean(anchor, other))
                    && !is_heading()
                {
                    found.fix = Some(replace(text.file, span, near, Applicability::Unsafe));
                }
            }
            None => found.help = Some("link to an existing heading, or remove the anchor".to_owned()),
        }
    }
}

/// Whether two anchors are the same but for a slip of the hand, or for words that one has more: headings that only share
/// a word may be about anything, and one word alone may begin many.
fn is_sure(anchor: &str, near: &str) -> bool {
    let words = |anchor: &str| {
        let words = anchor.split('-').filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<BTreeSet<_>>()
    };
    let (anchor_words, near_words) = (words(anchor), words(near));
    let has_lost = !near_words.is_empty() && near_words.is_subset(&anchor_words);
    let has_gained = anchor_words.len() > 1 && anchor_words.is_subset(&near_words);
    slip(anchor, [near]).is_some() || has_lost || has_gained
}

/// Whether an anchor may mean `other`: it ends with it, behind the name of a section around it.
fn may_mean(anchor: &str, other: &str) -> bool {
    let plain =
        |anchor: &str| anchor.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    is_sure(anchor, other) || plain(anchor).ends_with(&plain(other))
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
