//! A shell example does several things in one command line.

use crate::check::bash::{Connector, Operator};
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::{prose, script};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "skill-shell-chaining",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a shell example chains commands with `&&`, `||`, `;` or more than one pipe",
    page: include_str!("skill_shell_chaining.md"),
    check: RuleCheck::Text(check),
};

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for example in script::examples(text) {
        // One finding per line: splitting the line removes all of them.
        let mut last = 0;
        for joint in example.script.connectors.iter().filter(|joint| chains(joint)) {
            let span = example.place(joint.span);
            let line = text.file.position(span.start).line;
            if line == last {
                continue;
            }
            last = line;
            let sign = match joint.operator {
                Operator::And => "&&",
                Operator::Or => "||",
                Operator::Semicolon => ";",
            };
            sink.report(text.file, span, format!("`{sign}` chains two commands")).help =
                Some("write one command per line, and say what to do when the first one fails".to_owned());
        }
        for pipeline in example.script.pipelines.iter().filter(|one| !one.condition && one.stages > 2) {
            let message = format!("a pipe of {} commands", pipeline.stages);
            sink.report(text.file, example.place(pipeline.span), message).help =
                Some("use at most one pipe, or move the steps into a script of the skill".to_owned());
        }
    }
}

fn chains(joint: &Connector) -> bool {
    let tests = joint.left.test && joint.right.test;
    let hands_on = joint.operator == Operator::And
        && joint.left.sets.as_ref().is_some_and(|name| {
            [format!("${name}"), format!("${{{name}")]
                .iter()
                .any(|used| joint.right.text.contains(used.as_str()))
        });
    !(joint.condition || tests || hands_on || swallows(joint))
}

/// `|| true`, which another rule reports.
fn swallows(joint: &Connector) -> bool {
    joint.operator == Operator::Or && matches!(joint.right.text.trim(), "true" | ":")
}
