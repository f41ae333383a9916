//! The pages of the rules are their tests: what a page shows as failing fails by that rule, what it
//! shows as passing does not, and a fix of a failing example passes and changes nothing twice.

use std::fs;
use std::path::Path;

use plugcast::check::rule::RuleCheck;
use plugcast::check::rules::RULES;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::pages::{self, File};
use crate::support::root;
use crate::support::run::Plugcast;

/// The examples of a page that are fenced as `kind`: each a list of files with their text.
pub fn examples(page: &str, kind: &str) -> Vec<Vec<File>> {
    pages::trees(page, kind).into_iter().map(|tree| tree.files).collect()
}

/// The files below `demo` in a fresh folder.
pub fn write(files: &[File]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    pages::write(files, &folder.path().join("demo"));
    folder
}

/// Selects `rule` alone, unless the source in `folder` has settings for `check`.
pub fn select(folder: &Path, rule: &str) {
    let config = folder.join("demo/plugcast.toml");
    let own = fs::read_to_string(&config).unwrap_or_default();
    if !own.contains("[check]") {
        fs::write(&config, format!("[check]\nselect = [\"{rule}\"]\n{own}")).expect("a file");
    }
}

/// The rules that report something in the source in `folder`, in the order of their findings.
fn spoken(folder: &Path, rule: &str) -> Vec<String> {
    select(folder, rule);
    let finished = Plugcast::new(folder, &["check", "demo", "--to", "all", "--format", "json"]).run();
    let shown: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{rule}: {error}: {}{}", finished.stdout, finished.stderr));
    let findings = shown["diagnostics"].as_array().expect("a list");
    // A note of another rule says that nothing is needed.
    let counts = |found: &&Value| found["rule"] == rule || found["severity"] != "info";
    findings
        .iter()
        .filter(counts)
        .map(|found| found["rule"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_file_that_a_rule_names_reports_it() {
    for rule in RULES {
        let RuleCheck::ReportedBy(file) = rule.check else { continue };
        let text = fs::read_to_string(root().join(file)).expect(file);
        let is_reported = text.contains(&constant(rule.name)) || text.contains(&fault_kind(rule.name));
        assert!(is_reported, "{}: `{file}` does not report it", rule.name);
    }
}

/// The constant of a rule's id.
fn constant(rule: &str) -> String {
    format!("RuleId::{}", rule.to_uppercase().replace('-', "_"))
}

/// The kind of fault that readers report under a rule: `FaultKind::YamlSyntax` for `yaml-syntax`.
fn fault_kind(rule: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    format!("FaultKind::{}", rule.split('-').map(capital).collect::<String>())
}

#[test]
fn examples_of_every_page_fail_and_pass_as_it_says() {
    for rule in RULES {
        let (fails, passes) = (examples(rule.page, "fails"), examples(rule.page, "passes"));
        assert!(!fails.is_empty() && !passes.is_empty(), "{}: the page has no example of both", rule.name);
        for files in &fails {
            let found = spoken(write(files).path(), rule.name);
            assert_eq!(found, [rule.name], "{}: a failing example", rule.name);
        }
        for files in &passes {
            let found = spoken(write(files).path(), rule.name);
            assert_eq!(found, [""; 0], "{}: a passing example", rule.name);
        }
    }
}

/// Counts of public repositories, which were judged by reading, are worth something as long as their rules exist.
#[test]
fn the_counts_of_public_repositories_name_known_rules_and_commits() {
    let path = crate::support::root().join("tests/snapshots/check.json");
    let counts: Value = serde_json::from_str(&fs::read_to_string(path).expect("the counts")).expect("JSON");
    let repositories = counts.as_object().expect("an object");
    assert!(repositories.len() >= 7, "{counts:#}");
    for (label, found) in repositories {
        let commit = label.rsplit_once('@').map_or("", |(_, commit)| commit);
        assert!(commit.len() >= 8 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{label}");
        let settings = ["default", "source host"].map(|setting| found[setting].as_object().expect("counts"));
        for rule in settings
            .iter()
            .flat_map(|counts| counts.values())
            .flat_map(|counts| counts.as_object().expect("counts").keys())
        {
            assert!(RULES.iter().any(|known| known.name == rule), "{label}: unknown rule `{rule}`");
        }
    }
}

/// Every finding of the public repositories was judged by reading: errors are true, and of ten warnings the author would act
/// on nine.
#[test]
fn what_is_found_in_public_repositories_is_right() {
    let read = |name: &str| -> Value {
        let path = crate::support::root().join("tests/snapshots").join(name);
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
    };
    let (judged, counts) = (read("judged.json"), read("check.json"));
    let judged = judged.as_array().expect("a list");
    for (label, found) in counts.as_object().expect("an object") {
        for (severity, kind) in [("errors", "error"), ("warnings", "warning")] {
            let counted: u64 = found["default"][severity]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, n)| n.as_u64())
                .sum();
            let own = judged.iter().filter(|one| one["repository"] == *label && one["severity"] == kind);
            let count = own.count() as u64;
            assert_eq!(count, counted, "{label}: {severity} that were judged, and that are counted");
        }
    }
    let right = |severity: &str| {
        let of: Vec<&Value> = judged.iter().filter(|one| one["severity"] == severity).collect();
        (of.iter().filter(|one| one["right"] == true).count(), of.len())
    };
    let (errors, warnings) = (right("error"), right("warning"));
    assert_eq!(errors.0, errors.1, "every error is true");
    assert!(warnings.1 >= 200 && warnings.0 * 10 >= warnings.1 * 9, "{warnings:?}");
}
