//! Phrases that no message, page, comment, script or setting may have: each reads as a translation, and has a plain
//! counterpart.

use super::files::SourceFile;
use super::hosts::{is_test_file, without_tests};
use super::rust::{Token, tokens};

/// The phrases, and what to write.
const PHRASES: [(&str, &str); 30] = [
    ("anew", "again"),
    ("of its own", "separate, its own …"),
    ("of their own", "separate, their own …"),
    ("once more", "again"),
    ("that there is not", "a missing file, an unknown name"),
    ("names nothing", "a missing file, an unknown name"),
    ("leads nowhere", "target not found"),
    ("is no class", "unknown loss class"),
    ("is no glob", "invalid glob"),
    ("is no rule", "unknown rule"),
    ("speaks for", "applies to"),
    ("passes over", "skips"),
    ("counts before", "takes precedence"),
    ("grows to", "expands to"),
    ("hereby", "name the tool to call"),
    ("such as it is", "unchanged"),
    ("no longer is", "is stale"),
    ("equal by content", "identical"),
    ("passed over", "skipped"),
    ("a person", "the user, you"),
    ("whoever", "the user, you, or what acts"),
    ("in no form", "not … in any form"),
    ("says not", "does not say"),
    ("knows no", "does not know, does not support, has no"),
    ("gone on with", "continued"),
    ("stands against", "blocks"),
    ("stand against", "block"),
    ("which of them", "which …"),
    ("speaks of", "mentions"),
    ("goes on with", "continues"),
];

/// Phrases that no identifier may have, and what to write.
const NAME_PHRASES: [(&str, &str); 6] = [
    ("what is no", "text that is not …"),
    ("lead nowhere", "broken"),
    ("speaks", "reports, is reported"),
    ("speak", "report, resolve"),
    ("hear nothing", "are independent"),
    ("complain of", "record an error about"),
];

/// Where the phrases themselves stand.
const THIS_FILE: &str = "tests/tidy/messages.rs";

/// What may follow `is no` in plain English.
const AFTER_NO: [&str; 9] =
    ["better", "different", "longer", "more", "one", "slower", "smaller", "such", "way"];

/// Files whose whole text is for people, beside Rust: pages, recorded output, scripts, settings.
const TEXTS: [&str; 11] =
    [".md", ".snap", ".js", ".mjs", ".py", ".sh", ".toml", ".ts", ".yaml", ".yml", ".ci/run"];

/// Folders with plugins and projects that tests read: text of users, some of it bad on purpose.
const FIXTURES: [&str; 8] = [
    "tests/cases/",
    "tests/corpus/",
    "tests/dev_servers/sites/",
    "tests/fixing/",
    "tests/fixtures/",
    "tests/labelled/",
    "tests/promoting/",
    "targets/claude-code/vocabulary/",
];

/// The phrases in pages, scripts and settings, and in the comments of a Rust file.
pub fn translated_prose(file: &SourceFile) -> Vec<String> {
    let is_code = file.path.ends_with(".rs");
    let is_text = TEXTS.iter().any(|ending| file.path.ends_with(ending));
    if !(is_code || is_text)
        || file.path == THIS_FILE
        || FIXTURES.iter().any(|folder| file.path.starts_with(folder))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for sentence in sentences(file, is_code) {
        let words: Vec<&str> = sentence.iter().map(|(_, word)| *word).collect();
        for start in 0..words.len() {
            let place = || format!("{}:{}", file.path, sentence[start].0);
            for (phrase, instead) in PHRASES {
                if starts_with(&words[start..], phrase) {
                    found.push(format!("{}: `{phrase}`: write `{instead}`", place()));
                }
            }
            if is_denied_noun(&words[start..words.len().min(start + 4)]) {
                found.push(format!("{}: `is no …`: write `is not a …`, `unknown …` or `invalid …`", place()));
            }
        }
    }
    found
}

/// The words of each sentence with their 1-based lines. An empty line and code between comments end one.
fn sentences<'a>(file: &'a SourceFile, is_code: bool) -> Vec<Vec<(usize, &'a str)>> {
    let mut sentences = vec![Vec::new()];
    for (at, line) in file.text.lines().enumerate() {
        let comment = |line: &'a str| {
            let (code, comment) = line.split_once("//")?;
            (code.trim().is_empty() || code.ends_with(' ')).then_some((code, comment))
        };
        let (code, prose) = match is_code {
            true => comment(line).unwrap_or_default(),
            false => ("", line),
        };
        let has_code = !code.trim().is_empty();
        if has_code || prose.trim_matches(['/', '!', '#', ' ']).is_empty() {
            sentences.push(Vec::new());
        }
        for text in prose.split_whitespace() {
            sentences
                .last_mut()
                .expect("one is open")
                .extend(words_of(text).into_iter().map(|word| (at + 1, word)));
            if text.ends_with(['.', ':', ';', '?', '!', '|']) {
                sentences.push(Vec::new());
            }
        }
        if has_code {
            sentences.push(Vec::new());
        }
    }
    sentences
}

/// Such phrases in identifiers, taken apart at `_`.
pub fn translated_names(file: &SourceFile) -> Vec<String> {
    if file.path == THIS_FILE {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, token) in tokens(&file.text) {
        let Token::Name(name) = token else { continue };
        let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
        for (phrase, instead) in PHRASES.iter().chain(&NAME_PHRASES) {
            if holds(&words, phrase) {
                found.push(format!("{}:{line}: `{name}` says `{phrase}`: write `{instead}`", file.path));
            }
        }
        if is_denied_noun(&words) {
            found.push(format!("{}:{line}: `{name}` says `is no`: write `is not`", file.path));
        }
    }
    found
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn holds(words: &[&str], phrase: &str) -> bool {
    (0..words.len()).any(|start| starts_with(&words[start..], phrase))
}

fn starts_with(words: &[&str], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|wanted| words.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted)))
}

/// `x is no y`, which is `x is not a y`, an unknown `x` or an invalid one.
fn is_denied_noun(words: &[&str]) -> bool {
    let denied =
        |part: &[&str]| matches!(part[1], "is" | "are") && part[2] == "no" && !AFTER_NO.contains(&part[3]);
    words.windows(4).any(|part| denied(part) && !["there", "There"].contains(&part[0]))
}

/// Such phrases in the strings of a file, unit tests left out. A string of one word is data.
pub fn translated(file: &SourceFile) -> Vec<String> {
    if is_test_file(&file.path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, token) in without_tests(tokens(&file.text)) {
        let Token::Text(text) = token else { continue };
        let words = words_of(&text);
        let place = &file.path;
        for (phrase, instead) in PHRASES {
            if words.len() > 1 && holds(&words, phrase) {
                found.push(format!("{place}:{line}: `{phrase}` in a message: write `{instead}`"));
            }
        }
        if is_denied_noun(&words) {
            found.push(format!(
                "{place}:{line}: `is no …` in a message: write `is not a …`, `unknown …` or `invalid …`"
            ));
        }
        if words.len() > 3 && holds(&words, "there is no") {
            found.push(format!("{place}:{line}: `there is no …` in a message: write `no …`, `… not found`"));
        }
    }
    found
}

#[test]
fn phrases_of_a_translation_are_found() {
    let found = |text: &str| translated(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(found("fn f() { say(\"the link leads nowhere\"); }"), 1);
    assert_eq!(found("fn f() { say(\"`{x}` is no rule, read it anew\"); }"), 3);
    assert_eq!(found("fn f() { say(\"`{x}` is no branch here\"); }"), 1);
    assert_eq!(found("fn f() { say(\"there is no list\"); }"), 1);
    assert_eq!(found("fn f() { say(\"no list; it is no longer a file\"); }"), 0);
    assert_eq!(found("const WORDS: [&str; 1] = [\"anew\"];"), 0);
    assert_eq!(found("// leads nowhere\nfn f() { say(\"it leads to nowhere else\"); }"), 0);
}

#[test]
fn phrases_are_found_in_identifiers() {
    let found = |text: &str| translated_names(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(found("fn links_that_lead_nowhere() {}\nfn files_passed_over() {}"), 2);
    assert_eq!(found("fn a_file_that_is_no_text() {}\nfn it_is_no_longer_read() {}"), 1);
    assert_eq!(found("fn passed() { over(); }"), 0);
}

#[test]
fn phrases_are_found_in_pages_and_comments() {
    let found = |path: &str, text: &str| translated_prose(&SourceFile::new(path, text)).len();
    assert_eq!(found("docs/a.md", "A file that a person wrote\nis passed\nover."), 2);
    assert_eq!(found("docs/a.md", "It is passed.\nOver there it is no. List it: there is no list."), 0);
    assert_eq!(
        found("targets/a/b.js", "  complain(`the matcher \\`${m}\\` is no pattern`) // of its own"),
        2
    );
    assert_eq!(found("src/a.rs", "// A file that is\n// no list.\nlet a = 1; // it is\n// no list"), 1);
    assert_eq!(found("src/a.rs", "/// Whoever writes it.\nlet a = \"whoever\"; // Read anew."), 2);
    assert_eq!(found("src/a.rs", "const A: &str = \"https://whoever.example\";"), 0);
    assert_eq!(found("tests/labelled/a.md", "Plan it once more."), 0);
}
