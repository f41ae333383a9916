//! Whose a `$1` in a text is: that of a program in it (a field of awk, a parameter of a shell function, a group of
//! Perl), or an argument that the source host fills in. The host itself makes no difference: it replaces all of them
//! (Claude Code 2.1.330).

use std::collections::BTreeMap;

use super::markdown::{self, Region, RegionKind};
use crate::order;
use crate::source::{Span, line_end, line_start};

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

/// The programs of a text. What a region holds is found once, however many numbers it has.
#[derive(Debug)]
pub struct ProgramRanges<'t> {
    text: &'t str,
    /// The code blocks and code spans, in order.
    code: Vec<Region>,
    /// The programs in a region of code, or in a line outside of it, by its start.
    known: BTreeMap<usize, RegionPrograms>,
}

/// The programs of one region.
#[derive(Debug, Default)]
struct RegionPrograms {
    /// Quoted programs, in order.
    quoted: Vec<(Span, ProgramKind)>,
    /// What the whole region is.
    whole: Option<ProgramKind>,
    /// The bodies of shell functions, in order.
    functions: Vec<Span>,
}

impl<'t> ProgramRanges<'t> {
    /// The programs of `text`, which are not searched yet.
    pub fn new(text: &'t str) -> Self {
        let mut code = markdown::regions(text, Span::new(0, text.len()));
        code.retain(|region| matches!(region.kind, RegionKind::CodeBlock | RegionKind::CodeSpan));
        Self { text, code, known: BTreeMap::new() }
    }

    /// The program that a number at the byte `at` belongs to; `None` if it belongs to none.
    pub fn kind_at(&mut self, at: usize) -> Option<ProgramKind> {
        let after = self.code.partition_point(|region| region.span.start <= at);
        let region = self.code[..after].last().filter(|region| region.span.contains(at));
        let text = self.text;
        let span = region.map_or_else(|| line_span(text, at), |region| region.span);
        let is_block = region.is_some_and(|region| region.kind == RegionKind::CodeBlock);
        let found =
            self.known.entry(span.start).or_insert_with(|| RegionPrograms::find(span.slice(text), is_block));
        let known = found.kind_at(at - span.start);
        known.or_else(|| (region.is_some() && is_own_name(text, at)).then_some(ProgramKind::Shell))
    }
}

/// Programs that a shell script gives its own name to, in order to find its folder.
const READERS_OF_NAMES: [&str; 4] = ["dirname", "basename", "realpath", "readlink"];

/// Whether the number at the byte `at` is the name of the script in which it stands: `$(dirname "$0")`, `usage: $0`.
fn is_own_name(text: &str, at: usize) -> bool {
    let before = text[line_start(text, at)..at].trim_end_matches(['"', '\'', ' ']);
    let mut words = before.rsplit([' ', '(', '`']).skip_while(|word| word.starts_with('-'));
    let word = words.next().unwrap_or_default();
    let is_zero =
        text[at..].strip_prefix("$0").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    is_zero
        && (READERS_OF_NAMES.contains(&word) || word.trim_matches(['"', '\'']).eq_ignore_ascii_case("usage:"))
}

/// The line that contains the byte `at`.
fn line_span(text: &str, at: usize) -> Span {
    Span::new(line_start(text, at), line_end(text, at))
}

impl RegionPrograms {
    fn find(code: &str, is_block: bool) -> Self {
        let mut found = Self { quoted: quoted(code), ..Self::default() };
        if is_block {
            let language = markdown::block_language(code).unwrap_or_default();
            let named = |known: &str| language.eq_ignore_ascii_case(known);
            found.whole = match language {
                _ if named("awk") => Some(ProgramKind::Awk),
                _ if named("perl") => Some(ProgramKind::Perl),
                _ if LANGUAGES.into_iter().any(named) => Some(ProgramKind::Other),
                _ => script(code),
            };
            found.functions = functions(code);
        }
        found
    }

    fn kind_at(&self, at: usize) -> Option<ProgramKind> {
        let before = |spans: usize| spans.checked_sub(1);
        let quoted = before(self.quoted.partition_point(|(span, _)| span.start <= at));
        let quoted = quoted.map(|last| self.quoted[last]).filter(|(span, _)| span.contains(at));
        let is_in_function = || {
            let last = before(self.functions.partition_point(|body| body.start <= at));
            last.is_some_and(|last| self.functions[last].contains(at))
        };
        let kind = quoted.map(|(_, kind)| kind).or(self.whole);
        kind.or_else(|| is_in_function().then_some(ProgramKind::Shell))
    }
}

/// The quoted programs in `code`.
fn quoted(code: &str) -> Vec<(Span, ProgramKind)> {
    let of_name = |(name, kind): (&'static str, ProgramKind)| {
        code.match_indices(name).map(move |(at, _)| (at + name.len(), kind))
    };
    let mut calls: Vec<(usize, ProgramKind)> = CALLS.into_iter().flat_map(of_name).collect();
    order::sort_by_key(&mut calls, |(end, _)| *end);
    let ends = calls.iter().skip(1).map(|(next, _)| *next).chain([code.len()]);
    let mut out = Vec::new();
    for ((start, kind), end) in calls.iter().zip(ends) {
        let (mut opened, mut is_option, mut before) = (None, false, ' ');
        for (at, c) in code[*start..end].char_indices() {
            let at = start + at;
            if before.is_whitespace() {
                is_option = c == '-';
            }
            match (c, opened) {
                ('\'', Some(open)) => {
                    out.push((Span::new(open, at), *kind));
                    opened = None;
                }
                // An apostrophe is inside a word; an opening quote is not, but for `-F'|'`.
                ('\'', None) if is_option || before.is_whitespace() || "=($".contains(before) => {
                    opened = Some(at + 1);
                }
                (';' | '|' | '&', None) => break,
                ('\n', None) if before != '\\' => break,
                _ => {}
            }
            before = c;
        }
        if let Some(open) = opened {
            out.push((Span::new(open, end), *kind));
        }
    }
    out
}

/// The kind of the script in `block`, by its first line or that of a file that it writes.
fn script(block: &str) -> Option<ProgramKind> {
    let line = block.lines().find(|line| line.trim_start().starts_with("#!/"))?;
    let names = [("awk", ProgramKind::Awk), ("perl", ProgramKind::Perl), ("sh", ProgramKind::Shell)];
    let kind = names.into_iter().find(|(name, _)| line.trim_end().ends_with(name));
    Some(kind.map_or(ProgramKind::Other, |(_, kind)| kind))
}

/// The bodies of shell functions in `block`, line by line.
fn functions(block: &str) -> Vec<Span> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut out, mut open, mut start) = (Vec::new(), None, 0);
    for line in block.split_inclusive('\n') {
        let end = start + line.len();
        let text = line.trim();
        let head = text.find("() {").map(|head| head + 4).or_else(|| text.find("(){").map(|head| head + 3));
        let head = head.or_else(|| text.starts_with("function ").then(|| text.find('{')).flatten());
        let is_whole = head.is_some_and(|head| text[head..].ends_with('}'));
        match (open, head) {
            (None, Some(head)) if is_whole => out.push(Span::new(start + indent(line) + head, end)),
            (None, Some(_)) => open = Some(indent(line)),
            (Some(outer), _) if text.starts_with('}') && indent(line) <= outer => open = None,
            (Some(_), None) => out.push(Span::new(start, end)),
            _ => {}
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<ProgramKind> {
        ProgramRanges::new(text).kind_at(text.find("$3").unwrap())
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
    fn the_name_of_a_script_is_its_own() {
        let kind = |text: &str| ProgramRanges::new(text).kind_at(text.find("$0").unwrap());
        for text in [
            "```bash\nDIR=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n```",
            "`basename -- $0`",
            "```sh\necho \"Usage: $0 FILE\"\n```",
            "```sh\nreadlink -f '$0'\n```",
        ] {
            assert_eq!(kind(text), Some(ProgramKind::Shell), "{text}");
        }
        for text in ["```sh\ngh pr view \"$0\"\n```", "the dirname $0", "```sh\ncd $(dirname x) $0\n```"] {
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
