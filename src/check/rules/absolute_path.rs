//! A path points into one user's home folder.

use memchr::memmem;

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable::{self, RunnableText, TextRole};
use crate::check::shell::{ShellWord, SimpleCommand, base};
use crate::check::signs::TextSign;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::LocationForm;
use crate::read::intent::{line_around, stands_for_any, words_before};
use crate::read::path_words::{ends_in_command, without_marks};
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "absolute-path",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a path points into one user's home folder",
    page: include_str!("absolute_path.md"),
    check: RuleCheck::Text(check),
};

/// The prefixes of home folders.
const HOMES: [&str; 3] = ["/Users/", "/home/", ":\\Users\\"];

/// Placeholder user names, and homes that containers and images have.
const ANYBODY: [&str; 48] = [
    "vercel-sandbox",
    "user",
    "username",
    "user-name",
    "user_name",
    "you",
    "yourname",
    "yourusername",
    "me",
    "myuser",
    "person",
    "someone",
    "somebody",
    "anyone",
    "whoever",
    "name",
    "alice",
    "bob",
    "carol",
    "john",
    "jane",
    "jdoe",
    "johndoe",
    "janedoe",
    "doe",
    "dev",
    "developer",
    "test",
    "tester",
    "testuser",
    "admin",
    "root",
    "shared",
    "public",
    "default",
    "ubuntu",
    "debian",
    "ec2-user",
    "node",
    "runner",
    "vscode",
    "app",
    "appuser",
    "coder",
    "agent",
    "git",
    "linuxbrew",
    "render",
];

/// Homes that images of Linux have.
const IMAGES: [&str; 9] =
    ["jovyan", "codespace", "gitpod", "vagrant", "circleci", "jenkins", "pwuser", "seluser", "nonroot"];

/// Placeholder user names in other languages.
const OTHER_LANGUAGES: [&str; 8] = ["yo", "moi", "vous", "ich", "eu", "voce", "você", "io"];

/// Words for a user or a name in other languages.
const NAMES: [&str; 15] = [
    "usuario",
    "usuário",
    "utilisateur",
    "benutzer",
    "benutzername",
    "nutzer",
    "nutzername",
    "utente",
    "gebruiker",
    "nombre",
    "nom",
    "nome",
    "naam",
    "name",
    "user",
];

/// Words for "your" and "my" in other languages.
const POSSESSIVES: [&str; 19] = [
    "tu", "su", "mi", "votre", "ton", "mon", "dein", "deine", "ihr", "mein", "meine", "seu", "teu", "meu",
    "tuo", "mio", "jouw", "mijn", "il",
];

/// What the rule reads: a text, or a text of a hook or server.
struct Reading<'a> {
    text: &'a str,
    /// Where programs and scripts begin that a host starts: there, a name for anybody is not a placeholder.
    started: Vec<usize>,
    /// Reports a finding at these bytes with this message.
    report: &'a mut dyn FnMut(Span, String),
}

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.is_example() {
        return;
    }
    if text.plugin.others.iter().any(|other| other.path == text.file.path) {
        check_commands(context, text, sink);
    }
    if text.component.is_none() || !text.is_markdown() || !text.has_sign(TextSign::Home) {
        return;
    }
    let help = "use a path relative to the skill or the project, `~`, or a placeholder such as `/Users/you`";
    let mut report =
        |span: Span, message: String| sink.report(text.file, span, message).help = Some(help.to_owned());
    find_homes(context, &mut Reading { text: text.text, started: Vec::new(), report: &mut report });
}

/// Reports paths in what hosts run: the hooks and servers that the file declares.
fn check_commands(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let hooks = runnable::hooks(context, text.plugin).into_iter().map(|ran| (ran, true));
    let servers = runnable::servers(context, text.plugin).into_iter().map(|ran| (ran, false));
    let root = &context.targets.source().plugin_root;
    let folders = context.checks().project_folders.iter();
    let settings: Vec<String> = folders
        .flat_map(|folder| ["~", "$HOME", "${HOME}"].map(|home| format!("{home}/{folder}/")))
        .collect();
    for (ran, is_hook) in hooks.chain(servers).filter(|(ran, _)| ran.file.path == text.file.path) {
        let mut report = |span: Span, message: String| {
            let help = format!("add the file and write `${{{root}}}/…`, or name a program that is on `PATH`");
            sink.report(ran.file, ran.place(span), message).help = Some(help);
        };
        let mut started = Vec::new();
        if is_hook && text.plugin.form == LocationForm::Plugin {
            for ShellWord { text: word, span } in started_files(&ran) {
                if settings.iter().any(|folder| word.starts_with(folder)) {
                    report(
                        span,
                        format!("`{word}` is a file of the user, which the plugin does not install"),
                    );
                }
                started.push(span);
            }
        }
        let begins = |span: Span| {
            let homes = HOMES.iter().filter_map(|home| span.slice(ran.text).find(home)).min();
            span.start + homes.unwrap_or(0)
        };
        let started = started.into_iter().map(begins).collect();
        find_homes(context, &mut Reading { text: ran.text, started, report: &mut report });
    }
}

/// The programs and scripts that a hook starts, unless it tests whether something is there.
fn started_files(ran: &RunnableText<'_>) -> Vec<ShellWord> {
    let is_tested = ["[ ", "test ", "||"].iter().any(|test| ran.text.contains(test));
    if ran.role != TextRole::Shell || is_tested {
        return Vec::new();
    }
    let started = |command: SimpleCommand| {
        let words = command.program(&["exec", "env"]);
        let program = words.first().map(|word| base(&word.text));
        let script = program.filter(|name| is_interpreter(name) || is_shell(name)).and_then(|_| words.get(1));
        script.or_else(|| words.first()).cloned()
    };
    ran.commands().into_iter().filter_map(started).collect()
}

fn find_homes(context: &RuleContext<'_>, reading: &mut Reading<'_>) {
    for home in HOMES {
        for at in memmem::find_iter(reading.text.as_bytes(), home) {
            report(context, reading, at, home);
        }
    }
}

fn report(context: &RuleContext<'_>, reading: &mut Reading<'_>, at: usize, home: &str) {
    let text = reading.text;
    let before = &text[..at];
    let start = if home.starts_with(':') { at.saturating_sub(1) } else { at };
    let drive = before.ends_with(|c: char| c.is_ascii_alphabetic());
    let inside = before.ends_with(|c: char| c.is_alphanumeric() || "._-~}>)/$".contains(c));
    let rest = &text[at + home.len()..];
    let part = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let name = &rest[..rest.find(|c: char| !part(c)).unwrap_or(rest.len())];
    let lower = name.trim_end_matches('.').to_lowercase();
    let open =
        rest[name.len()..].starts_with(['<', '{', '$', '*', '[', '…', '%']) || lower.starts_with("your");
    // The sandbox of a host may have a home of the host's name.
    let of_host = || context.targets.iter().any(|host| host.name.split('-').next() == Some(lower.as_str()));
    let image = home == "/home/" && (IMAGES.contains(&lower.as_str()) || of_host());
    let anybody = image || lower.len() < 2 || !reading.started.contains(&at) && is_placeholder(&lower);
    let continues = rest[name.len()..].starts_with(['/', '\\']);
    let part_of_more = if drive { !home.starts_with(':') } else { inside };
    // A path in a command for another machine is valid there.
    let elsewhere = || words_before(text, at).iter().any(|word| word == "ssh");
    if part_of_more || open || anybody || !continues || elsewhere() || is_in_container(text, at) {
        return;
    }
    let end = text[at + home.len()..].find(ends_in_command).map_or(text.len(), |end| at + home.len() + end);
    let path = without_marks(&text[start..end]);
    // One home is one cause, however many of its paths are named.
    let message = format!("`{}` exists on one machine only", &text[start..at + home.len() + name.len()]);
    (reading.report)(Span::new(start, start + path.len()), message);
}

/// Whether a user name, in lower case, is a placeholder in some language.
fn is_placeholder(name: &str) -> bool {
    let is_noun = |word: &str| NAMES.contains(&word);
    let is_owned = |start: &str| {
        name.strip_prefix(start).is_some_and(|rest| is_noun(rest.trim_start_matches(['-', '_', '.'])))
    };
    ANYBODY.contains(&name)
        || OTHER_LANGUAGES.contains(&name)
        || stands_for_any(name)
        || is_noun(name)
        || POSSESSIVES.iter().any(|start| is_owned(start))
}

/// Whether the path at byte `at` is one of a container, or of another machine: what a mount or a copy leads to, or a line of
/// the file that an image is built from.
fn is_in_container(text: &str, at: usize) -> bool {
    let line = line_around(text, at, at).0.trim_start();
    if ["WORKDIR ", "COPY "].iter().any(|word| line.starts_with(word)) {
        return true;
    }
    let Some(before) = line.strip_suffix(':') else { return false };
    let word =
        before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['"', '\'', '`']);
    let entry = before[..before.len() - word.len()].trim_end_matches(['"', '\'', '`', ' ']) == "-";
    let leads = word.starts_with(['.', '/', '~', '$']) || word.contains('@') || entry;
    leads && !word.is_empty() && !word.contains("PATH")
}
