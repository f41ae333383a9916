//! Groups findings by cause: a mistake at several places of a plugin becomes one finding with related places, and one
//! that matters for several hosts becomes one with their names. For the terminal, findings that differ
//! only in names are grouped as well.

use std::collections::BTreeMap;

use crate::diagnostic::{Cause, Diagnostic, HostId, RelatedPlace, Repetition, RuleId, Severity};

/// The label of a further place of a finding.
const SAME_HERE: &str = "the same here";
/// Rules about conventions of names, which a repository follows or does not.
const CONVENTIONS: [RuleId; 1] = [RuleId::NAME_FORMAT];
/// Rules about single characters, of which a file has many for one reason.
const CHARACTERS: [RuleId; 1] = [RuleId::HIDDEN_UNICODE];
/// More findings than this that differ only in names are a pattern.
const PATTERN: usize = 3;

/// Joins the findings of one place for several hosts.
pub fn fold_hosts(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for finding in found {
        let same = |other: &Diagnostic| {
            other.rule == finding.rule
                && (other.line, other.column, other.severity)
                    == (finding.line, finding.column, finding.severity)
                && (&other.path, other.cause()) == (&finding.path, finding.cause())
                && !other.hosts.is_empty()
                && !finding.hosts.is_empty()
        };
        // Such findings are adjacent.
        match out.iter_mut().rev().take(8).find(|other| same(other)) {
            Some(other) => {
                other.hosts.extend(finding.hosts);
                other.hosts.sort();
                other.hosts.dedup();
            }
            None => out.push(finding),
        }
    }
    out
}

/// Joins findings with the same cause within one file, or within another part of the source that `part` names; keeps
/// their order.
pub fn fold_places(found: &[Diagnostic], part: impl Fn(&Diagnostic) -> String) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(String, Severity, RuleId, Cause, &[HostId]), usize> = BTreeMap::new();
    let mut out: Vec<Diagnostic> = Vec::new();
    // How many places each finding had before folding.
    let mut own: Vec<usize> = Vec::new();
    for finding in found {
        let cause = finding.cause();
        let is_named = !cause.names().is_empty();
        let key = (part(finding), finding.severity, finding.rule, cause, finding.hosts.as_slice());
        let at = *first.entry(key).or_insert(out.len());
        // A mistake that concerns no name may have been made for several reasons.
        let takes = |head: &Diagnostic| {
            let applicability = |finding: &Diagnostic| finding.fix.as_ref().map(|fix| fix.applicability);
            applicability(head) == applicability(finding)
                && head.help == finding.help
                && own[at] == finding.related.len()
        };
        if at == out.len() || !is_named || !takes(&out[at]) {
            own.push(finding.related.len());
            out.push(finding.clone());
            continue;
        }
        let head = &mut out[at];
        head.related.push(place(finding, None));
        let more = finding.related.iter().filter(|place| !head.related[..own[at]].contains(place));
        let more: Vec<_> = more.cloned().collect();
        head.related.extend(more);
        if let (Some(fix), Some(more)) = (&mut head.fix, &finding.fix) {
            fix.edits.extend(more.edits.iter().cloned());
        }
    }
    for fix in out.iter_mut().filter_map(|finding| finding.fix.as_mut()) {
        fix.edits.sort();
        fix.edits.dedup();
    }
    out
}

/// Joins frequent findings of a rule about a convention anywhere in the source: one decision of the authors made all of
/// them. Each place keeps its own message and help.
pub fn fold_conventions(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_one = |finding: &Diagnostic| CONVENTIONS.contains(&finding.rule);
    if found.iter().filter(|finding| is_one(finding)).count() <= PATTERN {
        return found;
    }
    join(&found, |finding| Grouping::new(finding, is_one(finding).then(String::new)), PATTERN)
}

/// Joins the findings of one file about characters of one kind. Each place keeps its own message.
pub fn fold_characters(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let file = |finding: &Diagnostic| CHARACTERS.contains(&finding.rule).then(|| finding.path.clone());
    join(found, |finding| Grouping::new(finding, file(finding)), 0)
}

/// Joins, for human output, findings of one rule with the same cause anywhere, and frequent findings of one part of the
/// source whose causes differ only in names and values: each place keeps its own message and help.
pub fn fold_patterns(found: &[Diagnostic], part: impl Fn(&Diagnostic) -> String) -> Vec<Diagnostic> {
    let causes = join(found, |finding| Grouping::Cause(finding.cause()), 0);
    join(&causes, |finding| Grouping::new(finding, Some(part(finding))), PATTERN)
}

/// What findings have in common that are joined.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Grouping {
    /// The mistake, in one part of the source.
    Mistake(String, String),
    /// The cause.
    Cause(Cause),
    /// Also the place: nothing is joined but the same finding.
    Place(String, usize, usize, Cause),
}

impl Grouping {
    /// By mistake within `part`, or by place without one.
    fn new(finding: &Diagnostic, part: Option<String>) -> Self {
        let cause = finding.cause();
        match part {
            Some(part) => Self::Mistake(part, cause.mistake().to_owned()),
            None => Self::Place(finding.path.clone(), finding.line, finding.column, cause),
        }
    }
}

/// Joins findings of one rule, severity, list of hosts and `key` where there are more than `most` of them.
fn join(found: &[Diagnostic], key: impl Fn(&Diagnostic) -> Grouping, most: usize) -> Vec<Diagnostic> {
    let keys: Vec<_> = found
        .iter()
        .map(|finding| (finding.rule, finding.severity, finding.hosts.as_slice(), key(finding)))
        .collect();
    let mut times: BTreeMap<_, usize> = BTreeMap::new();
    keys.iter().for_each(|key| *times.entry(key).or_default() += 1);
    let mut first: BTreeMap<_, usize> = BTreeMap::new();
    let mut out: Vec<Diagnostic> = Vec::new();
    for (finding, key) in found.iter().zip(&keys) {
        let at = *first.entry(key).or_insert(out.len());
        if at == out.len() || times[key] <= most {
            out.push(finding.clone());
            continue;
        }
        let head = &mut out[at];
        let mut messages: Vec<&str> = Vec::new();
        if head.message != finding.message {
            messages.push(&finding.message);
        }
        messages.extend(finding.help.as_deref().filter(|help| head.help.as_deref() != Some(*help)));
        let message = (!messages.is_empty()).then(|| messages.join("; "));
        head.related.push(place(finding, message));
        head.related.extend(finding.related.iter().filter(|place| place.is_repetition()).cloned());
    }
    out
}

/// A finding as a related place of another one, with `message` if it differs from that one.
fn place(finding: &Diagnostic, message: Option<String>) -> RelatedPlace {
    let repetition = if message.is_some() { Repetition::Differs } else { Repetition::Same };
    RelatedPlace {
        path: finding.path.clone(),
        line: finding.line,
        column: finding.column,
        message: message.unwrap_or_else(|| SAME_HERE.to_owned()),
        end: Some((finding.end_line, finding.end_column)),
        repetition: Some(repetition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::hidden_chars::{self, HiddenRun};

    fn finding(message: &str, line: usize, hosts: &[&str]) -> Diagnostic {
        let mut finding =
            Diagnostic::for_file("a.md", Severity::Warning, RuleId::from_static("rule"), message);
        finding.line = line;
        finding.hosts = hosts.iter().copied().map(HostId::new).collect();
        finding
    }

    fn part(finding: &Diagnostic) -> String {
        finding.path.split('/').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn one_cause_is_one_finding() {
        let found = vec![finding("no `a`", 1, &[]), finding("no `b`", 2, &[]), finding("no `a`", 3, &[])];
        let folded = fold_places(&found, part);
        let shown: Vec<_> = folded.iter().map(|one| (one.line, one.place_count())).collect();
        assert_eq!(shown, [(1, 2), (2, 1)]);
    }

    #[test]
    fn places_that_belong_to_a_cause_are_told_once() {
        let other =
            RelatedPlace { repetition: None, ..place(&finding("", 9, &[]), Some("defined here".to_owned())) };
        let found =
            [1, 3].map(|line| Diagnostic { related: vec![other.clone()], ..finding("no `a`", line, &[]) });
        let folded = fold_places(&found, part);
        let shown: Vec<_> = folded[0].related.iter().map(|place| place.line).collect();
        assert_eq!((folded.len(), shown), (1, vec![9, 3]));
    }

    #[test]
    fn one_cause_in_several_files_is_shown_once() {
        let mut other = Diagnostic { path: "b.md".to_owned(), ..finding("no `a`", 7, &[]) };
        other.help = Some("move `b.md`".to_owned());
        let shown = fold_patterns(&[finding("no `a`", 1, &[]), finding("no `b`", 2, &[]), other], part);
        assert_eq!(shown.len(), 2, "{shown:?}");
        let related = &shown[0].related[0];
        assert_eq!(
            (related.path.as_str(), related.line, related.message.as_str()),
            ("b.md", 7, "move `b.md`")
        );
    }

    #[test]
    fn many_that_differ_in_names_alone_are_a_pattern() {
        let found = |count: usize| -> Vec<_> {
            (1..=count).map(|n| finding(&format!("1,00{n} lines in `{n}`"), n, &[])).collect()
        };
        assert_eq!(fold_patterns(&found(3), part).len(), 3);
        let shown = fold_patterns(&found(5), part);
        assert_eq!((shown.len(), shown[0].place_count()), (1, 5));
        assert_eq!(shown[0].related[3].message, "1,005 lines in `5`");
        let mut elsewhere = found(5);
        elsewhere[3].path = "b/a.md".to_owned();
        elsewhere[4].path = "b/a.md".to_owned();
        assert_eq!(fold_patterns(&elsewhere, part).len(), 5);
    }

    #[test]
    fn a_convention_is_one_finding_in_the_whole_source() {
        let named = |count: usize| -> Vec<_> {
            let named = |n| Diagnostic {
                rule: RuleId::NAME_FORMAT,
                path: format!("{n}/SKILL.md"),
                help: Some(format!("rename it to `{n}`")),
                ..finding(&format!("the name `A {n}` contains `A`; write a hyphen"), 2, &[])
            };
            (1..=count).map(named).chain([finding("no `a`", 1, &[])]).collect()
        };
        assert_eq!(fold_conventions(named(3)), named(3));
        let folded = fold_conventions(named(4));
        assert_eq!((folded.len(), folded[0].place_count(), folded[1].place_count()), (2, 4, 1));
        let last = &folded[0].related[2];
        assert_eq!(last.path, "4/SKILL.md");
        assert_eq!(last.message, "the name `A 4` contains `A`; write a hyphen; rename it to `4`");
    }

    #[test]
    fn characters_of_one_kind_are_one_finding_in_a_file() {
        let found = |path: &str, character: &str, line| Diagnostic {
            rule: RuleId::HIDDEN_UNICODE,
            path: path.to_owned(),
            known_cause: hidden_chars::find(character).first().map(HiddenRun::cause),
            ..finding("in words that may change", line, &[])
        };
        let all = [
            found("a.md", "a\u{200B}b", 1),
            found("a.md", "a\u{2060}b", 2),
            found("a.md", "a\u{AD}b", 3),
            found("b.md", "a\u{200B}b", 4),
        ];
        let folded = fold_characters(&all);
        let shown: Vec<_> = folded.iter().map(|one| (one.line, one.place_count())).collect();
        assert_eq!(shown, [(1, 2), (3, 1), (4, 1)]);
    }

    #[test]
    fn one_place_on_several_hosts_is_one_finding() {
        let found =
            vec![finding("no `a`", 1, &["x"]), finding("no `a`", 1, &["y"]), finding("no `b`", 2, &["y"])];
        let folded = fold_hosts(found);
        assert_eq!(folded[0].hosts, ["x", "y"].map(HostId::new));
        assert_eq!(folded.len(), 2, "{folded:?}");
    }
}
