//! A link leaves the plugin of the text.

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths::PathTarget;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::LocationForm;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "cross-skill-reference",
    group: RuleGroup::Portability,
    severity: Severity::Error,
    summary: "a link leaves the plugin, and only the plugin is installed",
    page: include_str!("cross_skill_reference.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    // A project is not installed; everything around it exists.
    if text.plugin.form == LocationForm::Project || text.lies_in_a_project() {
        return;
    }
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        let written = &link.path;
        match link.target(context, text) {
            PathTarget::Outside(path) if path.starts_with(&text.plugin.root) => {}
            // A file next to plugins may be part of a plugin for another host.
            PathTarget::Outside(_) if text.plugin.is_check_only => {}
            PathTarget::MissingOutside(_) | PathTarget::OutOfSource if is_of_the_forge(text, written) => {}
            PathTarget::Outside(_) | PathTarget::OutOfSource => {
                report_outside(text, link.span, written, sink)
            }
            PathTarget::MissingOutside(path) if !path.starts_with(&text.plugin.root) => {
                report_outside(text, link.span, written, sink);
            }
            _ => {}
        }
    }
}

/// Whether a page for people links to a page of the forge, two folders above the branch: `../../issues`.
fn is_of_the_forge(text: &PluginText<'_>, written: &str) -> bool {
    const PAGES: [&str; 9] =
        ["issues", "pulls", "releases", "wiki", "actions", "discussions", "security", "tags", "stargazers"];
    let is_page = |rest: &str| PAGES.contains(&rest.split('/').next().unwrap_or_default());
    let stem = text.file.path.file_stem().unwrap_or_default();
    !text.main && !stem.contains(char::is_lowercase) && written.strip_prefix("../../").is_some_and(is_page)
}

/// Reports a path that leaves the plugin: nothing outside is installed with it.
fn report_outside(text: &PluginText<'_>, span: Span, written: &str, sink: &mut FindingSink) {
    let message = format!("`{written}` points outside the plugin, but only the plugin is installed");
    let found = sink.report(text.file, span, message);
    found.help = Some("copy the file into the skill's folder, or link to its URL".to_owned());
}
