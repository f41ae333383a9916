//! A lockfile at the plugin's root makes the source host run an installer.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::json;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "lockfile-at-root",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a lockfile beside `package.json` at the plugin's root makes a host install packages",
    page: include_str!("lockfile_at_root.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let Some(package) = context.file(plugin.root.join("package.json")) else { return };
    let package = package.text().and_then(|text| json::parse(text).0);
    let depends = package.as_ref().and_then(|package| package.get("dependencies"));
    let depends = depends.is_some_and(|needed| !needed.entries().is_empty());
    // If the plugin's hooks or servers may need the packages, the installation is intended.
    let runs = |kind: ComponentKind| {
        matches!(
            kind,
            ComponentKind::McpServer
                | ComponentKind::LspServer
                | ComponentKind::Hook
                | ComponentKind::Executable
        )
    };
    if depends && plugin.others.iter().any(|other| runs(other.kind)) {
        return;
    }
    for name in &context.targets.source().lockfiles {
        let path = plugin.root.join(name);
        if context.file(&path).is_none() {
            continue;
        }
        let message = format!("`{name}` at the plugin's root makes hosts install its packages");
        sink.report_file(&path, message).help =
            Some("move the package into a subfolder, or remove the lockfile from the plugin".to_owned());
    }
}
