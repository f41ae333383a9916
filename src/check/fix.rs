//! Selects the fixes of a list of findings that can be applied together, and the resulting texts. A pass applies every
//! fix whose edits do not overlap another one; if a file would get syntax errors, it keeps its text and the fixes
//! responsible are reported. Pure: `cli` writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::{Applicability, Diagnostic, FixEdit};
use crate::read::{frontmatter, json, yaml};
use crate::rewrite::{self, Edit};
use crate::source::{Span, is_markdown};

/// The plan of one pass.
#[derive(Debug, Clone, Default)]
pub struct FixPass {
    /// The new texts, by path.
    pub texts: BTreeMap<String, Arc<str>>,
    /// The indices of the findings that it fixes.
    pub taken: Vec<usize>,
    /// The indices of the findings that need another pass because their fix overlaps another one.
    pub waiting: Vec<usize>,
    /// Fixes after which the file would no longer parse.
    pub refused: BTreeSet<RefusedFix>,
}

/// A fix that is not applied, identified in a way that survives other edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedFix {
    /// The file that would no longer parse.
    pub path: String,
    /// The rule that offers the fix.
    pub rule: String,
    /// The message of the finding.
    pub message: String,
}

type ClaimedRanges<'a> = BTreeMap<&'a str, BTreeMap<(usize, usize), &'a str>>;

/// Plans one pass over `found`. `most` is the least safe applicability to apply; `text` returns the text of a file that
/// may be changed; fixes in `refused` are skipped.
pub fn plan(
    found: &[Diagnostic],
    most: Applicability,
    text: impl Fn(&str) -> Option<Arc<str>>,
    refused: &BTreeSet<RefusedFix>,
) -> FixPass {
    let mut blamed = refused.clone();
    loop {
        let mut pass = FixPass::default();
        let mut taken = ClaimedRanges::new();
        for (at, finding) in found.iter().enumerate() {
            let Some(edits) = edits(finding, most) else { continue };
            let blame = |edit: &FixEdit| blamed.contains(&refusal(finding, &edit.path));
            if edits.iter().any(blame)
                || !edits.iter().all(|edit| fits_text(edit, text(&edit.path).as_deref()))
            {
                continue;
            }
            match claim(&mut taken, edits) {
                EditClaim::Free => pass.taken.push(at),
                EditClaim::Touches => pass.waiting.push(at),
                EditClaim::TouchesItself => {}
            }
        }
        let mut broken = BTreeSet::new();
        for (path, edits) in &taken {
            let Some(old) = text(path) else { continue };
            let made = apply(&old, edits.iter().map(|((start, end), new)| (*start, *end, *new)));
            match made.filter(|new| reads_as_well(path, &old, new)) {
                Some(new) => drop(pass.texts.insert((*path).to_owned(), new)),
                None => drop(broken.insert(*path)),
            }
        }
        if broken.is_empty() {
            pass.refused = blamed.difference(refused).cloned().collect();
            return pass;
        }
        for path in broken {
            blamed.extend(to_blame(found, &pass.taken, path, &text));
        }
    }
}

/// How many of `found` would be fixed with applicability up to `most`, in any number of passes.
pub fn count(found: &[Diagnostic], most: Applicability, text: impl Fn(&str) -> Option<Arc<str>>) -> usize {
    if !found.iter().any(|finding| edits(finding, most).is_some()) {
        return 0;
    }
    let pass = plan(found, most, text, &BTreeSet::new());
    pass.taken.len() + pass.waiting.len()
}

fn edits(finding: &Diagnostic, most: Applicability) -> Option<&[FixEdit]> {
    let fix = finding.fix.as_ref().filter(|fix| fix.applicability <= most)?;
    (fix.applicability != Applicability::Display && !fix.edits.is_empty()).then_some(&fix.edits)
}

fn fits_text(edit: &FixEdit, text: Option<&str>) -> bool {
    text.and_then(|text| text.get(edit.start..edit.end)).is_some_and(|old| old != edit.replacement)
}

fn refusal(finding: &Diagnostic, path: &str) -> RefusedFix {
    RefusedFix { path: path.to_owned(), rule: finding.rule.to_string(), message: finding.message.clone() }
}

enum EditClaim {
    Free,
    Touches,
    TouchesItself,
}

/// Claims the ranges of `edits` if none of them is claimed yet; an identical edit is shared.
fn claim<'a>(taken: &mut ClaimedRanges<'a>, edits: &'a [FixEdit]) -> EditClaim {
    let mut ranges: Vec<_> = edits.iter().map(|edit| (&edit.path, (edit.start, edit.end))).collect();
    ranges.sort();
    // In a sorted list, overlapping ranges are adjacent, or one of them overlaps its neighbour.
    if ranges.windows(2).any(|pair| pair[0].0 == pair[1].0 && touches(pair[0].1, pair[1].1)) {
        return EditClaim::TouchesItself;
    }
    for edit in edits {
        let Some(of_file) = taken.get(edit.path.as_str()) else { continue };
        let range = (edit.start, edit.end);
        let shared = of_file.get(&range).is_some_and(|new| *new == edit.replacement);
        let before = of_file.range(..=range).next_back();
        let after = of_file.range(range..).next();
        if !shared && before.into_iter().chain(after).any(|(other, _)| touches(*other, range)) {
            return EditClaim::Touches;
        }
    }
    for edit in edits {
        taken.entry(&edit.path).or_default().insert((edit.start, edit.end), &edit.replacement);
    }
    EditClaim::Free
}

/// Whether two ranges share a byte or start at the same one.
fn touches(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 == b.0 || a.0 < b.1 && b.0 < a.1
}

fn apply<'a>(old: &str, edits: impl Iterator<Item = (usize, usize, &'a str)>) -> Option<Arc<str>> {
    let edits: Vec<Edit<()>> = edits
        .map(|(start, end, new)| Edit { span: Span::new(start, end), text: new.to_owned(), tag: () })
        .collect();
    rewrite::apply(old, &edits).ok().map(|(new, _)| Arc::from(new))
}

/// The fixes that break `path` on their own; if there are none, all fixes that edit it.
fn to_blame(
    found: &[Diagnostic],
    taken: &[usize],
    path: &str,
    text: &impl Fn(&str) -> Option<Arc<str>>,
) -> BTreeSet<RefusedFix> {
    /// With more fixes in one file, they are not tried one by one.
    const MOST_TRIED: usize = 64;
    let of_file: Vec<&Diagnostic> = taken
        .iter()
        .map(|at| &found[*at])
        .filter(|finding| finding.fix.iter().flat_map(|fix| &fix.edits).any(|edit| edit.path == path))
        .collect();
    let breaks = |finding: &&&Diagnostic| {
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits).filter(|edit| edit.path == path);
        let Some(old) = text(path) else { return true };
        let made = apply(&old, edits.map(|edit| (edit.start, edit.end, edit.replacement.as_str())));
        made.is_none_or(|new| !reads_as_well(path, &old, &new))
    };
    let alone: BTreeSet<RefusedFix> = match of_file.len() {
        0..=MOST_TRIED => of_file.iter().filter(breaks).map(|finding| refusal(finding, path)).collect(),
        _ => BTreeSet::new(),
    };
    if alone.is_empty() { of_file.iter().map(|finding| refusal(finding, path)).collect() } else { alone }
}

/// Whether `new` has no syntax error that `old` did not have.
fn reads_as_well(path: &str, old: &str, new: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "json" => json::parse(new).1.len() <= json::parse(old).1.len(),
        "yaml" | "yml" => {
            let faults = |text: &str| yaml::parse(text, Span::new(0, text.len())).1.len();
            faults(new) <= faults(old)
        }
        "toml" => toml::from_str::<toml::Table>(new).is_ok() || toml::from_str::<toml::Table>(old).is_err(),
        _ if is_markdown(path) => {
            let (old, new) = (frontmatter::parse(old), frontmatter::parse(new));
            let refused = |document: &frontmatter::MarkdownDocument| {
                document.faults.iter().filter(|fault| !fault.rescued).count()
            };
            refused(&new) <= refused(&old)
                && new.faults.len() <= old.faults.len()
                && (new.fields.is_some() || old.fields.is_none())
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{RuleId, Severity};

    fn finding(path: &str, edits: &[(usize, usize, &str)]) -> Diagnostic {
        let edits = edits.iter().map(|(start, end, new)| FixEdit {
            path: path.into(),
            start: *start,
            end: *end,
            replacement: (*new).into(),
        });
        let message = format!("{edits:?}");
        Diagnostic::for_file(path, Severity::Error, RuleId::from_static("r"), message)
            .fix(Applicability::Safe, edits.collect())
    }

    fn planned(path: &str, text: &str, found: &[Diagnostic]) -> (Option<String>, FixPass) {
        let pass = plan(found, Applicability::Safe, |_| Some(Arc::from(text)), &BTreeSet::new());
        (pass.texts.get(path).map(|text| text.to_string()), pass)
    }

    #[test]
    fn edits_that_touch_wait_and_equal_ones_are_shared() {
        let found = [
            finding("a.txt", &[(0, 1, "A"), (4, 5, "E")]),
            finding("a.txt", &[(4, 5, "E")]),
            finding("a.txt", &[(3, 6, "")]),
            finding("a.txt", &[(1, 2, "B")]),
        ];
        let (text, pass) = planned("a.txt", "abcdef", &found);
        assert_eq!(text.as_deref(), Some("ABcdEf"));
        assert_eq!((pass.taken, pass.waiting), (vec![0, 1, 3], vec![2]));
    }

    #[test]
    fn what_cannot_be_applied_does_not_count() {
        let whole = |fix: Diagnostic| count(&[fix], Applicability::Unsafe, |_| Some(Arc::from("é")));
        assert_eq!(whole(finding("a", &[(0, 2, "e")])), 1);
        for (start, end, new) in [(0, 1, "e"), (0, 9, "e"), (0, 2, "é")] {
            assert_eq!(whole(finding("a", &[(start, end, new)])), 0, "{start}..{end}");
        }
        assert_eq!(whole(finding("a", &[(0, 2, "x"), (0, 2, "y")])), 0, "it touches itself");
        let mut shown = finding("a", &[(0, 2, "e")]);
        shown.fix.as_mut().unwrap().applicability = Applicability::Display;
        assert_eq!(whole(shown), 0);
    }

    #[test]
    fn a_file_that_would_no_longer_parse_keeps_its_text() {
        let (text, pass) = planned(
            "a.json",
            "{\"a\": 1}",
            &[finding("a.json", &[(7, 8, "")]), finding("a.json", &[(6, 7, "2")])],
        );
        assert_eq!(text.as_deref(), Some("{\"a\": 2}"));
        assert_eq!((pass.taken, pass.refused.len()), (vec![1], 1));
        let skill = "---\nname: a\n---\nx\n";
        for (start, end, new) in [(12, 15, ""), (10, 11, "[b"), (0, 4, "")] {
            let (text, pass) = planned("SKILL.md", skill, &[finding("SKILL.md", &[(start, end, new)])]);
            assert_eq!((text, pass.refused.len()), (None, 1), "{new:?}");
        }
    }
}
