//! For every group and command of `plugcast-run`, its help; for every `error.code` that a case of
//! `tests/runtime/cases` or a row of `helper.toml` provokes, its message under `--format text`.

use std::collections::{BTreeMap, BTreeSet};

use plugcast::runtime::published;
use serde::Deserialize;
use serde_json::Value;

use super::run::Fixture;
use super::{assert_document, without_global_options};
use crate::runtime::case::Step;
use crate::runtime::fixture::HELPER;
use crate::support::root;
use crate::support::run::Plugcast;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Codes that nothing provokes, and why.
    unprovoked: BTreeMap<String, String>,
    error: Vec<Row>,
}

/// A command that fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    code: String,
    #[serde(default)]
    setup: String,
    argv: Vec<String>,
    #[serde(default)]
    stdin: String,
}

/// A fixture and a failing command of each code: from `helper.toml`, else the first case of one call.
fn failures(rows: Vec<Row>) -> BTreeMap<String, (String, Step)> {
    let mut found = BTreeMap::new();
    for row in rows {
        let step = Step { argv: row.argv, stdin: row.stdin, ..Step::default() };
        assert!(
            found.insert(row.code.clone(), (row.setup, step)).is_none(),
            "helper.toml has `{}` twice",
            row.code
        );
    }
    for case in crate::runtime::cases() {
        let [step] = case.steps.as_slice() else { continue };
        let is_plain = step.before.is_empty() && step.write.is_empty() && !case.github;
        if !is_plain || step.exit == Some(0) {
            continue;
        }
        let json: Value =
            step.json.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        if let Some(code) = json["error"]["code"].as_str() {
            found.entry(code.to_owned()).or_insert((case.setup.clone(), step.clone()));
        }
    }
    found
}

/// What the helper prints for people when `step` runs in the fixture that `script` makes.
fn shown(code: &str, script: &str, step: &Step) -> String {
    let run = |format: &str| {
        // A command that fails may have ended what the next one needs.
        let fixture = Fixture::new(script);
        let at = std::fs::canonicalize(fixture.path()).expect("it exists").display().to_string();
        let fill = |text: &String| text.replace("{fixture}", &at);
        let arguments: Vec<String> =
            step.argv.iter().map(fill).chain(["--format".into(), format.into()]).collect();
        let folder = fixture.path().join(&step.folder);
        let mut run = Plugcast::with_program(HELPER.as_ref(), &folder, &arguments);
        for (name, value) in fixture.variables.iter().chain(&step.env) {
            run = run.env(name, &fill(value));
        }
        let finished = run.input(&step.stdin);
        (fixture, arguments, finished)
    };
    let (_, _, json) = run("json");
    let answer: Value = serde_json::from_str(&json.stdout).unwrap_or_default();
    assert_eq!(answer["error"]["code"], code, "{:?}: {}{}", step.argv, json.stdout, json.stderr);
    let (fixture, arguments, text) = run("text");
    fixture.shown("plugcast-run", &arguments, &text)
}

#[test]
fn help_and_errors_of_the_helper() {
    let mut document = String::new();
    let empty = Fixture::new("");
    for (words, _) in plugcast::runtime::grammar::tree() {
        let arguments: Vec<String> = words.iter().chain(&["--help"]).map(|word| (*word).to_owned()).collect();
        let finished = Plugcast::with_program(HELPER.as_ref(), empty.path(), &arguments).run();
        let help = empty.shown("plugcast-run", &arguments, &finished);
        let help =
            if words.is_empty() { help } else { without_global_options(&help, "Options of every command") };
        document += &format!("{}\n\n{help}\n", format!("# plugcast-run {}", words.join(" ")).trim_end());
    }
    let text = std::fs::read_to_string(root().join("tests/gallery/helper.toml")).expect("the table");
    let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("helper.toml: {error}"));
    let cases = failures(table.error);
    for (code, (script, step)) in &cases {
        document += &format!("# error code {code}\n\n{}\n", shown(code, script, step));
    }
    let codes = published::COMMANDS.iter().flat_map(|row| published::codes::command_codes(row.command));
    let known: BTreeSet<String> = codes.map(|(code, _)| code.to_string()).collect();
    let shown: BTreeSet<String> = cases.into_keys().collect();
    for (code, reason) in &table.unprovoked {
        assert!(!reason.is_empty() && known.contains(code), "unknown code `{code}` in [unprovoked]");
        assert!(!shown.contains(code), "`{code}` is provoked: remove it from [unprovoked]");
    }
    let missing: Vec<&String> =
        known.iter().filter(|code| !shown.contains(*code) && !table.unprovoked.contains_key(*code)).collect();
    assert!(missing.is_empty(), "no case in tests/runtime/cases and no row of helper.toml shows {missing:?}");
    assert_document("helper", &document);
}
