//! A folder among the skills that looks like a skill but has no `SKILL.md`.

use std::collections::BTreeMap;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::skill_files::in_skill_folders;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::source::{SKILL_FILE, is_markdown};

pub(super) const RULE: Rule = Rule {
    name: "skill-file-missing",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a folder among the skills has no `SKILL.md`, so that no host lists it",
    page: include_str!("skill_file_missing.md"),
    check: RuleCheck::Plugin(check),
};

/// Folders that skills share.
const SHARED_FOLDERS: [&str; 14] = [
    "shared",
    "common",
    "references",
    "reference",
    "templates",
    "scripts",
    "assets",
    "lib",
    "docs",
    "examples",
    "utils",
    "tests",
    "resources",
    "data",
];

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    // Whether a skill file is below a folder, and whether a text is directly in it.
    let mut folders: BTreeMap<&str, (bool, bool, String)> = BTreeMap::new();
    for (path, inner) in in_skill_folders(plugin) {
        let mut parts = inner.as_str().split('/');
        let (Some(folder), Some(_)) = (parts.next(), parts.next()) else { continue };
        let whole = path.as_str().strip_suffix(inner.as_str()).unwrap_or_default();
        let entry = folders.entry(folder).or_insert_with(|| (false, false, format!("{whole}{folder}")));
        let name = path.file_name().unwrap_or_default();
        entry.0 |= name.eq_ignore_ascii_case(SKILL_FILE);
        entry.1 |= is_markdown(path) && inner.as_str().matches('/').count() == 1;
    }
    // Texts of other skills mention shared folders.
    let named = |folder: &str| {
        let texts = plugin.files.kept.iter().filter_map(|path| context.file(path)?.text());
        texts.into_iter().any(|text| text.contains(&format!("{folder}/")))
    };
    for (folder, (has_skill, has_text, path)) in folders {
        let shared =
            folder.starts_with(['_', '.']) || SHARED_FOLDERS.contains(&folder.to_lowercase().as_str());
        if has_skill || !has_text || shared || named(folder) {
            continue;
        }
        let found = sink.report_file(
            path.as_str().into(),
            format!("this folder has no `{SKILL_FILE}`, so no host lists it"),
        );
        found.help = Some(format!("add `{SKILL_FILE}`, or move the folder out of the skills"));
    }
}
