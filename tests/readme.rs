//! What the README shows is what the command prints, and the pages that describe this repository are complete.

use std::collections::BTreeSet;

use crate::support::root;
use crate::support::run::Plugcast;

#[test]
fn the_readme_is_short() {
    let lines = std::fs::read_to_string(root().join("README.md")).expect("README.md").lines().count();
    assert!(lines < 150, "README.md has {lines} lines: move details to docs/, figures to benches/README.md");
}

/// The table of test modules had fallen behind `tests/all.rs`.
#[test]
fn contributing_lists_every_module_of_the_tests() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect(path);
    let (all, page) = (read("tests/all.rs"), read("CONTRIBUTING.md"));
    let modules = all.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let modules: BTreeSet<&str> = modules.filter(|name| *name != "support").collect();
    let table = page.split("\n| module | guards |\n").nth(1).expect("the table of modules");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let listed: BTreeSet<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(modules, listed, "left: tests/all.rs; right: the table in CONTRIBUTING.md");
}

/// The table of the helper's commands lacked half of them.
#[test]
fn the_page_of_the_helper_lists_every_command() {
    let page = std::fs::read_to_string(root().join("docs/helper.md")).expect("docs/helper.md");
    let table = page.split("\n| command | |\n").nth(1).expect("the table of commands");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let listed: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let published = plugcast::runtime::published::COMMANDS.iter().map(|row| row.command);
    assert_eq!(
        published.collect::<BTreeSet<_>>(),
        listed,
        "left: the helper's commands; right: docs/helper.md"
    );
}

#[test]
fn the_readme_shows_the_true_output_of_the_main_job() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let start = "$ cargo run --release -- build --to codex\n";
    let shown = readme.split_once(start).and_then(|(_, rest)| rest.split_once("```")).expect("the block").0;
    let dist = tempfile::tempdir().expect("a folder");
    let out = dist.path().join("dist");
    let arguments = ["build", "--to", "codex", "--out", out.to_str().expect("UTF-8")];
    let ran = Plugcast::new(root(), &arguments).run().expect_code(0);
    let printed = ran.stdout.replace(&out.display().to_string(), "dist");
    assert_eq!(printed, shown, "write the true output into README.md");
    assert!(out.join("codex/.plugcast/ledger.json").is_file());
}
