//! The parts of a plugin that hosts run: the texts of its hooks and servers with their spans in the JSON files, and the
//! plugin's own paths in them.

use camino::{Utf8Path, Utf8PathBuf};

use super::context::RuleContext;
use crate::check::shell::{self, SimpleCommand};
use crate::model::plugin::{LocationForm, OtherBody, OtherComponent, Plugin};
use crate::read::path_words::ends_in_command;
use crate::read::tree::Node;
use crate::source::{SourceFile, Span};

/// How a host uses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// A text for a shell.
    Shell,
    /// A program, started without a shell.
    Program,
    /// One argument of a program.
    Argument,
    /// The value of a variable, a header or a URL.
    Value,
}

/// One text of a hook or a server.
#[derive(Debug)]
pub struct RunnableText<'a> {
    /// The hook or the server.
    pub other: &'a OtherComponent,
    /// The file that contains it.
    pub file: &'a SourceFile,
    /// Its role.
    pub role: TextRole,
    /// The text without escapes.
    pub text: &'a str,
    span: Span,
}

/// A path of the plugin in a text: a variable that names the plugin's folder, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPath<'t> {
    /// Its span in the text without escapes.
    pub span: Span,
    /// What follows the variable and `/`; empty for the folder itself.
    pub inner: &'t str,
}

/// Extensions by which other systems run files.
const OTHER_SYSTEMS: [&str; 4] = ["cmd", "bat", "ps1", "exe"];

/// How many bytes the default of a variable may have, as in `${ROOT:-.}`.
const LONGEST_DEFAULT: usize = 16;

/// The texts of the plugin's hooks.
pub fn hooks<'a>(context: &RuleContext<'a>, plugin: &'a Plugin) -> Vec<RunnableText<'a>> {
    let mut out = Vec::new();
    for (other, hook) in plugin.hooks() {
        let Some(file) = context.file(&other.path) else { continue };
        let args = hook.node.get("args").and_then(Node::items);
        let role = if args.is_some() { TextRole::Program } else { TextRole::Shell };
        push(&mut out, other, file, role, hook.node.get("command"));
        for item in args.unwrap_or_default() {
            push(&mut out, other, file, TextRole::Argument, Some(item));
        }
    }
    out
}

/// The variable for the base folder in hooks, and that folder: for hooks of a project, where hosts set no variable of a
/// plugin, those of the project.
pub fn hook_folder<'a>(context: &RuleContext<'a>, plugin: &'a Plugin) -> (&'a str, &'a Utf8Path) {
    match plugin.form {
        LocationForm::Project => {
            (&context.checks().project_variable, plugin.root.parent().unwrap_or(&plugin.root))
        }
        _ => (&context.targets.source().plugin_root, plugin.root.as_path()),
    }
}

/// The texts of the plugin's servers.
pub fn servers<'a>(context: &RuleContext<'a>, plugin: &'a Plugin) -> Vec<RunnableText<'a>> {
    let mut out = Vec::new();
    for other in &plugin.others {
        let (OtherBody::Server(server), Some(file)) = (&other.body, context.file(&other.path)) else {
            continue;
        };
        push(&mut out, other, file, TextRole::Program, server.node.get("command"));
        for item in server.node.get("args").and_then(Node::items).unwrap_or_default() {
            push(&mut out, other, file, TextRole::Argument, Some(item));
        }
        for key in ["url", "cwd"] {
            push(&mut out, other, file, TextRole::Value, server.node.get(key));
        }
        for key in ["env", "headers"] {
            for entry in server.node.get(key).map(Node::entries).unwrap_or_default() {
                push(&mut out, other, file, TextRole::Value, Some(&entry.node));
            }
        }
    }
    out
}

fn push<'a>(
    out: &mut Vec<RunnableText<'a>>,
    other: &'a OtherComponent,
    file: &'a SourceFile,
    role: TextRole,
    node: Option<&'a Node>,
) {
    let Some((node, text)) = node.and_then(|node| Some((node, node.as_str()?))) else { return };
    out.push(RunnableText { other, file, role, text, span: node.span });
}

impl RunnableText<'_> {
    /// The span in the file of a part of the text.
    pub fn place(&self, part: Span) -> Span {
        let raw = self.span.slice(self.file.text().unwrap_or_default());
        let inside = Span::new(self.span.start + 1, self.span.end.saturating_sub(1));
        if !raw.starts_with('"') {
            return self.span;
        }
        if !raw.contains('\\') {
            return part.shifted(inside.start);
        }
        // Maps escaped characters of the file to positions in the text.
        let (mut at, mut read, mut chars) = (0, inside.start, raw[1..raw.len().max(2) - 1].chars());
        let (mut start, mut end) = (inside.start, inside.end);
        while let Some(c) = chars.next() {
            if at == part.start {
                start = read;
            }
            if at >= part.end {
                end = read;
                break;
            }
            if c != '\\' {
                (at, read) = (at + c.len_utf8(), read + c.len_utf8());
                continue;
            }
            match chars.next() {
                Some('u') => {
                    let hex: String = chars.by_ref().take(4).collect();
                    let value = u32::from_str_radix(&hex, 16).unwrap_or(0);
                    // Each half of a surrogate pair counts as two of the four bytes.
                    let pair = (0xD800..0xE000).contains(&value);
                    at += if pair { 2 } else { char::from_u32(value).map_or(1, char::len_utf8) };
                    read += 2 + hex.len();
                }
                Some(other) => (at, read) = (at + 1, read + 1 + other.len_utf8()),
                None => break,
            }
        }
        Span::new(start, end.max(start))
    }

    /// The commands of the text, if a shell runs it, including those of a nested `sh -c`.
    pub fn commands(&self) -> Vec<SimpleCommand> {
        if self.role == TextRole::Shell { shell::commands(self.text, 0) } else { Vec::new() }
    }

    /// The plugin's own paths in the text, and where it names only the plugin's folder; `root` is the variable for that.
    pub fn own_paths(&self, root: &str) -> Vec<OwnPath<'_>> {
        own_paths(self.text, root)
    }
}

/// What to do about a program that is not executable.
pub fn executable_help(file: &SourceFile) -> String {
    format!("run `git update-index --chmod=+x {}`, or put its interpreter in front", file.path)
}

/// The paths in `text` that begin with the variable `root`, and the places that name only the folder.
pub fn own_paths<'t>(text: &'t str, root: &str) -> Vec<OwnPath<'t>> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(root) {
        let (before, after) = (&text[..at], &text[at + root.len()..]);
        let (from, rest) = if before.ends_with("${") {
            let Some(rest) = after_default(after) else { continue };
            (at - 2, rest)
        } else if before.ends_with('$') && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            (at - 1, after)
        } else {
            continue;
        };
        let unquoted = rest.trim_start_matches(['"', '\'']);
        let Some(inner) = unquoted.strip_prefix('/') else {
            out.push(OwnPath { span: Span::new(from, text.len() - rest.len()), inner: "" });
            continue;
        };
        let ends = |c| ends_in_command(c) || c == '\\';
        let inner = &inner[..inner.find(ends).unwrap_or(inner.len())];
        let end = text.len() - unquoted.len() + 1 + inner.len();
        out.push(OwnPath { span: Span::new(from, end), inner });
    }
    out
}

/// What follows the brace behind the name of a variable, which may have a default.
fn after_default(after: &str) -> Option<&str> {
    if let Some(rest) = after.strip_prefix('}') {
        return Some(rest);
    }
    let default = after.strip_prefix(":-").or_else(|| after.strip_prefix('-'))?;
    let end = default.bytes().take(LONGEST_DEFAULT).position(|byte| byte == b'}')?;
    (!default[..end].contains(['$', '{'])).then(|| &default[end + 1..])
}

impl OwnPath<'_> {
    /// Whether every part is a name: no variable, glob or placeholder.
    pub fn is_plain(&self) -> bool {
        !self.inner.is_empty() && !self.inner.contains(|c: char| "$*?[]{}%~#:".contains(c))
    }

    /// The file below the plugin's folder `root` that is run as a program but is not executable.
    pub fn not_executable<'a>(&self, context: &RuleContext<'a>, root: &Utf8Path) -> Option<&'a SourceFile> {
        let inside = self.path_below(root).filter(|_| self.is_plain())?;
        let elsewhere = inside.extension().is_some_and(|ending| OTHER_SYSTEMS.contains(&ending));
        context.file(&inside).filter(|file| !file.executable && !elsewhere)
    }

    /// The path below the plugin's folder `root`, without dots; `None` if it leaves the folder.
    pub fn path_below(&self, root: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut parts: Vec<&str> = Vec::new();
        for part in self.inner.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                name => parts.push(name),
            }
        }
        Some(root.join(parts.join("/")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_own_paths_in_both_forms() {
        let text = "bash \"${ROOT}/a/b.sh\" && $ROOT/c; \"$ROOT\"/d $ROOTS/e ${ROOT} ${ROOT:-.}/f ${ROOT:+g}";
        let found: Vec<_> =
            own_paths(text, "ROOT").into_iter().map(|path| (path.span.slice(text), path.inner)).collect();
        let expected = [
            ("${ROOT}/a/b.sh", "a/b.sh"),
            ("$ROOT/c", "c"),
            ("$ROOT\"/d", "d"),
            ("${ROOT}", ""),
            ("${ROOT:-.}/f", "f"),
        ];
        assert_eq!(found, expected);
        let path = |inner| OwnPath { span: Span::new(0, 0), inner };
        assert_eq!(path("a/../b").path_below("p".into()).unwrap(), "p/b");
        assert_eq!(path("a/../../b").path_below("p".into()), None);
        assert!(path("a/b.sh").is_plain() && !path("*.sh").is_plain());
    }
}
