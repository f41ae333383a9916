//! A hook's command line uses the variable of the plugin's folder outside of quotes, or where nothing expands it.

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, OwnPath, RunnableText, TextRole};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Diagnostic, Severity};
use crate::model::plugin::Plugin;

pub(super) const RULE: Rule = Rule {
    name: "unquoted-variable",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a hook's command line breaks where the path of the plugin has a blank",
    page: include_str!("unquoted_variable.md"),
    check: RuleCheck::Plugin(check),
};

/// How a path is quoted in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Single,
    Double,
}

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    // The same mistake within one file is one finding with related places.
    let mut first: Option<(camino::Utf8PathBuf, Diagnostic)> = None;
    for ran in runnable::hooks(context, plugin).into_iter().filter(|ran| ran.role == TextRole::Shell) {
        for path in ran.own_paths(root) {
            let place = ran.place(path.span);
            match quotes(ran.text, path.span.start) {
                Quoting::Double => {}
                Quoting::Single => {
                    let message = format!("`${{{root}}}` is not expanded in single quotes");
                    let found = sink.report(ran.file, place, message);
                    found.help = Some("write double quotes".to_owned());
                }
                Quoting::None => match &mut first {
                    Some((file, found)) if *file == ran.file.path => {
                        found.relate(ran.file, place, "the same here");
                        if let (Some(fix), Some(more)) = (&mut found.fix, quoting_fix(&ran, &path)) {
                            fix.edits.extend(more.edits);
                        }
                    }
                    _ => {
                        sink.found.extend(first.take().map(|(_, found)| found));
                        let message = "the command breaks where the path of the plugin has a blank";
                        let found = sink.report(ran.file, place, message);
                        found.help = Some(format!("write `\"{}\"`", path.span.slice(ran.text)));
                        found.fix = quoting_fix(&ran, &path);
                        first = sink.found.pop().map(|found| (ran.file.path.clone(), found));
                    }
                },
            }
        }
    }
    sink.found.extend(first.map(|(_, found)| found));
}

/// The fix that puts the path in double quotes; `None` if the file contains the text in another form.
fn quoting_fix(ran: &RunnableText<'_>, path: &OwnPath<'_>) -> Option<crate::diagnostic::Fix> {
    let written = path.span.slice(ran.text);
    let place = ran.place(path.span);
    let same = place.slice(ran.file.text()?) == written && !written.contains(['"', '\'', '\\']);
    let json = ran.file.path.extension() == Some("json");
    same.then(|| {
        let quote = if json { "\\\"" } else { "\"" };
        replace(ran.file, place, format!("{quote}{written}{quote}"), Applicability::Safe)
    })
    .filter(|_| json)
}

/// Which quotes enclose byte `at` of a command line.
fn quotes(text: &str, at: usize) -> Quoting {
    let (mut inside, mut escaped) = (Quoting::None, false);
    for c in text[..at].chars() {
        match (inside, c) {
            _ if escaped => escaped = false,
            (Quoting::None | Quoting::Double, '\\') => escaped = true,
            (Quoting::None, '\'') => inside = Quoting::Single,
            (Quoting::Single, '\'') | (Quoting::Double, '"') => inside = Quoting::None,
            (Quoting::None, '"') => inside = Quoting::Double,
            _ => {}
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_those_that_are_open() {
        assert_eq!(quotes("a \"b\" 'c' ", 10), Quoting::None);
        assert_eq!(quotes("bash \"", 6), Quoting::Double);
        assert_eq!(quotes("echo \\\" ", 8), Quoting::None);
        assert_eq!(quotes("bash '\"", 7), Quoting::Single);
    }
}
