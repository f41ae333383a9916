//! THE table of reviewers: which agents there are, which are always asked, and what in a change suggests the others.
//! The choice is a matter of judgement; the names are not.

use schemars::JsonSchema;
use serde::Serialize;

use super::scope::Signals;

/// What is known of a change when reviewers are chosen.
#[derive(Debug, Clone, Copy)]
pub struct ChangeProfile<'a> {
    /// The signals of the change.
    pub signals: &'a Signals,
    /// Whether it is a pull request.
    pub is_request: bool,
}

/// One row.
pub struct Reviewer {
    /// The name of the agent `review:<name>` and of its reply.
    pub name: &'static str,
    /// Why this change suggests it; none for one that is always asked.
    suggest: Option<fn(ChangeProfile<'_>) -> Option<String>>,
}

const fn always(name: &'static str) -> Reviewer {
    Reviewer { name, suggest: None }
}

const fn chosen(name: &'static str, suggest: fn(ChangeProfile<'_>) -> Option<String>) -> Reviewer {
    Reviewer { name, suggest: Some(suggest) }
}

/// The reason, if there is a signal.
fn reason_if(signal: bool, reason: &str) -> Option<String> {
    signal.then(|| reason.to_owned())
}

/// The reason, if the change has files of a stack.
fn stack(change: ChangeProfile<'_>, name: &str, files: &str) -> Option<String> {
    reason_if(
        change.signals.stacks.iter().any(|stack| stack == name),
        &format!("the change has {files} files"),
    )
}

/// The number of changed lines from which `adversarial` is suggested.
const MANY_LINES: u64 = 50;

/// Every reviewer.
pub static REVIEWERS: [Reviewer; 24] = [
    always("correctness"),
    always("testing"),
    always("maintainability"),
    always("project-standards"),
    always("past-learnings"),
    chosen("security", |_| None),
    chosen("performance", |_| None),
    chosen("api-contract", |change| {
        reason_if(change.signals.has_api, "the shape of data that others rely on changes")
    }),
    chosen("data-migrations", |change| {
        reason_if(
            change.signals.has_migrations || change.signals.has_schema_dump,
            "a database migration changes",
        )
    }),
    chosen("schema-drift", |change| {
        reason_if(change.signals.has_schema_dump, "the dump of a database schema changes")
    }),
    chosen("deployment", |change| {
        let signals = change.signals;
        reason_if(signals.has_deployment || signals.has_migrations, "what is deployed, or how, changes")
    }),
    chosen("reliability", |_| None),
    chosen("adversarial", |change| {
        let lines = change.signals.exec_lines;
        (lines >= MANY_LINES).then(|| format!("{lines} changed lines are executed"))
    }),
    chosen("previous-comments", |change| reason_if(change.is_request, "the target is a pull request")),
    chosen("frontend-races", |change| reason_if(change.signals.has_views, "what a user sees changes")),
    chosen("simplicity", |_| None),
    chosen("agent-native", |change| {
        reason_if(change.signals.has_agent_files, "skills, agents, prompts or tool servers change")
    }),
    chosen("command-line", |change| reason_if(change.signals.has_cli, "a command line tool changes")),
    chosen("typescript", |change| stack(change, "typescript", "TypeScript or JavaScript")),
    chosen("python", |change| stack(change, "python", "Python")),
    chosen("rust", |change| stack(change, "rust", "Rust")),
    chosen("go", |change| stack(change, "go", "Go")),
    chosen("rails", |change| stack(change, "rails", "Ruby on Rails")),
    chosen("swift", |change| stack(change, "swift", "Swift")),
];

/// One reviewer as `review begin` names it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProposedReviewer {
    /// Its name.
    pub name: String,
    /// The agent to dispatch.
    pub agent: String,
    /// Whether it is always asked: its reply is required for the best verdict.
    pub always: bool,
    /// Whether it is suggested for this change.
    pub suggested: bool,
    /// Why.
    pub reason: Option<String>,
    /// The file for its reply, absolute; none if nothing is written.
    pub reply: Option<String>,
}

impl Reviewer {
    /// Whether it is always asked.
    pub fn is_always(&self) -> bool {
        self.suggest.is_none()
    }
}

/// The names of those that are always asked.
pub fn always_on() -> impl Iterator<Item = &'static str> {
    REVIEWERS.iter().filter(|one| one.is_always()).map(|one| one.name)
}

/// Whether there is a reviewer of this name.
pub fn is_known(name: &str) -> bool {
    REVIEWERS.iter().any(|one| one.name == name)
}

/// The reviewer meant by a name in any spelling: `review:security`, `Security`, `security reviewer`.
pub fn resolve_name(name: &str) -> Option<&'static str> {
    let name = name.rsplit([':', '/']).next().unwrap_or_default().to_lowercase();
    let mut words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !matches!(*word, "" | "review" | "reviewer"))
        .collect();
    words.pop_if(|last| *last == "agent");
    let name = words.join("-");
    REVIEWERS.iter().map(|one| one.name).find(|own| *own == name)
}

/// All reviewers for a change; `reply` returns the file of each.
pub fn propose(change: ChangeProfile<'_>, reply: impl Fn(&str) -> Option<String>) -> Vec<ProposedReviewer> {
    let row = |one: &Reviewer| {
        let reason = one.suggest.and_then(|suggest| suggest(change));
        ProposedReviewer {
            name: one.name.to_owned(),
            agent: format!("review:{}", one.name),
            always: one.is_always(),
            suggested: one.is_always() || reason.is_some(),
            reason,
            reply: reply(one.name),
        }
    };
    REVIEWERS.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        for name in
            ["security", "review:security", "Security Reviewer", "security_reviewer", "security-agent"]
        {
            assert_eq!(resolve_name(name), Some("security"), "{name}");
        }
        assert_eq!(resolve_name("agent-native"), Some("agent-native"));
        for name in ["security-1", "", "frank", "code reviewer"] {
            assert_eq!(resolve_name(name), None, "{name}");
        }
    }
}
