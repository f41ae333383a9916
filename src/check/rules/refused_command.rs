//! A text instructs to run a command that a selected host rejects where it may not ask the user.

use memchr::memmem;

use crate::check::context::{PluginText, RuleContext};
use crate::check::intent;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::shell::{self, ShellWord, SimpleCommand, base};
use crate::check::sink::FindingSink;
use crate::check::snippet::{self, Snippet};
use crate::diagnostic::Severity;
use crate::read::intent::line_around;
use crate::source::Span;
use crate::target::RefusedCommand;

pub(super) const RULE: Rule = Rule {
    name: "refused-command",
    group: RuleGroup::Portability,
    severity: Severity::Info,
    summary: "a text uses a command that a selected host rejects unless the user approves it",
    page: include_str!("refused_command.md"),
    check: RuleCheck::Text(check),
};

/// Operands of a command that is only shown, not run.
const PLACEHOLDER_OPERANDS: [&str; 8] = ["/", "/*", "~", "~/", "*", "$HOME", "...", "…"];

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let hosts: Vec<_> = context.hosts.iter().filter(|host| !host.checks.refused.is_empty()).collect();
    let refused = || hosts.iter().flat_map(|host| &host.checks.refused);
    let programs: Vec<&str> = refused().map(|refused| refused.program.as_str()).collect();
    let named = |text: &str| programs.iter().any(|program| has_word(text, program));
    if !named(text.text) {
        return;
    }
    let told = |snippet: &Snippet| {
        snippet.is_instructed(text.text)
            && !snippet.is_script(text.text)
            && !snippet.is_for_elsewhere(text.text)
    };
    for snippet in snippet::find(text, named).into_iter().filter(told) {
        for (host, refused) in
            hosts.iter().flat_map(|host| host.checks.refused.iter().map(move |one| (host, one)))
        {
            for (span, words) in snippet.commands.iter().flat_map(|command| matching(command, refused, 0)) {
                let mut operands = words.iter().skip(1).filter(|word| !word.starts_with('-'));
                let shown = operands.all(|word| PLACEHOLDER_OPERANDS.contains(&word.as_str()));
                if shown || snippet::warned_against(text.text, span) || is_attack(text.text, span) {
                    continue;
                }
                let found = sink.report(
                    text.file,
                    span,
                    format!("`{}` is rejected {}", shortened(&words.join(" ")), refused.place),
                );
                found.hosts = vec![host.name.clone()];
                found.help = Some(refused.instead.clone());
            }
        }
    }
}

/// Whether the words before the command on its line are about attacks: it is shown, and nobody is to run it.
fn is_attack(text: &str, span: Span) -> bool {
    let (before, _) = line_around(text, span.start, span.end);
    intent::is_about_attacks(before, 0, before.len())
}

/// How many characters of a command a message repeats.
const SHOWN_LENGTH: usize = 120;

/// The first line of a command, without what is too long to be repeated: a quote that nobody closes takes in all that
/// follows.
fn shortened(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN_LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < command.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}

/// Whether `word` is in the text, and not as a part of another word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    memmem::find_iter(text.as_bytes(), word)
        .any(|at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The spans and words at which a command, or a script that it passes to a shell, is a refused one.
fn matching(command: &SimpleCommand, refused: &RefusedCommand, depth: usize) -> Vec<(Span, Vec<String>)> {
    let through: Vec<&str> = refused.through.iter().map(String::as_str).collect();
    let words = command.program(&through);
    if let [first, rest @ ..] = words
        && base(&first.text) == refused.program
        && rest.iter().take_while(|word| word.text != "--").any(|word| is_option(word, &refused.options))
    {
        let end = rest.last().map_or(first.span.end, |word| word.span.end);
        let words = words.iter().map(|word| word.text.clone()).collect();
        return vec![(Span::new(first.span.start, end), words)];
    }
    match command.script().filter(|_| depth < 4) {
        None => Vec::new(),
        Some(script) => {
            let inner = shell::commands(&script.text, 0);
            let found = inner.iter().flat_map(|inner| matching(inner, refused, depth + 1));
            // The script was unquoted, so offsets within it are unknown; its span is used.
            found.map(|(_, words)| (script.span, words)).collect()
        }
    }
}

/// Whether a word is one of `options`, or a group of short options with one of them.
fn is_option(word: &ShellWord, options: &[String]) -> bool {
    let letters =
        word.text.strip_prefix('-').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_alphabetic()));
    options.iter().any(|option| {
        *option == word.text
            || letters.is_some_and(|letters| {
                option.len() == 2 && option.starts_with('-') && letters.contains(&option[1..])
            })
    })
}
