//! The labelled trees in `tests/labelled`, one page per rule: each rule reports in them what their labels list,
//! and nothing in a trap.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::pages::{self, Tree};
use crate::support::run::Plugcast;
use crate::support::{none_left, root};

/// The labelled trees of a rule.
fn trees(rule: &str) -> Vec<Tree> {
    let page = fs::read_to_string(root().join(format!("tests/labelled/{rule}.md")));
    page.map(|page| pages::trees(&page, "tree")).unwrap_or_default()
}

/// Writes the trees of a rule into `folder`, each into a folder of its name.
pub fn write(rule: &str, folder: &Path) {
    let trees = trees(rule);
    assert!(!trees.is_empty(), "{rule} has no labelled tree");
    for Tree { heading, files } in &trees {
        let folder = folder.join(heading);
        assert!(!folder.exists(), "{rule}: two trees are called {heading}");
        pages::write(files, &folder);
    }
}

/// The rules that have labelled trees.
fn rules() -> Vec<String> {
    let pages = fs::read_dir(root().join("tests/labelled")).expect("the pages").flatten();
    let names = pages.filter_map(|page| page.file_name().into_string().ok());
    let mut rules: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect();
    rules.sort();
    rules
}

/// `PLUGCAST_LABELLED=hook-event` (or `hook-event/misspelt`) measures these trees alone, and
/// `PLUGCAST_KEEP=FOLDER` writes all of them there and keeps them.
#[test]
fn rules_find_what_is_labelled_and_nothing_else() {
    let scratch = tempfile::tempdir().expect("a folder");
    let kept = std::env::var("PLUGCAST_KEEP").ok();
    let folder = kept.as_ref().map_or(scratch.path(), Path::new);
    for rule in rules() {
        write(&rule, &folder.join(rule.as_str()));
    }
    let cases = std::env::var("PLUGCAST_LABELLED").unwrap_or_else(|_| ".".to_owned());
    let finished = Plugcast::new(folder, &["eval", &cases, "--format", "json"]).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    assert_eq!(report["differences"], Value::Array(Vec::new()), "{:#}", report["differences"]);
    assert_eq!(finished.code, Some(0));
    let written: usize = rules().iter().map(|rule| trees(rule).len()).sum();
    assert!(cases != "." || report["cases"] == written, "{} of {written}", report["cases"]);
}

#[test]
fn every_rule_that_is_on_by_default_has_two_traps() {
    let finished = Plugcast::new(root(), &["rules", "--format", "json"]).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let rules = report["rules"].as_array().expect("the rules");
    let on: Vec<&str> =
        rules.iter().filter(|rule| rule["on"] == true).filter_map(|rule| rule["name"].as_str()).collect();
    assert!(on.len() > 40, "the rules that are on: {on:?}");
    let traps = |rule: &str| trees(rule).iter().filter(|tree| tree.heading.starts_with("trap-")).count();
    let few: Vec<String> = on.into_iter().filter(|rule| traps(rule) < 2).map(str::to_owned).collect();
    none_left("rules with fewer than two traps", &few);
}
