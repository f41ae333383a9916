//! The labelled trees in `tests/labelled`: each rule finds in them what their labels say, and no trap
//! makes one speak.

use std::fs;

use serde_json::Value;

use crate::support::run::Plugcast;
use crate::support::{none_left, root};

#[test]
fn rules_find_what_is_labelled_and_nothing_else() {
    let finished = Plugcast::new(root(), &["eval", "tests/labelled", "--format", "json"]).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    assert_eq!(report["differences"], Value::Array(Vec::new()), "{:#}", report["differences"]);
    assert_eq!(finished.code, Some(0));
    assert!(report["cases"].as_u64() >= Some(160), "{}", report["cases"]);
}

#[test]
fn every_rule_that_is_on_by_default_has_two_traps() {
    let finished = Plugcast::new(root(), &["rules", "--format", "json"]).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let rules = report["rules"].as_array().expect("the rules");
    let on: Vec<&str> =
        rules.iter().filter(|rule| rule["on"] == true).filter_map(|rule| rule["name"].as_str()).collect();
    assert!(on.len() > 40, "the rules that are on: {on:?}");
    let traps = |rule: &str| {
        let trees = fs::read_dir(root().join("tests/labelled").join(rule));
        let names = trees.into_iter().flatten().flatten().map(|tree| tree.file_name());
        names.filter(|name| name.to_string_lossy().starts_with("trap-")).count()
    };
    let few: Vec<String> = on.into_iter().filter(|rule| traps(rule) < 2).map(str::to_owned).collect();
    none_left("rules with fewer than two traps", &few);
}
