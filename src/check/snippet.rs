//! The parts of a Markdown text that a model would pass to a shell: code blocks of shell or without a language, and
//! code spans; and whether the text warns against them.

use super::context::PluginText;
use crate::check::shell::{self, SimpleCommand};
use crate::model::references::{is_forbidden, leads_to_banned};
use crate::read::markdown::RegionKind;
use crate::read::markdown::language;
use crate::read::shell_names::ShellBlock;
use crate::source::{Span, line_end, line_start, next_line};

/// Words of a line that warns against what it shows.
const AGAINST: [&str; 40] = [
    "never",
    "not",
    "don't",
    "dont",
    "doesn't",
    "avoid",
    "avoids",
    "dangerous",
    "danger",
    "destructive",
    "block",
    "blocks",
    "blocked",
    "blocking",
    "deny",
    "denies",
    "denied",
    "refuse",
    "refused",
    "refuses",
    "reject",
    "rejected",
    "forbid",
    "forbidden",
    "prohibited",
    "prevent",
    "prevents",
    "unsafe",
    "malicious",
    "attack",
    "warn",
    "warns",
    "instead",
    "detect",
    "detects",
    "flag",
    "suspicious",
    "risky",
    "without",
    "ban",
];

/// Words beside an example that does not work.
const FAILS: [&str; 4] = ["this will fail", "this fails", "this does not work", "this will not work"];

/// A part of a text that reads as commands of a shell.
#[derive(Debug)]
pub struct Snippet {
    /// Its span, without fences and backticks.
    pub span: Span,
    /// Whether it is a code block rather than a code span.
    pub block: bool,
    /// What it runs.
    pub commands: Vec<SimpleCommand>,
}

/// Words right before a code span that instruct to run it.
const RUN_WORDS: [&str; 10] =
    ["run", "running", "execute", "executing", "with", "using", "via", "by", "command", "then"];

/// Places whose commands something other than the agent runs.
const PLACES: [&str; 7] =
    ["command", "dockerfile", "makefile", "workflow", "pipeline", "config", "configuration"];

impl Snippet {
    /// Whether it is a script to be saved to a file: it names its interpreter, or defines functions.
    pub fn is_script(&self, text: &str) -> bool {
        let lines = || self.span.slice(text).lines().map(str::trim);
        lines().any(|line| {
            let defines = line.split_once("()").is_some_and(|(name, rest)| {
                !name.trim().is_empty()
                    && !name.trim().contains(|c: char| !(c.is_alphanumeric() || "_-".contains(c)))
                    && rest.trim_start().starts_with('{')
            });
            line.starts_with("#!") || line.starts_with("function ") || defines
        })
    }

    /// Whether its first line is a comment that says where the commands belong, such as `# In build command`: they run
    /// there, not in the agent's shell.
    pub fn is_for_elsewhere(&self, text: &str) -> bool {
        let first =
            self.span.slice(text).lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let Some(comment) = first.strip_prefix('#').map(str::to_lowercase) else { return false };
        let mut words = comment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        matches!(words.next(), Some("in" | "inside")) && words.any(|word| PLACES.contains(&word))
    }

    /// Whether the text instructs to run it: a block does, and so does a code span after a word such as "run".
    pub fn is_instructed(&self, text: &str) -> bool {
        let start = line_start(text, self.span.start);
        let before = text[start..self.span.start].trim_end_matches(['`', ' ', ':', '*']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        self.block || RUN_WORDS.contains(&word.to_lowercase().as_str())
    }
}

/// Whether a block may be meant for a shell: it is marked as shell, or has no language.
pub(super) fn may_be_shell(info: &str) -> bool {
    language(info).is_empty() || ShellBlock::parse(info).is_some()
}

/// The parts of a component's text that can be read as commands; only those that `may` accepts are parsed.
pub fn find(text: &PluginText<'_>, may: impl Fn(&str) -> bool) -> Vec<Snippet> {
    if text.component.is_none() || !text.is_markdown() {
        return Vec::new();
    }
    let outline = text.outline();
    let blocks = outline.blocks.iter().filter_map(|block| {
        let info = block.info.as_deref().unwrap_or_default();
        let read = may_be_shell(info) || info.starts_with('!');
        read.then(|| (true, content(text.text, block.span)))
    });
    let spans = outline.regions.iter().filter(|region| region.kind == RegionKind::CodeSpan).map(|region| {
        let raw = region.span.slice(text.text);
        let ticks = raw.len() - raw.trim_start_matches('`').len();
        let start = region.span.start + ticks;
        (false, Span::new(start, region.span.end.saturating_sub(ticks).max(start)))
    });
    blocks
        .chain(spans)
        .filter(|(_, span)| may(span.slice(text.text)))
        .map(|(block, span)| Snippet {
            span,
            block,
            commands: shell::commands(span.slice(text.text), span.start),
        })
        .collect()
}

/// The lines of a code block between its fences.
fn content(text: &str, block: Span) -> Span {
    let raw = block.slice(text);
    let fence = raw.trim_start().chars().next().filter(|c| matches!(c, '`' | '~'));
    let Some(fence) = fence else { return block };
    let start = next_line(raw, 0);
    let body = raw[start..].trim_end();
    let last = line_start(body, body.len());
    let closed = body[last..].trim_start().starts_with(fence);
    Span::new(block.start + start, block.start + start + if closed { last } else { body.len() })
}

/// Whether a text forbids the name at `span`, or the line of the name, or the last line of text before its block, marks it
/// as a wrong example. Only text nearby counts: a line may be as long as the whole text.
pub fn is_marked_wrong(text: &str, span: Span) -> bool {
    const SEARCHED_BYTES: usize = 400;
    let from = text.floor_char_boundary(span.start.saturating_sub(SEARCHED_BYTES));
    let to = text.ceil_char_boundary((span.end + SEARCHED_BYTES).min(text.len()));
    let near = Span::new(span.start - from, span.end - from);
    let lines = surrounding_text(&text[from..to], near);
    let is_marked = |line: &str| {
        let line = line.to_lowercase();
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        line.contains(['❌', '✗', '✘'])
            || FAILS.iter().any(|words| line.contains(words))
            || words.any(|word| matches!(word, "wrong" | "incorrect"))
    };
    lines.into_iter().any(is_marked) || leads_to_banned(lines[2]) || is_forbidden(text, span)
}

/// Whether the line of `span`, or the last line of text before its block, warns against what is shown.
pub fn warned_against(text: &str, span: Span) -> bool {
    surrounding_text(text, span).into_iter().any(|line| {
        let line = line.to_lowercase();
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'));
        line.contains('❌')
            || line.contains('✗')
            || words.any(|word| AGAINST.contains(&word.replace('’', "'").as_str()))
    })
}

/// The line of `span` on both sides, and the last line of text before its block.
fn surrounding_text(text: &str, span: Span) -> [&str; 3] {
    let start = line_start(text, span.start);
    let end = line_end(text, span.end);
    let fenced = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("```") && !line.starts_with("~~~")
    };
    let before = text[..start].lines().rev().take(4).find(fenced).unwrap_or_default();
    [&text[start..span.start], &text[span.end..end], before]
}
