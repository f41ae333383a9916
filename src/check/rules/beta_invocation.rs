//! The model may call a beta skill by itself.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::StageMarks;
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::source::{Span, next_line};

pub(super) const RULE: Rule = Rule {
    name: "beta-invocation",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "the model may call a beta skill by itself",
    page: include_str!("beta_invocation.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !StageMarks::from_component(component, text.plugin).is_beta() || component.is_user_only() {
        return;
    }
    const KEY: &str = "disable-model-invocation";
    let message = format!("the model may call the beta `{}` by itself", component.name);
    let node = component.field(KEY);
    let opening = text.text.lines().next().unwrap_or_default();
    let place = node.map_or(Span::new(0, opening.trim_end().len()), |node| node.span);
    let found = sink.report(text.file, place, message);
    found.help = Some(format!("write `{KEY}: true`"));
    // Insert after the opening line: after a nested last field, the new line would become part of it.
    let next = next_line(text.text, 0);
    let (span, line) = match node {
        Some(node) => (node.span, "true".to_owned()),
        None => (Span::new(next, next), format!("{KEY}: true\n")),
    };
    if opening.trim_end() == "---" && next <= text.body.start {
        found.fix = Some(replace(text.file, span, line, Applicability::Unsafe));
    }
}
