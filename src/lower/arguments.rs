//! Which argument placeholders in a text are real ones. The source host fills `$N` only if it is given that many
//! arguments (Claude Code 2.1.330), so a price such as `$80` is not a placeholder, nor is the `$1` of a program in
//! another language.

use std::collections::BTreeSet;

use super::context::LoweringContext;
use crate::ledger::ComponentKind;
use crate::model::component::Component;
use crate::model::references::{Reference, ReferenceTarget};
use crate::read::program_parameters::ProgramRanges;
use crate::source::Span;

/// What follows a number of dollars.
const AMOUNTS: [&str; 20] = [
    " million",
    " billion",
    " thousand",
    " trillion",
    " per ",
    " a month",
    " a year",
    " each",
    " USD",
    " usd",
    " dollars",
    " cents",
    "/month",
    "/mo",
    "/year",
    "/yr",
    "/user",
    "/seat",
    "/hour",
    "/1",
];

/// Whether a component takes arguments: it is a command, declares them, or refers to all of them in its own text.
pub(super) fn takes_arguments(component: &Component, context: &LoweringContext<'_>) -> bool {
    let names = context.resolved.references(component).iter().flat_map(|file| &file.references);
    component.kind == ComponentKind::Command
        || component.field("arguments").is_some()
        || component.has_argument_hint()
        || names.into_iter().any(
            |reference| matches!(&reference.named, ReferenceTarget::Argument(text) if text.starts_with("$ARGUMENTS")),
        )
}

/// The spans of the real placeholders in `text`; all `references` belong to that text.
pub(super) fn placeholder_spans(text: &str, references: &[Reference]) -> BTreeSet<Span> {
    let mut programs = None;
    let mut numbered: Vec<(usize, Span)> = Vec::new();
    let mut out = BTreeSet::new();
    for reference in references {
        let ReferenceTarget::Argument(written) = &reference.named else { continue };
        let Ok(index) = written[1..].parse::<usize>() else {
            out.insert(reference.span);
            continue;
        };
        let programs = programs.get_or_insert_with(|| ProgramRanges::new(text));
        if !is_amount(text, reference.span) && programs.kind_at(reference.span.start).is_none() {
            numbered.push((index, reference.span));
        }
    }
    // A text that uses a tenth argument also uses a second one.
    let indices: BTreeSet<usize> = numbered.iter().map(|(index, _)| *index).collect();
    let first = indices.first().copied().filter(|first| *first < 2);
    let end = first.map(|first| (first..).find(|index| !indices.contains(index)).unwrap_or(first));
    out.extend(
        numbered.into_iter().filter(|(index, _)| end.is_some_and(|end| *index < end)).map(|(_, span)| span),
    );
    out
}

/// Whether `$5` is an amount of money.
fn is_amount(text: &str, span: Span) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let decimals =
        after.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let range =
        after.trim_start_matches(['-', '–', '—', '+', '~']).starts_with('$') || after.starts_with('+');
    let second = before.trim_end_matches(['-', '–', '—']);
    let second = second.len() < before.len() && second.ends_with(|c: char| c.is_ascii_digit());
    decimals
        || range
        || second
        || before.ends_with(['~', '≈', '€', '£'])
        || AMOUNTS.iter().any(|amount| after.starts_with(amount))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut references = Vec::new();
        for (at, _) in text.match_indices('$') {
            let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let span = Span::new(at, at + 1 + digits);
                let named = ReferenceTarget::Argument(span.slice(text).to_owned());
                references.push(Reference::new(span, named));
            }
        }
        placeholder_spans(text, &references).into_iter().map(|span| span.slice(text)).collect()
    }

    #[test]
    fn prices_are_not_arguments() {
        assert!(found("from $80 down to $10, or $5 at most").is_empty());
        assert!(found("$1.50, $1,000, $1 million, $1-$2, ~$1, $0.02/1K, $1/month").is_empty());
        assert_eq!(found("fix $1 for $80"), ["$1"]);
    }

    #[test]
    fn programs_have_their_own() {
        assert!(found("`awk '{print $1, $2}' f`").is_empty());
        assert!(found("```bash\n# what's pending\nsum f | awk '{print $1}' # it's\n```").is_empty());
        assert!(found("```sql\nSELECT $1\n```\n\n```sh\nrun() {\n  echo \"$1\"\n}\n```\n").is_empty());
        assert!(found("```sh\n#!/bin/sh\necho $1\n```\n").is_empty());
        assert_eq!(found("```sh\nrun() {\n  echo \"$1\"\n}\nrun $0\n```\n"), ["$0"]);
        assert_eq!(found("```sh\ngh pr view $0 '$1'\n```\n"), ["$0", "$1"]);
        assert_eq!(found("Compare $1 with $2, not $9."), ["$1", "$2"]);
    }
}
