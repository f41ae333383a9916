//! A shell example hides errors.

use crate::check::bash::{Operator, Redirect};
use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::{prose, script};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "skill-shell-suppression",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a shell example discards error messages or a failing exit status",
    page: include_str!("skill_shell_suppression.md"),
    check: RuleCheck::Text(check),
};

const NULL_DEVICE: &str = "/dev/null";

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for example in script::examples(text) {
        let commands = example.script.commands.iter();
        for command in commands.filter(|command| !command.condition && discards_errors(&command.redirects)) {
            sink.report(text.file, example.place(command.span), "the command discards its error messages")
                .help = Some("keep them visible, and say which failures to ignore".to_owned());
        }
        for joint in example.script.connectors.iter().filter(|joint| !joint.condition) {
            let always = matches!(joint.right.text.trim(), "true" | ":");
            if joint.operator == Operator::Or && always {
                let message = format!("`|| {}` hides that the command failed", joint.right.text.trim());
                sink.report(text.file, example.place(joint.span), message).help =
                    Some("remove it, and say which failures to ignore".to_owned());
            }
        }
    }
}

/// Whether error messages are discarded, alone or together with the output.
fn discards_errors(redirects: &[Redirect]) -> bool {
    let to_nowhere = |redirect: &&Redirect| redirect.target == NULL_DEVICE;
    let output =
        redirects.iter().filter(to_nowhere).any(|one| one.operator.starts_with('>') && one.descriptor != 2);
    let both = redirects.iter().filter(to_nowhere).any(|one| one.operator.contains('&'));
    let errors = redirects.iter().filter(to_nowhere).any(|one| one.descriptor == 2);
    let joined = redirects.iter().any(|one| one.descriptor == 2 && one.target.trim_start_matches('&') == "1");
    errors || both || output && joined
}
