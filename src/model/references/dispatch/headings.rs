//! Agents in the tables and lists below a heading that asks to run them, and in a column of agents to dispatch. Inventories
//! and tables of permissions request nothing.

use super::{
    AGENTS, ASKING, callers, is_denial, is_listed, is_negated, is_one_of, is_prose, other_languages, words,
};
use crate::source::{Span, line_end, line_start};

/// Verbs at the start of a heading or sentence that asks to run what is below it.
const LEADING: [&str; 16] = [
    "dispatch",
    "dispatching",
    "spawn",
    "spawning",
    "launch",
    "launching",
    "delegate",
    "delegating",
    "invoke",
    "invoking",
    "run",
    "running",
    "start",
    "starting",
    "call",
    "execute",
];

/// The heads of a column with the agents to dispatch consist of these words.
const DISPATCH_COLUMN: [&str; 10] =
    ["dispatch", "spawn", "launch", "delegate", "invoke", "to", "agent", "agents", "subagent", "subagents"];

/// What the first word in the head of a column of agents begins with.
const AGENT_COLUMNS: [&str; 3] = ["agent", "subagent", "sub-agent"];

/// Words in the headings and columns of an inventory.
const INVENTORY: [&str; 16] = [
    "tools",
    "permission",
    "permissions",
    "access",
    "allowed",
    "inventory",
    "overview",
    "reference",
    "troubleshooting",
    "output",
    "outputs",
    "results",
    "errors",
    "example",
    "examples",
    "available",
];

/// The marks between the parts of a heading: "Step 1: launch", "1. launch".
const PART_MARKS: [char; 6] = [':', '.', ')', '\u{2014}', '\u{2013}', '*'];

/// The deepest heading, and one more.
const LEVELS: usize = 7;

/// Whether the agent at `span` is in a column of agents to dispatch, or in a table, at the start of an item or above its
/// prompt in a section that asks to run agents.
pub(super) fn is_asked(text: &str, span: Span) -> bool {
    let start = line_start(text, span.start);
    let line = &text[start..line_end(text, span.end)];
    let (ahead, behind) = (&text[start..span.start], &line[span.end - start..]);
    if line.trim_start().starts_with('|') {
        let Some(head) = table_head(&text[..start]) else { return false };
        let column = head.split('|').nth(ahead.matches('|').count()).unwrap_or_default();
        let cell =
            [ahead.rsplit('|').next().unwrap_or_default(), behind.split('|').next().unwrap_or_default()];
        if cell.iter().any(|part| words(part).any(is_denial)) {
            return false;
        }
        return is_dispatch_column(column)
            || is_agent_column(column) && !has_inventory_word(head) && is_below_request(text, start, true);
    }
    let heads_item = is_listed(line) && !ahead.contains(char::is_alphabetic);
    (heads_item || has_prompt(line, &text[start + line.len()..])) && is_below_request(text, start, false)
}

/// The head of the table whose row follows `above`.
fn table_head(above: &str) -> Option<&str> {
    above.lines().rev().take_while(|line| line.trim_start().starts_with('|')).last()
}

fn is_dispatch_column(head: &str) -> bool {
    words(head).any(|word| is_one_of(word, &ASKING))
        && words(head).all(|word| is_one_of(word, &DISPATCH_COLUMN))
}

fn is_agent_column(head: &str) -> bool {
    let first = words(head).next().unwrap_or_default().to_lowercase();
    AGENT_COLUMNS.iter().any(|word| first.starts_with(word))
}

fn has_inventory_word(text: &str) -> bool {
    words(text).any(|word| is_one_of(word, &INVENTORY))
}

/// Whether a bold label with the name of an agent leads to a fence with its prompt.
fn has_prompt(line: &str, behind: &str) -> bool {
    let is_label = line.starts_with("**") && line.trim_end().trim_end_matches('*').ends_with(':');
    is_label
        && behind.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("```"))
}

/// Whether one of the sections around `at` asks to run agents in its heading or in the line below it, and no section in it
/// is an inventory. In a column of agents, a sentence need not mention them.
fn is_below_request(text: &str, at: usize, in_column: bool) -> bool {
    for section in sections(&text[..at]) {
        let mut lines = section.lines();
        let heading = lines.next().unwrap_or_default();
        let first = lines.map(str::trim).find(|line| is_prose(line)).unwrap_or_default();
        if asks(heading, false) || first.split(". ").any(|sentence| asks(sentence, in_column)) {
            return true;
        }
        if has_inventory_word(heading) {
            return false;
        }
    }
    false
}

/// The sections around the end of `text`, each from its heading to the next one, the innermost first. A numbered step
/// includes the sections behind it whose headings have its level but no step.
fn sections(text: &str) -> Vec<&str> {
    let (mut out, mut level, mut end, mut at) = (Vec::new(), LEVELS, text.len(), text.len());
    let mut has_step = true;
    for line in text.split_inclusive('\n').rev() {
        at -= line.len();
        let marks = line.len() - line.trim_start_matches('#').len();
        if marks == 0 || !line[marks..].starts_with(' ') {
            continue;
        }
        let is_step = words(line).next().is_some_and(|word| is_one_of(word, &["step", "phase"]));
        if marks < level || marks == level && is_step && !has_step {
            (level, has_step) = (marks, is_step);
            out.push(&text[at..end]);
        }
        end = at;
    }
    out
}

/// Whether a part of a sentence begins with a verb of a request, for agents if they are not `known`.
fn asks(sentence: &str, known: bool) -> bool {
    let all: Vec<&str> = words(sentence).collect();
    let first =
        |part: &str| words(part).find(|word| word.starts_with(char::is_alphabetic)).map(str::to_owned);
    let leads = sentence.split(PART_MARKS).filter_map(first).any(|word| is_one_of(&word, &LEADING));
    let names_agents = || all.iter().any(|word| is_one_of(word, &AGENTS));
    leads && (known || names_agents()) && !is_negated(sentence) && !callers::lists(&all)
        || other_languages::asks_for_agents(sentence)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;

    #[test]
    fn a_section_asks_for_its_agents() {
        for text in [
            "### Step 1: Launch Judge Agents\n\n**Action:** In batches.\n\n#### Batch 1\n\n| Agent Type | Evaluates |\n|---|---|\n| `other` | x |\n| `scout` | y |\n",
            "## Judges\n\nLaunch these in batches.\n\n### Batch 1\n\n| Agent | Looks at |\n|---|---|\n| `scout` | y |\n",
            "## 2. Spawn review agents\n\n### Always\n\n- **`scout`**: the pier\n",
            "| Step | Dispatch |\n|---|---|\n| 1 | `scout` |\n",
            "| Trigger | Agent to launch |\n|---|---|\n| pier | `scout` |\n",
            "### Step 1: Launch Judge Agents\n\n### Plan Batches\n\n**Batch 1**\n\n| Agent Type | Evaluates |\n|---|---|\n| `scout` | y |\n",
            "### Step 3: 3개 리뷰 에이전트 병렬 실행\n\n**Own** (`scout`):\n```\nReview\n```\n",
            "### Run 2 review agents in parallel\n\n**Own agent** (`scout`):\n\n```\nReview\n```\n",
        ] {
            assert!(asked(text), "{text}");
        }
    }

    #[test]
    fn an_inventory_asks_for_nothing() {
        for text in [
            "## Launch agents\n\n### Permissions\n\n| Agent | Focus |\n|---|---|\n| `scout` | y |\n",
            "## Launch agents\n\n### Rights\n\n| Agent | Tools |\n|---|---|\n| `scout` | Read |\n",
            "## Launch agents\n\n# Crew\n\n| Agent | Focus |\n|---|---|\n| `scout` | y |\n",
            "## Do not launch agents\n\n### Crew\n\n- `scout`: looks ahead\n",
            "### Step 1: Launch agents\n\n### Step 2: Read\n\n### Crew\n\n- `scout`: looks ahead\n",
            "### Launch agents\n\n### Crew\n\n- `scout`: looks ahead\n",
            "## How agents run\n\n### Crew\n\n- `scout`: looks ahead\n",
            "## Launch plan\n\n### Roles\n\n| Agent | Role |\n|---|---|\n| `scout` | ahead |\n",
            "| Skill | Invoked by |\n|---|---|\n| plan | `scout` |\n",
            "| Agent | Dispatch |\n|---|---|\n| `scout` | at the end |\n",
            "| Step | Dispatch |\n|---|---|\n| 1 | never `scout` |\n",
            "## Run agents\n\n### Notes\n\n- The agent `scout` is slow.\n",
        ] {
            assert!(!asked(text), "{text}");
        }
    }
}
