//! The commands that a host's sandbox refuses, searched for in one scan of a text.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::{Value as Json, json};

use crate::read::markdown::{self, Region, RegionKind};
use crate::source::Span;
use crate::target::{SandboxFacts, Target};

/// The commands of every rule.
pub(super) struct CommandTable {
    /// Tells whether there is any.
    quick: AhoCorasick,
    /// Finds all of them, even within one another.
    thorough: AhoCorasick,
    /// The rule and the text of each pattern.
    patterns: Vec<(usize, String)>,
}

impl CommandTable {
    /// Prepares the search for the commands of `rules`.
    pub(super) fn from_rules(rules: &[SandboxFacts]) -> Self {
        let patterns: Vec<(usize, String)> = rules
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.commands.iter().map(move |command| (at, command.clone())))
            .collect();
        let scanner = |kind| {
            // The few texts that name a command take less time than faster automata take to be built.
            let mut builder = AhoCorasick::builder();
            builder.kind(Some(AhoCorasickKind::NoncontiguousNFA)).match_kind(kind);
            let built = builder.build(patterns.iter().map(|(_, command)| command));
            // Building fails only if there are too many patterns for memory.
            built.unwrap_or_else(|_| AhoCorasick::new([""; 0]).expect("an empty automaton"))
        };
        let (quick, thorough) = (scanner(MatchKind::LeftmostFirst), scanner(MatchKind::Standard));
        Self { quick, thorough, patterns }
    }

    /// Whether `text` names a command where code could run it: at the start of a line, of a span or of a quoted block,
    /// or after an operator. A text without any need not be parsed.
    pub(super) fn any_in(&self, text: &str) -> bool {
        self.quick.find_iter(text).any(|found| {
            let before = text[..found.start()].trim_end_matches([' ', '\t', '$']);
            before.is_empty() || before.ends_with('>') || begins_command(before)
        })
    }

    /// The parts of `text` that are code, if any of them may run a command. Most commands are in fenced blocks, which
    /// are found without a parse; the others may be in any code.
    pub(super) fn code_in(&self, text: &str) -> Vec<Region> {
        if !self.any_in(text) {
            return Vec::new();
        }
        // An indented fence may be a part of other code.
        let is_flush = |block: &Span| block.slice(text).starts_with(['`', '~']);
        let blocks = markdown::sure_blocks(text).filter(|blocks| blocks.iter().all(is_flush));
        match blocks.filter(|blocks| !self.any_outside(text, blocks)) {
            Some(blocks) => {
                blocks.into_iter().map(|span| Region { kind: RegionKind::CodeBlock, span }).collect()
            }
            None => markdown::regions(text, Span::new(0, text.len())),
        }
    }

    /// Whether `text` names a command outside of `blocks` where code could run it, also after the mark of a list.
    fn any_outside(&self, text: &str, blocks: &[Span]) -> bool {
        let is_inside = |at: usize| {
            let begun = blocks.partition_point(|block| block.start <= at);
            begun > 0 && blocks[begun - 1].contains(at)
        };
        self.quick.find_iter(text).filter(|found| !is_inside(found.start())).any(|found| {
            let before = text[..found.start()].trim_end_matches([' ', '\t', '$']);
            let follows_mark = before.ends_with(['>', '-', '*', '+', '.', ')']);
            before.is_empty() || follows_mark || begins_command(before)
        })
    }

    /// The commands that `code` runs, at the start of a line or after an operator: rule and command.
    pub(super) fn run_by(&self, code: &str) -> impl Iterator<Item = (usize, &str)> {
        self.thorough.find_overlapping_iter(code).filter_map(|found| {
            let before = code[..found.start()].trim_end_matches([' ', '$']);
            let (rule, command) = &self.patterns[found.pattern().as_usize()];
            let starts = before.is_empty() || begins_command(before);
            (starts && self.ends_word(code, found.pattern().as_usize(), found.end()))
                .then_some((*rule, command.as_str()))
        })
    }

    fn ends_word(&self, text: &str, pattern: usize, end: usize) -> bool {
        self.patterns[pattern].1.ends_with(' ')
            || text[end..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '-')
    }
}

/// The rules of the sandbox that `refused` names, each with its text and the commands.
pub(super) fn rules<'a>(
    target: &Target,
    plugin: &str,
    refused: impl IntoIterator<Item = &'a (usize, String)>,
) -> Vec<Json> {
    let mut commands: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (rule, command) in refused {
        commands.entry(*rule).or_default().push(command);
    }
    let rule = |(rule, commands): (usize, Vec<&str>)| {
        let facts = &target.sandbox[rule];
        let profile = facts.profile.as_ref().map(|profile| profile.replace("{plugin}", plugin));
        json!({ "text": facts.text, "commands": commands, "profile": profile.unwrap_or_default() })
    };
    commands.into_iter().map(rule).collect()
}

/// Languages of documents: commands in such blocks are written to a file, not run.
const DOCUMENTS: [&str; 14] = [
    "yaml",
    "yml",
    "json",
    "jsonc",
    "json5",
    "toml",
    "ini",
    "xml",
    "html",
    "markdown",
    "md",
    "mdx",
    "dockerfile",
    "csv",
];

/// Whether a code block, including its fences, is marked as data or text.
pub(super) fn is_document(block: &str) -> bool {
    markdown::block_language(block)
        .is_some_and(|language| DOCUMENTS.iter().any(|known| language.eq_ignore_ascii_case(known)))
}

/// Whether a command may follow `before`.
pub(super) fn begins_command(before: &str) -> bool {
    before.ends_with(['\n', '`', ';', '&', '|', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_data_or_text_is_a_document() {
        for block in ["```yaml\n- run: x\n```", "~~~ Markdown\nx\n~~~", "````md title=x\n````"] {
            assert!(is_document(block), "{block}");
        }
        for block in ["```sh\nx\n```", "```\nyaml\n```", "    yaml x\n"] {
            assert!(!is_document(block), "{block}");
        }
    }

    #[test]
    fn a_command_runs_at_the_start_of_a_line_or_after_an_operator() {
        let rule = |commands: &[&str]| SandboxFacts {
            commands: commands.iter().map(|command| (*command).to_owned()).collect(),
            text: String::new(),
            profile: None,
        };
        let commands = CommandTable::from_rules(&[rule(&["git add", "git am"]), rule(&["gh "])]);
        let run = |code: &str| {
            commands.run_by(code).map(|(rule, command)| format!("{rule} {command}")).collect::<Vec<_>>()
        };
        assert_eq!(run("git add x && git am; $ gh pr"), ["0 git add", "0 git am", "1 gh "]);
        assert!(run("git addx; git add-all; echo gh pr").is_empty());
        for text in ["`git add`", "> ```sh\n> git add x\n> ```", "\tgit add", "a && git am"] {
            assert!(commands.any_in(text), "{text}");
        }
        assert!(!commands.any_in("we git add; high walls") && !commands.any_in("- git add\n"));
    }

    const LINES: [&str; 20] = [
        "```",
        "````",
        "~~~",
        "```yaml",
        "``` `",
        "  ```",
        "- ```",
        "    ```",
        "> ```",
        "x",
        "",
        "<b>",
        "| a |",
        "- a",
        "git add x",
        "    git add",
        "`git add`; git am",
        "-     git am",
        "a; git am",
        "> \tgit add",
    ];

    /// Whatever the lines are, the code that may run a command is the same with and without a parse.
    #[test]
    fn blocks_without_a_parse_run_what_the_parser_finds() {
        let commands = ["git add", "git am"].map(str::to_owned).to_vec();
        let commands =
            CommandTable::from_rules(&[SandboxFacts { commands, text: String::new(), profile: None }]);
        let (mut state, mut unparsed) = (7_u64, 0);
        for _ in 0..40_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(LINES[(state >> 33) as usize % LINES.len()]);
                text.push('\n');
            }
            if !commands.any_in(&text) {
                continue;
            }
            let run = |regions: &[Region]| {
                let is_code = |region: &&Region| match region.kind {
                    RegionKind::CodeBlock => !is_document(region.span.slice(&text)),
                    kind => kind == RegionKind::CodeSpan,
                };
                let code = regions.iter().filter(is_code).map(|region| region.span.slice(&text));
                code.flat_map(|code| commands.run_by(code)).collect::<std::collections::BTreeSet<_>>()
            };
            let (found, parsed) =
                (commands.code_in(&text), markdown::regions(&text, Span::new(0, text.len())));
            unparsed += usize::from(found.len() != parsed.len());
            assert_eq!(run(&found), run(&parsed), "{text:?}");
        }
        assert!(unparsed > 10, "{unparsed}");
    }
}
