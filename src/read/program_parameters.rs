//! Whose a `$1` in a text is: that of a program in it (a field of awk, a parameter of a shell function, a group of
//! Perl), or an argument that the source host fills in. The host itself makes no difference: it replaces all of them
//! (Claude Code 2.1.330).

use super::markdown::{self, Region, RegionKind};
use crate::source::{Span, line_start};

/// What a number after `$` means in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramKind {
    /// A field.
    Awk,
    /// A parameter.
    Shell,
    /// A group of the last match.
    Perl,
    /// Something else, or nothing.
    Other,
}

/// Programs that are called with a quoted program, longer names before those that they end with.
const CALLS: [(&str, ProgramKind); 7] = [
    ("awk ", ProgramKind::Awk),
    ("perl ", ProgramKind::Perl),
    ("sh -c ", ProgramKind::Shell),
    ("sh -ec ", ProgramKind::Shell),
    ("sh -lc ", ProgramKind::Shell),
    ("xargs ", ProgramKind::Other),
    ("sed ", ProgramKind::Other),
];

/// Languages of code blocks in which the source host's arguments make no sense.
const LANGUAGES: [&str; 28] = [
    "c",
    "cpp",
    "cs",
    "csharp",
    "css",
    "dart",
    "dockerfile",
    "go",
    "html",
    "java",
    "javascript",
    "js",
    "jsx",
    "kotlin",
    "lua",
    "nginx",
    "php",
    "powershell",
    "ps1",
    "py",
    "python",
    "ruby",
    "rust",
    "sql",
    "swift",
    "ts",
    "tsx",
    "typescript",
];

/// The program that the number at `span` belongs to; `None` if it belongs to none. `regions` are those of `text`.
pub fn program_at(text: &str, span: Span, regions: &[Region]) -> Option<ProgramKind> {
    let holds = |region: &&Region| {
        matches!(region.kind, RegionKind::CodeBlock | RegionKind::CodeSpan)
            && region.span.contains(span.start)
    };
    let region = regions.iter().rev().find(holds);
    let start = region.map_or_else(|| line_start(text, span.start), |region| region.span.start);
    if let Some(kind) = quoted(&text[start..span.start]) {
        return Some(kind);
    }
    let region = region.filter(|region| region.kind == RegionKind::CodeBlock)?;
    let block = region.span.slice(text);
    let language = markdown::block_language(block).unwrap_or_default();
    let named = |known: &str| language.eq_ignore_ascii_case(known);
    match language {
        _ if named("awk") => Some(ProgramKind::Awk),
        _ if named("perl") => Some(ProgramKind::Perl),
        _ if LANGUAGES.into_iter().any(named) => Some(ProgramKind::Other),
        _ => {
            script(block).or_else(|| is_in_function(block, span.start - start).then_some(ProgramKind::Shell))
        }
    }
}

/// The kind of the quoted program that is still open at the end of `code`.
fn quoted(code: &str) -> Option<ProgramKind> {
    let calls = CALLS.iter().filter_map(|(name, kind)| Some((code.rfind(name)? + name.len(), *kind)));
    let (at, kind) = calls.max_by_key(|(at, _)| *at)?;
    let (mut is_open, mut is_option, mut before) = (false, false, ' ');
    for c in code[at..].chars() {
        if before.is_whitespace() {
            is_option = c == '-';
        }
        match c {
            // An apostrophe is inside a word; an opening quote is not, but for `-F'|'`.
            '\'' if is_open || is_option || before.is_whitespace() || "=($".contains(before) => {
                is_open = !is_open;
            }
            ';' | '|' | '&' if !is_open => return None,
            '\n' if !is_open && before != '\\' => return None,
            _ => {}
        }
        before = c;
    }
    is_open.then_some(kind)
}

/// The kind of the script in `block`, by its first line or that of a file that it writes.
fn script(block: &str) -> Option<ProgramKind> {
    let line = block.lines().find(|line| line.trim_start().starts_with("#!/"))?;
    let names = [("awk", ProgramKind::Awk), ("perl", ProgramKind::Perl), ("sh", ProgramKind::Shell)];
    let kind = names.into_iter().find(|(name, _)| line.trim_end().ends_with(name));
    Some(kind.map_or(ProgramKind::Other, |(_, kind)| kind))
}

/// Whether the byte at `at` of `block` is in the body of a shell function.
fn is_in_function(block: &str, at: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut open, mut start) = (None, 0);
    for line in block.split_inclusive('\n') {
        let end = start + line.len();
        let (text, is_here) = (line.trim(), (start..end).contains(&at));
        let head = text.find("() {").map(|head| head + 4).or_else(|| text.find("(){").map(|head| head + 3));
        let head = head.or_else(|| text.starts_with("function ").then(|| text.find('{')).flatten());
        let is_whole = head.is_some_and(|head| text[head..].ends_with('}'));
        match (open, head) {
            (None, Some(head)) if is_whole && is_here => return at - start > indent(line) + head,
            (None, Some(_)) if is_whole => {}
            (None, Some(_)) => open = Some(indent(line)),
            (Some(outer), _) if text.starts_with('}') && indent(line) <= outer => open = None,
            _ => {}
        }
        if is_here {
            return open.is_some() && head.is_none();
        }
        start = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<ProgramKind> {
        let at = text.find("$3").unwrap();
        let regions = markdown::regions(text, Span::new(0, text.len()));
        program_at(text, Span::new(at, at + 2), &regions)
    }

    #[test]
    fn a_number_in_a_quoted_program_is_that_of_the_program() {
        for text in [
            "`awk '{print $3}' f`",
            "awk '{print $1, $3}' f",
            "`ps | gawk -F, '$3 == 1'`",
            "`awk -v x='1' '$3'`",
            "`awk -F'|' '{print $3}' f`",
            "```sh\n# what's pending\nawk '\n  /a/ { n++ }\n\n  $3 == 1 {\n' f\n```",
            "```sh\nawk \\\n  '$3'\n```",
            "```awk\n{ print $3 }\n```",
        ] {
            assert_eq!(kind(text), Some(ProgramKind::Awk), "{text}");
        }
        assert_eq!(kind("```sh\nperl -ne 'print $3 if /x/' f\n```"), Some(ProgramKind::Perl));
        assert_eq!(kind("```sh\nfind . -exec sh -c 'echo \"$3\"' _ {} \\;\n```"), Some(ProgramKind::Shell));
        for text in [
            "`awk '{print $1}' f; echo $3`",
            "`awk '{print $1}' f | run '$3'`",
            "awk's $3",
            "with awk it's $3 a month",
            "```sh\nawk '{print}'\nrun '$3'\n```",
            "```sh\ngh pr view '$3'\n```",
            "use `awk 'x`\n\nIt costs $3",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_in_a_function_or_a_script_is_its_own() {
        for text in [
            "```sh\nrun() {\n  echo \"$3\"\n}\n```",
            "```bash\nfunction run {\n  if true; then {\n    x\n  }\n  fi\n  local a=$3\n}\n```",
            "```\n  run () { echo \"$3\"; }\n```",
            "```sh\n#!/usr/bin/env bash\ncd \"$3\"\n```",
            "```sh\ncat > go.sh <<'EOF'\n#!/bin/sh\necho $3\nEOF\n```",
        ] {
            assert_eq!(kind(text), Some(ProgramKind::Shell), "{text}");
        }
        for text in [
            "```sh\nrun() {\n  echo \"$1\"\n}\nrun \"$3\"\n```",
            "```sh\nrun() { echo \"$1\"; }\nrun $3\n```",
            "```sh\nrun $3\n```",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
        assert_eq!(kind("```sql\nSELECT $3\n```"), Some(ProgramKind::Other));
    }
}
