//! A host that does not exist, given with `--targets-dir`: a new host is one file of data. Its whole
//! expected tree is the case `fourth-host`; here is what the case alone does not show.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::{Entry, Tree};

const REAL: [&str; 3] = ["claude-code", "codex", "opencode"];

fn run(folder: &std::path::Path, arguments: &[&str]) -> FinishedRun {
    let targets = root().join("tests/fixtures/targets");
    let targets = targets.to_str().expect("the checkout has a path in UTF-8");
    let mut all = arguments.to_vec();
    all.extend(["--targets-dir", targets]);
    Plugcast::new(folder, &all).run()
}

fn built() -> tempfile::TempDir {
    let folder = Tree::new().temporary();
    Tree::read(&root().join("tests/cases/fourth-host/in")).write(&folder.path().join("in"));
    run(folder.path(), &["build", "in", "--to", "quill", "--out", "out"]).expect_code(0);
    folder
}

fn table(path: &str) -> toml::Value {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    toml::Value::Table(text.parse().expect("a target is TOML"))
}

#[test]
fn all_hosts_are_those_of_the_program_and_those_given() {
    let folder = Tree::new().temporary();
    Tree::read(&root().join("tests/cases/fourth-host/in")).write(&folder.path().join("in"));
    let finished = run(folder.path(), &["build", "in", "--to", "all", "--out", "out", "--format", "json"]);
    let answer: Value = serde_json::from_str(&finished.expect_code(0).stdout).expect("JSON");
    let hosts: Vec<&str> = answer["targets"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|target| target["host"].as_str())
        .collect();
    assert_eq!(hosts, ["claude-code", "codex", "opencode", "quill"]);
}

#[test]
fn a_host_without_a_driver_cannot_be_verified() {
    let folder = built();
    let finished = run(folder.path(), &["verify", "out/quill", "--format", "json"]).expect_code(2);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    assert_eq!(answer["schema"], "plugcast.error/1");
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("no driver") && message.contains("`quill`"), "{answer}");
    assert!(answer["error"]["help"].is_string(), "{answer}");
}

#[test]
fn no_line_of_the_program_knows_it() {
    let source = Tree::read(&root().join("src")).and(Tree::read(&root().join("targets")));
    let knows = |entry: &Entry| entry.text().to_lowercase().contains("quill");
    let found: Vec<&str> = source.entries().filter(|(_, entry)| knows(entry)).map(|(path, _)| path).collect();
    assert_eq!(found, [""; 0]);
}

/// The fixture is worth something only while it is unlike the real hosts: every section that some
/// host has is there, and no real host says the same in it.
#[test]
fn it_differs_from_every_real_host_in_every_section() {
    let real = REAL.map(|host| table(&format!("targets/{host}/target.toml")));
    let own = table("tests/fixtures/targets/quill/target.toml");
    let sections: BTreeSet<&String> =
        real.iter().filter_map(toml::Value::as_table).flat_map(toml::Table::keys).collect();
    // What is code and not data: the source's format, and a module at run time.
    let others = ["source", "registration", "permissions"];
    for section in sections.into_iter().filter(|name| !others.contains(&name.as_str())) {
        let facts = own.get(section).unwrap_or_else(|| panic!("[{section}] is missing"));
        let same = real.iter().any(|host| host.get(section) == Some(facts));
        assert!(!same, "[{section}] says what a real host says");
    }
}

#[test]
fn its_manifest_has_the_format_of_its_ending() {
    let folder = built();
    let text = fs::read_to_string(folder.path().join("out/quill/plugins/demo/.quill/plugin.toml"))
        .expect("a manifest");
    let manifest: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(manifest["id"].as_str(), Some("demo"));
    assert_eq!(manifest["about"]["by"].as_str(), Some("Ada"));
}

/// A row that says `mapped` to a key is true only if the emitted file has that key, with that value.
#[test]
fn fields_that_are_said_to_be_mapped_are_said_in_the_file() {
    let folder = built();
    let read = |path: &str| {
        let text = fs::read_to_string(folder.path().join("out/quill/plugins/demo").join(path)).expect(path);
        let (fields, _) = text.trim_start_matches("---\n").split_once("\n---\n").expect("frontmatter");
        fields.lines().map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let expected = [
        (
            "scribes/review--checker.scribe.md",
            vec![("summary", "Checks a plan."), ("engine", "slow"), ("ink", "indigo"), ("pages", "3")],
        ),
        ("guides/plan/GUIDE.md", vec![("summary", "Turns a request into a plan."), ("engine", "quick")]),
        ("verbs/report--weekly.md", vec![("summary", "Writes the weekly report.")]),
    ];
    for (path, fields) in expected {
        let lines = read(path);
        for (key, value) in fields {
            let forms = [format!("{key}: {value}"), format!("{key}: \"{value}\"")];
            assert!(
                forms.iter().any(|form| lines.contains(form)),
                "{path}: `{key}` is not {value}: {lines:#?}"
            );
        }
        assert!(!lines.iter().any(|line| line.starts_with("description:")), "{path}: {lines:#?}");
    }
}

/// Where the host's skill file has another name, files of that name are the ones it would load.
#[test]
fn nested_files_with_its_own_skill_name_step_aside() {
    let folder = built();
    let guide = Tree::read(&folder.path().join("out/quill/plugins/demo/guides/plan"));
    let assets: Vec<&str> =
        guide.entries().map(|(path, _)| path).filter(|path| path.starts_with("assets/")).collect();
    assert_eq!(assets, ["assets/GUIDE.nested.md", "assets/SKILL.md"]);
    let text = guide.get("GUIDE.md").expect("the guide").text();
    assert!(text.contains("(assets/GUIDE.nested.md) and [another](assets/SKILL.md)"), "{text}");
}

#[test]
fn its_limits_hold() {
    let name = "a-name-of-twenty-one-c";
    let skill = format!("---\nname: {name}\ndescription: d\n---\nBody.\n");
    let source = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }")
        .file(&format!("in/skills/{name}/SKILL.md"), skill)
        .file("in/skills/short/SKILL.md", "---\nname: short\ndescription: d\n---\nBody.\n");
    let folder = source.temporary();
    let finished =
        run(folder.path(), &["build", "in", "--to", "quill,codex", "--out", "out", "--format", "json"]);
    let answer: Value = serde_json::from_str(&finished.expect_code(1).stdout).expect("JSON");
    let [finding] = answer["diagnostics"].as_array().expect("findings").as_slice() else {
        panic!("{answer:#}")
    };
    assert_eq!(finding["rule"], "limit");
    assert_eq!(finding["hosts"], serde_json::json!(["quill"]));
    assert_eq!(
        finding["message"],
        format!("`demo:{name}` cannot be carried: its name has 22 characters, but Quill allows 20")
    );
}

#[test]
fn a_target_that_is_wrong_says_where() {
    let text =
        fs::read_to_string(root().join("tests/fixtures/targets/quill/target.toml")).expect("the fixture");
    let wrong = [
        (text.replacen("nested-skill-files", "nested-skil-files", 1), "unknown field `nested-skil-files`"),
        (text.replacen("\"*\" = { outcome = \"kept\" }", "", 1), "needs a rule for"),
        (text.replacen("class = \"security\"", "class = \"cosmetic\"", 1), "at least `security`"),
        (
            text.replacen("emission = \"native\"", "emission = \"registered\"", 1),
            "needs a `[registration]` section",
        ),
    ];
    for (target, message) in wrong {
        let folder = Tree::new()
            .file("in/skills/s/SKILL.md", "---\ndescription: d\n---\nBody.\n")
            .file("hosts/quill/target.toml", target)
            .temporary();
        let arguments =
            ["build", "in", "--name", "n", "--to", "quill", "--targets-dir", "hosts", "--format", "json"];
        let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(2);
        let answer: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let found = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(found.contains("`quill`") && found.contains(message), "{message}: {answer}");
    }
}
