//! A variable of the source host in a form that it does not replace in texts.

use memchr::memmem;

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::read::path_words::leading_path;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "variable-form",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "a variable without braces, which no host replaces",
    page: include_str!("variable_form.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !text.main || text.is_example() || !context.for_source_host() {
        return;
    }
    let source = context.targets.source();
    let body = text.body.slice(text.text);
    for (name, base) in
        [(&source.plugin_root, text.plugin.root.as_path()), (&source.skill_folder, paths::own_folder(text))]
    {
        let written = format!("${name}/");
        let mut places = memmem::find_iter(body.as_bytes(), &written).peekable();
        // A text that sets the variable may use it.
        if places.peek().is_none() || body.contains(&format!("{name}=")) {
            continue;
        }
        for at in places {
            let path = leading_path(&body[at + written.len()..]);
            // Only a path to an existing file of the plugin is certainly meant to be replaced.
            if path.is_empty() || !context.paths().contains(&base.join(path)) {
                continue;
            }
            let span = Span::new(at, at + written.len() - 1).shifted(text.body.start);
            let found = sink.report(
                text.file,
                span,
                format!("`${name}` is not replaced in texts, and is empty in a shell"),
            );
            found.help = Some(format!("write `${{{name}}}`"));
            found.fix = Some(replace(text.file, span, format!("${{{name}}}"), Applicability::Safe));
            found.hosts = context.source_host_of_several();
        }
    }
}
