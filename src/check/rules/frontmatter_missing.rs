//! A skill or an agent without frontmatter.

use crate::check::context::{PluginText, RuleContext};
use crate::check::fields;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::tree::FaultKind;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "frontmatter-missing",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a skill or an agent has no frontmatter",
    page: include_str!("frontmatter_missing.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let document = &component.document;
    // Misplaced or unclosed frontmatter is reported separately.
    const DELIMITERS: [FaultKind; 3] =
        [FaultKind::FrontmatterEndsEarly, FaultKind::FrontmatterNotFirst, FaultKind::FrontmatterUnclosed];
    let faulty = document.faults.iter().any(|fault| DELIMITERS.contains(&fault.kind));
    if document.yaml.is_some() || faulty {
        return;
    }
    let (message, hosts) = match component.kind {
        ComponentKind::Skill => (
            "the skill has no frontmatter, so the model does not know when to use it",
            context.hosts_that(|target| fields::needs_description(component, target)),
        ),
        ComponentKind::Agent => ("the file has no frontmatter but still becomes an agent", Vec::new()),
        _ => return,
    };
    let found = sink.report_file(&text.file.path, message);
    found.hosts = hosts;
    found.help = Some(match component.kind {
        ComponentKind::Skill => "start the file with frontmatter: `---`, `name`, `description`, `---`".to_owned(),
        _ => "start the file with frontmatter: `---`, `name`, `description`, `---`; move notes out of the agents folder"
            .to_owned(),
    });
}
