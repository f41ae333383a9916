//! A version that the release automation owns was set by hand.

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::config::RECORDS;
use crate::model::plugin::Plugin;
use crate::read::json;
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "release-owned",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a plugin's version is not the one that the release automation recorded",
    page: include_str!("release_owned.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let Some(manifest) = &plugin.manifest else { return };
    let Some(file) = context.file(&manifest.path) else { return };
    let Some(node) = manifest.node.get("version") else { return };
    let Some(version) = node.as_str() else { return };
    // The record for a plugin below SRC is in SRC, where only the plugins' own files were read.
    let inner = Utf8Path::new(&manifest.path);
    let Some(top) = file.origin.ancestors().nth(inner.components().count()) else { return };
    for record in RECORDS {
        let Ok(Some(text)) = context.project.file_system.read_text(&top.join(record)) else { continue };
        let Some(recorded) = json::parse(&text).0 else { continue };
        let key = if plugin.root.as_str().is_empty() { Utf8PathBuf::from(".") } else { plugin.root.clone() };
        let Some(owned) = recorded.get(key.as_str()).and_then(Node::as_str) else { continue };
        if owned == version {
            continue;
        }
        let message =
            format!("the version is `{version}`, but `{record}` records `{owned}` as the last release");
        let found = sink.report(file, node.span, message);
        found.help = Some(format!("set it to `{owned}`; the release raises it"));
        let inner = Span::new(node.span.start + 1, node.span.end.saturating_sub(1));
        found.fix = Some(replace(file, inner, owned, Applicability::Unsafe));
    }
}
