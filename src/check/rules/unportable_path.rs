//! A file or folder has a name that Windows refuses.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::names;
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "unportable-path",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a file or folder has a name that Windows refuses",
    page: include_str!("unportable_path.md"),
    check: RuleCheck::Plugin(check),
};

fn check(_: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let mut first: BTreeMap<&Utf8Path, (&Utf8PathBuf, String)> = BTreeMap::new();
    let mut before = "";
    for path in &plugin.files.kept {
        // The parts above the plugin belong to the repository, and folders of the file before are done.
        let is_done = |above: &str| before.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
        let is_own = |above: &&Utf8Path| above.as_str() != plugin.root.as_str() && !is_done(above.as_str());
        for above in path.ancestors().take_while(is_own) {
            if let Some(why) = above.file_name().and_then(names::unwritable) {
                first.entry(above).or_insert((path, why));
            }
        }
        before = path.as_str();
    }
    for (path, why) in first.into_values() {
        let found = sink.report_file(path, format!("{why}: no clone there has the file"));
        found.help = Some("rename it".to_owned());
    }
}
