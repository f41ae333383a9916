//! For every command of `plugcast`, its help and a typical run of `commands.toml`.

use std::collections::BTreeMap;

use clap::CommandFactory;
use serde::Deserialize;

use super::run::{Fixture, first_lines};
use super::{assert_document, without_global_options};
use crate::support::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Scripts that several runs share.
    fixtures: BTreeMap<String, String>,
    run: Vec<Row>,
}

/// A typical run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The words of the command.
    command: String,
    /// What follows them.
    arguments: Vec<String>,
    /// The name of its fixture.
    fixture: String,
    /// The exit code.
    #[serde(default)]
    exit: i32,
    /// Nothing is on PATH.
    #[serde(default)]
    bare: bool,
    /// How many lines are shown.
    lines: Option<usize>,
}

/// The words of each command below `command`, parents first; whether it takes a subcommand.
pub fn tree(command: &clap::Command, words: &[String]) -> Vec<(Vec<String>, bool)> {
    let mut found = vec![(words.to_vec(), command.has_subcommands())];
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        found.extend(tree(inner, &[words, &[inner.get_name().to_owned()]].concat()));
    }
    found
}

#[test]
fn help_and_a_typical_run_of_every_command() {
    let text = std::fs::read_to_string(root().join("tests/gallery/commands.toml")).expect("the table");
    let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("commands.toml: {error}"));
    let mut rows: Vec<&Row> = table.run.iter().collect();
    let mut document = String::new();
    let empty = Fixture::new("");
    for (words, is_group) in tree(&plugcast::cli::Cli::command(), &[]) {
        let arguments = [words.as_slice(), &["--help".to_owned()]].concat();
        let help = empty.shown("plugcast", &arguments, &empty.plugcast(&arguments, false));
        let help = if words.is_empty() { help } else { without_global_options(&help, "Global options") };
        let command = words.join(" ");
        document += &format!("{}\n\n{help}\n", format!("# plugcast {command}").trim_end());
        let (own, rest): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|row| row.command == command);
        rows = rest;
        assert!(is_group || !own.is_empty(), "`{command}` has no typical run in commands.toml");
        for row in own {
            let fixture = Fixture::new(
                table.fixtures.get(&row.fixture).unwrap_or_else(|| panic!("no fixture `{}`", row.fixture)),
            );
            let arguments = [words.as_slice(), &row.arguments].concat();
            let finished = fixture.plugcast(&arguments, row.bare);
            assert_eq!(
                finished.code,
                Some(row.exit),
                "{arguments:?}: {}{}",
                finished.stdout,
                finished.stderr
            );
            let shown = fixture.shown("plugcast", &arguments, &finished);
            document += &format!("{}\n", first_lines(&shown, row.lines.unwrap_or(usize::MAX)));
        }
    }
    let left: Vec<&String> = rows.iter().map(|row| &row.command).collect();
    assert!(left.is_empty(), "commands.toml has runs of unknown commands: {left:?}");
    assert_document("commands", &document);
}
