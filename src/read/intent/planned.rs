//! Whether a text only plans a component that it names: a command to be created, a section about the future.

use super::words_before;
use crate::source::{line_end, line_start};

/// Words right before the name of a component that say that it is still to be made.
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

/// Words that tell to use what is named behind them, be it new or not.
const CALLS: [&str; 8] = ["use", "uses", "run", "runs", "invoke", "call", "try", "type"];

/// Words of a line or of a heading that say that what it names is not there yet.
const NOT_YET: [&str; 8] = [
    "not yet ",
    "coming soon",
    "does not exist",
    "doesn't exist",
    "to be written",
    "to be created",
    "is deferred",
    "was deferred",
];

/// Words right behind a name that say the same.
const PLANNED: [&str; 5] = ["future", "planned", "proposed", "upcoming", "tbd"];

/// Words of a heading whose section is about what is not there yet.
const PLANS_AHEAD: [&str; 8] =
    ["roadmap", "future", "planned", "upcoming", "proposed", "proposal", "proposals", "backlog"];

/// Whether the text only plans the component whose name has the bytes from `start` to `end`: a word beside the name says
/// so, or its line, or a heading above it.
pub fn is_planned(text: &str, start: usize, end: usize) -> bool {
    let words = words_before(text, start);
    let is_between = |word: &&String| BEFORE_NAMES.contains(&word.as_str());
    let verb = words.iter().rev().find(|word| !is_between(word));
    let is_new = words.iter().rev().take_while(is_between).any(|word| word == "new");
    let behind = text[end..line_end(text, end)].trim_start_matches(['`', '*', '_', '"', ' ', '(']);
    let next = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let line = text[line_start(text, start)..line_end(text, start)].to_lowercase().replace('*', "");
    let says_not_yet = |line: &str| NOT_YET.iter().any(|phrase| line.contains(phrase));
    let plans_ahead = |heading: &str| {
        let heading = heading.to_lowercase();
        let mut words = heading.split(|c: char| !c.is_alphanumeric());
        says_not_yet(&heading) || words.any(|word| PLANS_AHEAD.contains(&word))
    };
    verb.is_some_and(|verb| PLANS.contains(&verb.as_str()))
        || is_new && verb.is_none_or(|verb| !CALLS.contains(&verb.as_str()))
        || PLANNED.contains(&next.as_str())
        || says_not_yet(&line)
        || headings_above(text, start).any(plans_ahead)
}

/// How many lines above a name are searched for headings: every name of a long text is asked about.
const MOST_LINES: usize = 120;

/// The headings of the sections that byte `at` lies in, from the inner one out, as far as they are near.
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
        ] {
            assert!(planned(text), "{text}");
        }
        for text in [
            "run `/p:x`",
            "use the new `/p:x`",
            "create a plan with `/p:x`",
            "In future sessions, run `/p:x`",
            "# A\n## Roadmap\n## Use\nrun `/p:x`",
        ] {
            assert!(!planned(text), "{text}");
        }
    }
}
