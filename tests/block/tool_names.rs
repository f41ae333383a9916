//! The names of tools in a line of a text.

use super::reader::occurrences;

/// Tools of the source host whose names are not English words.
const TOOLS: [&str; 20] = [
    "AskUserQuestion",
    "BashOutput",
    "CronCreate",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ListAgents",
    "KillShell",
    "MultiEdit",
    "NotebookEdit",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "SlashCommand",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
];

/// Tools whose names are English words: meant in a separate code span, as a call, or before "tool".
const WORDS: [&str; 11] =
    ["Agent", "Bash", "Edit", "Glob", "Grep", "Monitor", "Read", "Skill", "Task", "Workflow", "Write"];

/// The names of tools in a line, where a word of the language is also one only where it is marked.
pub fn tools(line: &str) -> impl Iterator<Item = String> {
    let certain = |tool: &str, at: usize| {
        let after = &line[at + tool.len()..];
        (line[..at].ends_with('`') && after.starts_with('`'))
            || after.starts_with('(')
            || after
                .strip_prefix(" tool")
                .is_some_and(|rest| !rest.starts_with(char::is_alphabetic) || rest.starts_with('s'))
    };
    let is_named = move |tool: &&&str| {
        let unambiguous = TOOLS.contains(*tool);
        occurrences(line, tool).any(|at| unambiguous || certain(tool, at))
    };
    TOOLS.iter().chain(&WORDS).filter(is_named).map(|tool| (*tool).to_owned())
}
