//! Ids of rules: outside of the lists that `build.rs` makes constants of, code takes the constant.

use std::collections::BTreeSet;

use super::files::SourceFile;
use super::hosts::{is_test_file, without_tests};
use super::rust::{Token, tokens};

/// Where ids are written: the table of rules, and the lists of pages.
const LISTS: [&str; 3] = ["src/check/rules/", "src/build/pages.rs", "src/release/pages.rs"];

/// Where an id is made from a line of the table.
const MAKERS: [&str; 2] = ["src/diagnostic/rule_id.rs", "src/check/rule.rs"];

/// The ids of several words that the lists have: one word may mean anything else.
pub fn listed(files: &[SourceFile]) -> BTreeSet<String> {
    let texts = files.iter().filter(|file| is_list(file)).flat_map(|file| tokens(&file.text));
    let texts = texts.filter_map(|(_, token)| if let Token::Text(text) = token { Some(text) } else { None });
    let pages =
        texts.filter_map(|text| Some(text.strip_suffix(".md")?.rsplit('/').next()?.replace('_', "-")));
    pages.filter(|id| id.contains('-')).collect()
}

fn is_list(file: &SourceFile) -> bool {
    LISTS.iter().any(|list| file.path.starts_with(list))
}

/// Ids in strings, and ids that are made of strings.
pub fn written(ids: &BTreeSet<String>, file: &SourceFile) -> Vec<String> {
    if is_list(file) || is_test_file(&file.path) {
        return Vec::new();
    }
    let is_maker = MAKERS.contains(&file.path.as_str());
    let mut found = Vec::new();
    for (line, token) in without_tests(tokens(&file.text)) {
        let place = &file.path;
        match token {
            Token::Text(text) if ids.contains(&text) => {
                let constant = text.to_uppercase().replace('-', "_");
                found.push(format!("{place}:{line}: `{text}`: write `RuleId::{constant}`"));
            }
            Token::Name(name) if name == "from_static" && !is_maker => {
                found.push(format!("{place}:{line}: take the constant of `RuleId`"));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn written_ids_are_found() {
    let list = SourceFile::new("src/check/rules/one_rule.rs", "page: include_str!(\"one_rule.md\"),");
    let ids = listed(&[list]);
    let found = |path: &str, text: &str| written(&ids, &SourceFile::new(path, text)).len();
    assert_eq!(found("src/model.rs", "in_file(file, span, \"one-rule\", message)"), 1);
    assert_eq!(found("src/model.rs", "RuleId::from_static(\"other\")"), 1);
    assert_eq!(found("src/model.rs", "in_file(file, span, RuleId::ONE_RULE, \"not one-rule\")"), 0);
    assert_eq!(found("src/check/rules/one_rule.rs", "name: \"one-rule\","), 0);
}
