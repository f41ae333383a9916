//! A README states a wrong number of components.

use std::collections::BTreeSet;

use crate::check::context::RuleContext;
use crate::check::prose::{self, passages};
use crate::check::readme::{ListedKind, Readme};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "readme-count",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a README states a wrong number of skills, agents or commands",
    page: include_str!("readme_count.md"),
    check: RuleCheck::Project(check),
};

/// The kinds that are counted; `None` means plugins.
const COUNTED_KINDS: [(Option<ComponentKind>, &str, &str); 4] = [
    (Some(ComponentKind::Skill), "skill", "skills"),
    (Some(ComponentKind::Agent), "agent", "agents"),
    (Some(ComponentKind::Command), "command", "commands"),
    (None, "plugin", "plugins"),
];

/// Words before a number that show that it does not count the plugin's components.
const LOOSE: [&str; 35] = [
    "least",
    "most",
    "to",
    "of",
    "version",
    "first",
    "last",
    "top",
    "than",
    "over",
    "about",
    "these",
    "tier",
    "level",
    "phase",
    "step",
    "stage",
    "layer",
    "part",
    "option",
    "round",
    "day",
    "week",
    "add",
    "adds",
    "added",
    "remove",
    "removes",
    "removed",
    "rename",
    "renames",
    "renamed",
    "introduces",
    "new",
    "other",
];

/// Words of a heading that do not limit its count to a part.
const UNRESTRICTED_HEADINGS: [&str; 12] = [
    "all",
    "available",
    "the",
    "total",
    "included",
    "includes",
    "of",
    "list",
    "our",
    "reference",
    "overview",
    "and",
];

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    for readme in &context.readmes() {
        let words = prose::words(&readme.text);
        let passages = passages(&readme.text);
        let passages = passages.iter().filter(|passage| !passage.code && !passage.quoted);
        let passages: Vec<(Span, Vec<StatedCount>)> = passages
            .map(|passage| {
                let here = passage.span.slice(&words);
                let counts =
                    COUNTED_KINDS.into_iter().flat_map(|(kind, one, many)| counts(here, kind, one, many));
                let counts: Vec<StatedCount> = counts.collect();
                let is_of_a_part = !counts.is_empty() && is_of_a_part(readme, passage.span);
                (passage.span, if is_of_a_part { Vec::new() } else { counts })
            })
            .collect();
        let in_parts = if readme.above { Vec::new() } else { counted_in_parts(&passages) };
        for (passage, counts) in &passages {
            // A sentence that counts plugins is about all of them.
            let total = counts.iter().any(|count| count.kind.is_none());
            for count in counts.iter().filter(|count| !in_parts.contains(&count.kind)) {
                compare(context, readme, *passage, count, total, sink);
            }
        }
        check_rows(context, readme, sink);
    }
}

/// A number and what it counts; spans are relative to the passage.
struct StatedCount {
    kind: Option<ComponentKind>,
    name: &'static str,
    number: Span,
    /// The counted word, if it follows the number.
    word: Option<Span>,
    /// The digits.
    written: String,
    /// Whether it is in a cell or in brackets.
    formal: bool,
}

fn counts(
    here: &str,
    kind: Option<ComponentKind>,
    one: &'static str,
    many: &'static str,
) -> Vec<StatedCount> {
    let of = |name: &'static str| {
        prose::word_spans(here, name).filter_map(move |place| {
            let number = count(here, place)?;
            let word = Some(place).filter(|word| word.start > number.start);
            let written = number.slice(here).to_owned();
            Some(StatedCount { kind, name, number, word, written, formal: word.is_none() })
        })
    };
    of(one).chain(of(many)).collect()
}

/// Whether a number counts only some of the components, or those of another project: in the heading of a category, in a
/// row or sentence about another repository, or in notes about a version.
fn is_of_a_part(readme: &Readme<'_>, passage: Span) -> bool {
    let text = passage.slice(readme.text.text);
    let lower = text.to_lowercase();
    let is_release = |text: &str| {
        let mut words =
            text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
        words.any(|word| {
            let number = word.strip_prefix('v').unwrap_or(word);
            number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    };
    let below_a_release = || {
        readme
            .headings(passage.start)
            .iter()
            .any(|heading| heading.level > 1 && is_release(&heading.text.to_lowercase()))
    };
    let of_a_category = || {
        let names = |word: &str| COUNTED_KINDS.iter().any(|(_, one, many)| [*one, *many].contains(&word));
        let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        lower.starts_with('#') && words.any(|word| !names(word) && !UNRESTRICTED_HEADINGS.contains(&word))
    };
    is_release(&lower) || lower.contains("](https://github.com/") || below_a_release() || of_a_category()
}

/// The kinds with three or more numbers in the README of one plugin: each of these counts a part.
fn counted_in_parts(passages: &[(Span, Vec<StatedCount>)]) -> Vec<Option<ComponentKind>> {
    let of = |kind| passages.iter().flat_map(|(_, counts)| counts).filter(move |count| count.kind == kind);
    let numbers = |kind| of(kind).map(|count| count.written.as_str()).collect::<BTreeSet<&str>>();
    COUNTED_KINDS.iter().map(|(kind, ..)| *kind).filter(|kind| numbers(*kind).len() > 2).collect()
}

/// Compares a count with the actual number in the plugins it is about.
fn compare(
    context: &RuleContext<'_>,
    readme: &Readme<'_>,
    passage: Span,
    count: &StatedCount,
    total: bool,
    sink: &mut FindingSink,
) {
    let file = readme.text.file;
    let number = count.number.shifted(passage.start);
    let written = number.slice(readme.text.text);
    let Ok(value) = written.parse::<usize>() else { return };
    let spoken_of = match (readme.above, count.kind) {
        (false, None) => return,
        (false, Some(_)) => readme.plugins.clone(),
        (true, None) if readme.mentioned_plugins(passage.slice(readme.text.text)).is_empty() => Vec::new(),
        (true, None) => return,
        (true, Some(_)) => match spoken_of(readme, passage, total || count.formal) {
            Some(plugins) => plugins,
            None => return,
        },
    };
    let have = match count.kind {
        Some(kind) => spoken_of.iter().map(|plugin| number_of(plugin, kind)).sum(),
        None => {
            context.project.marketplace.as_ref().map_or(readme.plugins.len(), |listing| listing.entries.len())
        }
    };
    // Plugins in other repositories may have the rest.
    let elsewhere = spoken_of.len() > 1 && readme.remote > 0 && count.kind.is_some() && value > have;
    let fits = count.kind.map_or(value == have, |kind| is_acceptable(&spoken_of, kind, value));
    // Skills are invoked like commands, so "commands" may mean skills.
    let are_skills = count.kind == Some(ComponentKind::Command) && have == 0;
    if fits || elsewhere || are_skills || is_about_one(readme, passage) {
        return;
    }
    let who = match spoken_of.as_slice() {
        [plugin] if readme.above => format!("`{}`", plugin.name),
        [_] => "the plugin".to_owned(),
        [] => "the marketplace".to_owned(),
        _ => "the plugins together".to_owned(),
    };
    let (has, name) = (if spoken_of.len() > 1 { "have" } else { "has" }, count.name);
    let found =
        sink.report(file, number, format!("the README says {written} {name}, but {who} {has} {have}"));
    found.help = Some(format!("write {have}"));
    let (one, many) = (name.trim_end_matches('s'), format!("{}s", name.trim_end_matches('s')));
    let right = if have == 1 { one } else { &many };
    // The word must agree with the number: `1 skill`, `2 skills`.
    let fix = match count.word.map(|word| word.shifted(passage.start)) {
        Some(word) if name != right && number.end < word.start => {
            let between = Span::new(number.end, word.start).slice(readme.text.text);
            let cased = if word.slice(readme.text.text).starts_with(char::is_uppercase) {
                capital(right)
            } else {
                right.to_owned()
            };
            replace(
                file,
                Span::new(number.start, word.end),
                format!("{have}{between}{cased}"),
                Applicability::Unsafe,
            )
        }
        _ => replace(file, number, have.to_string(), Applicability::Unsafe),
    };
    found.fix = Some(fix);
}

/// Whether the nearest heading is the title of one component, so that the parts of this one are counted.
fn is_about_one(readme: &Readme<'_>, passage: Span) -> bool {
    let headings = readme.headings(passage.start);
    let Some(heading) = headings.first().filter(|heading| heading.level > 1) else { return false };
    let title = heading.text.trim().to_lowercase().replace(' ', "-");
    // A single word may be any heading.
    let is_title = |component: &Component| component.name.to_lowercase().contains(&title);
    title.contains('-') && readme.plugins.iter().any(|plugin| plugin.components.iter().any(is_title))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

/// Whether `value` is an acceptable count of components of that kind in `plugins`: files that only contain shared
/// content need not count, and unreadable ones are reported separately.
fn is_acceptable(plugins: &[&Plugin], kind: ComponentKind, value: usize) -> bool {
    let of = |count: fn(&Plugin, ComponentKind) -> usize| {
        plugins.iter().map(|plugin| count(plugin, kind)).sum::<usize>()
    };
    let shared = of(|plugin, kind| {
        let of_kind = plugin.components.iter().filter(|component| component.kind == kind);
        of_kind.filter(|component| component.name.starts_with('_')).count()
    });
    let lost = of(|plugin, kind| plugin.lost.iter().filter(|lost| lost.kind == kind).count());
    let have = of(number_of);
    (have - shared..=have + lost).contains(&value)
}

/// How many components of that kind the user of `plugin` sees.
fn number_of(plugin: &Plugin, kind: ComponentKind) -> usize {
    let inline = if kind == ComponentKind::Command { plugin.inline.len() } else { 0 };
    plugin.components.iter().filter(|component| component.kind == kind).count() + inline
}

/// The plugins that a passage of a README above all plugins is about: the one that it names, or that its headings name,
/// or all if `total`; `None` if that is unclear.
fn spoken_of<'a>(readme: &Readme<'a>, passage: Span, total: bool) -> Option<Vec<&'a Plugin>> {
    let text = readme.text.text;
    let here = readme.mentioned_plugins(passage.slice(text));
    if !here.is_empty() {
        return (here.len() == 1).then_some(here);
    }
    let headings = readme.headings(passage.start);
    for heading in &headings {
        let named = readme.mentioned_plugins(heading.span.slice(text));
        if !named.is_empty() {
            return (named.len() == 1).then_some(named);
        }
    }
    (total || headings.iter().all(|heading| heading.level == 1)).then(|| readme.plugins.clone())
}

/// Checks numbers in tables with one row per plugin, in columns whose heads name what is counted.
fn check_rows(context: &RuleContext<'_>, readme: &Readme<'_>, sink: &mut FindingSink) {
    let text = readme.text.text;
    for listing in
        readme.listings().iter().filter(|listing| listing.of == ListedKind::Plugins && listing.table)
    {
        for (column, head) in listing.head.iter().enumerate() {
            let head = head.slice(text).trim().trim_matches(['*', '#', ' ']).to_lowercase();
            let Some((kind, name)) = COUNTED_KINDS
                .iter()
                .find_map(|(kind, _, many)| Some(((*kind)?, *many)).filter(|_| head == *many))
            else {
                continue;
            };
            for row in &listing.rows {
                let (Some(listed), Some(cell)) = (&row.name, row.cells.get(column)) else { continue };
                let Some(plugin) =
                    context.project.plugins.iter().find(|plugin| plugin.name == listed.span.slice(text))
                else {
                    continue;
                };
                let inner = cell.slice(text);
                let number = inner.trim_matches(['*', ' ']);
                if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                    continue;
                }
                let have = number_of(plugin, kind);
                if number.parse::<usize>().is_ok_and(|number| is_acceptable(&[plugin], kind, number)) {
                    continue;
                }
                let start = cell.start + inner.find(number).unwrap_or(0);
                let span = Span::new(start, start + number.len());
                let message = format!("the README says {number} {name}, but `{}` has {have}", plugin.name);
                let found = sink.report(readme.text.file, span, message);
                found.help = Some(format!("write {have}"));
                found.fix = Some(replace(readme.text.file, span, have.to_string(), Applicability::Unsafe));
            }
        }
    }
}

/// Text after a number that is part of a calculation, not a count.
const CALCULATION_SIGNS: [&str; 9] = ["×", "x ", "*", "=", "≈", "@", "/", "at $", "at €"];

/// Words after a counted noun that restrict it.
const RESTRICTING_WORDS: [&str; 8] = ["are", "were", "that", "which", "from", "built", "made", "covering"];

/// The number that belongs to the word at `place`: `3 skills`, `Skills (3)`, `| Skills | 3 |`.
fn count(here: &str, place: Span) -> Option<Span> {
    let after = here[place.end..].trim_start_matches(' ');
    if CALCULATION_SIGNS.iter().any(|sign| after.starts_with(sign)) && !after.starts_with("**") {
        return None;
    }
    // Some of them: `3 skills are synced`, `3 skills that write`.
    let next = after.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    if RESTRICTING_WORDS.contains(&next.as_str()) {
        return None;
    }
    let before = here[..place.start].trim_end_matches(' ');
    // A number of something else: `13 agent lifecycle states`.
    let is_plural = here[place.start..place.end].ends_with(['s', 'S']);
    if !is_plural && !next.is_empty() && !before.ends_with(" 1") {
        return None;
    }
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
    let table = here.starts_with('|')
        && opened.starts_with('|')
        && here[..place.start].trim_end_matches(['*', ' ']) == "|";
    if !opened.starts_with('(') && !table {
        return None;
    }
    let inner = opened[1..].trim_start_matches([' ', '*']);
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let start = here.len() - inner.len();
    let closed = inner[digits..].trim_start_matches([' ', '*']).starts_with([')', '|']);
    ((1..=4).contains(&digits) && closed).then(|| Span::new(start, start + digits))
}
