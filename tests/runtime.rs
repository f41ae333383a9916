//! The helper's commands through the built binary: cases as data in `tests/runtime/cases`, one file a group of
//! commands. Each has its number in `listed.toml`, an exit code and an assertion on its output, and every
//! output fits the published schema of its command.

pub mod case;
mod conventions;
mod counts;
mod git_programs;
mod github;
pub mod scene;
mod skills;
pub mod subset;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{found_in_each, none_left, root, say};
use case::Case;

/// All cases, in the order of the files.
pub fn cases() -> Vec<Case> {
    let folder = root().join("tests/runtime/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the cases").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a file of cases");
    files.iter().flat_map(|path| case::read(&path.display().to_string(), &read(path))).collect()
}

#[test]
fn every_case_answers_as_it_says() {
    let only = std::env::var("PLUGCAST_CASE").ok();
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| only.as_ref().is_none_or(|only| case.id.starts_with(only.as_str())))
        .collect();
    assert!(!cases.is_empty(), "no case has that number");
    let findings = found_in_each(&cases, scene::play);
    say(&format!("{} cases of the helper", cases.len()));
    none_left("cases of the helper (PLUGCAST_CASE=ID runs one)", &findings);
}

#[test]
fn every_listed_number_has_a_whole_case() {
    let text = std::fs::read_to_string(root().join("tests/runtime/listed.toml")).expect("the list");
    let listed: BTreeMap<String, toml::Value> = toml::from_str(&text).expect("the list is TOML");
    none_left("numbers and cases", &unmatched(&listed, &cases()));
}

/// Listed numbers without a case, cases that are not listed, and cases that would pass with any answer.
fn unmatched(listed: &BTreeMap<String, toml::Value>, cases: &[Case]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut numbers = BTreeSet::new();
    for (section, value) in listed {
        let most = value.as_integer().unwrap_or_default();
        numbers.extend((1..=most).map(|number| format!("{section}/{number}")));
        let picked = value.as_array().into_iter().flatten().filter_map(toml::Value::as_integer);
        numbers.extend(picked.map(|number| format!("{section}/{number}")));
    }
    let there: BTreeSet<String> = cases.iter().map(Case::number).collect();
    findings.extend(numbers.difference(&there).map(|id| format!("{id}: listed, without a case")));
    findings.extend(there.difference(&numbers).map(|id| format!("{id}: a case that is not listed")));
    let mut seen = BTreeSet::new();
    for case in cases {
        if !seen.insert(&case.id) {
            findings.push(format!("{}: twice", case.id));
        }
        if case.steps.is_empty() {
            findings.push(format!("{}: nothing is called", case.id));
        }
        for step in &case.steps {
            if step.exit.is_none() {
                findings.push(format!("{}: no exit code", case.id));
            }
            if step.wanted(str::to_owned).as_ref().is_none_or(is_empty) && step.stdout.is_none() {
                findings.push(format!("{}: nothing is asserted of its output", case.id));
            }
        }
    }
    findings
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_none_or(serde_json::Map::is_empty)
}

#[test]
fn missing_extra_and_empty_cases_are_found() {
    let listed = BTreeMap::from([("1.3".to_owned(), toml::Value::from(3))]);
    let cases = case::read(
        "x",
        "[[case]]\nid = \"1.3/1\"\nargv = []\nexit = 0\njson = '{}'\n\
         [[case]]\nid = \"1.3/2-b\"\nargv = []\nstdout = \"x\"\n\
         [[case]]\nid = \"1.4/1\"\nargv = []\nexit = 0\njson = '{\"a\":1}'\n",
    );
    let found = unmatched(&listed, &cases).join("\n");
    for part in ["1.3/1: nothing", "1.3/2-b: no exit", "1.3/3: listed", "1.4/1: a case that"] {
        assert!(found.contains(part), "`{part}` is missing in {found}");
    }
    assert!(!found.contains("1.3/2: listed"), "a case with a letter stands for its number: {found}");
}
