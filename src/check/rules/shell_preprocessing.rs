//! A text has commands that a selected host does not run when it loads the text.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::target::TextForm;

pub(super) const RULE: Rule = Rule {
    name: "shell-preprocessing",
    group: RuleGroup::Portability,
    severity: Severity::Info,
    summary: "`` !`command` `` where a selected host runs nothing",
    page: include_str!("shell_preprocessing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let hosts: Vec<_> = context.hosts.iter().filter(|host| host.text.shell != TextForm::Native).collect();
    let Some(first) = hosts.first().filter(|_| text.may_run_commands()) else { return };
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let mut commands = own
        .flat_map(|file| &file.references)
        .filter(|reference| matches!(reference.named, ReferenceTarget::Shell(_)));
    let Some(command) = commands.next() else { return };
    let more = match commands.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let shown: String =
        command.span.slice(text.text).lines().next().unwrap_or_default().chars().take(60).collect();
    let message = format!("{} does not run commands in a text: {shown}{more}", first.host.title);
    let found = sink.report(text.file, command.span, message);
    found.hosts = hosts.iter().map(|host| host.name.clone()).collect();
    found.help = Some(
        "tell the model to run the command; a build does this for you, subject to the host's permissions"
            .to_owned(),
    );
}
