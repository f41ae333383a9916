//! Finds bundled scripts that a Markdown text runs by path although no shell can start them: in a block of shell
//! commands, or in a code span that follows a word such as "run".

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::context::{PluginText, RuleContext};
use crate::read::markdown::RegionKind;
use crate::read::path_words::ends_in_command;
use crate::read::shell_names::{ShellBlock, is_interpreter, is_shell};
use crate::source::{ComponentKind, ScriptKind, SourceFile, Span, line_start, script_kind, script_kind_of};

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptCall {
    /// The path in the text, without quotes.
    pub span: Span,
    /// The script, relative to SRC.
    pub path: Utf8PathBuf,
}

/// Words before a code span that make it a command.
const VERBS: [&str; 6] = ["run", "execute", "call", "invoke", "running", "executing"];

/// The calls of `text`, in source order.
pub(super) fn scripts(context: &RuleContext<'_>, text: &PluginText<'_>) -> Vec<ScriptCall> {
    if !text.is_markdown() || text.component.is_none_or(|component| component.kind != ComponentKind::Skill) {
        return Vec::new();
    }
    // The text must contain the name of such a script.
    if !context.paths().names_unstartable(&text.plugin.root, text.body.slice(text.text)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let outline = text.outline();
    for region in outline.regions.iter().filter(|region| region.kind == RegionKind::CodeSpan) {
        let inner = without_quotes(text.text, region.span);
        // A name without arguments counts as a command only if it is unambiguous.
        let alone = inner.slice(text.text).split_whitespace().count() == 1;
        let other = inner
            .slice(text.text)
            .trim()
            .rsplit('.')
            .next()
            .is_some_and(|ending| script_kind(ending) == Some(ScriptKind::Interpreter));
        if follows_a_verb(&text.text[..region.span.start]) && !(alone && other) {
            out.extend(call(context, text, inner));
        }
    }
    for block in &outline.blocks {
        let info = block.info.as_deref().unwrap_or_default();
        if ShellBlock::parse(info).is_some() {
            let mut at = block.span.start;
            let mut continued = false;
            for line in block.span.slice(text.text).split_inclusive('\n') {
                if !continued {
                    out.extend(call(context, text, Span::new(at, at + line.len())));
                }
                continued = line.trim_end().ends_with('\\');
                at += line.len();
            }
        }
    }
    // If the text also shows the interpreter, the short form is only a name.
    let mut named: BTreeMap<&Utf8Path, bool> = BTreeMap::new();
    for call in &out {
        let name = call.path.file_name().unwrap_or_default();
        named.entry(&call.path).or_insert_with(|| started_with_interpreter(text.text, name));
    }
    let named: Vec<bool> = out.iter().map(|call| named[call.path.as_path()]).collect();
    let calls = out.into_iter().zip(named);
    calls.filter_map(|(call, named)| (!named).then_some(call)).collect()
}

fn without_quotes(text: &str, span: Span) -> Span {
    let code = span.slice(text);
    let ticks = code.len() - code.trim_start_matches('`').len();
    Span::new(span.start + ticks, span.end.saturating_sub(ticks).max(span.start + ticks))
}

fn follows_a_verb(before: &str) -> bool {
    let word = before
        .trim_end_matches([' ', ':', '*', '_', '\n', '\t'])
        .rsplit(|c: char| !c.is_alphanumeric())
        .next();
    word.is_some_and(|word| VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
}

/// The script that the command in `line` starts.
fn call(context: &RuleContext<'_>, text: &PluginText<'_>, line: Span) -> Option<ScriptCall> {
    let mut rest = line.slice(text.text);
    rest = rest.trim_start();
    rest = rest.strip_prefix("$ ").unwrap_or(rest).trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
    let path = match quote {
        Some(quote) => rest[1..].split(quote).next()?,
        None => rest.split(ends_in_command).next()?,
    };
    let offset = line.slice(text.text).len() - rest.len();
    let begin = line.start + offset + usize::from(quote.is_some());
    let file = context.file(resolve(context, text, path)?)?;
    is_unstartable(file)
        .then(|| ScriptCall { span: Span::new(begin, begin + path.len()), path: file.path.clone() })
}

/// Whether a file is a script that a shell cannot start by its path: it is not executable, or has no shebang line.
pub(super) fn is_unstartable(file: &SourceFile) -> bool {
    let known = || script_kind_of(&file.path).is_some_and(|kind| kind != ScriptKind::PowerShell);
    file.text().is_some_and(|script| match script.starts_with("#!") {
        true => !file.executable,
        false => known(),
    })
}

fn started_with_interpreter(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let line = line_start(text, at);
        let mut words = text[line..at].split(|c| ends_in_command(c) || c == '$');
        words.any(|word| is_shell(word) || is_interpreter(word) || word == "uv")
    })
}

fn resolve(context: &RuleContext<'_>, text: &PluginText<'_>, path: &str) -> Option<Utf8PathBuf> {
    let source = context.targets.source();
    let folder = text.component?.folder();
    let below = |variable: &str| path.strip_prefix(&format!("${{{variable}}}/")).map(Utf8Path::new);
    if let Some(inner) = below(&source.skill_folder) {
        return Some(folder.join(inner));
    }
    if let Some(inner) = below(&source.plugin_root) {
        return Some(text.plugin.root.join(inner));
    }
    let inner = path.strip_prefix("./").unwrap_or(path);
    let plain = inner.contains('/') && !inner.starts_with(['/', '~', '$', '.']);
    plain.then(|| folder.join(inner))
}
