//! A path differs from the file's name only in case.

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::mention::PathForm;
use crate::check::paths::PathTarget;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "path-case",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a path differs from its file in case",
    page: include_str!("path_case.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        if let PathTarget::OtherCase(actual) = link.target(context, text) {
            report(text, link.span, &link.path, actual, Applicability::Safe, sink);
        }
    }
    // A folder in all capitals is a placeholder that the text explains.
    let stands = |path: &str| {
        path.split('/').next().is_some_and(|top| top.len() > 1 && !top.contains(char::is_lowercase))
    };
    for mention in text.mentions(context).iter().filter(|mention| !stands(&mention.path)) {
        if let PathTarget::OtherCase(actual) = mention.target(context, text) {
            let span = Span::new(mention.span.end - mention.path.len(), mention.span.end);
            // Without a variable, a file of the user's project may be meant.
            let sure = matches!(mention.form, PathForm::Root | PathForm::Skill);
            let applicability = if sure { Applicability::Safe } else { Applicability::Unsafe };
            report(text, span, &mention.path, actual, applicability, sink);
        }
    }
}

fn report(
    text: &PluginText<'_>,
    span: Span,
    written: &str,
    actual: &Utf8Path,
    applicability: Applicability,
    sink: &mut FindingSink,
) {
    let spelt = with_actual_case(written, actual);
    let message = format!("`{written}` differs in case from `{}` on disk", text.plugin.relative_path(actual));
    let found = sink.report(text.file, span, message);
    found.help = Some(format!("write `{spelt}`; case-sensitive systems such as Linux do not find the file"));
    if span.slice(text.text) == written {
        found.fix = Some(replace(text.file, span, spelt, applicability));
    }
}

/// `written` with its parts spelt as in `actual`, matched from the end.
fn with_actual_case(written: &str, actual: &Utf8Path) -> String {
    let mut names: Vec<&str> = actual.components().map(|part| part.as_str()).collect();
    let mut parts: Vec<&str> = written.split('/').collect();
    for part in parts.iter_mut().rev().filter(|part| !part.is_empty() && **part != ".") {
        match names.pop() {
            Some(name) if name.eq_ignore_ascii_case(part) || name.to_lowercase() == part.to_lowercase() => {
                *part = name
            }
            _ => break,
        }
    }
    parts.join("/")
}
