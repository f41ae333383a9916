//! A text calls a bundled script by its path, but the script is not executable.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "script-not-executable",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a text calls a bundled script by its path, but the script is not executable",
    page: include_str!("script_not_executable.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for call in text.calls(context) {
        if context.file(&call.path).is_some_and(|file| !file.executable) {
            let name = call.path.file_name().unwrap_or_default();
            let message = format!("`{name}` is called by its path but is not executable");
            let help = "run `chmod +x` on it and commit the change, or call it with its interpreter";
            sink.report(text.file, call.span, message).help = Some(help.to_owned());
        }
    }
}
