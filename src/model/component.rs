//! A skill, an agent or a command: a Markdown file with a qualified name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};

use super::overrides::{ComponentOverride, OverrideValue};
use super::references::Reference;
use crate::model::qualified_name::QualifiedName;
use crate::read::blanks::is_blank;
use crate::read::frontmatter::MarkdownDocument;
use crate::read::tree::{FaultKind, Node, Value};
use crate::source::ComponentKind;
use crate::source_format::SourceFacts;

/// One skill, agent or command.
#[derive(Debug, Clone)]
pub struct Component {
    /// Skill, agent or command.
    pub kind: ComponentKind,
    /// The name after the plugin's: the folder's for skills, `folder:name` for agents and commands.
    pub name: String,
    /// `plugin:name`.
    pub qualified: QualifiedName,
    /// The Markdown file, relative to SRC.
    pub path: Utf8PathBuf,
    /// The parsed file.
    pub document: Arc<MarkdownDocument>,
    /// Other files of a skill's folder, relative to SRC, sorted.
    pub files: Vec<Utf8PathBuf>,
    /// Fields that a manifest sets for it by name; they override its frontmatter.
    pub declared: BTreeMap<String, OverrideValue>,
    /// The overrides of a `plugcast.toml` for the project's host.
    pub host_override: ComponentOverride,
    /// The names in its texts, resolved by the project.
    pub(in crate::model) references: OnceLock<Vec<FileReferences>>,
    /// The names in the shared texts that it reads, resolved by the project.
    pub(in crate::model) shared: OnceLock<Vec<FileReferences>>,
}

/// What one file names.
#[derive(Debug, Clone)]
pub struct FileReferences {
    /// The file, relative to SRC.
    pub path: Utf8PathBuf,
    /// The names in it, in text order.
    pub references: Vec<Reference>,
}

impl Component {
    /// The name of the plugin.
    pub fn plugin(&self) -> &str {
        self.qualified.plugin()
    }

    /// The folder that holds the file.
    pub fn folder(&self) -> &Utf8Path {
        super::paths::folder(&self.path).unwrap_or(Utf8Path::new(""))
    }

    /// Another name that texts may use for a skill: the one in its frontmatter, if it differs from the folder's. The
    /// source host lists the folder's name and accepts both (Claude Code 2.1.330).
    pub fn alias(&self) -> Option<String> {
        let own = self
            .written_name()
            .filter(|_| self.kind == ComponentKind::Skill && self.host_override.renamed.is_none())?;
        (own != self.name).then_some(own)
    }

    /// Whether it has frontmatter without a readable field, which is already reported.
    pub fn has_lost_fields(&self) -> bool {
        let document = &self.document;
        let is_reported = !document.faults.is_empty();
        is_reported && document.lost.is_some()
            || document.faults.iter().any(|fault| fault.kind == FaultKind::FrontmatterUnclosed)
    }

    /// The name in its frontmatter.
    pub fn written_name(&self) -> Option<String> {
        let name = self.field("name")?.scalar()?;
        let name = name.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The value of a frontmatter field.
    pub fn field(&self, key: &str) -> Option<&Node> {
        self.document.fields.as_ref()?.get(key)
    }

    /// A field as one line of text, with the overrides for the host; `None` if it is absent, empty or not a scalar.
    pub fn text_field(&self, key: &str) -> Option<String> {
        let text = self.written_text(key)?;
        if is_line(&text) {
            return Some(text.into_owned());
        }
        let mut line = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
        (!line.is_empty()).then_some(line)
    }

    /// A scalar field as it is written, with the overrides for the host.
    pub fn written_text(&self, key: &str) -> Option<Cow<'_, str>> {
        let value = self.host_override.fields.get(key).or_else(|| self.declared.get(key));
        match value.and_then(|set| set.value.as_str()) {
            Some(value) => Some(Cow::Borrowed(value)),
            None => self.field(key)?.scalar_text(),
        }
    }

    /// Whether it declares its arguments to users.
    pub fn has_argument_hint(&self) -> bool {
        self.field("argument-hint").is_some() || self.declared.contains_key("argument-hint")
    }

    /// A field as the source host reads a flag: an unknown or empty value is off (Claude Code 2.1.330).
    pub fn flag(&self, key: &str) -> Option<bool> {
        Some(self.field(key)?.switch().unwrap_or(false))
    }

    /// Whether it is a command.
    pub fn is_command(&self) -> bool {
        self.kind == ComponentKind::Command
    }

    /// Only the user may invoke it.
    pub fn is_user_only(&self) -> bool {
        self.flag("disable-model-invocation") == Some(true)
    }

    /// Only the model may invoke it.
    pub fn model_only(&self) -> bool {
        self.flag("user-invocable") == Some(false)
    }

    /// Whether it can dispatch agents on the source host: an agent with a tool list needs the tool for that.
    pub fn may_dispatch(&self, source: &SourceFacts) -> bool {
        let lists = |field: &str| self.field(field).map(tool_list);
        let dispatches = |tools: &[String]| {
            tools.iter().any(|tool| {
                let name = tool.split('(').next().unwrap_or(tool);
                name == "*" || source.dispatch_tools.iter().any(|other| other == name)
            })
        };
        self.kind != ComponentKind::Agent
            || lists("tools").is_none_or(|tools| dispatches(&tools))
                && lists("disallowedTools").is_none_or(|tools| tools == ["*"] || !dispatches(&tools))
    }

    /// The declared argument names, from a list or a space-separated text.
    pub fn arguments(&self) -> Vec<String> {
        match self.field("arguments").map(|node| &node.value) {
            Some(Value::List(items)) => items.iter().filter_map(Node::scalar).collect(),
            Some(Value::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    /// The bytes of the name field, or the first byte, for a diagnostic.
    pub fn name_span(&self) -> crate::source::Span {
        let fields = self.document.fields.as_ref();
        fields
            .and_then(|fields| fields.entry("name"))
            .map_or(crate::source::Span::new(0, 0), super::super::read::tree::MappingEntry::span)
    }
}

/// Whether a text is one line with single spaces between its words; nearly every short text is.
fn is_line(text: &str) -> bool {
    let mut after_space = true;
    let words = text.bytes().all(|byte| {
        let space = byte == b' ';
        let ok = if space { !after_space } else { byte.is_ascii_graphic() };
        after_space = space;
        ok
    });
    words && !after_space
}

/// A list of tools as the source host reads it (2.1.330): text, or a list, of which only texts are used. A star among
/// them stands for all tools.
pub fn tool_list(node: &Node) -> Vec<String> {
    let texts: Vec<&str> = match &node.value {
        Value::List(items) => items.iter().filter_map(Node::as_str).collect(),
        _ => node.as_str().into_iter().collect(),
    };
    let tools: Vec<String> = texts.into_iter().flat_map(split_tools).collect();
    if tools.iter().any(|tool| tool == "*") { vec!["*".to_owned()] } else { tools }
}

/// Splits a text at commas and spaces, but not at other white space, nor between an opening parenthesis and the next
/// closing one.
fn split_tools(text: &str) -> Vec<String> {
    let mut enclosed = false;
    let mut out = vec![String::new()];
    for c in text.chars() {
        if !enclosed && matches!(c, ',' | ' ') {
            out.push(String::new());
            continue;
        }
        enclosed = c == '(' || enclosed && c != ')';
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out.iter().map(|tool| tool.trim_matches(is_blank).to_owned()).filter(|tool| !tool.is_empty()).collect()
}

/// The name of a tool, and the text in parentheses after it; `None` if the source host would not accept it as a tool:
/// text after the last parenthesis, an unclosed parenthesis, or a parenthesis in the name.
pub fn tool_parts(tool: &str) -> Option<(&str, Option<&str>)> {
    let is_plain = |at: usize| tool[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
    let open = tool.match_indices('(').map(|(at, _)| at).find(|at| is_plain(*at));
    let close = tool.rmatch_indices(')').map(|(at, _)| at).find(|at| is_plain(*at));
    match (open, close) {
        (None, None) => Some((tool, None)),
        (Some(open), Some(close)) if open < close && close + 1 == tool.len() => {
            let name = &tool[..open];
            (!name.is_empty() && !name.contains(['(', ')'])).then(|| (name, Some(&tool[open + 1..close])))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_split_outside_parentheses_only() {
        assert_eq!(
            split_tools("Read, Bash(git add:*, git commit:*) Grep"),
            ["Read", "Bash(git add:*, git commit:*)", "Grep"]
        );
        assert_eq!(split_tools("*"), ["*"]);
        assert!(split_tools(" , ").is_empty());
        assert_eq!(split_tools("Read\tGrep, \tGlob"), ["Read\tGrep", "Glob"]);
        assert_eq!(split_tools("Bash(a (b), Read, c) Grep"), ["Bash(a (b)", "Read", "c)", "Grep"]);
    }

    #[test]
    fn a_tool_has_one_pair_of_parentheses_at_its_end() {
        assert_eq!(tool_parts("Bash(git (x):*)"), Some(("Bash", Some("git (x):*"))));
        assert_eq!(tool_parts("Read"), Some(("Read", None)));
        for other in ["Bash(git", "Bash(git)x", "(x)", "c)", ")(", "Bash(a)\\)"] {
            assert_eq!(tool_parts(other), None, "{other}");
        }
    }
}
