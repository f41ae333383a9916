//! A skill's name and its folder differ.

use super::name_format::is_portable;
use crate::check::context::{PluginText, RuleContext};
use crate::check::renames;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::qualify;

pub(super) const RULE: Rule = Rule {
    name: "name-mismatch",
    group: RuleGroup::Portability,
    severity: Severity::Info,
    summary: "a skill's `name` differs from its folder",
    page: include_str!("name_mismatch.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some((name, folder)) = renames::differing_name(component, &text.plugin.root) else { return };
    let Some(node) = component.field("name") else { return };
    let found =
        sink.report(text.file, node.span, format!("the skill is named `{name}`, but its folder `{folder}`"));
    // No host's form of a name may be broken to keep that of a folder.
    if is_portable(&name) && !is_portable(folder) {
        found.help = Some(format!("rename the folder to `{name}`"));
        return;
    }
    found.help = Some(format!("write `name: {folder}`, and call it by that name, or rename the folder"));
    let taken = context.directory().skill(&qualify(&text.plugin.name, folder));
    if taken.is_some_and(|other| other.path != component.path) {
        return;
    }
    let callers = context.renames().edits(context, text.plugin, (&name, folder), (text.file, node.span));
    if let Some(callers) = callers {
        let mut fix = replace(text.file, node.span, folder, Applicability::Unsafe);
        fix.edits.extend(callers);
        found.fix = Some(fix);
    }
}
