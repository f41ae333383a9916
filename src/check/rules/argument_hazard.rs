//! A host replaces `$1` in a program to which it belongs.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::references::ReferenceTarget;
use crate::read::program_parameters::{ProgramKind, ProgramRanges};
use crate::source::ComponentKind;
use crate::target::TextForm;

pub(super) const RULE: Rule = Rule {
    name: "argument-hazard",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "`$1` of a program in a text that takes arguments",
    page: include_str!("argument_hazard.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let hosts: Vec<_> = context.hosts.iter().filter(|host| host.text.arguments == TextForm::Native).collect();
    if component.kind == ComponentKind::Agent || hosts.is_empty() || !has_number(text.text) {
        return;
    }
    // Finding the names of a component takes the most time.
    if !takes_arguments(context, component) {
        return;
    }
    let own = context.references(component).iter().filter(|file| file.path == component.path);
    let mut programs = None;
    for reference in own.flat_map(|file| &file.references) {
        let ReferenceTarget::Argument(written) = &reference.named else { continue };
        let number = &written[1..];
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let programs = programs.get_or_insert_with(|| ProgramRanges::new(text.text));
        // An escape would reach the program on hosts that replace nothing; these forms mean the same there.
        let (program, what, same) = match programs.kind_at(reference.span.start) {
            Some(ProgramKind::Awk) => ("awk program", "field", format!("$({number})")),
            Some(ProgramKind::Perl) => ("Perl program", "group", format!("${{{number}}}")),
            Some(ProgramKind::Shell) => ("shell program", "parameter", format!("${{{number}}}")),
            // In other languages, the author may mean the host's argument.
            Some(ProgramKind::Other) | None => continue,
        };
        let message = format!("the host replaces `{written}` of this {program} with an argument");
        let found = sink.report(text.file, reference.span, message);
        found.hosts = if hosts.len() == context.hosts.len() {
            Vec::new()
        } else {
            hosts.iter().map(|host| host.name.clone()).collect()
        };
        found.help =
            Some(format!("write `{same}`, which is the same {what}, or move the program into a script"));
        found.fix = Some(replace(text.file, reference.span, same, Applicability::Unsafe));
    }
}

/// Whether the text may have an argument that is written as a number.
fn has_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'$', bytes).any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
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
