//! Committed bundles: fresh, and verified in this state with the pinned host.

use std::path::Path;

use serde_json::Value;

use super::{NONE, commit, committed, found, git, message, plugin, run, skill, state, write};
use crate::support::run::Plugcast;

const LISTED: &str = "dist/codex/.plugcast/manifest.json:1 error";

fn build(folder: &Path) {
    Plugcast::new(folder, &["build", "--to", "codex", "--helper", "none", "--out", "dist"])
        .run()
        .expect_code(0);
}

/// Writes the record that a verification of this very bundle leaves.
fn verify(folder: &Path, change: impl Fn(&mut Value)) {
    let text = std::fs::read_to_string(folder.join("dist/codex/.plugcast/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let targets =
        Plugcast::new(folder, &["targets", "--explain", "codex", "host.version"]).run().expect_code(0).stdout;
    let version =
        targets.split(['"', '`', ' ', '\n']).find(|word| word.split('.').count() == 3).expect("a version");
    let names = serde_json::json!({
        "skills": ["demo:plan"], "agents": [], "commands": [], "hooks": [], "mcp_servers": [],
    });
    let mut record = serde_json::json!({
        "schema": "plugcast.verified/1", "digest": manifest["digest"], "host": "codex", "version": version,
        "helper_versions": [], "plugins": [{
            "name": "demo", "expected": names, "observed": names, "method": {},
            "missing": [], "unexpected": [], "errors": [],
        }],
    });
    change(&mut record);
    write(folder, "dist/codex/.plugcast/verified.json", &record.to_string());
}

#[test]
fn committed_bundles_are_fresh_and_verified() {
    let folder = committed(&plugin());
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    build(at);
    assert_eq!(found(at, &[]), NONE, "what is not committed is nobody's business");
    commit(at, "the bundle");
    assert_eq!(found(at, &[]), [format!("{LISTED} bundle-unverified")]);
    verify(at, |_| ());
    assert_eq!(found(at, &[]), NONE);
    verify(at, |record| record["version"] = "0.0.1".into());
    assert!(message(at, "bundle-unverified", &[]).contains("was verified with version 0.0.1 of the host"));
    verify(at, |record| record["digest"] = "x".into());
    assert!(message(at, "bundle-unverified", &[]).contains("its digest differs"));
    verify(at, |record| record["plugins"] = Value::Array(Vec::new()));
    assert!(message(at, "bundle-unverified", &[]).contains("incomplete verification of `demo`"));
    verify(at, |record| record["plugins"][0]["missing"] = vec!["demo:plan"].into());
    assert!(message(at, "bundle-unverified", &[]).contains("incomplete verification of `demo`"));
    verify(at, |record| record["schema"] = "plugcast.verified/9".into());
    assert!(message(at, "bundle-unverified", &[]).contains("is newer than this plugcast"));
    write(at, "dist/codex/.plugcast/verified.json", "{");
    assert!(message(at, "bundle-unverified", &[]).contains("invalid verification record"));
    // It is a file of the plugin, too.
    write(at, "plugcast.toml", "[release]\nverified = false\n");
    build(at);
    assert_eq!(found(at, &[]), NONE);
    write(at, "skills/plan/SKILL.md", &(skill("plan") + "More.\n"));
    let all = found(at, &[]);
    assert!(all.contains(&format!("{LISTED} bundle-stale")), "{all:?}");
    let finding = message(at, "bundle-stale", &[]);
    assert!(
        finding.contains("run `plugcast build --to codex --out dist` and commit the result"),
        "{finding}"
    );
    build(at);
    assert!(!found(at, &[]).iter().any(|line| line.contains("bundle")));
}

#[test]
fn configured_bundles_must_be_there() {
    let folder = committed(&plugin().file("plugcast.toml", "[release]\nbundles = [\"built\"]\n"));
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    assert_eq!(found(at, &[]), ["built:1 error bundle-missing"]);
    write(at, "built/codex/.plugcast/manifest.json", "{");
    let ended = run(at, &[]).expect_code(2);
    assert!(ended.stderr.contains("is not valid JSON"), "{}", ended.stderr);
}

#[test]
fn a_killed_exchange_is_completed_by_a_build_before_bundles_are_looked_at() {
    let folder = committed(&plugin());
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    build(at);
    verify(at, |_| ());
    commit(at, "the bundle");
    let before = state(at);
    crate::support::killed_exchange(&at.join("dist/codex"));
    let refused = run(at, &[]).expect_code(2);
    assert!(refused.stderr.contains("an interrupted build"), "{}", refused.stderr);
    build(at);
    assert_eq!(found(at, &[]), NONE);
    assert_eq!(state(at), before);
}
