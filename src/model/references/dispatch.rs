//! Whether a text asks to run the agent that it names. A name in an inventory, in a table of permissions or in a remark
//! about another agent is not a request.

mod bans;
mod callers;
mod foreign_bans;
mod headings;
mod lists;
mod negation;
mod other_languages;
mod requirements;

use std::cell::OnceCell;

use memchr::memmem;

use crate::source::{Span, line_end, line_start};
pub use bans::{is_forbidden, leads_to_banned};
pub(super) use lists::are_items_dispatched;
use negation::{asks_in_consequence, is_denial, is_negated, requires_later};
pub(super) use other_languages::has_agent_beside;

/// Words that ask for an agent anywhere in its sentence, and for all items of a list if they are in the sentence before
/// it.
const ASKING: [&str; 20] = [
    "dispatch",
    "dispatches",
    "dispatched",
    "dispatching",
    "spawn",
    "spawns",
    "spawned",
    "spawning",
    "launch",
    "launches",
    "launched",
    "launching",
    "delegate",
    "delegates",
    "delegated",
    "delegating",
    "invoke",
    "invokes",
    "invoked",
    "invoking",
];

/// Words that ask for an agent anywhere in its sentence, but not for the items of a list that follows.
const ASKING_FOR_ONE: [&str; 8] =
    ["subagent_type", "subagent-type", "agenttype", "agent_type", "hand", "handoff", "trigger", "engage"];

/// Words that ask for an agent if they are a few words before it.
const ASKING_NEARBY: [&str; 18] = [
    "use", "using", "run", "running", "call", "calling", "ask", "asking", "start", "starting", "consult",
    "via", "task", "execute", "have", "let", "first", "then",
];

/// Words that ask for the items of a list if they are in the sentence before it.
const ASKING_FOR_ITEMS: [&str; 7] = ["run", "call", "ask", "start", "consult", "execute", "use"];

/// How many words before a name `ASKING_NEARBY` reaches.
const REACH: usize = 5;

/// How many bytes before and after a name are searched: a request is near the name, and a longer search takes longer.
const SEARCHED_BYTES: usize = 8192;

/// Words after an agent that is for something other than this text.
const FOR_OTHERS: [[&str; 2]; 4] =
    [["instead", "for"], ["instead", "when"], ["instead", "if"], ["instead", "to"]];

/// Characters that end a sentence that may forbid all agents.
const SENTENCE_ENDS: [char; 5] = ['\n', '.', ';', ':', '!'];

/// What all words for an agent contain.
const AGENT: &str = "agent";

/// Words for any agent.
const AGENTS: [&str; 6] = ["agent", "agents", "subagent", "subagents", "sub-agent", "sub-agents"];

/// The words of a sentence that forbids all agents, besides words for agents, negations and requests.
const OF_A_BAN: [&str; 15] = [
    "you", "must", "should", "do", "may", "ever", "to", "any", "other", "yourself", "here", "use", "the",
    "a", "for",
];

/// Whether `text` asks to run the agent that it names at `span`: in its sentence, as an argument of a call, or, for an
/// item of a list or a row of a table, in the section around it.
pub fn is_asked(text: &str, span: Span, mentions: &AgentMentions) -> bool {
    let from = text.floor_char_boundary(span.start.saturating_sub(SEARCHED_BYTES));
    let to = text.ceil_char_boundary(span.end.saturating_add(SEARCHED_BYTES).min(text.len()));
    let near = &text[from..to];
    is_asked_near(near, Span::new(span.start - from, span.end - from))
        && !has_ban(near, mentions.positions_in(text, Span::new(from, to)))
}

/// Where a text has the word `agent` in any case. All names in the text share the search.
#[derive(Debug, Default)]
pub struct AgentMentions(OnceCell<Vec<usize>>);

impl AgentMentions {
    /// The positions in `part` of `text`, relative to it.
    fn positions_in(&self, text: &str, part: Span) -> impl Iterator<Item = usize> {
        // A copy in lower case has every letter in the same place, and is searched in less time than a text in any case.
        let found = self.0.get_or_init(|| {
            let lower = text.to_ascii_lowercase();
            memmem::find_iter(lower.as_bytes(), AGENT).collect()
        });
        let found = &found[found.partition_point(|at| *at < part.start)..];
        found.iter().take_while(move |at| **at + AGENT.len() <= part.end).map(move |at| at - part.start)
    }
}

fn is_asked_near(text: &str, span: Span) -> bool {
    let start = line_start(text, span.start);
    let line = &text[start..];
    let line = &line[..line_end(line, 0)];
    let (ahead, behind) = (&text[start..span.start], &line[span.end - start..]);
    if ahead.ends_with("@agent-") || is_call(ahead) {
        !is_negated(sentence(text, span).0)
    } else if is_step(ahead, behind) {
        !section(text, start).any(|sentence| sentence.trim_end().ends_with(':') && forbids(&sentence))
    } else if is_example(ahead, behind) || is_listed(line) && has_samples(&text[start + line.len()..]) {
        false
    } else {
        let (before, after) = sentence(text, span);
        let is_certain = || span.slice(text).contains(':') || has_agent_beside(before, after);
        is_request(before, after)
            || is_certain() && other_languages::is_asked(text, (before, after), start)
            || is_listed(line) && section(text, start).any(|sentence| asks_for_all(&sentence))
            || headings::is_asked(text, span)
    }
}

/// Whether any sentence forbids all agents. Only few sentences mention agents, and no other sentence can be a ban.
fn has_ban(text: &str, mut mentions: impl Iterator<Item = usize>) -> bool {
    let mut end = 0;
    mentions.any(|at| {
        if at < end {
            return false;
        }
        let from = text[..at].rfind(SENTENCE_ENDS).map_or(0, |at| at + 1);
        let after = at + AGENT.len();
        end = text[after..].find(SENTENCE_ENDS).map_or(text.len(), |at| after + at);
        is_ban(&text[from..end])
    })
}

/// Whether a sentence forbids all agents: "never spawn agents".
fn is_ban(sentence: &str) -> bool {
    let is_agent = |word: &str| is_one_of(word, &AGENTS);
    let known = |word: &str| {
        is_agent(word) || is_one_of(word, &OF_A_BAN) || is_one_of(word, &ASKING) || is_denial(word)
    };
    // For most sentences, already the first word is unknown.
    words(sentence).all(known) && words(sentence).any(is_agent) && forbids(sentence)
}

/// Whether a sentence negates its request.
fn forbids(sentence: &str) -> bool {
    let asks = |word| is_one_of(word, &ASKING) || is_one_of(word, &ASKING_FOR_ITEMS);
    is_negated(sentence) && words(sentence).any(asks)
}

/// Whether a name is in inline code among other words: a text that a user may type, which is not a request here.
fn is_example(before: &str, after: &str) -> bool {
    let inside = before.matches('`').count() % 2 == 1 && after.contains('`');
    let ahead = before.rsplit('`').next().unwrap_or_default();
    let behind = after.split('`').next().unwrap_or_default();
    inside && !(ahead.trim().is_empty() && behind.trim().is_empty()) && ahead.contains(' ')
}

/// Whether a fence of quoted prompts follows an item: examples of what a user may ask the agent, not a request here.
fn has_samples(behind: &str) -> bool {
    let mut lines = behind.lines().skip(1).map(str::trim_start);
    lines.next().is_some_and(|line| line.starts_with("```"))
        && lines.next().is_some_and(|line| line.starts_with(['"', '\u{201c}']))
}

/// Whether a numbered item consists of the name only: a step, and the agent that takes it.
fn is_step(before: &str, after: &str) -> bool {
    let item = before.trim_start();
    let number = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks = number.strip_prefix(['.', ')']).unwrap_or("x");
    let bare = |rest: &str| rest.trim_matches(['`', '"', '*', '@', ' ', '.', '\r']).is_empty();
    number.len() < item.len() && bare(marks) && bare(after)
}

/// `Task(`, `Agent(`, `Task name`, `agent:` and `subagent_type:` before a name on its line.
fn is_call(before: &str) -> bool {
    if before.trim().trim_end_matches(['`', '"', '\'', ' ']) == "agent:" {
        return true;
    }
    let bare = before.trim_end_matches(['`', '"', '\'', '*', '@', ' ', ':', '=', '(']);
    let calls = ["Task(", "Agent(", "subagent_type"].iter().any(|call| before.contains(call));
    let item = bare.strip_suffix("Task").is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()));
    calls || item
}

/// The parts of the sentence before and after the name at `span`.
fn sentence(text: &str, span: Span) -> (&str, &str) {
    let before = &text[..span.start];
    let from =
        before.char_indices().rev().find(|(at, _)| ends_sentence(text, *at)).map_or(0, |(at, _)| at + 1);
    let after = &text[span.end..];
    let to = after
        .char_indices()
        .find(|(at, _)| ends_sentence(text, span.end + at))
        .map_or(after.len(), |(at, _)| at);
    (&before[from..], &after[..to])
}

/// Whether the byte at `at` ends a sentence: punctuation before white space, or a line break before an empty line, an
/// item, a row, a heading or a fence.
fn ends_sentence(text: &str, at: usize) -> bool {
    let Some(rest) = text.get(at + 1..) else { return false };
    match text.as_bytes()[at] {
        b'.' | b'!' | b'?' | b';' => rest.is_empty() || rest.starts_with(char::is_whitespace),
        b'\n' => {
            let line = rest.trim_start_matches([' ', '\t']);
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            line.is_empty()
                || line.starts_with(['\n', '\r', '|', '#', '>'])
                || ["- ", "* ", "+ ", "```"].iter().any(|mark| line.starts_with(mark))
                || number.len() < line.len() && number.starts_with(['.', ')'])
        }
        _ => false,
    }
}

fn is_request(before: &str, after: &str) -> bool {
    let ahead: Vec<&str> = words(before).collect();
    if requires_later(before, after) {
        return true;
    }
    if is_negated(before) || callers::are_named(&ahead) {
        return false;
    }
    let near = ahead.iter().rev().take(REACH).any(|word| is_one_of(word, &ASKING_NEARBY));
    let asking = |word: &&str| is_one_of(word, &ASKING) || is_one_of(word, &ASKING_FOR_ONE);
    let later: Vec<&str> = words(after).collect();
    let pair =
        |pair: &[&str], known: &[&str; 2]| is_one_of(pair[0], &known[..1]) && is_one_of(pair[1], &known[1..]);
    if later.windows(2).any(|two| FOR_OTHERS.iter().any(|known| pair(two, known))) {
        return false;
    }
    let denied = later.iter().any(|word| is_denial(word) && !word.eq_ignore_ascii_case("without"));
    // After its name comes what the agent does.
    let asked_later = |word: &&str| asking(word) && !callers::is_done(word);
    let asked_ahead = |at: usize| asking(&ahead[at]) && !callers::is_done_by_another(&ahead[..=at]);
    near || (0..ahead.len()).any(asked_ahead)
        || !denied && later.iter().any(asked_later)
        || asks_in_consequence(before, after)
}

/// Whether a sentence asks to run all items of a list.
fn asks_for_all(sentence: &str) -> bool {
    let all: Vec<&str> = words(sentence).collect();
    let leads = sentence.trim_end().ends_with(':');
    let asks = |word: &&str| is_one_of(word, &ASKING) || leads && is_one_of(word, &ASKING_FOR_ITEMS);
    !is_negated(sentence) && !callers::lists(&all) && all.iter().any(asks)
}

/// Whether a line is an item of a list or a row of a table.
fn is_listed(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+', '|']) || number.len() < line.len() && number.starts_with(['.', ')'])
}

/// Whether a line, without white space around it, is neither empty nor an item or row; a bold text is none.
fn is_prose(line: &str) -> bool {
    !line.is_empty() && (line.starts_with("**") || !is_listed(line))
}

/// The heading of the section around `at`, and the lines in it that are neither items nor rows.
fn section(text: &str, at: usize) -> impl Iterator<Item = String> + '_ {
    let heading = |from: &str| from.starts_with('#');
    let start = text[..at].match_indices('\n').map(|(at, _)| at + 1).rfind(|from| heading(&text[*from..]));
    let start = start.unwrap_or(0);
    let end =
        text[at..].match_indices('\n').map(|(end, _)| at + end + 1).find(|from| heading(&text[*from..]));
    let lines = text[start..end.unwrap_or(text.len())].lines().filter(|line| !is_listed(line));
    lines.flat_map(|line| line.split(". ").map(str::to_owned).collect::<Vec<_>>())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || "_-'\u{2019}".contains(c)));
    words.map(|word| word.trim_matches(['\'', '\u{2019}'])).filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| word.eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn forbidden(text: &str) -> bool {
        let at = text.find("WebFetch").unwrap();
        is_forbidden(text, Span::new(at, at + "WebFetch".len()))
    }

    pub(super) fn asked(text: &str) -> bool {
        let at = text.find("scout").unwrap();
        is_asked(text, Span::new(at, at + "scout".len()), &AgentMentions::default())
    }

    #[test]
    fn a_request_asks() {
        for text in [
            "Do not skip the `scout` agent: always launch it.",
            "Never dispatch it yourself, except for security changes: then dispatch `scout`.",
            "Do not use `Task` except for reviews; then use `Task` with `subagent_type: scout`.",
            "Do not spawn agents, but `subagent_type: scout` may be used once.",
            "Dispatch kit:check twice, then the `scout` agent.",
            "Use the **scout** agent for this.",
            "Run these in parallel:\n\n- Task scout(feature)\n",
            "Task(subagent_type=\"kit:scout\")",
            "## Dispatch\n\n- `scout`: looks ahead\n",
            "Read on. Launch every one of them:\n\n| agent | when |\n|---|---|\n| `scout` | always |\n",
            "The scout agent is spawned with the path.",
            "delegates to scout",
            "ask @agent-scout",
            "Have agent **scout** look.",
            "1. `scout`\n2. then rest",
            "Run each:\n- scout: the pier\n- the log",
            "First `scout`, then write.",
            "agent: scout",
            "If the tests do not pass, dispatch the scout agent.",
            "Instead, dispatch the scout agent.",
            "Use the scout agent instead.",
            "Read on. Then spawn\nscout, which looks ahead.",
            "Without waiting, launch scout.",
            "Never spawn agents in parallel. Dispatch the scout agent first.",
        ] {
            assert!(asked(text), "{text}");
        }
    }

    #[test]
    fn a_ban_counts_for_the_names_near_it() {
        let text = format!(
            "Use the scout agent.\n\n{}\n\nNever spawn AGENTS.\n\nUse the scout agent.\n",
            "Wait. ".repeat(SEARCHED_BYTES)
        );
        let mentions = AgentMentions::default();
        let found = text.match_indices("scout");
        let asked = found.map(|(at, name)| is_asked(&text, Span::new(at, at + name.len()), &mentions));
        assert_eq!(asked.collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_mention_asks_for_nothing() {
        for text in [
            "Do not, in any case, dispatch the `scout` agent.",
            "Never, ever use the `scout` agent.",
            "Never dispatch `check`, the `scout` agent or `plan`.",
            "- `scout`: looks ahead\n- `other`: looks back\n",
            "1. `scout`: looks ahead\n2. `other`: looks back\n",
            "## Permissions\n\n| agent | tools |\n|---|---|\n| scout | Read |\n",
            "Never spawn the scout agent yourself.",
            "The scout agent has done its part. Spawn nothing.",
            "Do not dispatch scout here",
            "Then never spawn\nscout, which looks ahead.",
            "Works beside the scout agent.",
            "The scout agent (see below).",
            "| **scout** | the pier |",
            "| Review | `/go. Then use the scout agent.` |",
            "Never call Task(subagent_type=\"kit:scout\").",
            "Don’t use @agent-scout here.",
            "You can't dispatch the scout agent.",
            "Never spawn these:\n\n1. `scout`\n2. `other`\n",
            "Refrain from dispatching the scout agent.",
            "Use grep instead of the scout agent.",
            "- **Deep**: Use `scout` agent\n  ```\n  \"Look into it\"\n  ```\n",
            "**Use the `scout` agent instead for:**\n- whole harbours",
            "There is no need to dispatch scout.",
            "You must never spawn sub-agents.\n\nUse the list of the scout agent.",
            "Do not use any agents.\n\n1. `scout`\n",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
