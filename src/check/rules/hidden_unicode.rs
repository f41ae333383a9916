//! Characters that readers cannot see but models read. Those in JSON are found by its reader (`model/manifest.rs`).

use std::iter;

use crate::check::context::{PluginText, RuleContext};
use crate::check::intent;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{Cause, Severity};
use crate::printable::HiddenKind;
use crate::read::hidden_chars::{self, HiddenRun};
use crate::read::markdown::{RegionKind, region_at};
use crate::read::tree::{Node, Style};
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "hidden-unicode",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a text contains characters that readers cannot see but models read",
    page: include_str!("hidden_unicode.md"),
    check: RuleCheck::Text(check),
};

/// Extensions of programs: there, any character may be data, except those that reorder lines or hide text.
const CODE: [&str; 22] = [
    "bash", "c", "cjs", "cpp", "cs", "css", "go", "h", "java", "js", "jsx", "kt", "lua", "mjs", "php", "pl",
    "ps1", "py", "rb", "rs", "sh", "ts",
];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !text.is_markdown() {
        return check_other_files(text, sink);
    }
    let mut line = 0;
    let mut say = |span: Span, message: String, cause: Option<Cause>, help: &str, others: &[&HiddenRun]| {
        // One finding per line is enough.
        let here = text.file.position(span.start).line;
        if here != line {
            line = here;
            let found = sink.report(text.file, span, message);
            found.help = Some(help.to_owned());
            found.known_cause = cause;
            for other in others {
                found.relate(text.file, other.span, other.message());
            }
        }
    };
    for (span, run) in in_frontmatter(text) {
        let message = format!(
            "an escape in this value encodes {} (U+{:04X})",
            run.kind.describe(),
            u32::from(run.first)
        );
        let cause = HiddenRun { escaped: true, ..run }.cause();
        say(span, message, Some(cause), "remove it", &[]);
    }
    let mut runs = in_markdown(text);
    // A fence inside of a code block, escaped so that it does not end the block.
    let shows_fence =
        |run: &HiddenRun| run.kind == HiddenKind::ZeroWidth && text.text[run.span.end..].starts_with("```");
    runs.retain(|run| !shows_fence(run));
    if !runs.is_empty() && intent::is_about_hidden_characters(text.body.slice(text.text)) {
        return;
    }
    let garbled: Vec<&HiddenRun> = runs.iter().filter(|run| is_garbled(run, text.text)).collect();
    if let [first, ref others @ ..] = garbled[..]
        && garbled.len() >= MISREAD
    {
        let count = garbled.len();
        let message = format!(
            "{count} words contain characters that no script has: the text was saved in a wrong encoding"
        );
        say(first.span, message, None, "restore the text, and save it as UTF-8", others);
        runs.retain(|run| !is_garbled(run, text.text));
    }
    let hyphens = runs.iter().any(|run| run.kind == HiddenKind::SoftHyphen) && is_hyphenated(text);
    for run in runs {
        if !(hyphens && hyphenates(&run, text)) {
            let help = "remove it, or write it as an escape if the text is about it";
            say(run.span, run.message(), Some(run.cause()), help, &[]);
        }
    }
}

/// So many words with such characters are a text whose bytes were read in another encoding than they have.
const MISREAD: usize = 3;

/// Whether the run is in a word and has no meaning there: a character for private use, or a control of the second
/// set, which are what other encodings make of the bytes of UTF-8.
fn is_garbled(run: &HiddenRun, text: &str) -> bool {
    match run.kind {
        HiddenKind::PrivateUse => run.in_word,
        HiddenKind::Control => run.first >= '\u{80}' && text[..run.span.start].ends_with(char::is_alphabetic),
        _ => false,
    }
}

/// The hidden characters of a Markdown text, whose code blocks are treated as programs.
fn in_markdown(text: &PluginText<'_>) -> Vec<HiddenRun> {
    let mut runs = hidden_chars::find_in_code(text.text);
    if runs.iter().any(|run| run.kind == HiddenKind::DirectionOverride) {
        let prose = hidden_chars::find(text.text);
        let in_code = |run: &HiddenRun| {
            region_at(&text.outline().regions, run.span.start) == Some(RegionKind::CodeBlock)
        };
        runs.retain(|run| prose.contains(run) || run.kind == HiddenKind::DirectionOverride && in_code(run));
    }
    runs
}

/// Checks a program of the plugin, or another text next to a component.
fn check_other_files(text: &PluginText<'_>, sink: &mut FindingSink) {
    let path = &text.file.path;
    let is_code = match path.extension() {
        Some(ending) => CODE.contains(&ending),
        None => text.text.starts_with("#!"),
    };
    // JSON that hosts read is searched by its reader.
    let is_read = || text.plugin.others.iter().any(|other| other.path == *path);
    if !is_code && (text.component.is_none() || is_read()) {
        return;
    }
    // Test data of a scanner.
    if intent::in_tests(text.plugin.relative_path(path)) && intent::is_about_injection(text.text) {
        return;
    }
    let mut line = 0;
    let find = if is_code { hidden_chars::find_in_code } else { hidden_chars::find };
    for run in find(text.text) {
        let counts = match run.kind {
            HiddenKind::DirectionOverride | HiddenKind::Tag => true,
            // Icon fonts, and the byte order mark.
            HiddenKind::PrivateUse => false,
            HiddenKind::ZeroWidth => !is_code && run.span.start > 0,
            _ => !is_code,
        };
        let here = text.file.position(run.span.start).line;
        if counts && here != line {
            line = here;
            sink.report(text.file, run.span, run.message()).help =
                Some("remove it, or write it as an escape".to_owned());
        }
    }
}

/// Double-quoted values whose escapes stand for hidden characters.
fn in_frontmatter(text: &PluginText<'_>) -> Vec<(Span, HiddenRun)> {
    let component = text.component.filter(|_| text.main && text.text[..text.body.start].contains('\\'));
    let leaves = component.and_then(|component| Some(component.document.fields.as_ref()?.leaves()));
    let values = leaves.into_iter().flatten().flat_map(|(_, _, node)| {
        let items = node.items().unwrap_or_default();
        iter::once(node).chain(items)
    });
    let hidden = |node: &Node| {
        let value = node.as_str().filter(|_| node.style == Style::Double)?;
        let written = node.span.slice(text.text);
        let escaped = written.contains('\\') && hidden_chars::find(written).is_empty();
        Some((node.span, *hidden_chars::find(value).first().filter(|_| escaped)?))
    };
    values.filter_map(hidden).collect()
}

/// Whether the language of the text has letters beyond ASCII and long hyphenated words: at least one of two hundred of
/// its letters.
fn is_hyphenated(text: &PluginText<'_>) -> bool {
    let letters = || {
        text.body
            .slice(text.text)
            .chars()
            .filter(|c| c.is_alphabetic() && HiddenKind::from_char(*c).is_none())
    };
    letters().filter(|c| !c.is_ascii()).count() * 200 >= letters().count()
}

/// Whether the run is one soft hyphen inside of a word of the prose.
fn hyphenates(run: &HiddenRun, text: &PluginText<'_>) -> bool {
    run.kind == HiddenKind::SoftHyphen
        && run.in_word
        && text.body.contains(run.span.start)
        && !matches!(
            region_at(&text.outline().regions, run.span.start),
            Some(RegionKind::CodeBlock | RegionKind::CodeSpan | RegionKind::Html)
        )
}
