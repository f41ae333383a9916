//! Variables that a shell test checks: with a path in its place, `[ -n "${X}" ]` would always be true. Such a variable
//! is kept in all of its code, and the block explains it.

use std::collections::BTreeSet;

use crate::model::references::{Reference, ReferenceTarget};
use crate::read::markdown::{self, RegionKind};
use crate::source::{Span, line_end, line_start};

/// The spans of the variables in `text` that are kept; all `references` belong to that text.
pub(super) fn kept_variables(text: &str, references: &[Reference]) -> BTreeSet<Span> {
    let mut out = BTreeSet::new();
    let mut regions = None;
    for reference in references {
        let ReferenceTarget::Variable(name) = &reference.named else { continue };
        if out.contains(&reference.span) || !is_tested(text, reference.span) {
            continue;
        }
        let regions = regions.get_or_insert_with(|| markdown::regions(text, Span::new(0, text.len())));
        let is_code =
            |region: &&markdown::Region| matches!(region.kind, RegionKind::CodeBlock | RegionKind::CodeSpan);
        // Both lists are in text order, and code regions are not nested.
        let before = regions.partition_point(|region| region.span.start <= reference.span.start);
        let code = regions[..before].iter().rev().find(is_code).map(|region| region.span);
        let code = code
            .filter(|code| code.contains(reference.span.start))
            .unwrap_or_else(|| line(text, reference.span));
        let first = references.partition_point(|other| other.span.start < code.start);
        let within = references[first..].iter().take_while(|other| other.span.start < code.end);
        let same =
            within.filter(|other| matches!(&other.named, ReferenceTarget::Variable(other) if other == name));
        out.extend(same.map(|other| other.span));
    }
    out
}

/// Whether a test checks if the variable at `span` is set: `-n`, `-z`, or a bracket with nothing but the variable.
fn is_tested(text: &str, span: Span) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let (before, after) = match before.strip_suffix('"').zip(after.strip_prefix('"')) {
        Some(inner) => inner,
        None => (before, after),
    };
    if !after.starts_with([' ', '\n', ';', '\r', '`']) && !after.is_empty() {
        return false;
    }
    let words = before.trim_end_matches(' ');
    if words.len() == before.len() {
        return false;
    }
    let (flag, lead) = words.split_at(words.len() - words.bytes().rev().take_while(|b| *b != b' ').count());
    match lead.trim_start_matches(['`', '(', '!']) {
        "-n" | "-z" => flag.ends_with([' ', '\t']),
        "[" | "[[" | "test" => {
            let next = after.split_whitespace().next().unwrap_or_default();
            next.starts_with(']') || matches!(next, "=" | "==" | "!=")
        }
        _ => false,
    }
}

/// The line around `span`.
fn line(text: &str, span: Span) -> Span {
    Span::new(line_start(text, span.start), line_end(text, span.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(text: &str) -> usize {
        let mut references = Vec::new();
        for (at, _) in text.match_indices("${ROOT}") {
            let span = Span::new(at, at + "${ROOT}".len());
            references.push(Reference::new(span, ReferenceTarget::Variable("ROOT".into())));
        }
        kept_variables(text, &references).len()
    }

    #[test]
    fn a_test_keeps_the_variable_in_its_code() {
        assert_eq!(tested("```sh\n[ -n \"${ROOT}\" ] && x \"${ROOT}/a\"\n```\n\nSee ${ROOT}/b.\n"), 2);
        assert_eq!(tested("```sh\nif [[ -z ${ROOT} ]]; then exit 1; fi\n```\n"), 1);
        assert_eq!(tested("Run `test \"${ROOT}\" = \"\"` first.\n"), 1);
        assert_eq!(tested("[ \"${ROOT}\" ] || exit\n"), 1);
    }

    #[test]
    fn other_code_keeps_none() {
        assert_eq!(
            tested("```sh\n[ -f \"${ROOT}/a\" ] && [ -d \"${ROOT}\" ] && echo -n ${ROOT}/x\n```\n"),
            0
        );
        assert_eq!(tested("Run `bash \"${ROOT}\" -n x`.\n"), 0);
    }
}
