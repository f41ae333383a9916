//! A host replaces `$1` in a program that uses it itself.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::source::{ComponentKind, Span};
use crate::target::TextForm;

pub(super) const RULE: Rule = Rule {
    name: "argument-hazard",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "`$1` of an awk program in a text that takes arguments",
    page: include_str!("argument_hazard.md"),
    check: RuleCheck::Component(check),
};

/// The start of a call of the program.
const AWK: &str = "awk ";

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let hosts: Vec<_> = context.hosts.iter().filter(|host| host.text.arguments == TextForm::Native).collect();
    if component.kind == ComponentKind::Agent || hosts.is_empty() || !text.text.contains(AWK) {
        return;
    }
    if !takes_arguments(context, component) {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    for reference in own.flat_map(|file| &file.references) {
        let ReferenceTarget::Argument(written) = &reference.named else { continue };
        let number = written[1..].bytes().all(|byte| byte.is_ascii_digit());
        if !number || !in_awk(text.text, reference.span) {
            continue;
        }
        let message = format!("the host replaces `{written}` of this awk program with an argument");
        let found = sink.report(text.file, reference.span, message);
        found.hosts = if hosts.len() == context.hosts.len() {
            Vec::new()
        } else {
            hosts.iter().map(|host| host.name.clone()).collect()
        };
        // An escape would reach the program on hosts that replace nothing; parentheses work in every awk.
        let field = format!("$({})", &written[1..]);
        found.help =
            Some(format!("write `{field}`, which is the same field, or move the program into a script"));
        found.fix = Some(replace(text.file, reference.span, field, Applicability::Unsafe));
    }
}

/// Whether the text takes arguments: it is a command, declares some, or contains `$ARGUMENTS`.
fn takes_arguments(context: &RuleContext<'_>, component: &Component) -> bool {
    let all = |written: &str| written.starts_with("$ARGUMENTS");
    let mut names = context.references(component).iter().flat_map(|file| &file.references);
    component.field("arguments").is_some()
        || component.field("argument-hint").is_some()
        || names
            .any(|reference| matches!(&reference.named, ReferenceTarget::Argument(written) if all(written)))
}

/// How far before a field the call of its program may begin, in bytes.
const PROGRAM: usize = 2_000;

/// Whether `span` lies in the quoted program of an `awk`, on the line of its call or on a further line of the program.
fn in_awk(text: &str, span: Span) -> bool {
    let from = text.ceil_char_boundary(span.start.saturating_sub(PROGRAM));
    let before = &text[from..span.start];
    let Some(awk) = before.rfind(AWK) else { return false };
    let call = &before[awk + AWK.len() - 1..];
    // A blank line ends a paragraph, and a fence the block of the call.
    let ends = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("```");
    let whole = call.rfind('\n').map_or("", |last| &call[..=last]);
    if whole.lines().skip(1).any(ends) {
        return false;
    }
    let mut quoted = false;
    for (at, _) in call.match_indices('\'') {
        // An apostrophe stands within a word; what opens a program stands before it.
        if quoted || call[..at].ends_with(|c: char| c.is_whitespace() || "=(".contains(c)) {
            quoted = !quoted;
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_a_quoted_program() {
        let held = |text: &str| {
            let start = text.find("$3").unwrap();
            in_awk(text, Span::new(start, start + 2))
        };
        for text in [
            "awk '{print $3}' f",
            "awk '$3 > 5 {print $1}' f",
            "ps | gawk -F, '$3 == 1'",
            "awk -v x='1' '$3'",
            "awk '\n  /a/ { n++ }\n  $3 == 1 {\n' f",
        ] {
            assert!(held(text), "{text}");
        }
        for text in [
            "awk '{print $1}' f; echo $3",
            "awk's $3",
            "with awk it's $3 a month",
            "awk '{print}'\n```\n'$3'",
            "use awk 'x\n\nIt costs $3",
            "use awk 'x\n```\n$3",
        ] {
            assert!(!held(text), "{text}");
        }
    }
}
