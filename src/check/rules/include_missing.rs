//! A command includes a file of the plugin that is not there.

use crate::check::context::{Context, Text};
use crate::check::include;
use crate::check::paths;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "include-missing",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a command includes a missing file",
    page: include_str!("include_missing.md"),
    check: Check::Component(check),
};

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    for include in include::find(context, component, text) {
        let Err(wanted) = include.file else { continue };
        let message =
            format!("`@` includes `{}`, which does not exist in the plugin", text.plugin.inner(&wanted));
        let found = sink.at(text.file, include.span, message);
        found.help = Some(match paths::meant(text, &wanted) {
            Some(other) => format!("did you mean `{}`?", text.plugin.inner(other)),
            None => "add the file, or fix the path".to_owned(),
        });
    }
}
