//! Suppressions that stand in the text: `<!-- plugcast-allow RULE: reason -->` covers the block that
//! follows, `# plugcast-allow RULE: reason` in frontmatter covers the whole file. One that covers
//! nothing is itself a finding.

use std::collections::BTreeMap;

use memchr::memmem;

use super::context::Text;
use super::rule::Rule;
use super::signs::Sign;
use super::sink::Sink;
use crate::diagnostic::Diagnostic;
use crate::read::markdown::{RegionKind, region_at};
use crate::source::Span;

/// The rule about suppressions that cover nothing.
pub(super) const UNUSED: &str = "unused-suppression";

const MARK: &str = "plugcast-allow ";

struct Suppression<'a, 'b> {
    text: &'b Text<'a>,
    span: Span,
    rule: String,
    reason: bool,
    lines: Option<(usize, usize)>,
    used: bool,
}

/// All suppressions of a run.
pub(super) struct Suppressions<'a, 'b> {
    all: Vec<Suppression<'a, 'b>>,
    /// Where those of a file and rule stand in `all`.
    places: BTreeMap<(&'a str, String), Vec<usize>>,
}

/// Reads the suppressions of `texts`.
pub(super) fn find<'a: 'b, 'b>(texts: impl Iterator<Item = &'b Text<'a>>) -> Suppressions<'a, 'b> {
    let mut all: Vec<Suppression<'a, 'b>> = Vec::new();
    let mark = memmem::Finder::new(MARK);
    for text in texts.filter(|text| text.has(Sign::Suppression)) {
        let marks = mark.find_iter(text.text.as_bytes());
        let blank: Vec<usize> = memmem::find_iter(text.text.as_bytes(), "\n\n").collect();
        for at in marks {
            all.extend(one(text, at, &blank));
        }
    }
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, one) in all.iter().enumerate() {
        places.entry((one.text.file.path.as_str(), one.rule.clone())).or_default().push(at);
    }
    Suppressions { all, places }
}

/// The suppression whose mark is at `at`; `blank` are the places of blank lines.
fn one<'a, 'b>(text: &'b Text<'a>, at: usize, blank: &[usize]) -> Option<Suppression<'a, 'b>> {
    let line_start = text.text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text.text[at..].find('\n').map_or(text.text.len(), |end| at + end);
    let before = text.text[line_start..at].trim();
    let after = &text.text[at + MARK.len()..line_end];
    let (words, in_frontmatter) = match before {
        // One that a code block shows is an example of a suppression.
        "<!--" if region_at(&text.outline().regions, at) != Some(RegionKind::CodeBlock) => {
            (after.split("-->").next()?, false)
        }
        "#" if at < text.body.start => (after, true),
        _ => return None,
    };
    let (rule, reason) = words.split_once(':').unwrap_or((words, ""));
    let lines = (!in_frontmatter).then(|| block_after(text, line_end, blank));
    Some(Suppression {
        text,
        span: Span::new(
            line_start + (text.text[line_start..at].len() - text.text[line_start..at].trim_start().len()),
            line_end,
        ),
        rule: rule.trim().to_owned(),
        reason: !reason.trim().is_empty(),
        lines,
        used: false,
    })
}

/// The 1-based lines of the block that follows byte `from`: up to the next blank line, or the whole
/// fenced block.
fn block_after(text: &Text<'_>, from: usize, blank: &[usize]) -> (usize, usize) {
    let rest = &text.text[from..];
    let start = from + (rest.len() - rest.trim_start().len());
    let blocks = &text.outline().blocks;
    let end = match blocks.binary_search_by_key(&start, |block| block.span.start) {
        Ok(at) => blocks[at].span.end,
        Err(_) => {
            let next = blank.partition_point(|at| *at < start);
            blank.get(next).copied().unwrap_or(text.text.len())
        }
    };
    (text.file.position(start).line, text.file.position(end).line)
}

impl Suppressions<'_, '_> {
    /// Whether a suppression with a reason covers `found`; it then counts as used.
    pub(super) fn cover(&mut self, found: &Diagnostic) -> bool {
        if self.all.is_empty() {
            return false;
        }
        let mut covered = false;
        for at in self.places.get(&(found.path.as_str(), found.rule.clone())).into_iter().flatten() {
            let suppression = &mut self.all[*at];
            let here = suppression.lines.is_none_or(|(first, last)| (first..=last).contains(&found.line));
            if here && suppression.reason {
                suppression.used = true;
                covered = true;
            }
        }
        covered
    }

    /// Findings about suppressions that cover nothing.
    pub(super) fn unused(&self, rule: &'static Rule) -> Vec<Diagnostic> {
        let mut sink = Sink::new(rule);
        for suppression in self.all.iter().filter(|suppression| !suppression.used) {
            let name = &suppression.rule;
            let (message, help) = if super::rules::find(name).is_none() {
                let near = super::near(name).map_or(String::new(), |near| format!("did you mean `{near}`? "));
                (format!("unknown rule `{name}`"), format!("{near}`plugcast rules` lists them"))
            } else if !suppression.reason {
                let message = format!("this suppression of `{name}` gives no reason, so it is ignored");
                (message, "write the reason after a colon".to_owned())
            } else {
                (
                    format!("unused suppression: `{name}` reports nothing here"),
                    "remove the comment".to_owned(),
                )
            };
            sink.at(suppression.text.file, suppression.span, message).help = Some(help);
        }
        sink.into_found()
    }
}
