//! The plugin of these tests, and by hand what it holds. Expected names come from here, never from
//! what was emitted.

use crate::support::tree::Tree;

/// A line of the skill `plan` that must reach the model.
pub const PLAN: &str = "Weigh every step of the plan twice.";
/// What the script of the skill `plan` prints before its arguments.
pub const GREETING: &str = "greetings from the script to";
/// The agent's instructions.
pub const CHECKER: &str = "You are the checker of tests, and you answer in one word.";
/// The skills.
pub const SKILLS: [&str; 3] = ["demo:auto", "demo:personal", "demo:plan"];
/// The agent.
pub const AGENTS: [&str; 1] = ["demo:review:checker"];
/// The commands.
pub const COMMANDS: [&str; 2] = ["demo:git:state", "demo:go"];

/// The plugin `demo`: a skill that runs its script and dispatches the agent, one for persons only, one for the model only, a nested
/// agent, and two commands of which one is nested.
pub fn demo() -> Tree {
    let skill = |name: &str, more: &str, body: &str| {
        format!("---\nname: {name}\ndescription: \"Does {name}.\"\n{more}---\n{body}\n")
    };
    let plan = format!(
        "# Plan\n\nPlan for $ARGUMENTS.\n\n{PLAN}\n\nRun `${{CLAUDE_SKILL_DIR}}/scripts/greet.sh`.\n\nThen dispatch the agent `demo:review:checker`."
    );
    Tree::new()
        .file(
            ".claude-plugin/plugin.json",
            r#"{ "name": "demo", "version": "1.0.0", "description": "Demo." }"#,
        )
        .file("skills/plan/SKILL.md", skill("plan", "", &plan))
        .script("skills/plan/scripts/greet.sh", format!("#!/bin/sh\necho \"{GREETING} $1\"\n"))
        .file(
            "skills/personal/SKILL.md",
            skill("personal", "disable-model-invocation: true\n", "For persons."),
        )
        .file("skills/auto/SKILL.md", skill("auto", "user-invocable: false\n", "For the model."))
        .file(
            "agents/review/checker.md",
            format!("---\nname: checker\ndescription: Checks.\n---\n{CHECKER}\n"),
        )
        .file(
            "commands/go.md",
            "---\ndescription: Goes.\n---\nGo to $1 and stop.\n\nSay when you are there.\n",
        )
        .file(
            "commands/git/state.md",
            "---\ndescription: Says the state.\n---\nSay the state of the repository.\n",
        )
}
