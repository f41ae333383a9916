//! One cause, one finding: what a rule says of one thing at several places of a file becomes one finding with its other
//! places, and what it says of one place for several hosts becomes one with their names.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Related, Severity};

/// How a further place of a finding is told.
const SAME: &str = "the same here";

/// Joins findings that have one cause, in their order.
pub fn fold(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    of_hosts(of_places(found))
}

/// Joins what one rule says in the same words of several files, for people to read: each finding keeps its own help.
pub fn across_files(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, Severity, &str, &[String]), usize> = BTreeMap::new();
    let mut out: Vec<Diagnostic> = Vec::new();
    for finding in found {
        let key =
            (finding.rule.as_str(), finding.severity, finding.message.as_str(), finding.hosts.as_slice());
        let at = *first.entry(key).or_insert(out.len());
        let Some(head) = out.get_mut(at) else {
            out.push(finding.clone());
            continue;
        };
        let own = finding.help.as_ref().filter(|help| head.help.as_ref() != Some(*help));
        head.related.push(place(finding, own.map_or(SAME, String::as_str)));
        head.related.extend(finding.related.iter().cloned());
    }
    out
}

/// The place of a finding that is told under another one.
fn place(finding: &Diagnostic, message: &str) -> Related {
    Related {
        path: finding.path.clone(),
        line: finding.line,
        column: finding.column,
        message: message.to_owned(),
        end: Some((finding.end_line, finding.end_column)),
    }
}

fn of_places(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(String, Severity, String, String, Vec<String>), usize> = BTreeMap::new();
    let mut out: Vec<Diagnostic> = Vec::with_capacity(found.len());
    // How many places each finding had before folding.
    let mut own: Vec<usize> = Vec::with_capacity(found.len());
    for finding in found {
        let key = (
            finding.path.clone(),
            finding.severity,
            finding.rule.clone(),
            finding.message.clone(),
            finding.hosts.clone(),
        );
        let at = *first.entry(key).or_insert(out.len());
        // A message that names nothing may stand for several causes.
        let takes = |head: &Diagnostic| {
            let applicability = |finding: &Diagnostic| finding.fix.as_ref().map(|fix| fix.applicability);
            applicability(head) == applicability(&finding)
                && head.help == finding.help
                && own[at] == finding.related.len()
        };
        if at == out.len() || !finding.message.contains('`') || !takes(&out[at]) {
            own.push(finding.related.len());
            out.push(finding);
            continue;
        }
        let head = &mut out[at];
        head.related.push(place(&finding, SAME));
        if let (Some(fix), Some(more)) = (&mut head.fix, finding.fix) {
            fix.edits.extend(more.edits);
        }
    }
    for fix in out.iter_mut().filter_map(|finding| finding.fix.as_mut()) {
        fix.edits.sort();
        fix.edits.dedup();
    }
    out
}

fn of_hosts(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for finding in found {
        let same = |other: &Diagnostic| {
            other.rule == finding.rule
                && (other.line, other.column, other.severity)
                    == (finding.line, finding.column, finding.severity)
                && (&other.path, &other.message) == (&finding.path, &finding.message)
                && !other.hosts.is_empty()
                && !finding.hosts.is_empty()
        };
        // They stand side by side.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(message: &str, line: usize, hosts: &[&str]) -> Diagnostic {
        let mut finding = Diagnostic::whole("a.md", Severity::Warning, "rule", message);
        finding.line = line;
        finding.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        finding
    }

    #[test]
    fn one_cause_is_one_finding() {
        let found = vec![finding("no `a`", 1, &[]), finding("no `b`", 2, &[]), finding("no `a`", 3, &[])];
        let folded = fold(found);
        let shown: Vec<_> = folded.iter().map(|one| (one.line, one.related.len())).collect();
        assert_eq!(shown, [(1, 1), (2, 0)]);
    }

    #[test]
    fn one_cause_in_several_files_is_shown_once() {
        let mut other = Diagnostic { path: "b.md".to_owned(), ..finding("no `a`", 7, &[]) };
        other.help = Some("move `b.md`".to_owned());
        let shown = across_files(&[finding("no `a`", 1, &[]), finding("no `b`", 2, &[]), other]);
        assert_eq!(shown.len(), 2, "{shown:?}");
        let related = &shown[0].related[0];
        assert_eq!(
            (related.path.as_str(), related.line, related.message.as_str()),
            ("b.md", 7, "move `b.md`")
        );
    }

    #[test]
    fn one_place_on_several_hosts_is_one_finding() {
        let found =
            vec![finding("no `a`", 1, &["x"]), finding("no `a`", 1, &["y"]), finding("no `b`", 2, &["y"])];
        let folded = fold(found);
        assert_eq!(folded[0].hosts, ["x", "y"]);
        assert_eq!(folded.len(), 2, "{folded:?}");
    }
}
