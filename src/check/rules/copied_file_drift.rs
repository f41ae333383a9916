//! A file differs from the one that it declares to be a copy of.

use crate::check::context::{PluginText, RuleContext};
use crate::check::copies;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::signs::TextSign;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::paths::join;

pub(super) const RULE: Rule = Rule {
    name: "copied-file-drift",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a file differs from the one that it declares to be a copy of",
    page: include_str!("copied_file_drift.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.component.is_none() || !text.has_sign(TextSign::Copy) {
        return;
    }
    let here = text.file.path.parent().unwrap_or("".into());
    let bases = [Some(here), text.component.map(|own| own.folder()), Some(text.plugin.root.as_path())];
    for declared in copies::declared(text).iter().filter(|declared| declared.of.contains(['/', '.'])) {
        let paths = bases.iter().flatten().filter_map(|base| join(base, declared.of));
        let Some(other) = paths.filter(|path| *path != text.file.path).find_map(|path| context.file(path))
        else {
            continue;
        };
        let Some(span) = other.text().and_then(|other| copies::difference(text.text, other)) else {
            continue;
        };
        let message =
            format!("this copy of `{}` differs from the original", text.plugin.relative_path(&other.path));
        let found = sink.report(text.file, declared.span, message);
        found.help = Some("copy the file again, or remove the comment".to_owned());
        let place = found.clone().with_related(other, span, "first difference");
        found.related = place.related;
    }
}
