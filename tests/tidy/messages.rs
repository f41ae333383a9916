//! Phrases that a message may not have: each reads as a translation, and another one says it.

use super::files::SourceFile;
use super::hosts::{is_test_file, without_tests};
use super::rust::{Token, tokens};

/// The phrases, and what to write.
const PHRASES: [(&str, &str); 16] = [
    ("anew", "again"),
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
];

/// Such phrases in the strings of a file, unit tests left out. A string of one word is data.
pub fn translated(file: &SourceFile) -> Vec<String> {
    if is_test_file(&file.path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, token) in without_tests(tokens(&file.text)) {
        let Token::Text(text) = token else { continue };
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        for (phrase, instead) in PHRASES {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            if words.len() > 1 && words.windows(phrase.len()).any(|part| part == phrase) {
                let (place, phrase) = (&file.path, phrase.join(" "));
                found.push(format!("{place}:{line}: `{phrase}` in a message: write `{instead}`"));
            }
        }
    }
    found
}

#[test]
fn phrases_of_a_translation_are_found() {
    let found = |text: &str| translated(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(found("fn f() { say(\"the link leads nowhere\"); }"), 1);
    assert_eq!(found("fn f() { say(\"`{x}` is no rule, read it anew\"); }"), 2);
    assert_eq!(found("const WORDS: [&str; 1] = [\"anew\"];"), 0);
    assert_eq!(found("// leads nowhere\nfn f() { say(\"it leads to nowhere else\"); }"), 0);
}
