//! How a text uses an unknown qualified name, by the words around it.

use std::collections::BTreeSet;

use super::{Dispatch, NameUse};
use crate::check::directory::ComponentDirectory;
use crate::model::qualified_name::plugin_of;
use crate::model::references::{AgentMentions, is_asked};
use crate::read::intent::{line_around, words_before};
use crate::source::{Span, line_start};

/// Words that instruct to run what follows.
pub(super) const RUNS: [&str; 6] = ["use", "run", "invoke", "call", "load", "execute"];
/// Words that instruct to dispatch what follows.
pub(super) const DISPATCHES: [&str; 3] = ["dispatch", "spawn", "launch"];
/// Words for agents.
const AGENTS: [&str; 6] = ["agent", "subagent", "sub-agent", "agents", "subagents", "sub-agents"];
/// Words for skills and commands.
const SKILLS: [&str; 4] = ["skill", "command", "skills", "commands"];
/// Words for workflows.
const WORKFLOWS: [&str; 2] = ["workflow", "workflows"];
/// Words with which work is given to an agent: "delegate the review to".
const DELEGATES: [&str; 2] = ["delegate", "delegates"];
/// How many words before a name a word of `DELEGATES` may be.
const DELEGATES_REACH: usize = 6;
/// Words that instruct to run a skill that is called one.
const APPLIES: [&str; 6] = ["activate", "apply", "follow", "using", "via", "with"];
/// Words that may stand between a tool and the name that it gets.
const BEFORE_NAMES: [&str; 11] =
    ["with", "and", "the", "name", "named", "skill", "command", "agent", "subagent", "workflow", "type"];
/// Words that forbid it, or only give an example.
const NOT: [&str; 7] = ["not", "never", "don", "instead", "e.g", "like", "example"];

/// Verbs of `RUNS` that other things than skills follow, too: "use `node:fs`".
const WEAK: [&str; 2] = ["use", "load"];
/// The first words of the names of tasks and package scripts: "run `test:unit`".
const TASKS: [&str; 12] =
    ["build", "ci", "db", "dev", "docker", "e2e", "format", "lint", "start", "test", "typecheck", "watch"];

/// Programs that run tasks of a project.
const TASK_PROGRAMS: [&str; 8] = ["grunt", "gulp", "just", "make", "npm", "pnpm", "rake", "yarn"];
/// Words for what such programs run.
const TASK_NOUNS: [&str; 6] = ["script", "scripts", "target", "targets", "task", "tasks"];

/// What tells how a text uses an unknown name.
pub(super) struct NameContext<'a> {
    /// The components of the build.
    pub directory: &'a ComponentDirectory<'a>,
    /// The agents that the text mentions.
    pub mentions: &'a AgentMentions,
    /// The plugins whose components the text certainly names.
    pub plugins: BTreeSet<String>,
    /// Whether a byte of the body belongs to commands of a shell.
    pub is_command: &'a dyn Fn(usize) -> bool,
}

impl NameContext<'_> {
    /// Whether a name that nothing but the word `verb` calls is a skill's: modules, images and tasks are written in the
    /// same way, and a plugin may be called like a technology.
    fn is_skill(&self, name: &str, at: usize, verb: &str) -> bool {
        let plugin = plugin_of(name);
        let is_other = || WEAK.contains(&verb) || TASKS.contains(&plugin);
        (self.plugins.contains(plugin) || !is_other()) && !(self.is_command)(at)
    }
}

/// Classifies an unknown name by the words around it, or around the `list` of names in which it stands.
pub(super) fn classify_unknown(
    body: &str,
    mut named: Dispatch,
    list: Span,
    context: &NameContext<'_>,
) -> Dispatch {
    if named.how != NameUse::Named || context.directory.contains(&named.name) {
        return named;
    }
    named.how = use_of(body, named.span, list, &named.name, context);
    if named.how == NameUse::Named && list.start < named.span.start {
        named.how = use_of(body, Span::new(list.start, named.span.end), list, &named.name, context);
    }
    named
}

/// How the words around `span` use a name; a noun may follow the `list` in which it stands.
fn use_of(body: &str, span: Span, list: Span, name: &str, context: &NameContext<'_>) -> NameUse {
    let mut words = words_before(body, span.start);
    let is_denied = words.iter().any(|word| NOT.contains(&word.as_str()));
    let called = called_tool(&words).or_else(|| called_workflow(body, span.start));
    let after = [word_after(body, span.end), word_after(body, list.end)];
    let follows = |nouns: &[&str]| after.iter().any(|word| nouns.contains(word));
    let mut agent = follows(&AGENTS) || is_mentioned_agent(body, span);
    let (mut skill, mut workflow) = (follows(&SKILLS), follows(&WORKFLOWS));
    while let Some(word) = words.pop_if(|word| is_noun(word)) {
        agent |= AGENTS.contains(&word.as_str());
        skill |= SKILLS.contains(&word.as_str());
        workflow |= WORKFLOWS.contains(&word.as_str());
    }
    let says = |verbs: &[&str]| words.last().is_some_and(|word| !is_denied && verbs.contains(&word.as_str()));
    let delegates = says(&["to"])
        && words.iter().rev().take(DELEGATES_REACH).any(|word| DELEGATES.contains(&word.as_str()));
    let starts = ["start", "trigger"];
    let is_skill = || {
        let verb = words.last().map_or("", String::as_str);
        let is_task = || {
            follows(&TASK_NOUNS) || is_called_task(body, span) || context.directory.is_package_script(name)
        };
        (skill || context.is_skill(name, span.start, verb) && !is_task())
            && !may_be_tool(name, context.directory)
    };
    if workflow && (says(&DISPATCHES) || says(&APPLIES) || says(&RUNS) || says(&starts)) {
        NameUse::Workflow
    } else if says(&DISPATCHES) || delegates && !skill || agent && is_asked(body, span, context.mentions) {
        NameUse::Agent
    } else if let Some(how) = called.filter(|_| !is_denied) {
        how
    } else if skill && says(&APPLIES) || says(&RUNS) && !agent && is_skill() {
        NameUse::Skill
    } else {
        NameUse::Named
    }
}

/// Whether the sentence around a name says what runs it as a task: "(npm scripts)", "the gulp task".
fn is_called_task(body: &str, span: Span) -> bool {
    let (before, after) = line_around(body, span.start, span.end);
    let parts = [before.rsplit(". ").next(), after.split(". ").next()];
    parts.into_iter().flatten().any(|part| {
        let part = part.to_lowercase();
        let words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words
            .clone()
            .zip(words.skip(1))
            .any(|(program, noun)| TASK_PROGRAMS.contains(&program) && TASK_NOUNS.contains(&noun))
    })
}

/// The list in which each of the names stands: names on one line with nothing but `,` and `and` between them.
pub(super) fn lists(body: &str, named: &[Dispatch]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::with_capacity(named.len());
    for one in named {
        let before =
            out.last().copied().filter(|list| is_list_joint(body, Span::new(list.end, one.span.start)));
        let start = before.map_or(one.span.start, |list| list.start);
        let list = Span::new(start, one.span.end);
        out.iter_mut()
            .rev()
            .take_while(|other| before.is_some() && other.start == start)
            .for_each(|other| *other = list);
        out.push(list);
    }
    out
}

/// Whether what stands between two names joins them to a list.
fn is_list_joint(body: &str, between: Span) -> bool {
    const WORDS: [&str; 6] = ["and", "or", "then", "plus", "&", "+"];
    if between.start > between.end || between.end - between.start > LONGEST_JOINT {
        return false;
    }
    let joint = between.slice(body);
    let plain = |c: char| "`*\"'/@, ".contains(c);
    let mut words = joint.split(plain).filter(|word| !word.is_empty());
    let few = words.clone().count() <= 2;
    few && joint.contains([',', ' '])
        && !joint.trim_matches(['`', '*', '"', '\'', ' ', '/', '@']).is_empty()
        && words.all(|word| WORDS.contains(&word))
}

/// The length of the longest joint of a list: "`**, and then `/".
const LONGEST_JOINT: usize = 24;

/// Whether a name is written as an agent's, behind `@`.
fn is_mentioned_agent(body: &str, span: Span) -> bool {
    // `@scope:registry=…` is a setting of a package manager.
    let setting = body[span.end..].starts_with('=');
    let before = &body[..span.start];
    (before.ends_with('@') || before.ends_with("@agent-")) && !setting
}

/// The word after a name that ends at byte `end`.
fn word_after(body: &str, end: usize) -> &str {
    let after = body[end..].trim_start_matches(['`', '"', '\'', '*', ' ']);
    after.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default()
}

/// Whether a word may stand between a verb and a name.
fn is_noun(word: &str) -> bool {
    word == "the" || [&AGENTS[..], &SKILLS, &WORKFLOWS].iter().any(|nouns| nouns.contains(&word))
}

/// What is run by the tool that the words before a name call: "the Skill tool with skill", "the Task tool with".
fn called_tool(words: &[String]) -> Option<NameUse> {
    let at = words.iter().rposition(|word| word == "tool")?;
    let is_between = |word: &String| BEFORE_NAMES.contains(&word.as_str());
    let verb = words[..at].iter().rev().skip(1).find(|word| *word != "the")?.as_str();
    let is_asked = RUNS.contains(&verb) || DISPATCHES.contains(&verb) || APPLIES.contains(&verb);
    let how = match words[..at].last()?.as_str() {
        "skill" => NameUse::Skill,
        "task" | "agent" => NameUse::Agent,
        "workflow" => NameUse::Workflow,
        _ => return None,
    };
    (is_asked && words[at + 1..].iter().all(is_between)).then_some(how)
}

/// Whether the name at byte `at` is an argument of a call on its line, `Workflow({ name: "x" })`.
fn called_workflow(body: &str, at: usize) -> Option<NameUse> {
    let line = &body[line_start(body, at)..at];
    let call = &line[line.rfind("Workflow(")? + "Workflow(".len()..];
    let key = call.trim_end_matches(['"', '\'', '`', ' ']).trim_end_matches([':', '=']).trim_end();
    let key = key.trim_end_matches(['"', '\'']);
    (!call.contains(')') && key.ends_with("name")).then_some(NameUse::Workflow)
}

/// Whether an unknown name may be a tool of an MCP server that is named like the plugin: such tools are written with
/// `_`, which no skill of the plugin uses.
fn may_be_tool(name: &str, directory: &ComponentDirectory<'_>) -> bool {
    name.contains('_') && !directory.skills_near(name).iter().any(|known| known.contains('_'))
}
