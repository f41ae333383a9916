//! What an author says about losses: `--deny-loss`, `--deny-new-losses`, `[[accept-loss]]`.

use std::path::Path;

use serde_json::Value;

use crate::support::run::{Finished, Plugcast};
use crate::support::tree::Tree;

/// An agent whose tool limit Codex cannot enforce, and a skill with a grant that it does not know.
fn source(config: &str) -> Tree {
    let tree = Tree::new()
        .file("in/agents/checker.md", "---\ndescription: Checks.\ntools: Read\n---\nCheck.\n")
        .file("in/skills/plan/SKILL.md", "---\ndescription: Plans.\nallowed-tools: Read\n---\nPlan.\n");
    if config.is_empty() { tree } else { tree.file("in/plugcast.toml", config) }
}

fn build(folder: &Path, more: &[&str]) -> Finished {
    let arguments =
        [&["build", "in", "--name", "kit", "--to", "codex", "--out", "out", "--format", "json"], more]
            .concat();
    Plugcast::new(folder, &arguments).run()
}

/// The ids of denied losses, and how many files were written.
fn denied(finished: &Finished) -> (Vec<String>, u64) {
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let diagnostics = report["diagnostics"].as_array().expect("a list");
    let messages = diagnostics.iter().filter(|found| found["rule"] == "denied-loss");
    let ids = messages.map(|found| {
        found["message"].as_str().unwrap_or_default().split('`').nth(1).unwrap_or_default().to_owned()
    });
    (ids.collect(), report["targets"][0]["written"].as_u64().expect("a number"))
}

const LIMIT: &str = "tool-limits/kit/agent/checker/tools";
const GRANT: &str = "tool-grants/kit/skill/plan/allowed-tools";

#[test]
fn a_denied_class_takes_graver_ones_with_it_and_nothing_is_written() {
    let folder = source("").temporary();
    let finished = build(folder.path(), &["--deny-loss", "security"]).expect_code(1);
    assert_eq!(denied(&finished), (vec![LIMIT.to_owned()], 0));
    let finished = build(folder.path(), &["--deny-loss", "behavior"]).expect_code(1);
    assert_eq!(denied(&finished), (vec![LIMIT.to_owned(), GRANT.to_owned()], 0));
    assert!(!folder.path().join("out/codex").exists());
    build(folder.path(), &[]).expect_code(0);
}

#[test]
fn the_configuration_denies_and_accepts_for_the_hosts_it_names() {
    let accept = |hosts: &str| {
        format!(
            "[build]\ndeny-loss = [\"security\"]\n[[accept-loss]]\nid = \"tool-limits/kit/**\"\nhosts = [{hosts}]\nreason = \"r\"\n"
        )
    };
    let folder = source(&accept("\"opencode\"")).temporary();
    assert_eq!(denied(&build(folder.path(), &[]).expect_code(1)).0, [LIMIT]);
    let folder = source(&accept("\"codex\"")).temporary();
    let finished = build(folder.path(), &[]).expect_code(0);
    assert!(denied(&finished).0.is_empty());
    let ledger =
        std::fs::read_to_string(folder.path().join("out/codex/.plugcast/ledger.json")).expect("a ledger");
    let ledger: Value = serde_json::from_str(&ledger).expect("JSON");
    let rows = ledger["rows"].as_array().expect("rows");
    let accepted =
        rows.iter().filter(|row| row["loss"]["accepted"] == true).map(|row| row["loss"]["id"].as_str());
    assert_eq!(accepted.collect::<Vec<_>>(), [Some(LIMIT)]);
}

#[test]
fn a_loss_is_new_when_the_last_ledger_does_not_have_it() {
    let folder = source("").temporary();
    assert_eq!(denied(&build(folder.path(), &["--deny-new-losses"]).expect_code(1)).0.len(), 2);
    build(folder.path(), &[]).expect_code(0);
    build(folder.path(), &["--deny-new-losses"]).expect_code(0);
    let agent = folder.path().join("in/agents/checker.md");
    std::fs::write(&agent, "---\ndescription: Checks.\ntools: Read\nmemory: user\n---\nCheck.\n")
        .expect("written");
    let finished = build(folder.path(), &["--deny-new-losses"]).expect_code(1);
    assert_eq!(denied(&finished), (vec!["agent-options/kit/agent/checker/memory".to_owned()], 0));
}

#[test]
fn an_unknown_class_is_a_usage_error() {
    let folder = source("[build]\ndeny-loss = [\"grave\"]\n").temporary();
    let finished = build(folder.path(), &[]).expect_code(2);
    assert!(finished.stdout.contains("`grave`"), "{}", finished.stdout);
}
