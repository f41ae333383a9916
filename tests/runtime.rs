//! The helper's commands through the built binary: cases as data in `tests/runtime/cases`, one file per group of
//! commands. Each has its number in `listed.toml`, an exit code and an assertion on its output, and every
//! output fits the published schema of its command.

pub mod case;
mod conventions;
mod counts;
pub mod fixture;
mod git_programs;
mod github;
mod hostile;
mod signals;
mod skills;
pub mod subset;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{found_in_each, none_left, print_line, root};
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
    let findings = found_in_each(&cases, fixture::play);
    print_line(&format!("{} cases of the helper", cases.len()));
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
            let looks = step.after.contains("\"$OUT\"");
            if step.wanted(str::to_owned).as_ref().is_none_or(is_empty) && step.stdout.is_none() && !looks {
                findings.push(format!("{}: nothing is asserted of its output", case.id));
            }
        }
    }
    findings
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_none_or(serde_json::Map::is_empty)
}

/// Codes that no case can provoke at once, with what shows them instead.
const ELSEWHERE: [(&str, &str); 20] = [
    ("untrusted_state", "hostile::links_and_special_files_below_the_state_root_are_refused_with_their_path"),
    (
        "tracked_state",
        "hostile::a_branch_that_tracks_a_journal_and_a_link_below_runs_writes_and_deletes_nothing_outside",
    ),
    ("locked", "not provoked here: another process must hold the lock for five seconds"),
    ("helper_too_old", "conventions::an_old_helper_says_so_before_anything_else"),
    ("interrupted", "an interrupt ends the child and is told by the foundation"),
    ("usage", "conventions::a_wrong_call_says_what_was_perhaps_meant"),
    ("timeout", "faults::causes::a_program_that_does_not_end_is_exit_7"),
    ("too_much_output", "not provoked: it takes 256 MiB"),
    ("child_failed", "not provoked"),
    ("git_missing", "not provoked"),
    ("git_failed", "`repo surfaces` in 1-11-surfaces.toml"),
    ("git_unexpected", "`repo surfaces` in 1-11-surfaces.toml"),
    ("sandboxed", "hosts::sandboxes"),
    ("gh_missing", "not provoked"),
    ("gh_auth", "github::what_is_not_there_and_who_is_not_signed_in_are_told_apart"),
    ("gh_forbidden", "github::each_way_in_which_github_refuses_has_its_code_and_its_own_words"),
    ("gh_failed", "github::each_way_in_which_github_refuses_has_its_code_and_its_own_words"),
    ("gh_not_found", "github::what_is_not_there_and_who_is_not_signed_in_are_told_apart"),
    ("rate_limited", "github::each_way_in_which_github_refuses_has_its_code_and_its_own_words"),
    ("input_unreadable", "16/12-closed-input; a pipe that fails is not provoked"),
];

#[test]
fn every_published_code_of_reviews_and_feedback_is_provoked_by_a_case() {
    let mut published_codes = BTreeSet::new();
    let groups = ["review", "feedback"];
    let is_in_group = |word: &str| groups.contains(&word);
    for row in plugcast::runtime::published::COMMANDS
        .iter()
        .filter(|row| row.command.split(' ').next().is_some_and(is_in_group))
    {
        let codes = plugcast::runtime::published::codes::command_codes(row.command);
        published_codes.extend(codes.into_iter().map(|(code, _)| code.to_string()));
    }
    let mut provoked: BTreeSet<String> = ELSEWHERE.iter().map(|(code, _)| (*code).to_owned()).collect();
    for case in cases() {
        for step in case.steps.iter().filter(|step| step.argv.first().is_some_and(|group| is_in_group(group)))
        {
            let wanted = step.wanted(str::to_owned).unwrap_or_default();
            provoked.extend(wanted["error"]["code"].as_str().map(str::to_owned));
        }
    }
    let missing: Vec<String> = published_codes.difference(&provoked).cloned().collect();
    none_left("codes that no case provokes", &missing);
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
