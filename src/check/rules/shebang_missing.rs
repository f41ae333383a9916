//! A text calls a bundled script by its path, but the script has no shebang line.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "shebang-missing",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a text calls a bundled script by its path, but the script has no shebang line",
    page: include_str!("shebang_missing.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for call in text.calls(context) {
        let Some(file) = context.file(&call.path) else { continue };
        let Some(script) = file.text().filter(|script| !script.starts_with("#!")) else { continue };
        let first = Span::new(0, script.lines().next().map_or(0, str::len));
        let found = sink.report(file, first, "the script is called by its path but has no shebang line");
        found.help = Some("start it with a line such as `#!/usr/bin/env bash`".to_owned());
        *found = found.clone().with_related(text.file, call.span, "it is called here");
    }
}
