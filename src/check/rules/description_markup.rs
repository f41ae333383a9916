//! A tag in a skill's description.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "description-markup",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill's description contains a tag such as `<important>`",
    page: include_str!("description_markup.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.field("description").filter(|_| component.kind == ComponentKind::Skill) else {
        return;
    };
    let written = node.span.slice(text.text);
    let Some(tag) = tag(written) else { return };
    let place = tag.shifted(node.span.start);
    let found =
        sink.report(text.file, place, format!("the description contains the tag `{}`", tag.slice(written)));
    found.help = Some("use plain words, or put the tag in backticks".to_owned());
}

/// The first tag outside of backticks.
fn tag(text: &str) -> Option<Span> {
    let mut at = 0;
    while let Some(next) = text[at..].find(['`', '<']).map(|next| at + next) {
        let rest = &text[next + 1..];
        if text[next..].starts_with('`') {
            at = rest.find('`').map_or(next + 1, |end| next + end + 2);
            continue;
        }
        let end = rest.find(['<', '>']).filter(|end| rest[*end..].starts_with('>'));
        let name = rest.strip_prefix('/').unwrap_or(rest);
        if let Some(end) = end.filter(|_| name.starts_with(|first: char| first.is_ascii_alphabetic())) {
            return Some(Span::new(next, next + end + 2));
        }
        at = next + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_neither_a_comparison_nor_code() {
        let found = |text: &'static str| tag(text).map(|span| span.slice(text));
        assert_eq!(found("a <b>"), Some("<b>"));
        assert_eq!(found("`<a>` then </c d>"), Some("</c d>"));
        assert_eq!(found("< 5 and <3, a -> b, a < b > c, <a <3"), None);
        assert_eq!(found("an open ` and <b>"), Some("<b>"));
    }
}
