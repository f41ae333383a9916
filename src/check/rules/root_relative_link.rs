//! A link works only relative to the skill's folder, not to the folder of its text.

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths::{self, PathTarget};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};

pub(super) const RULE: Rule = Rule {
    name: "root-relative-link",
    group: RuleGroup::Pedantic,
    severity: Severity::Warning,
    summary: "a link works only relative to the skill's folder",
    page: include_str!("root_relative_link.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        let PathTarget::Inside { path, only_from_skill: true } = link.target(context, text) else {
            continue;
        };
        let written = paths::from_text(text, path);
        let message = format!("`{}` is relative to the skill's folder, not to this file", link.path);
        let found = sink.report(text.file, link.span, message);
        found.help = Some(format!("write `{written}`, which Markdown viewers can follow"));
        found.fix = Some(replace(text.file, link.span, written, Applicability::Unsafe));
    }
}
