//! Finds the names in a text: agents, skills, commands and tools of the inventory, variables, argument placeholders,
//! and constructs that the source host acts on. Only names that exist are found, in one scan over the bytes.

mod dispatch;
mod finder;
mod match_context;
mod neighbours;
mod placeholders;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::model::qualified_name::{QualifiedName, last_of, qualify};
use crate::read::markdown::{self, RegionKind};
use crate::read::name_words::is_name_char;
use crate::source::ComponentKind;
use crate::source::Span;
pub use dispatch::{AgentMentions, is_asked, is_forbidden, leads_to_banned};
use finder::WordFinder;
use match_context::{MatchContext, is_call, starts_with_word};
pub use match_context::{ends_with_slash, starts_name};

/// One mention of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The bytes, in the file.
    pub span: Span,
    /// The target of the name.
    pub named: ReferenceTarget,
    /// Whether the text asks to run the agent that it names; `false` for everything else.
    pub asked: bool,
    /// Whether its sentence only forbids what it names: "never use `WebFetch`".
    pub forbidden: bool,
}

impl Reference {
    /// A name that its text neither asks for nor forbids.
    pub fn new(span: Span, named: ReferenceTarget) -> Self {
        Self { span, named, asked: false, forbidden: false }
    }
}

/// The target of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceTarget {
    /// A component, by its qualified name.
    Component(ComponentKind, QualifiedName),
    /// An agent that is built into the source host, by its name.
    BuiltInAgent(String),
    /// A tool of the source host; all tools of a server share one name that ends in `NAME`.
    Tool(String),
    /// A variable of the source host, without `${}`.
    Variable(String),
    /// `$ARGUMENTS`, `$ARGUMENTS[1]`, `$1` or `$name`, as written.
    Argument(String),
    /// `` !`command` `` or a fenced block marked `!`, as written.
    Shell(String),
    /// `@path`, as written.
    Include(String),
}

impl ReferenceTarget {
    /// Whether it is an agent, of a plugin or of the source host.
    pub fn is_agent(&self) -> bool {
        matches!(self, Self::Component(ComponentKind::Agent, _) | Self::BuiltInAgent(_))
    }

    /// Whether a text calls it by its name: a component, a tool, or an agent of the source host.
    pub fn is_called(&self) -> bool {
        matches!(self, Self::Component(..) | Self::Tool(_) | Self::BuiltInAgent(_))
    }
}

/// Every name that a text of the build may refer to.
#[derive(Debug, Clone)]
pub struct NameInventory {
    scanner: WordFinder,
    patterns: Vec<Vec<NameCandidate>>,
}

/// A name of the inventory, before it is searched for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InventoryName {
    /// The plugin that owns it.
    pub plugin: String,
    /// Skill, agent, command, or workflow.
    pub kind: ComponentKind,
    /// The name after the plugin's.
    pub local: String,
    /// `plugin:name`.
    pub qualified: QualifiedName,
    /// Another name that texts may use after the plugin's: the one in a skill's frontmatter.
    pub alias: Option<String>,
    /// The path of a workflow's script in the plugin's folder.
    pub script: Option<String>,
}

/// "Tool" in scripts that may have no space before it: Chinese, Japanese and Korean.
const TOOL_WORDS: [&str; 3] = ["\u{5de5}\u{5177}", "\u{30c4}\u{30fc}\u{30eb}", "\u{b3c4}\u{ad6c}"];

#[derive(Debug, Clone)]
enum NameCandidate {
    Qualified(ComponentKind, QualifiedName),
    /// The last part of a name, which only texts of the same plugin may use.
    Bare(ComponentKind, QualifiedName, String),
    /// The last part of the name of an agent in capitals, which only texts of the same plugin may use.
    Titled(QualifiedName, String),
    /// A name with its folders but without the plugin, which is never an ordinary word.
    Local(ComponentKind, QualifiedName, String),
    /// The path of a workflow's script, which only texts of the same plugin may use.
    Script(QualifiedName, String),
    Tool(String, bool),
    /// An agent of the source host.
    BuiltInAgent(String),
    /// The prefix of the names of a server's tools.
    Server(String),
    Variable(String),
    /// The placeholder of an option, which only texts of the plugin that declares it may use.
    Option(String, String),
}

/// The option of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginOption {
    /// The plugin that declares it.
    pub plugin: String,
    /// The name in its placeholder, without `${}`.
    pub variable: String,
}

impl NameInventory {
    /// Prepares the search for `names`, and for the tools, variables and `agents` of the source host; `ambiguous` tools are
    /// also English words, and `servers` are the prefixes of the names of servers' tools.
    pub fn new(
        names: &[InventoryName],
        (tools, ambiguous, servers): (&[String], &[String], &[String]),
        (variables, options): (&[String], &[PluginOption]),
        agents: &[String],
    ) -> Self {
        let mut entries: std::collections::BTreeMap<String, Vec<NameCandidate>> =
            std::collections::BTreeMap::new();
        let mut add = |text: &str, candidate| entries.entry(text.to_owned()).or_default().push(candidate);
        for name in names {
            add(&name.qualified, NameCandidate::Qualified(name.kind, name.qualified.clone()));
            if let Some(script) = &name.script {
                add(script, NameCandidate::Script(name.qualified.clone(), name.plugin.clone()));
            }
            let last = last_of(&name.local);
            add(last, NameCandidate::Bare(name.kind, name.qualified.clone(), name.plugin.clone()));
            for title in titles(last).into_iter().filter(|_| name.kind == ComponentKind::Agent) {
                add(&title, NameCandidate::Titled(name.qualified.clone(), name.plugin.clone()));
            }
            if let Some(also) = &name.alias {
                add(
                    &qualify(&name.plugin, also),
                    NameCandidate::Qualified(name.kind, name.qualified.clone()),
                );
                add(also, NameCandidate::Bare(name.kind, name.qualified.clone(), name.plugin.clone()));
            }
            if last != name.local {
                add(
                    &name.local,
                    NameCandidate::Local(name.kind, name.qualified.clone(), name.plugin.clone()),
                );
            }
        }
        for agent in agents {
            add(agent, NameCandidate::BuiltInAgent(agent.clone()));
        }
        for tool in tools {
            add(tool, NameCandidate::Tool(tool.clone(), ambiguous.contains(tool)));
        }
        for server in servers {
            add(server, NameCandidate::Server(server.clone()));
        }
        for variable in variables {
            add(&format!("${{{variable}}}"), NameCandidate::Variable(variable.clone()));
        }
        for PluginOption { plugin, variable } in options {
            add(&format!("${{{variable}}}"), NameCandidate::Option(variable.clone(), plugin.clone()));
        }
        let scanner = WordFinder::new(entries.keys().map(String::as_str));
        Self { scanner, patterns: entries.into_values().collect() }
    }

    /// All names in the part `body` of `text`, in order. `plugin` owns the text; `filled` tells which placeholders the
    /// source host fills in it (`None` for files beside a skill file).
    pub fn find(
        &self,
        text: &str,
        body: Span,
        plugin: &str,
        filled: Option<&FilledPlaceholders>,
    ) -> Vec<Reference> {
        let mut out = Vec::new();
        let mut regions = None;
        let mentions = AgentMentions::default();
        let reference = |span: Span, named: ReferenceTarget| {
            let inner = Span::new(span.start - body.start, span.end - body.start);
            let asked = named.is_agent() && dispatch::is_asked(body.slice(text), inner, &mentions);
            let forbidden = named.is_called() && dispatch::is_forbidden(body.slice(text), inner);
            Reference { asked, forbidden, ..Reference::new(span, named) }
        };
        let mut words = Vec::new();
        for found in self.scanner.find_iter(body.slice(text)) {
            let span = Span::new(found.start, found.end).shifted(body.start);
            let around = MatchContext::new(text, span);
            let candidates = &self.patterns[found.word];
            let named = candidates
                .iter()
                .find_map(|candidate| candidate_target(candidate, span.slice(text), &around, plugin));
            if let Some((named, span)) = named.map(|named| (named, around.widened(span))) {
                out.push(reference(span, named));
            } else if let Some(agent) = candidates.iter().find_map(|one| agent_word(one, &around, plugin)) {
                words.push((span, agent));
            }
        }
        neighbours::add(text, words, &mut out, reference);
        neighbours::mark_together(text, &mut out);
        if let Some(filled) = filled {
            out.extend(placeholders::arguments(text, body, &filled.arguments));
            out.extend(placeholders::shell(text, body));
            out.extend(placeholders::includes_of_plugin(text, body, &filled.folders));
            if filled.includes {
                out.extend(placeholders::find_includes(text, body).into_iter().filter(|reference| {
                    let regions = regions.get_or_insert_with(|| markdown::regions(text, body));
                    !matches!(
                        markdown::region_at(regions, reference.span.start),
                        Some(
                            RegionKind::CodeBlock
                                | RegionKind::CodeSpan
                                | RegionKind::Html
                                | RegionKind::Link
                        )
                    )
                }));
            }
        }
        out.sort_by_key(|reference| reference.span);
        let mut end = 0;
        out.retain(|reference| {
            let keep = reference.span.start >= end || matches!(reference.named, ReferenceTarget::Variable(_));
            if keep && !matches!(reference.named, ReferenceTarget::Shell(_)) {
                end = end.max(reference.span.end);
            }
            keep
        });
        out
    }
}

/// Which placeholders the source host fills in a file.
#[derive(Debug, Clone, Default)]
pub struct FilledPlaceholders {
    /// Declared argument names.
    pub arguments: Vec<String>,
    /// Whether `@path` includes a file.
    pub includes: bool,
    /// The variables of folders: `@${VARIABLE}/path` includes a file, in code too.
    pub folders: Vec<String>,
}

/// The placeholder for the name of any tool of a server.
pub const ANY_TOOL: &str = "NAME";

/// The agent that a word in backticks may name, if the word is beside the name of another one.
fn agent_word(candidate: &NameCandidate, around: &MatchContext<'_>, plugin: &str) -> Option<QualifiedName> {
    match candidate {
        NameCandidate::Bare(ComponentKind::Agent, qualified, owner) => {
            (owner == plugin && around.in_backticks()).then(|| qualified.clone())
        }
        _ => None,
    }
}

/// The forms of a name in capitals: `Code-Reviewer`, `Code Reviewer`, `CODE-REVIEWER` and `CODE REVIEWER`.
fn titles(name: &str) -> BTreeSet<String> {
    let capital = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or(String::new(), |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
    };
    let parts: Vec<String> = name.split(['-', '_']).map(capital).collect();
    let forms = ["-", " "].map(|between| parts.join(between));
    let all = forms.iter().map(|form| form.to_uppercase()).chain(forms.iter().cloned());
    all.filter(|form| form != name).collect()
}

/// Verbs that ask to run a skill or a command whose name of several words follows.
const RUNS: [&str; 10] =
    ["run", "running", "invoke", "invoking", "use", "using", "call", "execute", "load", "activate"];

fn candidate_target(
    candidate: &NameCandidate,
    name: &str,
    around: &MatchContext<'_>,
    plugin: &str,
) -> Option<ReferenceTarget> {
    match candidate {
        NameCandidate::Variable(variable) => Some(ReferenceTarget::Variable(variable.clone())),
        NameCandidate::Option(variable, owner) => {
            (owner == plugin).then(|| ReferenceTarget::Variable(variable.clone()))
        }
        NameCandidate::Server(start) => {
            let clean = around.last().is_none_or(|c| !is_name_char(c));
            clean.then(|| ReferenceTarget::Tool(format!("{start}{ANY_TOOL}")))
        }
        NameCandidate::Qualified(kind, qualified) => {
            let may_be = *kind == ComponentKind::Agent || !around.is_agent_mention();
            (may_be && around.starts_cleanly() && around.ends_cleanly())
                .then(|| ReferenceTarget::Component(*kind, qualified.clone()))
        }
        NameCandidate::Script(qualified, owner) => (owner == plugin && around.is_path_of(owner))
            .then(|| ReferenceTarget::Component(ComponentKind::Workflow, qualified.clone())),
        NameCandidate::Local(kind, qualified, owner) => {
            (owner == plugin && around.starts_cleanly() && around.ends_cleanly())
                .then(|| ReferenceTarget::Component(*kind, qualified.clone()))
        }
        NameCandidate::Titled(qualified, owner) => {
            let clean = owner == plugin && around.starts_cleanly() && around.ends_cleanly();
            (clean && around.is_titled_agent())
                .then(|| ReferenceTarget::Component(ComponentKind::Agent, qualified.clone()))
        }
        NameCandidate::Bare(kind, qualified, owner) => (owner == plugin && is_bare_name(*kind, name, around))
            .then(|| ReferenceTarget::Component(*kind, qualified.clone())),
        NameCandidate::BuiltInAgent(agent) => {
            let clean = around.starts_cleanly() && around.ends_cleanly() && !around.slash();
            (clean && around.is_built_in_agent()).then(|| ReferenceTarget::BuiltInAgent(agent.clone()))
        }
        NameCandidate::Tool(tool, ambiguous) => {
            let clean = around.starts_cleanly() && around.ends_cleanly() && !around.slash();
            let certain = !ambiguous
                || around.in_backticks()
                || (around.next() == Some('(') && is_call(around.after))
                || around.after.strip_prefix(' ').is_some_and(|after| starts_with_word(after, "tool"))
                || TOOL_WORDS.iter().any(|word| around.after.trim_start_matches(' ').starts_with(word));
            (clean && certain).then(|| ReferenceTarget::Tool(tool.clone()))
        }
    }
}

/// Whether the last part of the name of a component means the component.
fn is_bare_name(kind: ComponentKind, name: &str, around: &MatchContext<'_>) -> bool {
    // A name of one word may also be an ordinary word.
    let several = name.contains(['-', '_', ':']);
    let agent = kind == ComponentKind::Agent;
    let called = agent && around.at_sign(several);
    let clean = (called || around.starts_cleanly()) && around.ends_cleanly();
    let words: &[&str] = match kind {
        ComponentKind::Agent => {
            &["agent", "agents", "subagent", "sub-agent", "subagent_type", "task", "dispatch", "@agent"]
        }
        ComponentKind::Workflow => &["workflow", "workflows"],
        _ => &["skill", "skills", "command", "commands"],
    };
    let is_certain = match kind {
        ComponentKind::Agent => {
            let is_name = several || around.is_marked();
            called
                || around.is_next_to(words)
                || is_name && dispatch::has_agent_beside(around.before, around.after)
                || around.heads_item() && dispatch::are_items_dispatched(around.before, around.after)
                || (several && around.stands_out())
        }
        ComponentKind::Workflow => {
            let is_name = several || around.is_marked();
            around.slash() || is_name && around.is_next_to(words) || around.is_called_after("workflow")
        }
        _ => {
            let is_name = several || around.is_marked();
            let is_asked = || around.is_after_verb(&RUNS) || name.contains([':', '.']);
            around.slash()
                || is_name && around.is_next_to(words)
                || around.is_called_after("skill")
                || around.in_backticks() && (several || name.contains('.')) && is_asked()
        }
    };
    clean && is_certain
}
