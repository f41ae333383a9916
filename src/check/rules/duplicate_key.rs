//! A key that frontmatter gives twice.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::dialect::Duplicates;
use crate::target::Target;

pub(super) const RULE: Rule = Rule {
    name: "duplicate-key",
    group: Group::Suspicious,
    severity: Severity::Warning,
    summary: "frontmatter has a duplicate key",
    page: include_str!("duplicate_key.md"),
    check: Check::Anew(check),
};

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    for fault in component.document.faults.iter().filter(|fault| fault.rule == RULE.name) {
        let key = fault.span.of(text.text);
        let refuses = |target: &Target| match target.yaml.dialect.duplicates {
            Duplicates::Last => false,
            Duplicates::Refused => true,
            Duplicates::RefusedWhereRead => target.yaml.text_fields.iter().any(|read| read == key),
        };
        let hosts = context.hosts_that(refuses);
        let message = match hosts.is_empty() {
            true => format!("duplicate key `{key}`; the last value is used"),
            false => format!("duplicate key `{key}`; the host refuses the file"),
        };
        let found = sink.at(text.file, fault.span, message);
        found.hosts = hosts;
        found.help = Some("keep one of them".to_owned());
        if let Some(first) = fault.first {
            *found = found.clone().related(text.file, first, "first value");
        }
    }
}
