//! Matches sentences against the closed list of those that report no fault (`templates.txt`).

use crate::order;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const TEXT: &str = include_str!("templates.txt");
/// A longer sentence matches no template.
const LONGEST: usize = 40;
const NUMBERS: [&str; 13] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "a", "several", "some"];

/// The first this many stand for 1, 2, 3 and so on.
const TEN: usize = 10;

/// A word of a sentence with its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentenceWord<'a> {
    /// In lower case, without surrounding punctuation.
    pub(super) plain: &'a str,
    /// Whether it is a file of the change.
    pub(super) is_file: bool,
}

/// A part of a template.
#[derive(Debug)]
enum TemplatePart {
    Word(String),
    File,
    Id,
    Number,
    /// A number that is not larger than that of the findings.
    Count,
    Token,
    /// One or more severities.
    Severity,
    OneOf {
        parts: Vec<Vec<TemplatePart>>,
        may_lack: bool,
    },
    Named(String),
}

struct SentenceTemplates {
    named: BTreeMap<String, Vec<TemplatePart>>,
    /// There are few sentences, so they are simply tried in turn.
    sentences: Vec<Vec<TemplatePart>>,
}

/// Whether a sentence around a form with this many findings matches a template.
pub(super) fn fits_template(words: &[SentenceWord<'_>], findings: usize) -> bool {
    static TEMPLATES: OnceLock<SentenceTemplates> = OnceLock::new();
    let templates = TEMPLATES.get_or_init(|| SentenceTemplates::read(TEXT));
    let fits = |one: &Vec<TemplatePart>| templates.match_ends(one, words, 0, findings).contains(&words.len());
    words.len() <= LONGEST && templates.sentences.iter().any(fits)
}

impl SentenceTemplates {
    fn read(text: &str) -> Self {
        let mut templates = Self { named: BTreeMap::new(), sentences: Vec::new() };
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let definition = line.strip_prefix('{').and_then(|rest| rest.split_once("} = "));
            match definition {
                Some((name, parts)) => {
                    drop(templates.named.insert(name.to_owned(), sequence(&mut tokens(parts))))
                }
                None => templates.sentences.push(sequence(&mut tokens(line))),
            }
        }
        templates
    }

    /// The positions where a match that starts at a word may end.
    fn match_ends(
        &self,
        parts: &[TemplatePart],
        words: &[SentenceWord<'_>],
        at: usize,
        findings: usize,
    ) -> BTreeSet<usize> {
        let mut ends = order::set([at]);
        for part in parts {
            ends = order::set(ends.iter().flat_map(|at| self.ends_of(part, words, *at, findings)));
            if ends.is_empty() {
                break;
            }
        }
        ends
    }

    fn ends_of(
        &self,
        part: &TemplatePart,
        words: &[SentenceWord<'_>],
        at: usize,
        findings: usize,
    ) -> BTreeSet<usize> {
        let is = |fits: &dyn Fn(&SentenceWord<'_>) -> bool| match words.get(at).is_some_and(fits) {
            true => order::set([at + 1]),
            false => BTreeSet::new(),
        };
        match part {
            TemplatePart::Word(word) => is(&|one| one.plain == word),
            TemplatePart::File => is(&|one| one.is_file),
            TemplatePart::Id => is(&|one| is_id(one.plain)),
            TemplatePart::Number => is(&|one| is_number(one.plain)),
            TemplatePart::Count => is(&|one| number(one.plain).is_some_and(|number| number <= findings)),
            TemplatePart::Token => is(&|one| is_token(one.plain)),
            TemplatePart::Severity => {
                let linked =
                    |one: &&SentenceWord<'_>| is_severity(one.plain) || matches!(one.plain, "and" | "or");
                let run = words[at..].iter().take_while(linked).count();
                order::set((1..=run).filter(|count| is_severity(words[at + count - 1].plain)).map(|c| at + c))
            }
            TemplatePart::OneOf { parts, may_lack } => {
                let each = parts.iter().flat_map(|part| self.match_ends(part, words, at, findings));
                order::set(each.chain(may_lack.then_some(at)))
            }
            TemplatePart::Named(name) => self
                .named
                .get(name)
                .map(|parts| self.match_ends(parts, words, at, findings))
                .unwrap_or_default(),
        }
    }
}

/// The symbols and words of a template.
fn tokens(line: &str) -> std::vec::IntoIter<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in line.chars() {
        if !"[](|) ".contains(c) {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c != ' ' {
            found.push(c.to_string());
        }
    }
    found.extend((!word.is_empty()).then_some(word));
    found.into_iter()
}

fn sequence(tokens: &mut std::vec::IntoIter<String>) -> Vec<TemplatePart> {
    choices(tokens).into_iter().next().unwrap_or_default()
}

/// The parts up to the closing bracket, split at each `|`.
fn choices(tokens: &mut std::vec::IntoIter<String>) -> Vec<Vec<TemplatePart>> {
    let mut found = vec![Vec::new()];
    while let Some(token) = tokens.next() {
        let part = match token.as_str() {
            "]" | ")" => break,
            "|" => {
                found.push(Vec::new());
                continue;
            }
            "[" => TemplatePart::OneOf { parts: choices(tokens), may_lack: true },
            "(" => TemplatePart::OneOf { parts: choices(tokens), may_lack: false },
            "<file>" => TemplatePart::File,
            "<id>" => TemplatePart::Id,
            "<n>" => TemplatePart::Number,
            "<count>" => TemplatePart::Count,
            "<token>" => TemplatePart::Token,
            "P" => TemplatePart::Severity,
            word => match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
                Some(name) => TemplatePart::Named(name.to_owned()),
                None => TemplatePart::Word(word.to_owned()),
            },
        };
        if let Some(last) = found.last_mut() {
            last.push(part);
        }
    }
    found
}

fn is_severity(word: &str) -> bool {
    matches!(word, "p0" | "p1" | "p2" | "p3")
        || word.split('/').all(|part| matches!(part, "p0" | "p1" | "p2" | "p3"))
}

fn is_id(word: &str) -> bool {
    let number = word.strip_prefix(['f', 's', 'u']);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_number(word: &str) -> bool {
    number(word).is_some()
}

/// A number in digits or as one of the small number words, which start at one.
fn number(word: &str) -> Option<usize> {
    let of_word =
        || NUMBERS.iter().position(|known| *known == word).map(|at| if at < TEN { at + 1 } else { 1 });
    word.parse().ok().or_else(of_word)
}

/// Whether a word is an id, a time or the name of a model, as programs write them.
fn is_token(word: &str) -> bool {
    let kinds =
        ["claude-", "gpt-", "gemini-", "ses_", "task_", "task-", "agent-", "msg_", "toolu_", "run-", "call_"];
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    let is_hex = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_time = word.bytes().all(|byte| byte.is_ascii_digit() || b"-:.tz+".contains(&byte));
    has_digit && is_plain && (kinds.iter().any(|kind| word.starts_with(kind)) || is_hex || is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_part_is_defined_and_used() {
        let templates = SentenceTemplates::read(TEXT);
        let mut used = BTreeSet::new();
        let mut open: Vec<&TemplatePart> =
            templates.sentences.iter().chain(templates.named.values()).flatten().collect();
        while let Some(part) = open.pop() {
            match part {
                TemplatePart::Named(name) => drop(used.insert(name.clone())),
                TemplatePart::OneOf { parts, .. } => open.extend(parts.iter().flatten()),
                _ => {}
            }
        }
        assert_eq!(used, templates.named.keys().cloned().collect());
        let signs = |line: &str| {
            let count = |sign: char| line.matches(sign).count();
            (count('[') == count(']')) && (count('(') == count(')'))
        };
        assert_eq!(TEXT.lines().filter(|line| !line.starts_with('#')).find(|line| !signs(line)), None);
    }

    /// A template that fits a sentence without a word would let everything pass.
    #[test]
    fn no_template_is_empty() {
        let templates = SentenceTemplates::read(TEXT);
        for one in &templates.sentences {
            assert!(!templates.match_ends(one, &[], 0, 9).contains(&0), "{one:?}");
        }
    }
}
