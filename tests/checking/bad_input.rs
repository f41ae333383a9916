//! Bad input of `check`: very many findings, very large files, settings that mean nothing.

use super::{json, plugin, run, skill};
use crate::support::tree::Tree;

#[test]
fn a_hundred_thousand_findings_stay_readable() {
    let line = "<!-- plugcast-allow skill-sise: never -->\n";
    let text = line.repeat(100_000);
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/plugcast.toml", "[check]\nignore = [\"skill-size\"]\n")
        .file("src/skills/one/SKILL.md", skill("one") + "Read `references/many.md`.\n")
        .file("src/skills/one/references/many.md", text)
        .temporary();
    let shown = run(folder.path(), &["src"]).expect_code(0).stdout;
    assert!(shown.contains("and 99995 more ("), "{}", &shown[shown.len() - 500..]);
    assert!(shown.len() < 100_000, "{}", shown.len());
    let line = run(folder.path(), &["src", "--format", "agent"]).stdout;
    assert!(line.lines().count() == 1 && line.contains(" and 99979 more"), "{line}");
    let counts = run(folder.path(), &["src", "--statistics", "-q"]).stdout;
    assert_eq!(counts, "1  warning  unused-suppression  at 100000 places\n");
}

#[test]
fn what_is_beyond_a_hundred_thousand_findings_in_one_line_is_counted() {
    let text = "[a](b.md) ".repeat(150_000) + "\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/plugcast.toml", "[check]\nignore = [\"skill-size\"]\n")
        .file("src/skills/one/SKILL.md", skill("one") + "Read `references/many.md`.\n")
        .file("src/skills/one/references/many.md", text)
        .temporary();
    let finished = run(folder.path(), &["src", "--format", "json"]).expect_code(1);
    let answer = json(&finished);
    let found: Vec<_> =
        answer["diagnostics"].as_array().unwrap().iter().filter(|one| one["rule"] == "broken-link").collect();
    let listed =
        found.iter().filter(|one| one["column"].as_u64() > Some(1) || one["line"].as_u64() > Some(1));
    assert_eq!((found.len(), listed.count()), (2, 1), "one cause is one finding");
    assert_eq!(
        found[0]["related"].as_array().map(Vec::len).max(found[1]["related"].as_array().map(Vec::len)),
        Some(99_999)
    );
    let rest = "50000 more findings of `broken-link` not listed";
    assert!(found.iter().any(|one| one["message"] == rest), "{}", found[0]);
    let shown = run(folder.path(), &["src"]).expect_code(1).stdout;
    assert!(shown.len() < 100_000 && shown.contains(rest), "{}", shown.len());
}

#[test]
fn settings_that_mean_nothing_are_named_with_their_place() {
    for (text, place, meant) in [
        ("[check]\nselct = []\n", "plugcast.toml:2:1: unknown field `selct`", "did you mean `select`?"),
        (
            "[check]\nselect = [\"skill-sise\"]\n",
            "plugcast.toml:2:11: unknown rule or group `skill-sise`",
            "did you mean `skill-size`?",
        ),
        ("[check]\nper-path = { \"a[\" = [] }\n", "plugcast.toml:2:14: invalid glob `a[`", "help: "),
        ("[check]\nlimits = { skill-lines = -1 }\n", "plugcast.toml:2:26: ", "help: "),
        ("[check]\nseverity = { skill-size = \"fatal\" }\n", "plugcast.toml:2:27: ", "help: "),
    ] {
        let folder = plugin().file("src/plugcast.toml", text).temporary();
        let refused = run(folder.path(), &["src"]).expect_code(2).stderr;
        assert!(refused.contains(place) && refused.contains(meant), "{text}: {refused}");
    }
}

#[test]
fn globs_of_the_author_cannot_run_away() {
    let stars = "*a".repeat(200);
    let config = format!("[check]\nper-path = {{ \"{stars}/**/{stars}\" = [\"all\"] }}\n");
    let deep = format!("src/skills/one/{}.md", "a".repeat(200));
    let folder = plugin().file("src/plugcast.toml", config).file(&deep, "x\n").temporary();
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(shown["diagnostics"].as_array().expect("findings").len(), 2);
}
