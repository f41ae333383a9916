//! A skill's name that the specification does not allow.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{Cause, Severity};
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "name-format",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a skill's name is not 1 to 64 of a–z, 0–9 and single hyphens",
    page: include_str!("name_format.md"),
    check: RuleCheck::Component(check),
};

/// The maximum length of a name in the Agent Skills specification.
const LONGEST: usize = 64;

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.field("name").filter(|_| component.kind == ComponentKind::Skill) else {
        return;
    };
    let Some(name) = node.scalar().filter(|name| !name.trim().is_empty()) else { return };
    let Some((mistake, why)) = fault(&name) else { return };
    let length = name.chars().count();
    let found = sink.report(text.file, node.span, format!("the name `{name}` {why}"));
    found.known_cause = Some(Cause::new(mistake, &[&name]));
    found.hosts = context.hosts_that(|target| target.skill.name_limit.is_some_and(|limit| length > limit));
    // Hosts put the plugin's name before it.
    let own = name.strip_prefix(text.plugin.name.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let folder = component.folder().file_name();
    found.help = Some(match hyphenated(own.unwrap_or(&name)) {
        Some(plain) if own.is_some() && folder == Some(plain.as_str()) => {
            format!("write `name: {plain}`: hosts put the plugin's name before it")
        }
        Some(plain) => format!("rename the skill and its folder to `{plain}`"),
        None => "use a–z, 0–9 and single hyphens".to_owned(),
    });
}

/// Why some host may refuse the name of a skill: the mistake, and its description.
fn fault(name: &str) -> Option<(&'static str, String)> {
    let length = name.chars().count();
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if length > LONGEST {
        Some(("length", format!("has {length} characters (limit {LONGEST})")))
    } else if let Some(c) = name.chars().find(|c| !is_allowed(*c)) {
        Some(("characters", format!("contains `{c}`; only a–z, 0–9 and `-` are allowed")))
    } else if name.starts_with('-') || name.ends_with('-') {
        Some(("edge", "begins or ends with a hyphen".to_owned()))
    } else if name.contains("--") {
        Some(("row", "contains two hyphens in a row".to_owned()))
    } else {
        None
    }
}

/// Whether every host accepts the name of a skill.
pub(super) fn is_portable(name: &str) -> bool {
    !name.is_empty() && fault(name).is_none()
}

/// The name with invalid characters replaced by hyphens.
fn hyphenated(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let plain = parts.join("-");
    (!plain.is_empty() && plain.len() <= LONGEST).then_some(plain)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_plain_name_is_proposed() {
        assert_eq!(super::hyphenated("My Plan--2").as_deref(), Some("my-plan-2"));
        assert_eq!(super::hyphenated("計画"), None);
    }
}
