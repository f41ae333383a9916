//! The gallery: everything that people read, through the built binaries, in four files that read from top to bottom
//! like a document. `INSTA_UPDATE=always cargo test gallery` writes them again; read what changed.

mod commands;
mod errors;
mod helper;
mod rules;
mod run;

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::root;

/// Compares one document with `tests/gallery/<name>.snap`.
fn assert_document(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/gallery"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The words after `prefix` in the headings of a document.
fn headings(document: &str, prefix: &str) -> BTreeSet<String> {
    document.lines().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect()
}

/// Help without the options that every command has, which the first help of a document shows.
fn without_global_options(help: &str, heading: &str) -> String {
    let Some((before, rest)) = help.split_once(&format!("\n{heading}:\n")) else { return help.to_owned() };
    // What follows the section is not indented.
    let indented = |line: &&str| line.is_empty() || line.starts_with(' ');
    let kept: Vec<&str> = rest.lines().skip_while(indented).collect();
    let after = if kept.is_empty() { String::new() } else { format!("\n{}\n", kept.join("\n")) };
    format!("{before}{after}")
}

/// Every `code` that follows one of `openings` as a string literal in the Rust files below `folder`.
fn codes_in(folder: &Path, openings: &[&str], skipped: &[&str]) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if skipped.contains(&name.trim_end_matches(".rs")) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                codes.extend(codes_of(&std::fs::read_to_string(path).expect("a source file"), openings));
            }
        }
    }
    codes
}

fn codes_of(source: &str, openings: &[&str]) -> Vec<String> {
    let mut codes = Vec::new();
    for opening in openings {
        for rest in source.split(opening).skip(1) {
            let literal = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
            codes.extend(literal.map(|(code, _)| code.to_owned()));
        }
    }
    codes
}

#[test]
fn codes_are_found_on_the_same_line_and_on_the_next() {
    let source = "code: \"io\".into(),\nFailure::new(\n    MALFORMED,\n    \"no_run\",\n)\ncode: variable,";
    assert_eq!(codes_of(source, &["code: ", "MALFORMED,"]), ["io", "no_run"]);
}
