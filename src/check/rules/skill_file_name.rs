//! A skill file whose name has the wrong case.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::skill_files::in_skill_folders;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::source::SKILL_FILE;

pub(super) const RULE: Rule = Rule {
    name: "skill-file-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a skill file is called `skill.md`, but hosts read only `SKILL.md`",
    page: include_str!("skill_file_name.md"),
    check: RuleCheck::Plugin(check),
};

fn check(_: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for (path, inner) in in_skill_folders(plugin) {
        let name = path.file_name().unwrap_or_default();
        let one_below = inner.as_str().matches('/').count() == 1;
        if one_below && name != SKILL_FILE && name.eq_ignore_ascii_case(SKILL_FILE) {
            let sibling = path.with_file_name(SKILL_FILE);
            if !plugin.files.kept.contains(&sibling) {
                let found = sink.report_file(path, format!("hosts read only `{SKILL_FILE}`, not `{name}`"));
                found.help = Some(format!("rename it to `{SKILL_FILE}`"));
            }
        }
    }
}
