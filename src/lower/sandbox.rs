//! The commands that a host's sandbox refuses, searched for in one scan of a text.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Value as Json, json};

use crate::read::markdown;
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
            let built =
                AhoCorasick::builder().match_kind(kind).build(patterns.iter().map(|(_, command)| command));
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
fn begins_command(before: &str) -> bool {
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
}
