//! Finds who runs what in a text that names an agent: "invoked by the `scout` agent" tells who runs this text, and "the
//! `plan` skill dispatches `scout`" tells what another skill does. Neither is a request.

use super::{ASKING, REACH, is_one_of};

/// Words that, followed by `by`, tell who runs this text.
const CALLED_BY_WORDS: [&str; 9] =
    ["dispatched", "spawned", "launched", "delegated", "invoked", "called", "triggered", "started", "loaded"];

/// Words that may stand between `by` and a list of the callers of this text.
const LIST_WORDS: [&str; 6] = ["the", "these", "any", "following", "agents", "subagents"];

/// Verbs that are not a request if the subject is not this text.
const CALLING_VERBS: [&str; 5] = ["dispatches", "spawns", "launches", "delegates", "invokes"];

/// Subjects other than this text.
const CALLING_SUBJECTS: [&str; 4] = ["skill", "command", "workflow", "hook"];

/// Words before such a subject that make it this text.
const OWN_TEXT_WORDS: [&str; 5] = ["this", "the", "your", "current", "that"];

/// Whether the words before a name tell that it runs this text: "invoked by the", "called by `other` or the".
pub(super) fn are_named(ahead: &[&str]) -> bool {
    let Some(by) = last_by(ahead).filter(|by| ahead.len() - by <= REACH) else { return false };
    is_one_of(ahead[by - 1], &CALLED_BY_WORDS) && !ahead[by..].iter().any(|word| is_one_of(word, &ASKING))
}

/// Whether the sentence before a list tells that its items run this text.
pub(super) fn lists(sentence: &[&str]) -> bool {
    let names_none = |by: usize| sentence[by + 1..].iter().all(|word| is_one_of(word, &LIST_WORDS));
    last_by(sentence).is_some_and(|by| is_one_of(sentence[by - 1], &CALLED_BY_WORDS) && names_none(by))
}

/// Whether a word after the name of an agent is what the agent does.
pub(super) fn is_done(word: &str) -> bool {
    is_one_of(word, &CALLING_VERBS)
}

/// Whether the last of the words is what another skill or command does: "the `other` skill dispatches".
pub(super) fn is_done_by_another(ahead: &[&str]) -> bool {
    let [.., whose, doer, doing] = ahead else { return false };
    is_one_of(doing, &CALLING_VERBS)
        && is_one_of(doer, &CALLING_SUBJECTS)
        && !is_one_of(whose, &OWN_TEXT_WORDS)
}

/// The index of the last `by` that follows another word.
fn last_by(words: &[&str]) -> Option<usize> {
    words.iter().rposition(|word| word.eq_ignore_ascii_case("by")).filter(|by| *by > 0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;

    #[test]
    fn who_runs_this_text_is_not_asked_for() {
        for text in [
            "- Invoked by `scout` agent",
            "- **Automatic:** Dispatched by the `scout` agent before each phase",
            "- Invoked by `scout` when the old format is found (automatic mode)",
            "Called by `other` or the `scout` agent.",
            "## Invoked by\n\n- `scout`: at the end\n",
            "It is spawned by these agents:\n\n- `scout`\n",
            "The `other` skill dispatches the scout agent on its own.",
            "The scout agent dispatches this skill.",
        ] {
            assert!(!asked(text), "{text}");
        }
    }

    #[test]
    fn what_this_text_does_is_asked_for() {
        for text in [
            "This skill dispatches the `scout` agent.",
            "The skill then launches scout.",
            "Verify this by dispatching the scout agent.",
            "The pier is checked by the scout agent, which is dispatched first.",
            "## Agents dispatched by name\n\n- `scout`: looks ahead\n",
            "Once invoked by the user, launch scout.",
            "When invoked by `other`, dispatch the scout agent.",
        ] {
            assert!(asked(text), "{text}");
        }
    }
}
