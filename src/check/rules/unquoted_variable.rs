//! A hook's command line uses the variable of the plugin's folder outside of quotes, or where nothing expands it.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, OwnPath, RunnableText, TextRole};
use crate::check::shell::{self, ShellWord, base};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Diagnostic, Severity};
use crate::model::plugin::{OtherBody, Plugin};
use crate::read::path_words::is_path_char;
use crate::read::shell_names::is_shell;
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unquoted-variable",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a hook's command line breaks where the path of the plugin has a blank",
    page: include_str!("unquoted_variable.md"),
    check: RuleCheck::Plugin(check),
};

/// How a path is quoted in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Single,
    Double,
    /// The shell does not split what stands there: in a here-document, in `[[ … ]]`, in a pattern of `case`, in an
    /// assignment.
    Unsplit,
}

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let root = &context.targets.source().plugin_root;
    // The same mistake within one file is one finding with related places.
    let mut first: Option<(camino::Utf8PathBuf, Diagnostic)> = None;
    for ran in runnable::hooks(context, plugin).into_iter().filter(|ran| ran.role == TextRole::Shell) {
        for path in ran.own_paths(root) {
            let place = ran.place(path.span);
            match quoting(ran.text, path.span) {
                Quoting::Double | Quoting::Unsplit => {}
                Quoting::Single => {
                    let message = format!("`${{{root}}}` is not expanded in single quotes");
                    let found = sink.report(ran.file, place, message);
                    found.help = Some("write double quotes".to_owned());
                }
                Quoting::None => match &mut first {
                    Some((file, found)) if *file == ran.file.path => {
                        found.relate(ran.file, place, "the same here");
                        if let (Some(fix), Some(more)) = (&mut found.fix, quoting_fix(&ran, &path)) {
                            fix.edits.extend(more.edits);
                        }
                    }
                    _ => {
                        sink.found.extend(first.take().map(|(_, found)| found));
                        let message = "the command breaks where the path of the plugin has a blank";
                        let found = sink.report(ran.file, place, message);
                        let (quoted, rest) = parts(ran.text, &path);
                        let call = call_operator(&ran, &path).unwrap_or_default();
                        found.help = Some(format!("write `{call}\"{quoted}\"{rest}`"));
                        found.fix = quoting_fix(&ran, &path);
                        first = sink.found.pop().map(|found| (ran.file.path.clone(), found));
                    }
                },
            }
        }
    }
    sink.found.extend(first.map(|(_, found)| found));
}

/// What belongs in double quotes, and what follows it: quotes would change the meaning of a glob, a brace or another
/// variable behind the variable of the folder.
fn parts<'t>(text: &'t str, path: &OwnPath<'_>) -> (&'t str, &'t str) {
    let written = path.span.slice(text);
    let is_plain = path.inner.chars().all(is_path_char);
    let length = if is_plain { written.len() } else { written.len() - path.inner.len() - 1 };
    written.split_at(length)
}

/// The fix that puts the path in double quotes; `None` if the file contains the text in another form.
fn quoting_fix(ran: &RunnableText<'_>, path: &OwnPath<'_>) -> Option<crate::diagnostic::Fix> {
    let written = path.span.slice(ran.text);
    let place = ran.place(path.span);
    let same = place.slice(ran.file.text()?) == written && !written.contains(['"', '\'', '\\']);
    let is_json = ran.file.path.extension() == Some("json");
    let call = call_operator(ran, path)?;
    (same && is_json).then(|| {
        let (quoted, rest) = parts(ran.text, path);
        replace(ran.file, place, format!("{call}\\\"{quoted}\\\"{rest}"), Applicability::Safe)
    })
}

/// What must stand in front of the quoted path: PowerShell prints a quoted command unless `&` calls it. `None` if it is
/// not certain how PowerShell reads the quotes: behind other words, or with more text behind them.
fn call_operator(ran: &RunnableText<'_>, path: &OwnPath<'_>) -> Option<&'static str> {
    let is_powershell = matches!(&ran.other.body, OtherBody::Hook(hook)
        if hook.node.get("shell").and_then(Node::as_str) == Some("powershell"));
    let is_first = || ran.text[..path.span.start].trim().is_empty() && parts(ran.text, path).1.is_empty();
    match is_powershell {
        false => Some(""),
        true => is_first().then_some("& "),
    }
}

/// How the path at `span` of a command line is quoted where it is expanded: the script of `sh -c '…'` expands what its
/// single quotes enclose.
fn quoting(text: &str, span: Span) -> Quoting {
    let Some(plain) = without_here_documents(text, span.start) else { return Quoting::Unsplit };
    let found = quotes(&plain, span.start);
    if found == Quoting::Single {
        let Some(script) = quoted_script(text, span) else { return Quoting::Single };
        return quoting(script.slice(text), Span::new(span.start - script.start, span.end - script.start));
    }
    let is_in_one_piece = || is_unsplit(&plain[..span.start], &text[span.end..]) || is_assigned(text, span);
    if found == Quoting::None && is_in_one_piece() {
        return Quoting::Unsplit;
    }
    found
}

/// The script in single quotes that contains `span` and that a shell gets with `-c`, or `eval` or `trap` runs.
fn quoted_script(text: &str, span: Span) -> Option<Span> {
    shell::commands(text, 0).iter().find_map(|command| {
        let words = &command.words;
        let at = words.iter().position(|word| word.span.start < span.start && span.end < word.span.end)?;
        let is_option = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
        let is_shell_script = at.checked_sub(1).is_some_and(|last| {
            is_option(&words[last].text) && words[..last].iter().any(|word| is_shell(base(&word.text)))
        });
        let runs = |word: &ShellWord| matches!(word.text.as_str(), "eval" | "trap");
        let is_run = is_shell_script || at > 0 && command.program(&[]).first().is_some_and(runs);
        let word = words[at].span;
        let is_quoted = word.slice(text).len() > 1 && word.slice(text).starts_with('\'');
        let is_closed = is_quoted && word.slice(text).ends_with('\'');
        (is_run && is_closed).then(|| Span::new(word.start + 1, word.end - 1))
    })
}

/// Programs whose arguments are assignments, which the shells of hosts do not split either.
const DECLARING: [&str; 4] = ["export", "readonly", "local", "declare"];

/// Whether the word around `span` sets a variable.
fn is_assigned(text: &str, span: Span) -> bool {
    let commands = shell::commands(text, 0);
    // A command in a substitution comes before the one around it.
    let place = commands.iter().find_map(|command| {
        let at = command.words.iter().position(|word| word.span.contains(span.start))?;
        let program = command.program(&[]);
        let declares = program.first().is_some_and(|word| DECLARING.contains(&word.text.as_str()));
        let is_before = at < command.words.len() - program.len();
        Some((is_before || declares) && command.words[at].is_assignment())
    });
    place == Some(true)
}

/// Whether the shell leaves an unquoted word between `before` and `after` in one piece.
fn is_unsplit(before: &str, after: &str) -> bool {
    if before.rfind("[[ ") > before.rfind("]]") {
        return true;
    }
    let starts = before.rfind("case ");
    if starts.is_none() || starts < before.rfind("esac").max(before.rfind("for ")) {
        return false;
    }
    let (before, after) = (before.trim_end(), after.trim_start());
    let is_subject = before.ends_with("case");
    let is_first = [" in", ";;", ";&"].iter().any(|sign| before.ends_with(sign));
    let is_between = before.ends_with(['(', '|']) && after.starts_with([')', '|']);
    is_subject || is_first || is_between
}

/// The command line with blanks in place of its here-documents, whose quotes are text; `None` if byte `at` is in one.
fn without_here_documents(text: &str, at: usize) -> Option<Cow<'_, str>> {
    if !text.contains("<<") {
        return Some(Cow::Borrowed(text));
    }
    let (mut out, mut open) = (String::with_capacity(text.len()), VecDeque::new());
    for line in text.split_inclusive('\n') {
        let from = out.len();
        if let Some(end) = open.front() {
            if line.trim_end_matches('\n').trim_start_matches('\t') == *end {
                open.pop_front();
            } else if (from..from + line.len()).contains(&at) {
                return None;
            }
            out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            continue;
        }
        out.push_str(line);
        let starts = line.match_indices("<<").filter(|(start, _)| {
            let is_string = line[start + 2..].starts_with('<') || line[..*start].ends_with('<');
            !is_string && quotes(&out, from + start) == Quoting::None
        });
        for (start, _) in starts {
            let rest = line[start + 2..].trim_start_matches('-').trim_start();
            let ends = |c: char| c.is_whitespace() || ";|&<>)".contains(c);
            let mark = &rest[..rest.find(ends).unwrap_or(rest.len())];
            open.push_back(mark.trim_start_matches('\\').trim_matches(['"', '\'']));
        }
    }
    Some(Cow::Owned(out))
}

/// Which quotes enclose byte `at` of a command line.
fn quotes(text: &str, at: usize) -> Quoting {
    let (mut inside, mut escaped) = (Quoting::None, false);
    for c in text[..at].chars() {
        match (inside, c) {
            _ if escaped => escaped = false,
            (Quoting::None | Quoting::Double, '\\') => escaped = true,
            (Quoting::None, '\'') => inside = Quoting::Single,
            (Quoting::Single, '\'') | (Quoting::Double, '"') => inside = Quoting::None,
            (Quoting::None, '"') => inside = Quoting::Double,
            _ => {}
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_those_that_are_open() {
        assert_eq!(quotes("a \"b\" 'c' ", 10), Quoting::None);
        assert_eq!(quotes("bash \"", 6), Quoting::Double);
        assert_eq!(quotes("echo \\\" ", 8), Quoting::None);
        assert_eq!(quotes("bash '\"", 7), Quoting::Single);
    }

    #[test]
    fn a_shell_splits_only_some_words() {
        let at = |text: &str| {
            let start = text.rfind("$R/").unwrap();
            quoting(text, Span::new(start, start + 4))
        };
        for silent in [
            "cat <<EOF\n$R/x\nEOF",
            "cat <<-'EOF' | sort\ndon't\n$R/x\n\tEOF",
            "[[ $A == $R/x ]]",
            "case $R/x in a) b;; esac",
            "case $A in b|$R/x) c;; esac",
            "X=$R/x; \"$X/y\"",
            "a && X=1 PATH=$R/x:$PATH b",
            "export X=$R/x; \"$X/y\"",
            "cat <<EOF\nX=1\nEOF\nX=$R/x",
        ] {
            assert_eq!(at(silent), Quoting::Unsplit, "{silent}");
        }
        for unquoted in [
            "cat <<EOF\ndon't\nEOF\ncat $R/x",
            "[[ a ]] && cat $R/x",
            "case a in a) cat $R/x | b;; esac",
            "case a in a) for f in $R/x; do b; done;; esac",
            "timeout 5 sh -c 'cat $R/x'",
            "cat <<< a; cat $R/x",
            "X=$(cat $R/x)",
            "a --dir=$R/x",
        ] {
            assert_eq!(at(unquoted), Quoting::None, "{unquoted}");
        }
        assert_eq!(at("bash -lc 'cat \"$R/x\"'"), Quoting::Double);
        assert_eq!(at("grep -c 'a $R/x'"), Quoting::Single);
    }
}
