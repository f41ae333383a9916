//! `--baseline`: what it has is not said again, whatever moves, and what it no longer needs is said.

use std::fs;

use serde_json::Value;

use super::{THREE, TWO, found, json, plugin, run, skill};

#[test]
fn known_findings_are_silent_until_they_change() {
    let folder = plugin().temporary();
    let written = run(folder.path(), &["src", "--write-baseline", "known.json"]).expect_code(0);
    assert_eq!(written.stdout, "2 findings written to `known.json`\n");
    let with = ["src", "--baseline", "known.json"];
    assert_eq!(found(&folder, &with), [""; 0]);
    let shown = json(&run(folder.path(), &[&with[..], &["--format", "json"]].concat()));
    assert_eq!(shown["summary"]["known"], 2);

    let two = folder.path().join("src/skills/two/SKILL.md");
    fs::write(&two, skill("second").replacen("---\n", "---\nlicense: MIT\n", 1)).unwrap();
    assert_eq!(found(&folder, &with), [""; 0], "lines moved");
    fs::write(&two, skill("other")).unwrap();
    let stale = "skills/two/SKILL.md:1 stale-baseline";
    assert_eq!(found(&folder, &with), [stale, TWO], "another line");
    fs::write(&two, skill("two")).unwrap();
    assert_eq!(found(&folder, &with), [stale]);
    assert_eq!(found(&folder, &[&with[..], &["--shard", "1/1"]].concat()), [stale]);
    run(folder.path(), &["src", "--write-baseline", "known.json"]).expect_code(0);
    assert_eq!(found(&folder, &with), [""; 0]);
}

#[test]
fn the_configuration_names_a_baseline_that_counts_from_its_folder() {
    let folder = plugin().file("plugcast.toml", "[check]\nbaseline = \"known.json\"\n").temporary();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let none = run(folder.path(), &["src"]).expect_code(2);
    assert!(
        none.stderr.contains("known.json` does not exist") && none.stderr.contains("help: "),
        "{}",
        none.stderr
    );
    run(folder.path(), &["src", "--write-baseline", "known.json"]).expect_code(0);
    assert_eq!(found(&folder, &["src"]), [""; 0]);
    let fixed = json(&run(folder.path(), &["src", "--fix", "--unsafe-fixes", "--format", "json"]));
    assert!(fixed["summary"]["fixed"].is_null(), "what is known is not fixed: {:#}", fixed["summary"]);
}

#[test]
fn equal_lines_are_told_apart_and_bad_files_refused() {
    let folder = plugin().temporary();
    run(folder.path(), &["src", "--write-baseline", "known.json"]).expect_code(0);
    let path = folder.path().join("known.json");
    let mut known: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(known["findings"].as_array().unwrap().len(), 2);
    known["findings"].as_array_mut().unwrap().pop();
    fs::write(&path, known.to_string()).unwrap();
    assert_eq!(found(&folder, &["src", "--baseline", "known.json"]).len(), 1);
    for (text, message) in [
        ("{", "known.json:1:"),
        ("{\"schema\": \"plugcast.baseline/9\", \"findings\": []}", "newer than this plugcast"),
        ("{\"schema\": \"plugcast.ledger/1\", \"findings\": []}", "expected a `plugcast.baseline/1`"),
        ("[]", "invalid baseline"),
    ] {
        fs::write(&path, text).unwrap();
        let refused = run(folder.path(), &["src", "--baseline", "known.json"]).expect_code(2);
        assert!(refused.stderr.contains(message), "{text}: {}", refused.stderr);
    }
    assert!([TWO, THREE].iter().all(|one| found(&folder, &["src"]).contains(&(*one).to_owned())));
}
