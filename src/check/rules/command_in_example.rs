//! A command in an example, which the host runs nevertheless.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::read::markdown::{CodeBlock, Region, RegionKind};
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "command-in-example",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "`` !`command` `` in an example, which the host runs",
    page: include_str!("command_in_example.md"),
    check: RuleCheck::Component(check),
};

/// Languages of code blocks that show a text to write.
const SHOWN_LANGUAGES: [&str; 4] = ["markdown", "md", "mdx", "yaml"];

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    // Hosts run no commands in the text of an agent.
    if !context.for_source_host() || component.kind == ComponentKind::Agent || !text.may_run_commands() {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let commands = own
        .flat_map(|file| &file.references)
        .filter(|reference| matches!(reference.named, ReferenceTarget::Shell(_)));
    let shown = |block: &&CodeBlock| {
        let info = block.info.as_deref().unwrap_or_default();
        let word = info.split_whitespace().next().unwrap_or_default().to_lowercase();
        SHOWN_LANGUAGES.contains(&word.as_str())
    };
    let outline = text.outline();
    // The code span of a command itself starts after its `!`.
    let span = |region: &&Region| region.kind == RegionKind::CodeSpan;
    let mut shown = commands.filter(|command| {
        let start = command.span.start;
        let ReferenceTarget::Shell(written) = &command.named else { return false };
        let inner = written.trim_start_matches('!').trim_matches('`');
        let is_any = |block: &&CodeBlock| is_placeholder(inner) || shown(block);
        outline.blocks.iter().filter(is_any).any(|block| block.span.contains(start))
            || outline.regions.iter().filter(span).any(|region| region.span.contains(start))
    });
    let Some(command) = shown.next() else { return };
    let found =
        sink.report(text.file, command.span, "the host runs this command, although it is part of an example");
    found.help = Some("move the example to a file beside this one, or leave out the `!`".to_owned());
    found.hosts = context.source_host_of_several();
    for command in shown {
        found.relate(text.file, command.span, "the host runs this one, too");
    }
}

/// Whether a command is a placeholder: a name in angle brackets.
pub(super) fn is_placeholder(command: &str) -> bool {
    let inner = command.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner.is_some_and(|inner| inner.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c)))
}
