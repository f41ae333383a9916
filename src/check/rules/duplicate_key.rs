//! A key that occurs twice in frontmatter.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::dialect::DuplicateRule;
use crate::read::tree::FaultKind;
use crate::target::Target;

pub(super) const RULE: Rule = Rule {
    name: "duplicate-key",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "frontmatter has a duplicate key",
    page: include_str!("duplicate_key.md"),
    check: RuleCheck::InsteadOfReader(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    for fault in component.document.faults.iter().filter(|fault| fault.kind == FaultKind::DuplicateKey) {
        let key = fault.span.slice(text.text);
        let refuses = |target: &Target| match target.yaml.dialect.duplicates {
            DuplicateRule::Last => false,
            DuplicateRule::Refused => true,
            DuplicateRule::RefusedWhereRead => target.yaml.text_fields.iter().any(|read| read == key),
        };
        let hosts = context.hosts_that(refuses);
        let message = match hosts.is_empty() {
            true => format!("duplicate key `{key}`; the last value is used"),
            false => format!("duplicate key `{key}`; the host refuses the file"),
        };
        let found = sink.report(text.file, fault.span, message);
        found.hosts = hosts;
        found.help = Some("keep one of them".to_owned());
        if let Some(first) = fault.first {
            *found = found.clone().with_related(text.file, first, "first value");
        }
    }
}
