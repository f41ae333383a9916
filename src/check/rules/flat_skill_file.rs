//! A skill directly in the folder of skills instead of a separate folder.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::skill_files::in_skill_folders;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::frontmatter;
use crate::source::{SKILL_FILE, is_markdown};

pub(super) const RULE: Rule = Rule {
    name: "flat-skill-file",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a file such as `skills/x.md` looks like a skill, and no host reads it",
    page: include_str!("flat_skill_file.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    for (path, inner) in in_skill_folders(plugin) {
        let flat = !inner.as_str().contains('/') && is_markdown(inner);
        if !flat || inner == SKILL_FILE || plugin.components.iter().any(|component| component.path == *path) {
            continue;
        }
        let Some(text) = context.file(path).and_then(|file| file.text()) else { continue };
        let fields = frontmatter::parse(text).fields;
        if fields.is_some_and(|fields| fields.get("name").is_some() && fields.get("description").is_some()) {
            let found = sink.report_file(path, "this looks like a skill, but a skill needs its own folder");
            let stem = inner.file_stem().unwrap_or_default();
            found.help = Some(format!("move it to `skills/{stem}/{SKILL_FILE}`"));
        }
    }
}
