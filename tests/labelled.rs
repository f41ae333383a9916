//! The labelled trees in `tests/labelled`: each rule finds in them what their labels say, and no trap
//! makes one speak.

use serde_json::Value;

use crate::support::root;
use crate::support::run::Plugcast;

#[test]
fn rules_find_what_is_labelled_and_nothing_else() {
    let finished = Plugcast::new(root(), &["eval", "tests/labelled", "--format", "json"]).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    assert_eq!(report["differences"], Value::Array(Vec::new()), "{:#}", report["differences"]);
    assert_eq!(finished.code, Some(0));
    assert!(report["cases"].as_u64() >= Some(160), "{}", report["cases"]);
}
