//! A skill with a size exemption that it no longer needs.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::rules::skill_size;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "size-allowance",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a skill is exempt from the size limit but no longer exceeds it",
    page: include_str!("size_allowance.md"),
    check: RuleCheck::Project(check),
};

/// The file that contains the exemption.
const CONFIG: &str = "plugcast.toml";

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    let limits = &context.settings.limits;
    for path in &limits.oversize {
        let components = context.project.plugins.iter().flat_map(|plugin| &plugin.components);
        let skill = components.into_iter().find(|component| component.path == *path);
        let text = skill.and_then(|skill| Some((skill, context.file(&skill.path)?.text()?)));
        let message = match text {
            None => format!("`{path}` is exempt from the size limit but does not exist"),
            Some((skill, text))
                if skill_size::exceeded_limits(skill.document.body.slice(text), limits).is_empty() =>
            {
                format!("`{path}` is exempt from the size limit but no longer exceeds it")
            }
            Some(_) => continue,
        };
        let file = context.file(CONFIG).and_then(|file| Some((file, file.text()?)));
        let place = file.and_then(|(file, text)| Some((file, text.find(&format!("\"{path}\""))?)));
        let found = match place {
            Some((file, at)) => sink.report(file, Span::new(at, at + path.as_str().len() + 2), message),
            None => sink.report_file(CONFIG.as_ref(), message),
        };
        found.help =
            Some("remove it from `oversize` under `[check.limits]`, so that it stays small".to_owned());
    }
}
