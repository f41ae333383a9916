//! Inline suppressions: `<!-- plugcast-allow RULE: reason -->` covers the block that follows, or its own line if it is
//! at the end of one; `# plugcast-allow RULE: reason` in frontmatter covers the whole file, or its line if it follows a
//! value. A suppression that covers nothing is itself a finding.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use super::context::PluginText;
use super::rule::Rule;
use super::signs::TextSign;
use super::sink::FindingSink;
use crate::diagnostic::{Diagnostic, RuleId};
use crate::read::markdown::{RegionKind, region_at};
use crate::source::Span;

/// The rule about suppressions that cover nothing.
pub(super) const UNUSED: RuleId = RuleId::UNUSED_SUPPRESSION;

const MARK: &str = "plugcast-allow ";

struct Suppression<'a, 'b> {
    text: &'b PluginText<'a>,
    span: Span,
    rule: &'a str,
    reason: bool,
    /// The first and the last line that it covers; `None` for the whole file.
    lines: Option<(usize, usize)>,
}

/// All suppressions of a run.
pub(super) struct Suppressions<'a, 'b> {
    all: Vec<Suppression<'a, 'b>>,
    /// The covered lines by file and rule.
    covers: BTreeMap<&'a str, BTreeMap<&'a str, SuppressionCover>>,
}

/// The lines that suppressions of one file and rule with a reason cover. A file may have as many of them as findings,
/// so the lookup must not scan them one by one.
#[derive(Debug, Default)]
struct SuppressionCover {
    /// Whether a suppression covers the whole file.
    whole: bool,
    /// The first line of each other suppression, sorted, with the last line that it or an earlier one covers.
    blocks: Vec<(usize, usize)>,
    /// The lines of the findings that were covered.
    found: BTreeSet<usize>,
}

impl SuppressionCover {
    fn add(&mut self, lines: Option<(usize, usize)>) {
        match lines {
            None => self.whole = true,
            Some((first, last)) => {
                let before = self.blocks.last().map_or(0, |(_, last)| *last);
                self.blocks.push((first, last.max(before)));
            }
        }
    }

    fn covers(&self, line: usize) -> bool {
        let begun = self.blocks.partition_point(|(first, _)| *first <= line);
        self.whole || begun > 0 && self.blocks[begun - 1].1 >= line
    }

    fn is_used(&self, lines: Option<(usize, usize)>) -> bool {
        match lines {
            None => !self.found.is_empty(),
            Some((first, last)) => first <= last && self.found.range(first..=last).next().is_some(),
        }
    }
}

/// Reads the suppressions of `texts`.
pub(super) fn find<'a: 'b, 'b>(texts: impl Iterator<Item = &'b PluginText<'a>>) -> Suppressions<'a, 'b> {
    let mut all: Vec<Suppression<'a, 'b>> = Vec::new();
    let mark = memmem::Finder::new(MARK);
    for text in texts.filter(|text| text.has_sign(TextSign::Suppression)) {
        let marks = mark.find_iter(text.text.as_bytes());
        let blank: Vec<usize> = memmem::find_iter(text.text.as_bytes(), "\n\n").collect();
        for at in marks {
            all.extend(parse_one(text, at, &blank));
        }
    }
    let mut covers: BTreeMap<_, BTreeMap<_, SuppressionCover>> = BTreeMap::new();
    let mut with_reason: Vec<&Suppression<'_, '_>> = all.iter().filter(|one| one.reason).collect();
    with_reason.sort_by_key(|one| one.lines);
    for one in with_reason {
        let of_file = covers.entry(one.text.file.path.as_str()).or_default();
        of_file.entry(one.rule).or_default().add(one.lines);
    }
    Suppressions { all, covers }
}

/// Parses the suppression at `at`; `blank` are the offsets of blank lines.
fn parse_one<'a, 'b>(text: &'b PluginText<'a>, at: usize, blank: &[usize]) -> Option<Suppression<'a, 'b>> {
    let line = text.file.line(text.file.position(at).line)?;
    let line_start = line.start;
    let line_end =
        line_start + line.slice(text.text).strip_suffix('\n').unwrap_or(line.slice(text.text)).len();
    let before = text.text[line_start..at].trim();
    let after = &text.text[at + MARK.len()..line_end];
    let in_frontmatter = at < text.body.start && before.ends_with('#');
    // A suppression inside of code is only an example.
    let in_code = || {
        let region = region_at(&text.outline().regions, at);
        matches!(region, Some(RegionKind::CodeBlock | RegionKind::CodeSpan))
    };
    let in_text = || before.ends_with("<!--") && !in_code();
    let words = match in_frontmatter {
        true => after,
        false if in_text() => after.split("-->").next()?,
        false => return None,
    };
    let (rule, reason) = words.split_once(':').unwrap_or((words, ""));
    let opening = if in_frontmatter { "#" } else { "<!--" };
    let is_behind = before.len() > opening.len();
    let own = text.file.position(at).line;
    let lines = match (is_behind, in_frontmatter) {
        (true, _) => Some((own, own)),
        (false, true) => None,
        (false, false) => Some(block_after(text, line_end, blank)),
    };
    Some(Suppression {
        text,
        span: Span::new(line_start + text.text[line_start..at].rfind(opening)?, line_end),
        rule: rule.trim(),
        reason: !reason.trim().is_empty(),
        lines,
    })
}

/// The 1-based lines of the block after byte `from`: up to the next blank line, or the whole
/// fenced block.
fn block_after(text: &PluginText<'_>, from: usize, blank: &[usize]) -> (usize, usize) {
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
        let of_file = self.covers.get_mut(found.path.as_str());
        let Some(cover) = of_file.and_then(|rules| rules.get_mut(found.rule.as_str())) else { return false };
        let covered = cover.covers(found.line);
        if covered {
            cover.found.insert(found.line);
        }
        covered
    }

    fn is_used(&self, suppression: &Suppression<'_, '_>) -> bool {
        let of_file = self.covers.get(suppression.text.file.path.as_str());
        let cover = of_file.and_then(|rules| rules.get(suppression.rule));
        suppression.reason && cover.is_some_and(|cover| cover.is_used(suppression.lines))
    }

    /// Findings about suppressions that cover nothing.
    pub(super) fn unused(&self, rule: &'static Rule) -> Vec<Diagnostic> {
        let mut sink = FindingSink::new(rule);
        let mut near: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for suppression in self.all.iter().filter(|suppression| !self.is_used(suppression)) {
            let name = suppression.rule;
            let (message, help) = if super::rules::find(name).is_none() {
                let near = *near.entry(name).or_insert_with(|| super::nearest_rule(name));
                let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
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
            sink.report(suppression.text.file, suppression.span, message).help = Some(help);
        }
        sink.into_found()
    }
}
