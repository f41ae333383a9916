//! For every code of `plugcast.error/1`, a command of `errors.toml` that ends with it, and what it prints.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::run::Fixture;
use super::{assert_document, codes_in, codes_of, headings};
use crate::support::root;
use crate::support::run::FinishedRun;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    error: Vec<Row>,
    /// Codes that no input provokes, and why.
    unprovoked: BTreeMap<String, String>,
}

/// A command that fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    code: String,
    #[serde(default)]
    setup: String,
    arguments: Vec<String>,
    /// Nothing is on PATH.
    #[serde(default)]
    bare: bool,
    /// A file that another process has locked; its answer as JSON is not asked for, as each run waits for the lock.
    lock: Option<String>,
}

impl Row {
    fn run(&self, fixture: &Fixture, arguments: &[String]) -> FinishedRun {
        let _lock = self.lock.as_ref().map(|path| hold(&fixture.path().join(path)));
        fixture.plugcast(arguments, self.bare)
    }
}

/// Checks that the command answers with the code of its row.
fn check_code(row: &Row) {
    let json = [row.arguments.as_slice(), &["--format".to_owned(), "json".to_owned()]].concat();
    let finished = row.run(&Fixture::new(&row.setup), &json);
    let answer: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{json:?}: {error}: {}{}", finished.stdout, finished.stderr));
    assert_eq!(answer["error"]["code"], row.code, "{json:?}: {answer:#}");
}

/// Locks a file as a build with the process id 4242 does.
fn hold(path: &Path) -> File {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    let mut file = File::create(path).expect("a file can be made");
    file.lock().expect("nobody else holds it");
    file.write_all(b"4242").expect("a file can be written");
    file
}

#[test]
fn messages_of_every_error_code() {
    let text = std::fs::read_to_string(root().join("tests/gallery/errors.toml")).expect("the table");
    let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("errors.toml: {error}"));
    let mut document = String::new();
    let mut last = "";
    for row in &table.error {
        if row.lock.is_none() {
            check_code(row);
        }
        let fixture = Fixture::new(&row.setup);
        let finished = row.run(&fixture, &row.arguments);
        assert_eq!(finished.code, Some(2), "{:?}", row.arguments);
        if row.code != last {
            document += &format!("# {}\n\n", row.code);
        }
        last = &row.code;
        document += &format!("{}\n", fixture.shown("plugcast", &row.arguments, &finished));
    }
    let shown = headings(&document, "# ");
    let mut expected = codes_in(&root().join("src"), &["code: "], &["runtime", "launcher"]);
    let build = std::fs::read_to_string(root().join("src/build.rs")).expect("the errors of a build");
    let of_build = build.split_once("fn code(").expect("their codes").1;
    expected.extend(codes_of(of_build.split("\n    }\n").next().unwrap_or_default(), &["=> "]));
    for (code, reason) in &table.unprovoked {
        assert!(!reason.is_empty() && expected.remove(code), "unknown code `{code}` in [unprovoked]");
        assert!(!shown.contains(code), "`{code}` is provoked: remove it from [unprovoked]");
    }
    assert_eq!(shown, expected, "errors.toml and the codes in src");
    assert_document("errors", &document);
}
