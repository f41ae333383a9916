//! A skill or command lets the model run anything without asking the user.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::tools;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "broad-tool-grant",
    group: RuleGroup::Style,
    severity: Severity::Warning,
    summary: "`allowed-tools` grants every command of a shell, or every tool",
    page: include_str!("broad_tool_grant.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind == ComponentKind::Agent || context.is_for_another_host(&component.path) {
        return;
    }
    let open = &context.checks().open_grants;
    for entry in tools::entries(component, &["allowed-tools"]) {
        for tool in tools::listed_tools(text.text, &entry.node) {
            if !open.iter().any(|grant| grant == tool.text) {
                continue;
            }
            let message = format!("`{}` allows everything without asking the user", tool.text);
            let found = sink.report(text.file, tool.span, message);
            found.help =
                Some("grant the commands that the text needs, such as `Bash(git status:*)`".to_owned());
        }
    }
}
