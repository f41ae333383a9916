//! `--shard`: the parts share nothing, and their SARIF logs together are the log of the whole.

use std::collections::BTreeSet;

use serde_json::Value;

use super::formats::assert_valid;
use super::{json, run, skill};
use crate::support::tree::Tree;

#[test]
fn logs_of_all_parts_together_are_the_log_of_the_whole() {
    let mut tree = Tree::new().file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n");
    for n in 0..40 {
        tree = tree.file(&format!("src/skills/s{n}/SKILL.md"), skill(&format!("other{n}")));
    }
    let folder = tree.temporary();
    let log = |part: &[&str]| {
        json(&run(folder.path(), &[&["src", "--to", "all", "--format", "sarif"], part].concat()))
    };
    let whole = log(&[]);
    let results = |log: &Value| -> Vec<String> {
        log["runs"][0]["results"].as_array().expect("results").iter().map(Value::to_string).collect()
    };
    let parts: Vec<Value> = (1..=3).map(|n| log(&["--shard", &format!("{n}/3")])).collect();
    let mut together = Vec::new();
    let mut ids = BTreeSet::new();
    for part in &parts {
        assert_valid(part);
        assert_eq!(part["runs"][0]["tool"], whole["runs"][0]["tool"], "results index the same rules");
        ids.insert(part["runs"][0]["automationDetails"]["id"].as_str().expect("an id").to_owned());
        assert!(results(part).len() > 4, "{}", results(part).len());
        together.extend(results(part));
    }
    let expected = ["plugcast/1-of-3/", "plugcast/2-of-3/", "plugcast/3-of-3/"];
    assert_eq!(ids.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    together.sort();
    let mut all = results(&whole);
    all.sort();
    assert_eq!(together, all);
    assert!(all.len() >= 40);
}

#[test]
fn a_path_that_is_not_a_part_is_refused() {
    let folder = super::plugin().temporary();
    for wrong in ["0/2", "3/2", "2", "x/y"] {
        let refused = run(folder.path(), &["src", "--shard", wrong]).expect_code(2);
        assert!(refused.stderr.contains("such as `2/5`"), "{}", refused.stderr);
    }
}
