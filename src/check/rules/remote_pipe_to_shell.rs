//! A download is run without a check.

use crate::check::context::{PluginText, RuleContext};
use crate::check::intent::is_about_attacks;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable;
use crate::check::shell::{ShellWord, SimpleCommand, base};
use crate::check::signs::TextSign;
use crate::check::sink::FindingSink;
use crate::check::snippet;
use crate::diagnostic::Severity;
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "remote-pipe-to-shell",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a download is piped to a shell",
    page: include_str!("remote_pipe_to_shell.md"),
    check: RuleCheck::Text(check),
};

const LOADERS: [&str; 3] = ["curl", "wget", "fetch"];
const WRAPPERS: [&str; 2] = ["sudo", "env"];
const MESSAGE: &str = "this runs a download without checking it";
const HELP: &str = "download it to a file, read or verify it, and run that";

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !text.has_sign(TextSign::Download) {
        return;
    }
    let may = |part: &str| LOADERS.iter().any(|loader| part.contains(loader));
    let snippets = if may_run(text.text) { snippet::find(text, may) } else { Vec::new() };
    for span in snippets.iter().flat_map(|snippet| pipe_spans(&snippet.commands)) {
        if !snippet::warned_against(text.text, span) && !is_about_attacks(text.text, span.start, span.end) {
            let found = sink.report(text.file, span, MESSAGE);
            found.help = Some(HELP.to_owned());
            // The reader sees the URL and can judge it, so only plain HTTP is a warning.
            if !span.slice(text.text).contains("http://") {
                found.severity = Severity::Info;
            }
        }
    }
    let declares = text
        .plugin
        .others
        .iter()
        .any(|other| other.path == text.file.path && other.kind == ComponentKind::Hook);
    let hooks = if declares { runnable::hooks(context, text.plugin) } else { Vec::new() };
    for ran in hooks.iter().filter(|ran| ran.file.path == text.file.path) {
        for span in pipe_spans(&ran.commands()) {
            sink.report(ran.file, ran.place(span), MESSAGE).help = Some(HELP.to_owned());
        }
    }
}

/// Whether a text can run a download: it has a pipe into a program that runs its input, or a command substitution. Most
/// texts that name a downloader have neither.
fn may_run(text: &str) -> bool {
    let is_before = |c: char| matches!(c, '&' | '\\' | '"' | '\'' | '(' | '{') || c.is_whitespace();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-');
    let into_program = memchr::memchr_iter(b'|', text.as_bytes()).any(|at| {
        let rest = text[at + 1..].trim_start_matches(is_before);
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let name = base(&rest[..end]);
        let runs = is_shell(name) || is_interpreter(name) || WRAPPERS.contains(&name);
        // The program may follow the assignment of a variable.
        runs || rest[end..].starts_with('=')
    });
    let loads = |at: usize| LOADERS.iter().any(|loader| text[at + 1..].starts_with(loader));
    into_program || memchr::memchr2_iter(b'(', b'`', text.as_bytes()).any(loads)
}

/// The spans where a download reaches a shell, by a pipe or a substitution.
fn pipe_spans(commands: &[SimpleCommand]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut loader: Option<&ShellWord> = None;
    for command in commands {
        let words = command.program(&WRAPPERS);
        let Some((first, rest)) = words.split_first() else { continue };
        if !command.piped {
            loader = None;
        }
        if LOADERS.contains(&base(&first.text)) {
            loader = rest.iter().any(|word| address(&word.text)).then_some(first);
        } else if let Some(start) = loader.filter(|_| command.piped && reads_input(first, rest)) {
            let end = rest.last().map_or(first.span.end, |word| word.span.end);
            out.push(Span::new(start.span.start, end));
            loader = None;
        }
        let substituted = |word: &ShellWord| {
            ["<(", "$(", "`"].iter().any(|open| {
                LOADERS.iter().any(|loader| {
                    let head = format!("{open}{loader} ");
                    word.text.split_once(&head).is_some_and(|(before, rest)| {
                        before.is_empty() && rest.split_whitespace().any(address)
                    })
                })
            })
        };
        let runs = is_shell(base(&first.text)) || matches!(first.text.as_str(), "eval" | "source" | ".");
        let from_file = rest.first().is_some_and(|word| !word.text.starts_with('-') && !substituted(word));
        if runs && !(is_shell(base(&first.text)) && from_file) && rest.iter().any(substituted) {
            let end = rest.last().map_or(first.span.end, |word| word.span.end);
            out.push(Span::new(first.span.start, end));
        }
    }
    out
}

/// Whether a program runs its standard input.
fn reads_input(program: &ShellWord, rest: &[ShellWord]) -> bool {
    let name = base(&program.text);
    let script = rest.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
    let stdin = |word: &ShellWord| matches!(word.text.as_str(), "-" | "/dev/stdin");
    if is_shell(name) {
        let says = |letter: char| {
            let short = |word: &ShellWord| {
                word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter)
            };
            rest.iter().any(short)
        };
        return !says('c') && (says('s') || script.is_none_or(stdin));
    }
    is_interpreter(name) && (rest.is_empty() || rest.iter().all(stdin))
}

/// Whether a word is a URL and not a placeholder.
fn address(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', ')']);
    let marked = word.contains(['<', '>', '…']) || word.contains("...");
    let evil = ["evil", "attacker", "malicious", "example.com", "untrusted"];
    (word.contains("://") || word.starts_with('$')) && !marked && !evil.iter().any(|part| word.contains(part))
}
