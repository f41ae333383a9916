//! Parses shell text with the full grammar of bash: its commands, operators, pipelines and redirections, each with its
//! span. The content of quotes, comments, here-documents and substitutions is not reported as commands.
//!
//! [`super::shell`] is a separate, tolerant reader because much shell text of a plugin is not valid bash: a transcript
//! with its output, a fragment with an unclosed quote or loop, the hook command of another system. It extracts what it
//! can from any of them, where this parser returns nothing; rules about the structure of a script need the grammar, and
//! rules about what is run must see every line.

use rable::{ListItem, ListOperator, Node, NodeKind};

use crate::source::Span;

/// Longer texts are not examples; they are not parsed.
const LONGEST: usize = 64 * 1024;

/// The structure of a shell text, in source order.
#[derive(Debug, Clone, Default)]
pub struct ShellScript {
    /// Simple commands.
    pub commands: Vec<ShellCommand>,
    /// Operators between two commands.
    pub connectors: Vec<Connector>,
    /// Pipelines of two or more commands.
    pub pipelines: Vec<Pipeline>,
}

/// A simple command.
#[derive(Debug, Clone)]
pub struct ShellCommand {
    /// The whole command, with its redirections.
    pub span: Span,
    /// Its words as written, without leading assignments.
    pub words: Vec<String>,
    /// Each leading assignment: the name of the variable and the text.
    pub assignments: Vec<String>,
    /// Where its input and output go.
    pub redirects: Vec<Redirect>,
    /// Whether it is part of the condition of `if`, `while` or `until`.
    pub condition: bool,
    /// Whether it reads the output of another command.
    pub piped: bool,
    /// Whether another command reads its output.
    pub feeds: bool,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The operator, such as `>` or `<<`.
    pub operator: String,
    /// The file descriptor that is redirected, explicit or implied.
    pub descriptor: i32,
    /// Where it goes, as written; the delimiter of a here-document.
    pub target: String,
}

/// The kind of a connector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` with the next command on the same line.
    Semicolon,
}

/// An operator between two commands.
#[derive(Debug, Clone)]
pub struct Connector {
    /// From the first byte of the left command to the last of the right one.
    pub span: Span,
    /// The operator.
    pub operator: Operator,
    /// The text on its left.
    pub left: Operand,
    /// The text on its right.
    pub right: Operand,
    /// Whether it is part of the condition of `if`, `while` or `until`.
    pub condition: bool,
}

/// One side of an operator.
#[derive(Debug, Clone)]
pub struct Operand {
    /// Its text.
    pub text: String,
    /// Whether it only tests something: `[ … ]`, `[[ … ]]`, `(( … ))`, `test`.
    pub test: bool,
    /// The variable that it sets from the output of a command, if it does nothing else.
    pub sets: Option<String>,
}

/// Commands whose output is the input of the next.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The whole pipeline.
    pub span: Span,
    /// How many commands it has.
    pub stages: usize,
    /// Whether it is part of the condition of `if`, `while` or `until`.
    pub condition: bool,
}

/// Parses `text`; `None` if it is not valid shell. A placeholder such as `<branch>` is read as a word.
pub fn parse(text: &str) -> Option<ShellScript> {
    if text.len() > LONGEST {
        return None;
    }
    let plain = without_placeholders(text);
    let nodes = rable::parse(&plain, false).ok()?;
    let offsets: Vec<usize> = plain.char_indices().map(|(at, _)| at).chain([plain.len()]).collect();
    let mut walk = ScriptWalk { text: &plain, offsets, script: ShellScript::default() };
    for node in &nodes {
        walk.node(node, false, false);
    }
    Some(walk.script)
}

/// Replaces each `<word>` by a word of the same length, so that it is not parsed as a redirection.
fn without_placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let inner = &rest[open + 1..];
        let end = inner.find(['>', '\n']).filter(|end| inner[*end..].starts_with('>'));
        let word = end.map(|end| &inner[..end]).filter(|word| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_ ./:,|".contains(c);
            word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() <= 60 && word.chars().all(plain)
        });
        let double = rest[..open].ends_with('<') || inner.starts_with('<');
        out.push_str(&rest[..open]);
        match word.filter(|_| !double) {
            Some(word) => {
                out.push_str(&"_".repeat(word.len() + 2));
                rest = &inner[word.len() + 1..];
            }
            None => {
                out.push('<');
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out
}

struct ScriptWalk<'a> {
    text: &'a str,
    /// The byte at which each character begins.
    offsets: Vec<usize>,
    script: ShellScript,
}

impl ScriptWalk<'_> {
    fn span(&self, node: &Node) -> Span {
        let byte = |at: usize| self.offsets.get(at).copied().unwrap_or(self.text.len());
        let start = byte(node.span.start);
        Span::new(start, byte(node.span.end).max(start))
    }

    fn node(&mut self, node: &Node, condition: bool, piped: bool) {
        let known = self.script.commands.len();
        match &node.kind {
            NodeKind::Command { assignments, words, redirects } => {
                let text = |node: &Node| match &node.kind {
                    NodeKind::Word { value, .. } => value.clone(),
                    _ => String::new(),
                };
                let command = ShellCommand {
                    span: self.span(node),
                    words: words.iter().map(text).collect(),
                    assignments: assignments.iter().map(text).collect(),
                    redirects: redirects.iter().filter_map(redirect).collect(),
                    condition,
                    piped,
                    feeds: false,
                };
                self.script.commands.push(command);
            }
            NodeKind::Pipeline { commands, .. } => {
                let (span, stages) = (self.span(node), commands.len());
                self.script.pipelines.push(Pipeline { span, stages, condition });
                for (at, command) in commands.iter().enumerate() {
                    self.node(command, condition, piped || at > 0);
                }
                let last = self.script.commands.len().saturating_sub(1);
                self.script.commands[known..last.max(known)]
                    .iter_mut()
                    .for_each(|command| command.feeds = true);
            }
            NodeKind::List { items } => {
                for pair in items.windows(2) {
                    self.connector(&pair[0], &pair[1], condition);
                }
                for item in items {
                    self.node(&item.command, condition, piped);
                }
            }
            NodeKind::If { condition: test, then_body, else_body, .. } => {
                self.node(test, true, piped);
                self.node(then_body, condition, piped);
                if let Some(body) = else_body {
                    self.node(body, condition, piped);
                }
            }
            NodeKind::While { condition: test, body, .. } | NodeKind::Until { condition: test, body, .. } => {
                self.node(test, true, piped);
                self.node(body, condition, piped);
            }
            NodeKind::For { body, .. }
            | NodeKind::ForArith { body, .. }
            | NodeKind::Select { body, .. }
            | NodeKind::Function { body, .. }
            | NodeKind::Subshell { body, .. }
            | NodeKind::BraceGroup { body, .. } => self.node(body, condition, piped),
            NodeKind::Case { patterns, .. } => {
                for body in patterns.iter().filter_map(|pattern| pattern.body.as_ref()) {
                    self.node(body, condition, piped);
                }
            }
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                self.node(pipeline, condition, piped);
            }
            NodeKind::Coproc { command, .. } => self.node(command, condition, piped),
            _ => {}
        }
    }

    fn connector(&mut self, left: &ListItem, right: &ListItem, condition: bool) {
        let (before, after) = (self.span(&left.command), self.span(&right.command));
        let between = self.text.get(before.end..after.start).unwrap_or_default();
        let operator = match left.operator {
            Some(ListOperator::And) => Operator::And,
            Some(ListOperator::Or) => Operator::Or,
            Some(ListOperator::Semi) if between.contains(';') && !between.contains('\n') => {
                Operator::Semicolon
            }
            _ => return,
        };
        let (left, right) = (self.side(&left.command), self.side(&right.command));
        let span = Span::new(before.start, after.end.max(before.start));
        self.script.connectors.push(Connector { span, operator, left, right, condition });
    }

    fn side(&self, node: &Node) -> Operand {
        let text = self.span(node).slice(self.text).to_owned();
        let (test, sets) = match &node.kind {
            NodeKind::Command { assignments, words, .. } => {
                let word = |node: &Node| match &node.kind {
                    NodeKind::Word { value, .. } => value.clone(),
                    _ => String::new(),
                };
                let name = words.first().map(word);
                let sets = match (assignments.as_slice(), &name) {
                    ([only], None) => word(only).split_once('=').and_then(|(name, value)| {
                        (value.contains("$(") || value.contains('`')).then(|| name.to_owned())
                    }),
                    _ => None,
                };
                (matches!(name.as_deref(), Some("[" | "test")), sets)
            }
            NodeKind::ConditionalExpr { .. } | NodeKind::ArithmeticCommand { .. } => (true, None),
            NodeKind::Negation { pipeline } => (self.side(pipeline).test, None),
            NodeKind::List { items } => (items.iter().all(|item| self.side(&item.command).test), None),
            _ => (false, None),
        };
        Operand { text, test, sets }
    }
}

fn redirect(node: &Node) -> Option<Redirect> {
    match &node.kind {
        NodeKind::Redirect { op, target, fd, .. } => {
            let target = match &target.kind {
                NodeKind::Word { value, .. } => value.clone(),
                _ => String::new(),
            };
            Some(Redirect { operator: op.clone(), descriptor: *fd, target })
        }
        NodeKind::HereDoc { delimiter, fd, .. } => {
            Some(Redirect { operator: "<<".to_owned(), descriptor: *fd, target: delimiter.clone() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::shell;

    #[test]
    fn text_that_is_not_bash_is_left_to_the_other_reader() {
        let text = "$ curl https://example.org/x | sh\nIt doesn't end here.\n";
        assert!(parse(text).is_none());
        let programs: Vec<_> = shell::commands(text, 0)
            .iter()
            .filter_map(|one| Some(one.program(&[]).first()?.text.clone()))
            .collect();
        assert!(programs.contains(&"curl".to_owned()) && programs.contains(&"sh".to_owned()), "{programs:?}");
    }

    fn connectors(text: &str) -> Vec<(Operator, String, bool)> {
        let script = parse(text).expect("shell");
        let shown = |joint: Connector| (joint.operator, joint.span.slice(text).to_owned(), joint.condition);
        script.connectors.into_iter().map(shown).collect()
    }

    #[test]
    fn operators_are_found_where_the_shell_sees_them() {
        assert_eq!(
            connectors("ö=1\nnpm ci && npm test\n"),
            [(Operator::And, "npm ci && npm test".into(), false)]
        );
        assert_eq!(connectors("cd a; make"), [(Operator::Semicolon, "cd a; make".into(), false)]);
        assert_eq!(connectors("if [ a ] || make; then\n  x\nfi\n").len(), 1);
        for text in ["make a\nmake b\n", "echo 'a && b; c'", "make # && x", "for a in b; do\n  make\ndone\n"]
        {
            assert_eq!(connectors(text), [], "{text}");
        }
        assert!(parse("if (a && b) { c(); }").is_none_or(|script| script.connectors.len() < 3));
    }

    #[test]
    fn commands_carry_their_words_and_redirections() {
        let script =
            parse("LANG=C git fetch <remote> 2>/dev/null | head -3\ncat > a <<'E'\nls\nE\n").expect("shell");
        let names: Vec<_> =
            script.commands.iter().map(|command| (command.words[0].as_str(), command.piped)).collect();
        assert_eq!(names, [("git", false), ("head", true), ("cat", false)]);
        assert!(script.commands[0].feeds && !script.commands[1].feeds);
        assert_eq!(script.commands[0].words.len(), 3, "{:?}", script.commands[0]);
        let fetch = &script.commands[0].redirects[0];
        assert_eq!((fetch.descriptor, fetch.target.as_str()), (2, "/dev/null"));
        assert!(script.commands[2].redirects.iter().any(|redirect| redirect.operator == "<<"));
        assert_eq!(script.pipelines[0].stages, 2);
    }
}
