//! Whether a text only forbids what it names: "never use `WebFetch`". A ban with a limit, such as "never use `Bash` for
//! searches", does not count, since the text may want the name elsewhere.

use super::foreign_bans;
use super::negation::{CONDITIONS, DENYING_PAIRS};
use super::{
    AGENTS, ASKING, ASKING_FOR_ITEMS, OF_A_BAN, is_denial, is_listed, is_one_of, is_prose, sentence, words,
};
use crate::source::{Span, line_start};

/// How many bytes before and after a name are searched.
const SEARCHED_BYTES: usize = 1024;

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 7] = [',', ':', ';', '(', '\u{2014}', '\u{2013}', '|'];

/// Words between a negation and a name, besides those of a ban on all agents and requests.
const OF_A_REQUEST: [&str; 17] = [
    "using",
    "running",
    "calling",
    "tool",
    "tools",
    "skill",
    "command",
    "workflow",
    "these",
    "following",
    "attempt",
    "try",
    "either",
    "from",
    "this",
    "write",
    "writing",
];

/// Words that may follow a forbidden name in its clause.
const BEHIND: [&str; 22] = [
    "tool", "tools", "skill", "skills", "command", "commands", "agent", "agents", "workflow", "the", "or",
    "and", "nor", "here", "at", "all", "ever", "in", "this", "use", "instead", "please",
];

/// Words before a negation that make its clause something other than a ban, besides those that start a condition.
const OPENING: [&str; 3] = ["whether", "why", "or"];

/// Words that forbid what is named before them, after "is" or "are", or behind them: "forbidden tools:".
const FORBIDDEN: [&str; 5] = ["forbidden", "prohibited", "disallowed", "banned", "off-limits"];

/// Words that forbid behind "not".
const ALLOWED: [&str; 2] = ["allowed", "permitted"];

/// What is not to be done with a forbidden name.
const USED: [&str; 7] = ["used", "called", "invoked", "run", "dispatched", "spawned", "launched"];

/// Verbs before "not be used".
const MODAL: [&str; 4] = ["must", "should", "may", "shall"];

/// Words beside those of `FORBIDDEN` in a label.
const OF_A_LABEL: [&str; 14] = [
    "tool",
    "tools",
    "skill",
    "skills",
    "command",
    "commands",
    "agent",
    "agents",
    "the",
    "are",
    "is",
    "these",
    "following",
    "strictly",
];

/// Marks before what is forbidden.
const CROSSES: [char; 5] = ['\u{274c}', '\u{2717}', '\u{2718}', '\u{1f6ab}', '\u{26d4}'];

/// Marks of a name or label, and the selector behind a pictogram.
const MARKS: [char; 6] = ['`', '*', '"', '\'', ' ', '\u{fe0f}'];

/// Words that limit a ban in its sentence.
const LIMITS: [&str; 7] = ["unless", "except", "until", "without", "outside", "other", "before"];

/// Whether the sentence of the name at `span` only forbids it, or a label before it or above the list that it is an item of.
pub fn is_forbidden(text: &str, span: Span) -> bool {
    let from = text.floor_char_boundary(span.start.saturating_sub(SEARCHED_BYTES));
    let to = text.ceil_char_boundary(span.end.saturating_add(SEARCHED_BYTES).min(text.len()));
    let (near, span) = (&text[from..to], Span::new(span.start - from, span.end - from));
    let (before, after) = sentence(near, span);
    let clause = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let begins = !clause.contains(char::is_alphanumeric) || clause.trim().eq_ignore_ascii_case("the");
    let is_question = near[span.end + after.len()..].starts_with('?');
    let is_ban = words(before).filter(|word| is_denial(word)).count() <= 1 && denies(clause)
        || begins && list_heading(near, span).or_else(|| label(before)).is_some_and(is_ban_label)
        || (is_no(clause) || before.trim_end_matches(MARKS).ends_with(CROSSES)) && !is_question;
    is_ban && !is_limited(after)
        || begins && are_forbidden(after)
        || !is_question && foreign_bans::is_ban(before, after)
}

/// Whether a line leads to what it forbids: "**DO NOT USE:**".
pub fn leads_to_banned(line: &str) -> bool {
    label(line).is_some_and(is_ban_label)
}

/// The label at the end of a text: its words before a colon.
fn label(text: &str) -> Option<&str> {
    let label = text.trim_end_matches(MARKS).strip_suffix(':')?;
    Some(label.rsplit(['.', ',', ':']).next().unwrap_or(label))
}

/// Whether a label forbids what follows it: "do not use:", "forbidden tools:".
fn is_ban_label(label: &str) -> bool {
    let all: Vec<&str> = words(label).collect();
    let is_not_allowed =
        |pair: &[&str]| is_one_of(pair[0], &["not", "never"]) && is_one_of(pair[1], &ALLOWED);
    let forbids = all.iter().any(|word| is_one_of(word, &FORBIDDEN)) || all.windows(2).any(is_not_allowed);
    let lists = [&FORBIDDEN[..], &ALLOWED, &OF_A_LABEL, &["not", "never"]];
    denies(label) || forbids && all.iter().all(|word| lists.iter().any(|list| is_one_of(word, list)))
}

/// Whether a clause is only "no" before a name: "No `WebFetch`."
fn is_no(clause: &str) -> bool {
    let mut words = words(clause);
    words.next().is_some_and(|word| is_one_of(word, &["no"])) && words.next().is_none()
}

/// Whether a sentence continues with "is forbidden" or "must not be used" after a name.
fn are_forbidden(after: &str) -> bool {
    let clause: Vec<&str> = words(after.split(CLAUSE_ENDS).next().unwrap_or_default()).collect();
    let is = |word: &str| is_one_of(word, &["is", "are"]);
    let not = |word: &str| is_one_of(word, &["not", "never"]);
    let is_ban = match clause.as_slice() {
        [.., verb, last] if is(verb) => is_one_of(last, &FORBIDDEN),
        [.., verb, to, be, last] if to.eq_ignore_ascii_case("to") => {
            not(verb) && is_one_of(be, &["be"]) && is_one_of(last, &USED)
        }
        [.., modal, negation, be, last] if is_one_of(be, &["be"]) => {
            is_one_of(modal, &MODAL) && not(negation) && is_one_of(last, &USED)
        }
        [.., verb, negation, last] if is(verb) && not(negation) => {
            is_one_of(last, &ALLOWED) || is_one_of(negation, &["never"]) && is_one_of(last, &USED)
        }
        _ => false,
    };
    is_ban && !words(after).any(|word| is_one_of(word, &LIMITS))
}

/// Whether a clause says nothing after its negation but words of a request.
fn denies(clause: &str) -> bool {
    let words: Vec<&str> = words(clause).collect();
    let is_pair = |at: usize| {
        let pair = |[first, second]: &[&str; 2]| {
            is_one_of(words[at - 1], &[first]) && is_one_of(words[at], &[second])
        };
        at > 0 && DENYING_PAIRS.iter().any(pair)
    };
    // What a text would lack "without" a tool, it needs.
    let is_ban = |at: &usize| is_denial(words[*at]) && !is_one_of(words[*at], &["without"]) || is_pair(*at);
    let Some(at) = (0..words.len()).find(is_ban) else { return false };
    let opens = |word: &&str| is_one_of(word, &CONDITIONS) || is_one_of(word, &OPENING);
    let lists = [&OF_A_BAN[..], &ASKING, &ASKING_FOR_ITEMS, &AGENTS, &OF_A_REQUEST];
    let is_known = |word: &&str| lists.iter().any(|list| is_one_of(word, list));
    !words[..at].iter().any(opens) && words[at + 1..].iter().all(is_known)
}

/// Whether what follows a name in its sentence limits a ban.
fn is_limited(after: &str) -> bool {
    let after = after.strip_prefix('`').unwrap_or(after);
    if words(after).any(|word| is_one_of(word, &LIMITS)) {
        return true;
    }
    for (at, part) in after.split(CLAUSE_ENDS).enumerate() {
        // Other names of the list stand in code or begin with a capital letter.
        let own = part.split('`').step_by(2).flat_map(words);
        let own: Vec<&str> = own.filter(|word| !word.starts_with(char::is_uppercase)).collect();
        // Another name, of which something else is said.
        if at > 0 && own.first().is_some_and(|word| is_one_of(word, &["but"])) {
            return false;
        }
        if !own.iter().all(|word| is_one_of(word, &BEHIND)) {
            return at == 0 || own.len() < words(part).count();
        }
    }
    false
}

/// The line above the list with the item at `span`, if the item begins with the name and the line leads to the list.
fn list_heading(text: &str, span: Span) -> Option<&str> {
    let start = line_start(text, span.start);
    if !is_listed(&text[start..]) || text[start..span.start].contains(char::is_alphabetic) {
        return None;
    }
    label(text[..start].lines().rev().map(str::trim).find(|line| is_prose(line))?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::forbidden;

    #[test]
    fn a_plain_ban_forbids() {
        for text in [
            "Never use WebFetch.",
            "Never use the `WebFetch` tool.",
            "Do NOT call `WebFetch` here",
            "You must not use `WebFetch`, `Bash` or `Read`.",
            "Never use `WebFetch` or the WebSearch tool: all of it is local.",
            "Don\u{2019}t ever invoke WebFetch \u{2014} it is slow.",
            "Read on. Avoid WebFetch, it is slow.",
            "Use `Grep` instead of `WebFetch`.",
            "`WebFetch` is forbidden.",
            "`WebFetch` and `Bash` are not allowed: all of it is local.",
            "This skill does not use WebFetch; it reads files.",
            "Never use these tools:\n\n- `Bash`\n- `WebFetch`: slow\n",
            "**Do not use:**\n1. WebFetch\n",
            "Never use `WebFetch`, use `Read` instead.",
            "No `WebFetch`. Just think.",
            "Think, no WebFetch.",
            "`WebFetch` must not be used.",
            "`WebFetch` should never be called.",
            "`WebFetch` and `Bash` are not to be used.",
            "Forbidden tools: `WebFetch`, `WebSearch`.",
            "**Not allowed:** `WebFetch`",
            "**Prohibited tools:**\n\n- `WebFetch`\n",
            "Tools you may not call: `WebFetch`.",
            "\u{274c} `WebFetch`",
            "- \u{1f6ab} WebFetch\n",
            "Stop using `WebFetch`.",
            "Never use `WebFetch`, but `TodoWrite` is fine.",
            "Never write `WebFetch`.",
            "- No `Bash`, no `WebFetch`\n",
        ] {
            assert!(forbidden(text), "{text}");
        }
    }

    #[test]
    fn a_limit_or_another_clause_forbids_nothing() {
        for text in [
            "Use WebFetch.",
            "Never use `WebFetch` for searches.",
            "Do not use WebFetch unless the user asks.",
            "Never use WebFetch, except once.",
            "Never finish without calling WebFetch.",
            "Without WebFetch, it fails.",
            "WebFetch is not available.",
            "If WebFetch is not allowed, ask.",
            "Never use WebFetch directly.",
            "Do not skip WebFetch.",
            "If you cannot use WebFetch, ask.",
            "Decide whether or not to use WebFetch.",
            "Do not use `Bash`, use WebFetch.",
            "Do not use `Bash` and use WebFetch instead.",
            "Do not stop: use WebFetch.",
            "Never use WebFetch twice.",
            "Do not use WebFetch before you have asked.",
            "Never use `WebFetch` and `Read` for searches.",
            "Never use these tools:\n\n- `Bash`\n\nUse these:\n\n- `WebFetch`\n",
            "Never end before you call:\n\n- WebFetch\n",
            "Do not only use WebFetch.",
            "No `WebFetch` results? Ask.",
            "No `WebFetch`? Ask.",
            "There is no WebFetch.",
            "No other `WebFetch`.",
            "No `WebFetch` for searches.",
            "`WebFetch` must not be used for searches.",
            "`WebFetch` must not be used, except once.",
            "`WebFetch` must be used.",
            "Allowed tools: `WebFetch`.",
            "Forbidden words in the reply of the tools: `WebFetch`",
            "\u{274c} `WebFetch` for local files",
            "Do not stop using `WebFetch`.",
            "Never use `Bash`, but `WebFetch` is fine.",
        ] {
            assert!(!forbidden(text), "{text}");
        }
    }
}
