//! Formats for machines: SARIF against its schema, and paths that count from the repository's top.

use std::fs;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use super::{json, plugin, run, skill};
use crate::support::fetch;
use crate::support::tree::Tree;

/// The schema of SARIF 2.1.0, from a package that `tests/sarif` pins.
fn schema() -> &'static Validator {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let modules = fetch::modules("sarif").unwrap_or_else(|line| panic!("{line}"));
        let path = modules.join("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // One pattern of it, for a field that we do not write, is not a regular expression.
        let text = text.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
        let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        jsonschema::validator_for(&schema).expect("a schema")
    })
}

#[track_caller]
pub fn assert_valid(log: &Value) {
    let errors: Vec<String> =
        schema().iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0]);
}

#[test]
fn sarif_is_valid_and_its_regions_and_fixes_lie_where_they_should() {
    let name = "src/skills/ü b/SKILL.md";
    let text = "---\nname: 😀é\ndescription: Does a thing when it is asked for.\n---\n";
    let folder = plugin().file(name, text).file("src/agents/two.md", skill("x")).temporary();
    let log = json(&run(folder.path(), &["src", "--to", "all", "--format", "sarif"]));
    assert_valid(&log);
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    let one = results
        .iter()
        .find(|result| {
            result["ruleId"] == "name-mismatch" && location(result)["uri"] != "skills/two/SKILL.md"
        })
        .and_then(|first| {
            let uri = "skills/%C3%BC%20b/SKILL.md";
            let here =
                |result: &&Value| location(result)["uri"] == uri && result["ruleId"] == "name-mismatch";
            results.iter().find(here).or(Some(first))
        })
        .expect("a finding");
    assert_eq!(location(one)["uri"], "skills/%C3%BC%20b/SKILL.md");
    let region = serde_json::json!({"startLine": 2, "startColumn": 7, "endLine": 2, "endColumn": 9});
    assert_eq!(one["locations"][0]["physicalLocation"]["region"], region);
    let index = usize::try_from(one["ruleIndex"].as_u64().expect("an index")).expect("small");
    assert_eq!(rules[index]["id"], "name-mismatch");
    let change = &one["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["deletedRegion"], region);
    assert_eq!(change["insertedContent"]["text"], "ü b");
    let fingerprint = one["partialFingerprints"]["plugcastFinding/v1"].as_str().expect("a fingerprint");
    assert!(fingerprint.len() == 16 && fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

fn location(result: &Value) -> &Value {
    &result["locations"][0]["physicalLocation"]["artifactLocation"]
}

#[test]
fn paths_of_services_count_from_the_top_of_the_repository() {
    let folder = plugin().file(".git/HEAD", "").temporary();
    let log = json(&run(folder.path(), &["src", "--format", "sarif"]));
    assert_eq!(location(&log["runs"][0]["results"][0])["uri"], "src/skills/three/SKILL.md");
    let lines = run(folder.path(), &["src", "--format", "github"]).stdout;
    assert!(lines.contains("file=src/skills/three/SKILL.md,"), "{lines}");
}

#[test]
fn a_clean_source_is_a_valid_log_without_results() {
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/one/SKILL.md", skill("one"))
        .temporary();
    let log = json(&run(folder.path(), &["src", "--format", "sarif"]).expect_code(0));
    assert_valid(&log);
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
}
