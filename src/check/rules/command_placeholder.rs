//! Text that looks like the placeholder of a command but is never replaced.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::read::markdown::{RegionKind, region_at};
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "command-placeholder",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a command or skill has a placeholder that nothing replaces",
    page: include_str!("command_placeholder.md"),
    check: RuleCheck::Component(check),
};

/// The placeholder that the source host replaces.
const PLACEHOLDER: &str = "$ARGUMENTS";

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let is_skill = match component.kind {
        ComponentKind::Command => false,
        ComponentKind::Skill => true,
        _ => return,
    };
    let declared = component.arguments();
    // A skill may have templates in braces for something else.
    let placeholders = context.checks().false_placeholders.iter();
    for placeholder in placeholders.filter(|placeholder| !is_skill || placeholder.starts_with('$')) {
        for (at, _) in text.body.slice(text.text).match_indices(placeholder.as_str()) {
            let span = Span::new(at, at + placeholder.len()).shifted(text.body.start);
            let next = text.text[span.end..].chars().next();
            let goes_on =
                !placeholder.ends_with('}') && next.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let escaped = text.text[..span.start].ends_with('\\');
            let in_code = || {
                let region = region_at(&text.outline().regions, span.start);
                matches!(region, Some(RegionKind::CodeBlock | RegionKind::CodeSpan))
            };
            if goes_on
                || escaped
                || is_skill && in_code()
                || declared.iter().any(|name| name == placeholder.trim_start_matches('$'))
            {
                continue;
            }
            let found = sink.report(text.file, span, format!("nothing replaces `{placeholder}`"));
            found.help = Some(format!("write `{PLACEHOLDER}`"));
            found.fix = Some(replace(text.file, span, PLACEHOLDER, Applicability::Unsafe));
        }
    }
}
