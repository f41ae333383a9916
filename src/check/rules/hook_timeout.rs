//! The `timeout` of a hook is in milliseconds, but hosts read seconds.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "hook-timeout",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "the `timeout` of a hook seems to be in milliseconds, but hosts read seconds",
    page: include_str!("hook_timeout.md"),
    check: RuleCheck::Plugin(check),
};

/// Longer than anybody waits for a hook, in seconds.
const LONG: f64 = 1000.0;

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for (other, hook) in plugin.hooks() {
        let (Some(file), Some(node)) = (context.file(&other.path), hook.node.get("timeout")) else {
            continue;
        };
        let Some(value) = node.scalar().and_then(|value| value.parse::<f64>().ok()) else { continue };
        // Multiples of an hour are intended.
        if value < LONG || value % 3600.0 == 0.0 || value % 1000.0 != 0.0 && value % 500.0 != 0.0 {
            continue;
        }
        let message =
            format!("`timeout` is in seconds: {value} is over {:.0} minutes", (value / 60.0).floor());
        sink.report(file, node.span, message).help = Some(format!("write `\"timeout\": {}`", value / 1000.0));
    }
}
