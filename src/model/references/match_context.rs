//! The text next to a match: whether a whole name was found, and which words stand beside it.

use crate::read::name_words::{is_joined, is_spaced_letter};
use crate::read::path_words::is_edge;
use crate::source::{Span, last_line};

/// The text next to a match.
pub(super) struct MatchContext<'a> {
    pub(super) before: &'a str,
    name: &'a str,
    pub(super) after: &'a str,
}

impl<'a> MatchContext<'a> {
    pub(super) fn new(text: &'a str, span: Span) -> Self {
        Self { before: &text[..span.start], name: span.slice(text), after: &text[span.end..] }
    }

    pub(super) fn last(&self) -> Option<char> {
        self.before.chars().next_back()
    }

    pub(super) fn next(&self) -> Option<char> {
        self.after.chars().next()
    }

    /// `/name`, where the slash begins a word.
    pub(super) fn slash(&self) -> bool {
        ends_with_slash(self.before)
    }

    pub(super) fn ends_cleanly(&self) -> bool {
        let mut after = self.after.chars();
        let last = self.name.chars().next_back();
        match after.next() {
            None => true,
            Some(c) if last.is_some_and(|last| is_joined(last, c)) || "/\\".contains(c) => false,
            Some(c) if c.is_alphanumeric() => !is_path(leading_word(self.after)),
            // `name:` ends a clause, but `name:more` is another name and `name.md` is a file.
            Some(':' | '.') => !after.next().is_some_and(|c| is_spaced_letter(c) || c == '_' || c == ':'),
            Some(_) => true,
        }
    }

    pub(super) fn starts_cleanly(&self) -> bool {
        starts_name(self.before, self.name)
    }

    pub(super) fn in_backticks(&self) -> bool {
        self.last() == Some('`') && self.next() == Some('`')
    }

    /// Whether one of `words` is directly before or after, separated by a few spaces, quotes or marks.
    pub(super) fn is_next_to(&self, words: &[&str]) -> bool {
        let before = self.before.trim_end_matches(['`', '*', '"', '\'', '@', ' ', ':', '=']);
        let after = self.after.trim_start_matches(['`', '*', '"', '\'', ' ']);
        let gap = self.before.len() - before.len();
        words.iter().any(|word| {
            (gap <= 4 && ends_with_word(before, word))
                || (self.after.len() - after.len() <= 3 && starts_with_word(after, word))
        })
    }

    /// `@agent-name`, or `@name` if it cannot be an e-mail address.
    pub(super) fn at_sign(&self, several: bool) -> bool {
        self.is_agent_mention() || several && is_mention(self.before, "@")
    }

    /// `@agent-name`, which can only be an agent.
    pub(super) fn is_agent_mention(&self) -> bool {
        is_mention(self.before, AGENT_MENTION)
    }

    /// Whether it is in backticks, quotes or bold.
    pub(super) fn is_marked(&self) -> bool {
        self.last() == self.next() && self.next().is_some_and(|c| "`\"'*".contains(c))
    }

    /// Whether the name of an agent of the source host means the agent. Most of these names are also English words:
    /// "Explore agents that …" may ask the reader to explore.
    pub(super) fn is_built_in_agent(&self) -> bool {
        let is_word = !self.name.contains('-');
        self.is_next_to(&["subagent_type"])
            || (!is_word || self.is_marked()) && self.is_next_to(&AGENTS)
            || is_word && self.is_titled_agent()
    }

    /// Whether a name with a capital letter is before a word for agents, and not at the start of a sentence.
    pub(super) fn is_titled_agent(&self) -> bool {
        let before = self.before.trim_end_matches(['`', '*', '"', '\'', ' ']);
        let after = self.after.trim_start_matches(['`', '*', '"', '\'']);
        let is_inside = before.ends_with(|c: char| c.is_alphanumeric() || ",)/&+".contains(c));
        self.name.starts_with(char::is_uppercase)
            && is_inside
            && after
                .strip_prefix(' ')
                .is_some_and(|after| AGENTS.iter().any(|word| starts_with_word(after, word)))
    }

    /// Whether it is marked and follows `word`, with nothing but words of a call between: `Workflow({name: "x"})`, the
    /// Skill tool with `x`, the skill named "x".
    pub(super) fn is_called_after(&self, word: &str) -> bool {
        let near =
            &self.before[self.before.ceil_char_boundary(self.before.len().saturating_sub(NEAR_CALL))..];
        let line = last_line(near);
        let words = line.rsplit(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        let mut words = words.skip_while(|part| OF_A_CALL.contains(part));
        self.is_marked() && words.next().is_some_and(|part| part.eq_ignore_ascii_case(word))
    }

    /// Whether one of `verbs` is directly before it.
    pub(super) fn is_after_verb(&self, verbs: &[&str]) -> bool {
        let before = self.before.trim_end_matches(['`', '*', '"']).strip_suffix(' ');
        before.is_some_and(|before| verbs.iter().any(|verb| ends_with_word(before, verb)))
    }

    /// Whether a path in the folder of the plugin `owner` is meant: written as a whole, after a variable or from another
    /// folder of the plugin.
    pub(super) fn is_path_of(&self, owner: &str) -> bool {
        let folder = self.before.strip_suffix('/');
        let is_below = folder.is_some_and(|folder| {
            folder.ends_with(['}', '.']) || folder.strip_suffix(owner).is_some_and(|rest| rest.ends_with('/'))
        });
        (is_below || !self.slash() && self.starts_cleanly()) && self.ends_cleanly()
    }

    /// Whether the name is marked up, starts a list item, or is in a line with a word about dispatching.
    pub(super) fn stands_out(&self) -> bool {
        let bold = self.before.ends_with("**") && self.after.starts_with("**");
        let before = &self.before[self.before.ceil_char_boundary(self.before.len().saturating_sub(NEAR))..];
        let after = &self.after[..self.after.floor_char_boundary(NEAR)];
        let line = last_line(before);
        let rest = after.lines().next().unwrap_or_default();
        let says = |part: &str| {
            let mut words = part.split(|c: char| !c.is_alphanumeric());
            words.any(|word| DISPATCH.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
        };
        self.in_backticks() || bold || self.heads_item() || says(line) || says(rest) || says(wrapped(before))
    }

    /// Whether an item of a list begins with the name, and perhaps continues with a text about it.
    pub(super) fn heads_item(&self) -> bool {
        let before = &self.before[self.before.ceil_char_boundary(self.before.len().saturating_sub(NEAR))..];
        let line = last_line(before);
        let rest = &self.after[..self.after.floor_char_boundary(NEAR)];
        let rest = rest.lines().next().unwrap_or_default();
        let marker = line.trim().trim_end_matches(['.', ')']);
        let item = matches!(marker, "-" | "*" | "+")
            || !marker.is_empty() && marker.bytes().all(|byte| byte.is_ascii_digit());
        let ends = [":", " -", " –", " —", " ("].iter().any(|end| rest.starts_with(end));
        item && (ends || rest.trim().is_empty())
    }

    pub(super) fn widened(&self, span: Span) -> Span {
        if self.slash() { Span::new(span.start - 1, span.end) } else { span }
    }
}

/// The source host's mark before the name of an agent.
const AGENT_MENTION: &str = "@agent-";

/// Whether `name` may begin after `before`: not within another word or path.
pub fn starts_name(before: &str, name: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().next_back(), name.chars().next()) else { return true };
    ends_with_slash(before)
        || is_mention(before, AGENT_MENTION)
        || !(is_joined(last, first)
            || "_-/\\:.$".contains(last)
            || last.is_alphanumeric() && is_path(trailing_word(before)))
}

/// How many characters beside a name are searched for the path that it may be part of.
const PATH: usize = 100;

/// Whether a word beside a name is part of a path or an address; a slash at its start may be that of a slash command.
fn is_path(word: &str) -> bool {
    word.trim_start_matches('/').contains(['/', '\\'])
}

/// The word of a path at the start of `after`.
fn leading_word(after: &str) -> &str {
    let mut ends = after.char_indices().enumerate();
    let end = ends.find(|(count, (_, c))| *count == PATH || is_edge(*c) && *c != '\\');
    &after[..end.map_or(after.len(), |(_, (at, _))| at)]
}

/// The word of a path at the end of `before`.
fn trailing_word(before: &str) -> &str {
    let mut starts = before.char_indices().rev().enumerate();
    let start = starts.find(|(count, (_, c))| *count == PATH || is_edge(*c) && *c != '\\');
    &before[start.map_or(0, |(_, (at, c))| at + c.len_utf8())..]
}

/// Whether `before` ends with a slash that begins a word, as in a slash command.
pub fn ends_with_slash(before: &str) -> bool {
    let Some(before) = before.strip_suffix('/') else { return false };
    match before.chars().next_back() {
        None => true,
        Some(c) if c.is_ascii() => c.is_ascii_whitespace() || "`\"'(*_[".contains(c),
        // Scripts without spaces put it directly behind their own letters and punctuation, where a folder may be meant.
        Some(c) => c.is_whitespace() || !is_spaced_letter(c) && !is_path(trailing_word(before)),
    }
}

/// Whether `before` ends with `mark`, which is not within a word.
fn is_mention(before: &str, mark: &str) -> bool {
    before.strip_suffix(mark).is_some_and(|before| !before.ends_with(is_spaced_letter))
}

/// Words for agents.
const AGENTS: [&str; 3] = ["agent", "subagent", "sub-agent"];

/// Words that may stand between the name of a tool and the name that it gets.
const OF_A_CALL: [&str; 6] = ["tool", "with", "the", "name", "named", "called"];

/// How many bytes before a name are searched for the call that it belongs to.
const NEAR_CALL: usize = 80;

/// The start of a sentence that continues from the line above.
fn wrapped(before: &str) -> &str {
    let Some((above, _)) = before.rsplit_once('\n').filter(|(_, line)| line.trim().is_empty()) else {
        return "";
    };
    let line = last_line(above);
    let is_whole = line.starts_with(['#', '|', '`']) || line.trim_end().ends_with(['.', '!', '?']);
    if is_whole { "" } else { line.rsplit(". ").next().unwrap_or_default() }
}

/// How many bytes before and after a name are searched in its line: a line may hold thousands of names.
const NEAR: usize = 2000;

/// The maximum bytes of a function's parameters: a line may hold thousands of names.
const PARAMETERS: usize = 1000;

/// Whether the text after a name calls it; `Agent(s)` is a plural.
pub(super) fn is_call(after: &str) -> bool {
    !after.starts_with("(s)") && !is_signature(after)
}

/// Whether a name is that of a function in program code: `Read(p []byte) (n int, err error)` does not call a tool.
fn is_signature(after: &str) -> bool {
    let near = &after[..after.floor_char_boundary(PARAMETERS)];
    let line = near.lines().next().unwrap_or_default();
    let rest = line.split_once(')').map_or("", |(_, rest)| rest.trim_start());
    rest.starts_with(['(', '{', ':']) || rest.starts_with("error") || rest.starts_with("->")
}

/// Words that make a name of several words in their line an agent's.
const DISPATCH: [&str; 8] =
    ["agent", "agents", "subagent", "subagents", "dispatch", "spawn", "launch", "delegate"];

fn ends_with_word(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
        && text[..text.len() - word.len()].chars().next_back().is_none_or(|c| !is_spaced_letter(c))
}

pub(super) fn starts_with_word(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        && text[word.len()..].chars().next().is_none_or(|c| !is_spaced_letter(c) || c == 's')
}
