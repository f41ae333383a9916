//! Whether a text only forbids what it names: "never use `WebFetch`". A ban with a limit, such as "never use `Bash` for
//! searches", does not count, since the text may want the name elsewhere.

use super::foreign_bans;
use super::negation::{CONDITIONS, DENYING_PAIRS};
use super::{AGENTS, ASKING, ASKING_FOR_ITEMS, OF_A_BAN, is_denial, is_listed, is_one_of, sentence, words};
use crate::source::{Span, line_start};

/// How many bytes before and after a name are searched.
const SEARCHED_BYTES: usize = 1024;

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 7] = [',', ':', ';', '(', '\u{2014}', '\u{2013}', '|'];

/// Words between a negation and a name, besides those of a ban on all agents and requests.
const OF_A_REQUEST: [&str; 14] = [
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
];

/// Words that may follow a forbidden name in its clause.
const BEHIND: [&str; 22] = [
    "tool", "tools", "skill", "skills", "command", "commands", "agent", "agents", "workflow", "the", "or",
    "and", "nor", "here", "at", "all", "ever", "in", "this", "use", "instead", "please",
];

/// Words before a negation that make its clause something other than a ban, besides those that start a condition.
const OPENING: [&str; 3] = ["whether", "why", "or"];

/// Words that forbid what is named before them, after "is" or "are".
const FORBIDDEN: [&str; 4] = ["forbidden", "prohibited", "disallowed", "banned"];

/// Words that limit a ban in its sentence.
const LIMITS: [&str; 7] = ["unless", "except", "until", "without", "outside", "other", "before"];

/// Whether the sentence of the name at `span` only forbids it, or the line above the list that the name is an item of.
pub(in crate::model::references) fn is_forbidden(text: &str, span: Span) -> bool {
    let from = text.floor_char_boundary(span.start.saturating_sub(SEARCHED_BYTES));
    let to = text.ceil_char_boundary(span.end.saturating_add(SEARCHED_BYTES).min(text.len()));
    let (near, span) = (&text[from..to], Span::new(span.start - from, span.end - from));
    let (before, after) = sentence(near, span);
    let clause = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let begins = !clause.contains(char::is_alphanumeric) || clause.trim().eq_ignore_ascii_case("the");
    let is_question = near[span.end + after.len()..].starts_with('?');
    let is_ban = words(before).filter(|word| is_denial(word)).count() <= 1 && denies(clause)
        || begins && lead(near, span).is_some_and(denies)
        || is_no(clause) && !is_question;
    is_ban && !is_limited(after) || begins && are_forbidden(after) || foreign_bans::is_ban(before, after)
}

/// Whether a clause is only "no" before a name: "No `WebFetch`."
fn is_no(clause: &str) -> bool {
    let mut words = words(clause);
    words.next().is_some_and(|word| is_one_of(word, &["no"])) && words.next().is_none()
}

/// Whether a sentence continues with "is forbidden" after a name.
fn are_forbidden(after: &str) -> bool {
    let clause: Vec<&str> = words(after.split(CLAUSE_ENDS).next().unwrap_or_default()).collect();
    match clause.as_slice() {
        [.., verb, last] if is_one_of(verb, &["is", "are"]) => is_one_of(last, &FORBIDDEN),
        [.., verb, not, last] => {
            is_one_of(verb, &["is", "are"])
                && is_one_of(not, &["not"])
                && is_one_of(last, &["allowed", "permitted"])
        }
        _ => false,
    }
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
        if !own.iter().all(|word| is_one_of(word, &BEHIND)) {
            return at == 0 || own.len() < words(part).count();
        }
    }
    false
}

/// The line above the list with the item at `span`, if the item begins with the name and the line leads to the list.
fn lead(text: &str, span: Span) -> Option<&str> {
    let start = line_start(text, span.start);
    if !is_listed(&text[start..]) || text[start..span.start].contains(char::is_alphabetic) {
        return None;
    }
    let above = text[..start].lines().rev();
    let is_text = |line: &&str| !line.is_empty() && (line.starts_with("**") || !is_listed(line));
    let lead = above.map(str::trim).find(is_text)?;
    let lead = lead.strip_suffix("**").unwrap_or(lead).strip_suffix(':')?;
    Some(lead.rsplit(['.', ',', ':']).next().unwrap_or(lead))
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
        ] {
            assert!(!forbidden(text), "{text}");
        }
    }
}
