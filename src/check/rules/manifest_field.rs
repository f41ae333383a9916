//! A field of a manifest or marketplace has a value that the source host rejects. Readers report most of these; this
//! module reports missing fields of a marketplace.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "manifest-field",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a field of a manifest or marketplace has a value that hosts refuse",
    page: include_str!("manifest_field.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let source = context.targets.source();
    let own = context.project.marketplace.as_ref().filter(|own| own.path == source.marketplace);
    let Some((marketplace, file)) = own.and_then(|own| Some((own, context.file(&own.path)?))) else { return };
    let first = Span::new(marketplace.node.span.start, marketplace.node.span.start + 1);
    for (key, help) in
        [("name", "add `\"name\": \"my-marketplace\"`"), ("owner", "add `\"owner\": { \"name\": \"…\" }`")]
    {
        if marketplace.node.get(key).is_none() {
            sink.report(file, first, format!("the marketplace has no `{key}`")).help = Some(help.to_owned());
        }
    }
}
