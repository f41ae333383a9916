//! What the command line narrows: rules, severities, the number of warnings, and where the result goes.

use std::fs;

use super::{found, json, plugin, run};
use crate::support::tree::Tree;

/// Two warnings.
fn warned() -> Tree {
    plugin().file("src/plugcast.toml", "[check]\nseverity = { name-mismatch = \"warning\" }\n")
}

/// One error and two warnings, the error last by its place.
fn mixed() -> Tree {
    warned().file(
        "src/skills/zoo/SKILL.md",
        "---\nname: zoo\ndescription: Shows animals when asked.\n---\nSee [it](gone.md).\n",
    )
}

const LINK: &str = "skills/zoo/SKILL.md:5 broken-link";

#[test]
fn rules_and_groups_are_selected_and_ignored() {
    let folder = mixed().temporary();
    assert_eq!(found(&folder, &["src", "--select", "broken-link"]), [LINK]);
    assert_eq!(found(&folder, &["src", "--ignore", "name-mismatch"]), [LINK]);
    assert_eq!(found(&folder, &["src", "--select", "all", "--ignore", "broken-link,pedantic"]).len(), 2);
    let unknown = run(folder.path(), &["src", "--select", "broken-lnk"]).expect_code(2);
    assert!(unknown.stderr.contains("did you mean `broken-link`?"), "{}", unknown.stderr);
}

#[test]
fn more_warnings_than_allowed_fail() {
    let folder = warned().temporary();
    run(folder.path(), &["src", "--max-warnings", "2"]).expect_code(0);
    let failed = run(folder.path(), &["src", "--max-warnings", "1"]).expect_code(1);
    assert_eq!(failed.stderr, "error: 2 warnings, and `--max-warnings` allows 1\n");
}

#[test]
fn errors_come_first_and_quiet_shows_them_alone() {
    let folder = mixed().temporary();
    let shown = run(folder.path(), &["src"]).expect_code(1).stdout;
    let place = |what: &str| shown.find(what).unwrap_or_else(|| panic!("{what}\n{shown}"));
    assert!(place("error[broken-link]") < place("warning[name-mismatch]"), "{shown}");
    let quiet = run(folder.path(), &["src", "--quiet"]).expect_code(1).stdout;
    assert!(quiet.contains("error[broken-link]") && !quiet.contains("name-mismatch"), "{quiet}");
    assert!(!quiet.contains("plugcast explain"), "{quiet}");
}

#[test]
fn the_result_is_written_to_a_file() {
    let folder = mixed().temporary();
    let direct = run(folder.path(), &["src", "--format", "sarif"]).expect_code(1);
    let written =
        run(folder.path(), &["src", "--format", "sarif", "--output-file", "out.sarif"]).expect_code(1);
    assert_eq!(written.stdout, "");
    assert_eq!(fs::read_to_string(folder.path().join("out.sarif")).unwrap(), direct.stdout);
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(shown["summary"]["errors"], 1, "{shown:#}");
}

#[test]
fn many_findings_are_counted_by_rule_below_them() {
    let many = |tree: Tree, n: usize| {
        tree.file(&format!("src/skills/s{n:02}/SKILL.md"), super::skill(&format!("other{n}")))
    };
    let folder = (0..12).fold(mixed(), many).temporary();
    let shown = run(folder.path(), &["src"]).expect_code(1).stdout;
    assert!(shown.contains("\n 1  error    broken-link\n14  warning  name-mismatch\n"), "{shown}");
}
