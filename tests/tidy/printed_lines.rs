//! What people read is made line by line, so that no name in it makes another line: reports by
//! `printable::Lines`, and what a command says by itself by the `…_line` functions of the console.

use super::files::SourceFile;
use super::hosts::without_tests;
use super::rust::{Token, tokens};

/// It draws findings with their colours, and passes each text through the sanitiser by itself.
const DRAWN: &str = "src/report/frame.rs";

/// Where a text for people is put together without the sanitiser: by `fmt::Write`, or by `format!` right where it is
/// printed.
pub fn unsafe_lines(file: &SourceFile) -> Vec<String> {
    let path = file.path.as_str();
    let shows = path.starts_with("src/report/") || path.starts_with("src/cli/") || path == "src/cli.rs";
    if !shows || path == DRAWN || path == "src/cli/console.rs" {
        return Vec::new();
    }
    let tokens = without_tests(tokens(&file.text));
    let words: Vec<(usize, &str)> = tokens
        .iter()
        .filter_map(|(line, token)| match token {
            Token::Name(word) => Some((*line, word.as_str())),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let (line, words) = (pair[0].0, [pair[0].1, pair[1].1]);
        if words == ["fmt", "Write"] {
            found.push(format!("{path}:{line}: `fmt::Write`: write to a `printable::Lines`"));
        }
        if matches!(words[0], "print" | "inform" | "error") && words[1] == "format" {
            let name = words[0];
            found.push(format!("{path}:{line}: `{name}(&format!(…))`: call `{name}_line`"));
        }
    }
    found
}

#[test]
fn lines_that_pass_by_the_sanitiser_are_found() {
    let found = |path: &str, text: &str| unsafe_lines(&SourceFile::new(path, text)).len();
    assert_eq!(found("src/report/x.rs", "use std::fmt::Write as _;"), 1);
    assert_eq!(found("src/cli/x.rs", "console.inform(&format!(\n\"{name}\\n\"));"), 1);
    assert_eq!(found("src/cli.rs", "console.error(&format!(\"{name}\"));"), 1);
    assert_eq!(found("src/cli/x.rs", "console.error_line(&format!(\"{name}\")); console.print(&text);"), 0);
    assert_eq!(found("src/emit/x.rs", "use std::fmt::Write;"), 0);
}
