//! What a Markdown text claims to exist: link destinations, paths, paths after a variable, qualified names, and
//! variables that the host does not expand. One scan finds the candidates; whether a claim is intentional matters only
//! if it does not resolve.

mod runs;

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr, memchr3_iter, memrchr};

use crate::model::paths::is_plain;
use crate::model::project::Project;
use crate::read::markdown::destination_parts;
use crate::read::name_words::{is_name_char, is_spaced_letter, leading_name};
use crate::read::path_words::{is_continued, leading_path, without_lines, without_marks};
use crate::source::Span;
use crate::source_format::SourceFacts;
use crate::target::{Target, VariableForm};

use runs::{LONGEST, ScannedRun, ScannedWord, link_end};

/// The placeholder in a block for the local name of any component of a plugin.
const ANY_NAME: &str = "NAME";

/// The form in which a text names something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimForm {
    /// `[text](path)`.
    Link,
    /// A path in prose or code.
    Bare,
    /// A path after the variable for the plugin's folder.
    Root,
    /// A path after the variable for a skill's folder.
    Skill,
    /// A variable that the host does not expand; what follows it is irrelevant.
    Variable,
    /// `plugin:name`.
    Name,
}

/// One span of a text that names something.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextClaim<'a> {
    /// The span, including the variable.
    pub(super) span: Span,
    /// The form of the claim.
    pub(super) form: ClaimForm,
    /// The path or name; empty for a variable.
    pub(super) written: &'a str,
    /// The text of the whole span.
    pub(super) text: &'a str,
}

/// The names that a block binds.
#[derive(Debug)]
pub(super) struct BoundNames<'a> {
    /// Its code spans.
    codes: BTreeSet<&'a str>,
    /// The prefixes of names that are bound by a rule for all names of a plugin.
    rules: BTreeSet<&'a str>,
}

impl<'a> BoundNames<'a> {
    /// Reads a block.
    pub(super) fn from_block(block: &'a str) -> Self {
        let codes: BTreeSet<&str> = block.split('`').skip(1).step_by(2).collect();
        let rules = codes.iter().filter_map(|code| code.strip_suffix(ANY_NAME)).collect();
        Self { codes, rules }
    }

    /// Whether the block binds the name or the variable of `claim`.
    pub(super) fn binds(&self, claim: &TextClaim<'_>) -> bool {
        let name = if claim.form == ClaimForm::Variable { claim.text } else { claim.written };
        self.codes.contains(name)
            || (claim.form == ClaimForm::Name && self.rules.iter().any(|plugin| name.starts_with(plugin)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaimTrigger {
    Slash,
    Link,
    Root,
    Skill,
    Unfilled,
    Plugin,
}

/// Finds claims.
#[derive(Debug)]
pub(super) struct ClaimScanner {
    /// `plugin:` of every plugin.
    plugins: AhoCorasick,
    /// `${NAME}` and its trigger.
    variables: Vec<(String, ClaimTrigger)>,
    /// Whether the host does not expand the variables for the plugin's folder and for a skill's folder.
    unfilled: (bool, bool),
}

impl ClaimScanner {
    /// Prepares the scan for the names of `project` and the variables that `target` does not expand.
    pub(super) fn new(project: &Project, target: &Target, source: &SourceFacts) -> Self {
        let left = |name: &&String| {
            target.variables.get(*name).is_some_and(|facts| facts.form != VariableForm::Native)
        };
        let folders =
            [(&source.plugin_root, ClaimTrigger::Root), (&source.skill_folder, ClaimTrigger::Skill)];
        let own = [&source.plugin_root, &source.skill_folder];
        let others = source.variables.iter().filter(|name| !own.contains(name)).filter(left);
        let variables = folders.into_iter().chain(others.map(|name| (name, ClaimTrigger::Unfilled)));
        let variables = variables.map(|(name, trigger)| (format!("${{{name}}}"), trigger)).collect();
        let plugins = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(project.plugins.iter().map(|plugin| format!("{}:", plugin.name)));
        // Building fails only for more patterns than fit into memory.
        let plugins = plugins.unwrap_or_else(|_| AhoCorasick::new([""; 0]).expect("an empty automaton"));
        let unfilled = (left(&&source.plugin_root), left(&&source.skill_folder));
        Self { plugins, variables, unfilled }
    }

    /// The spans of `text` that may be claims, in order.
    fn triggers<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Span, ClaimTrigger)> + 'a {
        let bytes = text.as_bytes();
        // Slashes are frequent, so this searches for single bytes rather than a set of words.
        let marks = memchr3_iter(b'/', b'(', b'$', bytes).filter_map(move |at| match bytes[at] {
            b'/' => Some((Span::new(at, at + 1), ClaimTrigger::Slash)),
            b'(' => {
                (at > 0 && bytes[at - 1] == b']').then(|| (Span::new(at - 1, at + 1), ClaimTrigger::Link))
            }
            _ => {
                let (name, trigger) = self.variables.iter().find(|(name, _)| text[at..].starts_with(name))?;
                Some((Span::new(at, at + name.len()), *trigger))
            }
        });
        let names = self.plugins.find_iter(text);
        let mut names =
            names.map(|found| (Span::new(found.start(), found.end()), ClaimTrigger::Plugin)).peekable();
        let mut marks = marks.peekable();
        std::iter::from_fn(move || match (marks.peek(), names.peek()) {
            (Some((mark, _)), Some((name, _))) if name.start < mark.start => names.next(),
            (None, _) => names.next(),
            _ => marks.next(),
        })
    }

    /// Calls `each` for every claim of `text`, in order.
    pub(super) fn find<'a>(&self, text: &'a str, each: &mut dyn FnMut(TextClaim<'a>)) {
        let mut done = 0;
        let (mut word, mut link_end) = (ScannedWord::default(), ScannedRun::default());
        for (at, trigger) in self.triggers(text) {
            if at.start < done {
                continue;
            }
            let unfilled = match trigger {
                ClaimTrigger::Root => self.unfilled.0,
                ClaimTrigger::Skill => self.unfilled.1,
                _ => trigger == ClaimTrigger::Unfilled,
            };
            if unfilled {
                each(claim(text, at, ClaimForm::Variable, Span::new(at.end, at.end)));
            }
            let claim = match trigger {
                ClaimTrigger::Slash => {
                    word.word_at(text, done, at.start).and_then(|span| unqualified_claim(text, span))
                }
                ClaimTrigger::Link => link(text, at.end, &mut link_end),
                ClaimTrigger::Root => folder(text, at, ClaimForm::Root, &mut word),
                ClaimTrigger::Skill => folder(text, at, ClaimForm::Skill, &mut word),
                ClaimTrigger::Unfilled => None,
                ClaimTrigger::Plugin => name(text, at),
            };
            if let Some(claim) = claim {
                done = done.max(claim.span.end);
                each(claim);
            }
        }
    }
}

fn claim(text: &str, span: Span, form: ClaimForm, written: Span) -> TextClaim<'_> {
    TextClaim { span, form, written: written.slice(text), text: span.slice(text) }
}

fn unqualified_claim(text: &str, span: Span) -> Option<TextClaim<'_>> {
    let bytes = text.as_bytes();
    let (mut start, end) = (span.start, span.end);
    while start < end && bytes[start] == b'*' {
        start += 1;
    }
    let word = without_lines(without_marks(&text[start..end]));
    // A folder is recognised only by a trailing slash or leading dots: `and/or` is not one.
    let shown = word.as_bytes();
    let in_name = || memrchr(b'.', shown).is_some_and(|dot| memchr(b'/', &shown[dot..]).is_none());
    let path = shown.ends_with(b"/") || shown.starts_with(b"./") || shown.starts_with(b"../") || in_name();
    let span = Span::new(start, start + word.len());
    (path && !word.starts_with(['@', '+']) && is_plain(word))
        .then(|| claim(text, span, ClaimForm::Bare, span))
}

fn link<'a>(text: &'a str, at: usize, run: &mut ScannedRun) -> Option<TextClaim<'a>> {
    let end = run.end(at, || link_end(text, at));
    if end == text.len() || end - at > LONGEST {
        return None;
    }
    let destination = &text[at..end];
    let (lead, inner) = match destination.strip_prefix('<') {
        Some(inner) => (1, inner.strip_suffix('>')?),
        None => (0, destination),
    };
    let (path, _) = destination_parts(inner);
    let span = Span::new(at + lead, at + lead + path.len());
    (is_plain(path) && !path.starts_with('@')).then(|| claim(text, span, ClaimForm::Link, span))
}

/// `${ROOT}/path`, or `"${ROOT}"/path`.
fn folder<'a>(text: &'a str, span: Span, form: ClaimForm, word: &mut ScannedWord) -> Option<TextClaim<'a>> {
    let rest = &text[span.end..];
    let lead = usize::from(rest.starts_with("\"/") || rest.starts_with("'/"));
    let rest = &rest[lead..];
    let slash = rest.strip_prefix('/')?;
    let start = span.end + lead + 1;
    let end = word.end(text, start);
    if end - start > LONGEST {
        return None;
    }
    let path = leading_path(&text[start..end]);
    let cut = is_continued(&slash[path.len()..]);
    (!cut && is_plain(path)).then(|| {
        let end = start + path.len();
        claim(text, Span::new(span.start, end), form, Span::new(start, end))
    })
}

fn name(text: &str, span: Span) -> Option<TextClaim<'_>> {
    let before = text[..span.start].chars().next_back();
    let second = text[..span.start].chars().rev().nth(1);
    let slash = before == Some('/') && second.is_none_or(|c| c.is_whitespace() || "`\"'(*_[".contains(c));
    let dollar = before == Some('$');
    if !slash && !dollar && before.is_some_and(|c| is_name_char(c) || "/\\:.$@".contains(c)) {
        return None;
    }
    let rest = &text[span.end..];
    let local = leading_name(rest, ":").trim_end_matches([':', '-', '_']);
    let after = rest[local.len()..].trim_start_matches(':');
    let file = after.starts_with(['/', '\\', '*', '<', '{', '$'])
        || after.strip_prefix('.').is_some_and(|after| after.starts_with(is_spaced_letter));
    let whole = Span::new(span.start, span.end + local.len());
    (local.starts_with(|c: char| c.is_alphabetic()) && !file && !local.contains("::"))
        .then(|| claim(text, whole, ClaimForm::Name, whole))
}
