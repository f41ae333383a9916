//! A command includes a file that is longer than a model should have to read at once.

use crate::check::context::{PluginText, RuleContext};
use crate::check::include;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "include-size",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a command includes a file with more tokens than the limit",
    page: include_str!("include_size.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let limit = context.settings.limits.include_tokens;
    for include in include::find(context, component, text) {
        let Ok(file) = include.file else { continue };
        let tokens = usize::try_from(file.size).unwrap_or(usize::MAX).div_ceil(4);
        if tokens > limit {
            let path = text.plugin.relative_path(&file.path);
            let message = format!("`@` includes `{path}`, about {tokens} tokens (limit {limit})");
            let found = sink.report(text.file, include.span, message);
            found.help = Some(
                "name the file without `@`, so that the model reads what it needs, or shorten it".to_owned(),
            );
            let related = found.clone().with_related(file, Span::new(0, 0), "the file is here");
            found.related = related.related;
        }
    }
}
