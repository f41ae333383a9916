//! The README counts components that the plugin does not have, or not in that number.

use crate::check::context::{Context, Text};
use crate::check::prose::{self, passages};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::source::{Kind, Span};

pub(super) const RULE: Rule = Rule {
    name: "readme-count",
    group: Group::House,
    severity: Severity::Warning,
    summary: "a README gives another number of skills, agents or commands than the plugin has",
    page: include_str!("readme_count.md"),
    check: Check::Text(check),
};

const COUNTED: [(Kind, &str, &str); 3] = [
    (Kind::Skill, "skill", "skills"),
    (Kind::Agent, "agent", "agents"),
    (Kind::Command, "command", "commands"),
];

/// Words before a number that make it no count of the plugin's own.
const LOOSE: [&str; 12] =
    ["least", "most", "to", "of", "version", "first", "last", "top", "than", "over", "about", "these"];

fn check(_: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    if text.component.is_some_and(|_| text.main) || text.plugin.inner(&text.file.path) != "README.md" {
        return;
    }
    let words = prose::words(text);
    for passage in passages(text).into_iter().filter(|passage| !passage.code && !passage.quoted) {
        let here = passage.span.of(&words);
        for (kind, one, many) in COUNTED {
            let have = text.plugin.components.iter().filter(|component| component.kind == kind).count();
            for name in [one, many] {
                for place in prose::places(here, name) {
                    let Some(number) = count(here, place) else { continue };
                    let said = number.of(here);
                    if said.parse::<usize>().is_ok_and(|said| said == have) {
                        continue;
                    }
                    let span = number.shifted(passage.span.start);
                    let message = format!("the README counts {said} {name}, the plugin has {have}");
                    let found = sink.at(text.file, span, message);
                    found.help = Some(format!("write {have}"));
                    found.fix = Some(replace(text.file, span, have.to_string(), Applicability::Unsafe));
                }
            }
        }
    }
}

/// The number that belongs to the word at `place`: `3 skills`, `Skills (3)`, `| Skills | 3 |`.
fn count(here: &str, place: Span) -> Option<Span> {
    let before = here[..place.start].trim_end_matches(' ');
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if (1..=4).contains(&digits) && before.len() < place.start {
        let start = before.len() - digits;
        let lead = here[..start].trim_end();
        let bound = here[..start].ends_with(|c: char| !c.is_whitespace() && !"(*|".contains(c));
        let last = lead.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
        let loose = LOOSE.contains(&last.as_str()) && !lead.ends_with(['.', '|', '(', ',']);
        return (!bound && !loose).then(|| Span::new(start, before.len()));
    }
    let rest = &here[place.end..];
    let opened = rest.trim_start_matches(['*', ' ']);
    let table = here.starts_with('|') && opened.starts_with('|') && here[..place.start].trim() == "|";
    if !opened.starts_with('(') && !table {
        return None;
    }
    let inner = opened[1..].trim_start_matches([' ', '*']);
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let start = here.len() - inner.len();
    let closed = inner[digits..].trim_start_matches([' ', '*']).starts_with([')', '|']);
    ((1..=4).contains(&digits) && closed).then(|| Span::new(start, start + digits))
}
