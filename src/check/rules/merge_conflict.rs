//! The marks of a merge conflict in a text.

use memchr::memmem;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::read::markdown::{RegionKind, region_at};
use crate::source::{Span, line_end};

pub(super) const RULE: Rule = Rule {
    name: "merge-conflict",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a text has the marks of a merge conflict",
    page: include_str!("merge_conflict.md"),
    check: RuleCheck::Text(check),
};

/// The marks, each at the start of a line.
const OURS: &str = "<<<<<<< ";
const MIDDLE: &str = "=======";
const THEIRS: &str = ">>>>>>> ";

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.is_example() {
        return;
    }
    for at in memmem::find_iter(text.text.as_bytes(), OURS) {
        let Some(end) = conflict_end(text.text, at) else { continue };
        // A code block shows what a conflict looks like.
        let is_shown = text.is_markdown()
            && at >= text.body.start
            && region_at(&text.outline().regions, at) == Some(RegionKind::CodeBlock);
        if is_shown {
            continue;
        }
        let lines = text.text[at..end].lines().count();
        let span = Span::new(at, line_end(text.text, at));
        let found = sink.report(text.file, span, "the marks of a merge conflict are left in the text");
        found.help = Some(format!("resolve it: the conflict has {lines} lines"));
    }
}

/// The end of the conflict that begins at byte `at`, if it has all three marks.
fn conflict_end(text: &str, at: usize) -> Option<usize> {
    if at > 0 && text.as_bytes()[at - 1] != b'\n' {
        return None;
    }
    let (mut from, mut is_second) = (line_end(text, at), false);
    for line in text[from..].split_inclusive('\n') {
        let shown = line.trim_end();
        match is_second {
            false => is_second = shown == MIDDLE,
            true if line.starts_with(THEIRS) => return Some(from + shown.len()),
            true => {}
        }
        from += line.len();
    }
    None
}
