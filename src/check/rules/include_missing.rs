//! A command includes a missing file.

use crate::check::context::{PluginText, RuleContext};
use crate::check::include;
use crate::check::paths;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "include-missing",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a command includes a missing file",
    page: include_str!("include_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    for include in include::find(context, component, text) {
        let Err(wanted) = include.file else { continue };
        let message = format!(
            "`@` includes `{}`, which does not exist in the plugin",
            text.plugin.relative_path(&wanted)
        );
        let found = sink.report(text.file, include.span, message);
        found.help = Some(match paths::nearest_file(text, &wanted) {
            Some(other) => format!("did you mean `{}`?", text.plugin.relative_path(other)),
            None => "add the file, or fix the path".to_owned(),
        });
    }
}
