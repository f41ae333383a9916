//! Whether a component that a text names is only planned: a command to be created, a section about the future.

use super::{line_around, list_intro, words_before};
use crate::source::line_start;

/// Words right before the name of a component which say that it is yet to be created.
const PLANS: [&str; 17] = [
    "create",
    "creates",
    "creating",
    "add",
    "adds",
    "adding",
    "build",
    "building",
    "implement",
    "implementing",
    "introduce",
    "introducing",
    "propose",
    "proposed",
    "planned",
    "future",
    "upcoming",
];

/// Words that may stand between one of these and the name.
const BEFORE_NAMES: [&str; 11] =
    ["a", "an", "the", "new", "custom", "dedicated", "slash", "skill", "command", "called", "named"];

/// Words that say to use what is named after them, even if it is called new.
const CALLS: [&str; 8] = ["use", "uses", "run", "runs", "invoke", "call", "try", "type"];

/// Phrases in a line or heading which say that what it names does not exist yet.
const NOT_YET: [&str; 16] = [
    "not yet ",
    "not built",
    "not implemented",
    "not written yet",
    "coming soon",
    "does not exist",
    "doesn't exist",
    "to be built",
    "to be written",
    "to be created",
    "to be implemented",
    "is deferred",
    "was deferred",
    "under consideration",
    "(planned)",
    "(tbd)",
];

/// Words right after a name that say the same.
const PLANNED_WORDS: [&str; 5] = ["future", "planned", "proposed", "upcoming", "tbd"];

/// Words in the heading of a section about things that do not exist yet.
const PLANS_AHEAD: [&str; 8] =
    ["roadmap", "future", "planned", "upcoming", "proposed", "proposal", "proposals", "backlog"];

/// Words in a heading or above a list that say the same, unless an entry says to use what it names.
const LISTS_PLANS: [&str; 6] = ["candidates", "todo", "todos", "wishlist", "planned", "proposed"];

/// Pairs of words that announce a possible command: one of these, then one of [`FUTURE_VERBS`].
const MAY: [&str; 4] = ["could", "would", "might", "by"];
const FUTURE_VERBS: [&str; 6] = ["add", "introduce", "ship", "implementing", "adding", "introducing"];

/// Whether the component named at bytes `start` to `end` is only planned, according to a word beside the name, its
/// line, a heading above it, or the paragraph above its list.
pub fn is_planned(text: &str, start: usize, end: usize) -> bool {
    let words = words_before(text, start);
    let is_between = |word: &&String| BEFORE_NAMES.contains(&word.as_str());
    let verb = words.iter().rev().find(|word| !is_between(word));
    let is_new = words.iter().rev().take_while(is_between).any(|word| word == "new");
    let (before, behind) = line_around(text, start, end);
    let line = &text[start - before.len()..end + behind.len()];
    let behind = behind.trim_start_matches(['`', '*', '_', '"', ' ', '(']);
    let next = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let is_called = verb.is_some_and(|verb| CALLS.contains(&verb.as_str()));
    let plans_ahead = |heading: &str| {
        let heading = heading.to_lowercase();
        let mut words = heading.split(|c: char| !c.is_alphanumeric());
        let plans = |word| PLANS_AHEAD.contains(&word) || !is_called && LISTS_PLANS.contains(&word);
        is_announced(&heading) || words.any(plans)
    };
    verb.is_some_and(|verb| PLANS.contains(&verb.as_str()))
        || is_new && !is_called
        || PLANNED_WORDS.contains(&next.as_str())
        || is_announced(&line.to_lowercase().replace('*', ""))
        || headings_above(text, start).any(plans_ahead)
        || !is_called && list_intro(text, start).is_some_and(|intro| lists_plans(&intro))
}

/// The first words of remarks in brackets that call something planned.
const CALLED_PLANNED: [&str; 4] = ["planned", "coming soon", "tbd", "not yet written"];

/// Whether a remark in brackets after byte `at` calls what the line names before it planned: `(planned)`, `(coming
/// soon)`.
pub fn is_called_planned(text: &str, at: usize) -> bool {
    let (_, behind) = line_around(text, at, at);
    let begins =
        |rest: &str, word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let is_remark = |rest: &str| CALLED_PLANNED.iter().any(|word| begins(rest, word));
    behind.match_indices(['(', '[']).any(|(bracket, _)| is_remark(&behind[bracket + 1..]))
}

fn is_announced(line: &str) -> bool {
    NOT_YET.iter().any(|phrase| line.contains(phrase))
}

/// Whether the paragraph above a list says that its entries are yet to be created.
fn lists_plans(intro: &str) -> bool {
    let words = words_before(intro, intro.len());
    words.iter().any(|word| LISTS_PLANS.contains(&word.as_str()))
        || words.windows(2).any(|pair| MAY.contains(&&*pair[0]) && FUTURE_VERBS.contains(&&*pair[1]))
}

/// How many lines above a name are searched for headings. The limit matters because every name of a long text is
/// checked.
const MOST_LINES: usize = 120;

/// The headings of the sections that contain byte `at`, innermost first, within [`MOST_LINES`].
fn headings_above(text: &str, at: usize) -> impl Iterator<Item = &str> {
    let mut least = usize::MAX;
    text[..line_start(text, at)].lines().rev().take(MOST_LINES).filter(move |line| {
        let level = line.len() - line.trim_start_matches('#').len();
        let is_above = (1..=6).contains(&level) && line[level..].starts_with(' ') && level < least;
        if is_above {
            least = level;
        }
        is_above
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_planned_is_told_by_its_words_its_line_or_a_heading() {
        let planned = |text: &str| {
            let start = text.find("p:x").unwrap();
            is_planned(text, start, start + 3)
        };
        for text in [
            "create a command `/p:x`",
            "Add a new slash command called `/p:x`.",
            "A future `/p:x` command would do it",
            "`/p:x` does not exist yet",
            "rejected: a new `/p:x` skill (too much)",
            "tools (`/p:x` future skill) can read it",
            "The `/p:x` sibling is **deferred** for now",
            "# A\n## Roadmap\n### Next\n- `/p:x`",
            "# A\n## Under consideration (not built yet)\n- `/p:x`",
            "# A\n## Upgrade path: TODOs\n- [ ] `/p:x`: the scope",
            "# A\n## Full\nSuch plugins add commands of\ntheir own. Candidates:\n\n- `/p:w` - asks\n  twice\n- `/p:x` - tells",
            "# A\nThe next one could add more:\n\n1. `/p:w`\n2. `/p:x`",
        ] {
            assert!(planned(text), "{text}");
        }
        for text in [
            "run `/p:x`",
            "use the new `/p:x`",
            "create a plan with `/p:x`",
            "In future sessions, run `/p:x`",
            "# A\n## Roadmap\n## Use\nrun `/p:x`",
            "Of the candidates:\n- run `/p:x` for the best",
            "# Todos\nUse `/p:x` for each",
            "Candidates are told apart.\n\nCommands:\n- `/p:x`: tells",
            "- [ ] run `/p:x`",
            "The commands:\n- `/p:x`: adds one",
        ] {
            assert!(!planned(text), "{text}");
        }
    }
}
