//! Finds the names in a text: agents, skills, commands and tools of the inventory, variables, argument placeholders,
//! and constructs that the source host acts on. Only names that exist are found, in one scan over the bytes.

mod dispatch;
mod finder;
mod placeholders;
#[cfg(test)]
mod tests;

use crate::model::qualified_name::{QualifiedName, last_of, qualify};
use crate::read::markdown::{self, RegionKind};
use crate::source::ComponentKind;
use crate::source::Span;
use dispatch::AgentMentions;
use finder::WordFinder;

/// One mention of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The bytes, in the file.
    pub span: Span,
    /// The target of the name.
    pub named: ReferenceTarget,
    /// Whether the text asks to run the agent that it names; `false` for everything else.
    pub asked: bool,
}

/// The target of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceTarget {
    /// A component, by its qualified name.
    Component(ComponentKind, QualifiedName),
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
    /// Skill, agent, command, or workflow; a workflow is only found by its qualified name.
    pub kind: ComponentKind,
    /// The name after the plugin's.
    pub local: String,
    /// `plugin:name`.
    pub qualified: QualifiedName,
    /// Another name that texts may use after the plugin's: the one in a skill's frontmatter.
    pub alias: Option<String>,
}

#[derive(Debug, Clone)]
enum NameCandidate {
    Qualified(ComponentKind, QualifiedName),
    /// The last part of a name, which only texts of the same plugin may use.
    Bare(ComponentKind, QualifiedName, String),
    /// A name with its folders but without the plugin, which is never an ordinary word.
    Local(ComponentKind, QualifiedName, String),
    Tool(String, bool),
    /// The prefix of the names of a server's tools.
    Server(String),
    Variable(String),
}

impl NameInventory {
    /// Prepares the search for `names`, and for the tools and variables of the source host; `ambiguous` tools are also
    /// English words, and `servers` are the prefixes of the names of servers' tools.
    pub fn new(
        names: &[InventoryName],
        (tools, ambiguous, servers): (&[String], &[String], &[String]),
        variables: &[String],
    ) -> Self {
        let mut entries: std::collections::BTreeMap<String, Vec<NameCandidate>> =
            std::collections::BTreeMap::new();
        let mut add = |text: &str, candidate| entries.entry(text.to_owned()).or_default().push(candidate);
        for name in names {
            add(&name.qualified, NameCandidate::Qualified(name.kind, name.qualified.clone()));
            if name.kind == ComponentKind::Workflow {
                continue;
            }
            let last = last_of(&name.local);
            add(last, NameCandidate::Bare(name.kind, name.qualified.clone(), name.plugin.clone()));
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
        for tool in tools {
            add(tool, NameCandidate::Tool(tool.clone(), ambiguous.contains(tool)));
        }
        for server in servers {
            add(server, NameCandidate::Server(server.clone()));
        }
        for variable in variables {
            add(&format!("${{{variable}}}"), NameCandidate::Variable(variable.clone()));
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
        for found in self.scanner.find_iter(body.slice(text)) {
            let span = Span::new(found.start, found.end).shifted(body.start);
            let around = MatchContext::new(text, span);
            let named = self.patterns[found.word]
                .iter()
                .find_map(|candidate| meant(candidate, span.slice(text), &around, plugin));
            if let Some((named, span)) = named.map(|named| (named, around.widened(span))) {
                let inner = Span::new(span.start - body.start, span.end - body.start);
                let asked = matches!(named, ReferenceTarget::Component(ComponentKind::Agent, _))
                    && dispatch::is_asked(body.slice(text), inner, &mentions);
                out.push(Reference { span, named, asked });
            }
        }
        if let Some(filled) = filled {
            out.extend(placeholders::arguments(text, body, &filled.arguments));
            out.extend(placeholders::shell(text, body));
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
                end = reference.span.end;
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
}

/// The text next to a match.
struct MatchContext<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> MatchContext<'a> {
    fn new(text: &'a str, span: Span) -> Self {
        Self { before: &text[..span.start], after: &text[span.end..] }
    }

    fn last(&self) -> Option<char> {
        self.before.chars().next_back()
    }

    fn next(&self) -> Option<char> {
        self.after.chars().next()
    }

    /// `/name`, where the slash begins a word.
    fn slash(&self) -> bool {
        let mut before = self.before.chars().rev();
        before.next() == Some('/')
            && before.next().is_none_or(|c| c.is_whitespace() || "`\"'(*_[".contains(c))
    }

    fn ends_cleanly(&self) -> bool {
        let mut after = self.after.chars();
        match after.next() {
            None => true,
            Some(c) if c.is_alphanumeric() || "_-/\\".contains(c) => false,
            // `name:` ends a clause, but `name:more` is another name and `name.md` is a file.
            Some(':' | '.') => !after.next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':'),
            Some(_) => true,
        }
    }

    fn starts_cleanly(&self) -> bool {
        self.slash() || self.last().is_none_or(|c| !(c.is_alphanumeric() || "_-/\\:.$".contains(c)))
    }

    fn in_backticks(&self) -> bool {
        self.last() == Some('`') && self.next() == Some('`')
    }

    /// Whether one of `words` is directly before or after, separated by a few spaces, quotes or marks.
    fn is_next_to(&self, words: &[&str]) -> bool {
        let before = self.before.trim_end_matches(['`', '*', '"', '\'', '@', ' ', ':', '=']);
        let after = self.after.trim_start_matches(['`', '*', '"', '\'', ' ']);
        let gap = self.before.len() - before.len();
        words.iter().any(|word| {
            (gap <= 4 && ends_with_word(before, word))
                || (self.after.len() - after.len() <= 3 && starts_with_word(after, word))
        })
    }

    /// `@agent-name`, or `@name` if it cannot be an e-mail address.
    fn at_sign(&self, several: bool) -> bool {
        let plain = self.before.strip_suffix('@').filter(|_| several);
        let before = self.before.strip_suffix("@agent-").or(plain);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric()))
    }

    /// Whether the name is marked up, starts a list item, or is in a line with a word about dispatching.
    fn stands_out(&self) -> bool {
        let bold = self.before.ends_with("**") && self.after.starts_with("**");
        let before = &self.before[self.before.ceil_char_boundary(self.before.len().saturating_sub(NEAR))..];
        let after = &self.after[..self.after.floor_char_boundary(NEAR)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = after.lines().next().unwrap_or_default();
        let marker = line.trim().trim_end_matches(['.', ')']);
        let item = matches!(marker, "-" | "*" | "+")
            || !marker.is_empty() && marker.bytes().all(|byte| byte.is_ascii_digit());
        let ends =
            rest.trim().is_empty() || [":", " -", " –", " —", " ("].iter().any(|end| rest.starts_with(end));
        let says = |part: &str| {
            let mut words = part.split(|c: char| !c.is_alphanumeric());
            words.any(|word| DISPATCH.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
        };
        self.in_backticks() || bold || (item && ends) || says(line) || says(rest) || says(wrapped(before))
    }

    fn widened(&self, span: Span) -> Span {
        if self.slash() { Span::new(span.start - 1, span.end) } else { span }
    }
}

/// The start of a sentence that continues from the line above.
fn wrapped(before: &str) -> &str {
    let Some((above, _)) = before.rsplit_once('\n').filter(|(_, line)| line.trim().is_empty()) else {
        return "";
    };
    let line = above.rsplit('\n').next().unwrap_or_default();
    let is_whole = line.starts_with(['#', '|', '`']) || line.trim_end().ends_with(['.', '!', '?']);
    if is_whole { "" } else { line.rsplit(". ").next().unwrap_or_default() }
}

/// How many bytes before and after a name are searched in its line: a line may hold thousands of names.
const NEAR: usize = 2000;

/// The maximum bytes of a function's parameters: a line may hold thousands of names.
const PARAMETERS: usize = 1000;

/// Whether the text after a name calls it; `Agent(s)` is a plural.
fn is_call(after: &str) -> bool {
    !after.starts_with("(s)") && !is_signature(after)
}

/// Whether a name is that of a function in program code: `Read(p []byte) (n int, err error)` does not call a tool.
fn is_signature(after: &str) -> bool {
    let near = &after[..after.floor_char_boundary(PARAMETERS)];
    let line = near.lines().next().unwrap_or_default();
    let rest = line.split_once(')').map_or("", |(_, rest)| rest.trim_start());
    rest.starts_with(['(', '{', ':']) || rest.starts_with("error") || rest.starts_with("->")
}

/// The placeholder for the name of any tool of a server.
pub const ANY_TOOL: &str = "NAME";

/// Words that make a name of several words in their line an agent's.
const DISPATCH: [&str; 8] =
    ["agent", "agents", "subagent", "subagents", "dispatch", "spawn", "launch", "delegate"];

fn ends_with_word(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|at| text.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
        && text[..text.len() - word.len()].chars().next_back().is_none_or(|c| !c.is_alphanumeric())
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        && text[word.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() || c == 's')
}

fn meant(
    candidate: &NameCandidate,
    name: &str,
    around: &MatchContext<'_>,
    plugin: &str,
) -> Option<ReferenceTarget> {
    match candidate {
        NameCandidate::Variable(variable) => Some(ReferenceTarget::Variable(variable.clone())),
        NameCandidate::Server(start) => {
            let clean = around.last().is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'));
            clean.then(|| ReferenceTarget::Tool(format!("{start}{ANY_TOOL}")))
        }
        NameCandidate::Qualified(kind, qualified) => (around.starts_cleanly() && around.ends_cleanly())
            .then(|| ReferenceTarget::Component(*kind, qualified.clone())),
        NameCandidate::Local(kind, qualified, owner) => {
            (owner == plugin && around.starts_cleanly() && around.ends_cleanly())
                .then(|| ReferenceTarget::Component(*kind, qualified.clone()))
        }
        NameCandidate::Bare(kind, qualified, owner) => {
            // A name of one word may also be an ordinary word.
            let several = name.contains(['-', '_', ':']);
            let agent = *kind == ComponentKind::Agent;
            let called = agent && around.at_sign(several);
            let clean = owner == plugin && (called || around.starts_cleanly()) && around.ends_cleanly();
            let words: &[&str] = match kind {
                ComponentKind::Agent => &[
                    "agent",
                    "agents",
                    "subagent",
                    "sub-agent",
                    "subagent_type",
                    "task",
                    "dispatch",
                    "@agent",
                ],
                _ => &["skill", "skills", "command", "commands"],
            };
            let is_certain = match kind {
                ComponentKind::Agent => {
                    called || around.is_next_to(words) || (several && around.stands_out())
                }
                _ => around.slash() || (around.in_backticks() && around.is_next_to(words)),
            };
            (clean && is_certain).then(|| ReferenceTarget::Component(*kind, qualified.clone()))
        }
        NameCandidate::Tool(tool, ambiguous) => {
            let clean = around.starts_cleanly() && around.ends_cleanly() && !around.slash();
            let certain = !ambiguous
                || around.in_backticks()
                || (around.next() == Some('(') && is_call(around.after))
                || around.after.strip_prefix(' ').is_some_and(|after| starts_with_word(after, "tool"));
            (clean && certain).then(|| ReferenceTarget::Tool(tool.clone()))
        }
    }
}
