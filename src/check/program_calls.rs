//! Whether a text calls what is at a path as a program: in shell commands, where a command begins. A path without an
//! extension is a program only there; elsewhere it may be a folder.

use memchr::memmem;

use super::context::{PluginText, RuleContext};
use crate::read::intent::is_created;
use crate::read::markdown::RegionKind;
use crate::read::shell_names::ShellBlock;
use crate::source::{Span, is_markdown, line_start};

/// Programs before another one that they start.
const STARTERS: [&str; 6] = ["sudo", "exec", "time", "nohup", "env", "command"];

/// Words before a code span that make it a command.
const VERBS: [&str; 6] = ["run", "runs", "execute", "invoke", "running", "executing"];

/// Whether the path at `span` is called: in a block of shell commands, in one that the host runs, or in inline code with
/// arguments or behind a word such as "run".
pub(super) fn is_called(text: &PluginText<'_>, span: Span) -> bool {
    let outline = text.outline();
    let holds = |part: Span| part.start <= span.start && span.end <= part.end;
    let line = line_start(text.text, span.start);
    if let Some(block) = outline.blocks.iter().find(|block| holds(block.span)) {
        let info = block.info.as_deref().unwrap_or_default();
        let before = &text.text[line.max(block.span.start)..span.start];
        return match ShellBlock::parse(info) {
            Some(ShellBlock::Session) => is_command_start(before, true),
            Some(ShellBlock::Script) => is_command_start(before, false),
            None => info.starts_with('!') && is_command_start(before, false),
        };
    }
    let code = outline.regions.iter().find(|one| one.kind == RegionKind::CodeSpan && holds(one.span));
    let Some(code) = code.map(|region| region.span) else { return false };
    let inner = code.slice(text.text);
    let ticks = inner.len() - inner.trim_start_matches('`').len();
    let before = &text.text[code.start + ticks..span.start];
    let after = text.text[span.end..code.end].trim_start_matches(['"', '\'']);
    let ahead = &text.text[line..code.start];
    let verb = ahead.trim_end_matches([' ', ':', '*', '_']).rsplit(|c: char| !c.is_alphanumeric()).next();
    let is_asked = verb.is_some_and(|word| VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    is_command_start(before, false) && (is_asked || ahead.ends_with('!') || after.starts_with(" -"))
}

/// Whether a command begins after `before`, the text before it on its line; `prompt` if a prompt must stand before it.
fn is_command_start(before: &str, prompt: bool) -> bool {
    let start =
        ["&&", "||", ";", "|", "$("].iter().filter_map(|mark| Some(before.rfind(mark)? + mark.len())).max();
    let first = before.trim_start();
    let has_prompt = first.starts_with("$ ") || first.starts_with("% ");
    let last = before[start.unwrap_or(0)..].trim_start().trim_end_matches(['"', '\'']);
    let last = last.strip_prefix("$ ").or_else(|| last.strip_prefix("% ")).unwrap_or(last);
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let mut words = last.split_whitespace();
    (has_prompt || !prompt) && words.all(|word| STARTERS.contains(&word) || is_setting(word))
}

/// Whether something makes the program at `path`: the text elsewhere, or another file of the plugin that names the
/// program with its folder, such as a script that builds it.
pub(super) fn is_made(context: &RuleContext<'_>, text: &PluginText<'_>, path: &str) -> bool {
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    let name = path[from..].trim_start_matches("./");
    let here = memmem::find_iter(text.text.as_bytes(), name).any(|at| is_created(text.text, at));
    let files = text
        .plugin
        .files
        .kept
        .iter()
        .filter(|path| !is_markdown(path) && !matches!(path.extension(), Some("json" | "yaml" | "yml")));
    let mut texts = files.filter_map(|path| context.file(path)?.text());
    here || texts.any(|text| memmem::find(text.as_bytes(), name.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_begins_after_a_joint_a_setting_or_a_prompt() {
        for before in ["", "  ", "\"", "$ ", "cd x && ", "A=1 sudo ", "x | ", "out=$(", "$ cd x; "] {
            assert!(is_command_start(before, false), "{before}");
            assert_eq!(is_command_start(before, true), before.starts_with("$ "), "{before}");
        }
        for before in ["cat ", "ls -la ", "cp a ", "echo \"see ", "--file=", "> "] {
            assert!(!is_command_start(before, false), "{before}");
        }
    }
}
