//! One cause is one finding with its other places; suppressions, baselines, changes and services see each place.

use std::fs;

use serde_json::Value;

use super::{json, run};
use crate::support::git::committed;
use crate::support::tree::Tree;

/// A plugin with a thin command without a description beside each of its twelve skills.
fn thin_commands() -> Tree {
    let tree = Tree::new().file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n");
    (1..=12).fold(tree, |tree, n| {
        let skill =
            format!("---\nname: s{n}\ndescription: Does a thing when it is asked for.\n---\nDo it.\n");
        let command = "---\ndescription: \"\"\n---\nDo it.\n";
        tree.file(&format!("src/skills/s{n}/SKILL.md"), skill).file(&format!("src/commands/s{n}.md"), command)
    })
}

fn findings_of<'a>(shown: &'a Value, rule: &str) -> Vec<&'a Value> {
    let found = shown["diagnostics"].as_array().expect("findings");
    found.iter().filter(|found| found["rule"] == rule).collect()
}

fn places(found: &Value) -> Vec<&str> {
    let related = found["related"].as_array().map(Vec::as_slice).unwrap_or_default();
    [found].into_iter().chain(related).filter_map(|place| place["path"].as_str()).collect()
}

/// Issue 18, attack 21: 59 findings of one deliberate pattern.
#[test]
fn a_pattern_fits_on_a_screen_and_every_place_of_it_is_in_the_json() {
    let folder = thin_commands().temporary();
    let text = run(folder.path(), &["src"]).expect_code(1).stdout;
    assert_eq!(text.matches("error[").count() + text.matches("warning[").count(), 2, "{text}");
    assert!(text.lines().count() < 45, "{text}");
    for shown in [
        "= note: 11 more places with the same problem:\n",
        "          commands/s10.md:1:1 this command hides the skill `demo:s10`\n",
        "          commands/s10.md:2:1\n",
        "          and 7 more (`--verbose` shows all of them)\n",
        "12  error    command-skill-collision\n 1  warning  empty-value              at 12 places\n",
        "\n12 errors, 1 warning in ",
    ] {
        assert!(text.contains(shown), "{shown}{text}");
    }
    let every = run(folder.path(), &["src", "--verbose"]).stdout;
    assert_eq!(every.matches("warning[empty-value]").count(), 12, "{every}");
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(findings_of(&shown, "command-skill-collision").len(), 12, "each hides another skill");
    let empty = findings_of(&shown, "empty-value");
    assert_eq!(empty.len(), 1);
    let mut expected: Vec<String> = (1..=12).map(|n| format!("commands/s{n}.md")).collect();
    expected.sort();
    assert_eq!(places(empty[0]), expected);
    assert_eq!(shown["summary"]["warnings"], 1);
}

#[test]
fn services_and_agents_get_every_place_on_its_own() {
    let folder = thin_commands().temporary();
    let log = json(&run(folder.path(), &["src", "--format", "sarif"]));
    let results = log["runs"][0]["results"].as_array().expect("results");
    let empty: Vec<_> = results.iter().filter(|result| result["ruleId"] == "empty-value").collect();
    let mut prints: Vec<_> =
        empty.iter().filter_map(|one| one["partialFingerprints"]["plugcastFinding/v1"].as_str()).collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!((empty.len(), prints.len()), (12, 12));
    for (format, mark) in [("github", "title=empty-value::"), ("agent", ": warning[empty-value]")] {
        let lines = run(folder.path(), &["src", "--format", format]).stdout;
        assert_eq!(lines.matches(mark).count(), 12, "{lines}");
    }
}

/// One cause, whatever the skills are called.
#[test]
fn skills_that_are_too_deep_are_one_finding() {
    let skill = |name: &str| {
        format!("---\nname: {name}\ndescription: Does a thing when it is asked for.\n---\nDo it.\n")
    };
    let deep = ["writing/draft", "writing/edit", "shared/cite"];
    let tree = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/plan/SKILL.md", skill("plan"));
    let named = |path: &str| skill(path.rsplit('/').next().unwrap_or_default());
    let tree =
        deep.iter().fold(tree, |tree, path| tree.file(&format!("src/skills/{path}/SKILL.md"), named(path)));
    let folder = tree.temporary();
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    let found = findings_of(&shown, "nested-skill-file");
    assert_eq!(found.len(), 1, "{found:#?}");
    let wanted =
        ["skills/shared/cite/SKILL.md", "skills/writing/draft/SKILL.md", "skills/writing/edit/SKILL.md"];
    assert_eq!(places(found[0]), wanted);
}

/// In one file, a separate line says where else.
#[test]
fn other_places_in_a_file_are_in_the_line_about_it() {
    let text = "---\nname: one\ndescription: Does a thing when it is asked for.\n---\nRead [a](no.md).\n\nRead [b](no.md).\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/one/SKILL.md", text)
        .temporary();
    for format in ["agent", "github"] {
        let lines = run(folder.path(), &["src", "--format", format]).stdout;
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(lines.contains("; also at 7:10"), "{lines}");
    }
    let log = json(&run(folder.path(), &["src", "--format", "sarif"]));
    let results = log["runs"][0]["results"].as_array().expect("results");
    let lines: Vec<_> = results
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]["region"]["startLine"])
        .collect();
    assert_eq!(lines, [5, 7]);
}

#[test]
fn suppressions_baselines_and_changes_see_each_place() {
    let suppressed = "---\n# plugcast-allow empty-value: wanted here\ndescription: \"\"\n---\nDo it.\n";
    let folder = committed(&thin_commands().file("src/commands/s1.md", suppressed));
    let empty = |arguments: &[&str]| {
        let shown = json(&run(folder.path(), &[arguments, &["--format", "json"]].concat()));
        let empty = findings_of(&shown, "empty-value");
        assert!(empty.len() < 2, "{shown:#}");
        empty.first().map(|found| places(found).join(" ")).unwrap_or_default()
    };
    let all = empty(&["src"]);
    assert!(all.starts_with("commands/s10.md ") && all.split(' ').count() == 11, "{all}");
    run(folder.path(), &["src", "--write-baseline", "known.json"]).expect_code(0);
    let known = fs::read_to_string(folder.path().join("known.json")).unwrap();
    assert_eq!(known.matches("\"empty-value\"").count(), 11, "{known}");
    for name in ["s2", "s5"] {
        let more = "---\ndescription: ''\n---\nDo it.\n";
        fs::write(folder.path().join(format!("src/commands/{name}.md")), more).unwrap();
    }
    let changed = "commands/s2.md commands/s5.md";
    assert_eq!(empty(&["src", "--baseline", "known.json"]), changed);
    assert_eq!(empty(&["src", "--since", "HEAD"]), changed);
    assert_eq!(empty(&["src/commands/s5.md"]), "commands/s5.md");
}

/// The tools of a server lack its plugin for one reason.
#[test]
fn the_tools_of_a_server_are_one_finding() {
    let servers = r#"{ "mcpServers": { "store": { "command": "npx", "args": ["store"] } } }"#;
    let skill = "---\nname: find\ndescription: Finds goods when somebody asks for them.\nallowed-tools: mcp__store__find, mcp__store__list\n---\nFind the goods.\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/.mcp.json", servers)
        .file("src/skills/find/SKILL.md", skill)
        .temporary();
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    let found = findings_of(&shown, "mcp-tool-name");
    assert_eq!((found.len(), places(found[0]).len()), (1, 2));
    run(folder.path(), &["src", "--fix", "--unsafe-fixes"]);
    let fixed = fs::read_to_string(folder.path().join("src/skills/find/SKILL.md")).expect("the skill");
    assert_eq!(fixed.matches("mcp__plugin_demo_store__").count(), 2, "{fixed}");
}

/// What two plugins have in common is for two authors.
#[test]
fn plugins_of_a_marketplace_keep_their_own_findings() {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"a\" }, \"plugins\": [{ \"name\": \"a\", \"source\": \"./a\" }, { \"name\": \"b\", \"source\": \"./b\" }] }\n";
    let command = "---\ndescription: \"\"\n---\nDo it.\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/marketplace.json", listing)
        .file("src/a/.claude-plugin/plugin.json", "{ \"name\": \"a\" }\n")
        .file("src/b/.claude-plugin/plugin.json", "{ \"name\": \"b\" }\n")
        .file("src/a/commands/one.md", command)
        .file("src/a/commands/two.md", command)
        .file("src/b/commands/one.md", command)
        .temporary();
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    let each: Vec<_> =
        findings_of(&shown, "empty-value").into_iter().map(|found| places(found).join(" ")).collect();
    assert_eq!(each, ["a/commands/one.md a/commands/two.md", "b/commands/one.md"]);
    let text = run(folder.path(), &["src"]).stdout;
    assert_eq!(text.matches("warning[empty-value]").count(), 1, "{text}");
}

#[test]
fn a_heading_that_html_swallows_is_named_where_it_stands() {
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file(
            "src/skills/one/SKILL.md",
            "---\nname: one\ndescription: Does a thing when it is asked for.\n---\nGo to [the end](#the-end).\n\n<details>\n\nText.\n\n</details>\n## The end\n\n<!--\n## Not shown\n-->\n\nGo to [nothing](#not-shown).\n",
        )
        .temporary();
    let report = json(&run(folder.path(), &["src", "--format", "json"]));
    let of_rule: Vec<_> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["rule"] == "broken-anchor")
        .collect();
    let [end, hidden] = of_rule.as_slice() else { panic!("{report:#}") };
    assert_eq!(
        end["message"],
        "no heading of this text matches `#the-end`: the intended heading is part of an HTML block"
    );
    assert_eq!(end["help"], "insert an empty line above the heading");
    assert_eq!(
        (&end["related"][0]["line"], &end["related"][0]["path"]),
        (&12.into(), &"skills/one/SKILL.md".into())
    );
    assert_eq!(hidden["message"], "no heading of this text matches `#not-shown`");
}

#[test]
fn a_path_that_only_the_plugin_has_is_answered_with_what_to_write() {
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/scripts/run.py", "print(1)\n")
        .file(
            "src/skills/one/SKILL.md",
            "---\nname: one\ndescription: Does a thing when it is asked for.\n---\n```sh\npython3 scripts/run.py\n```\n",
        )
        .temporary();
    let report = json(&run(folder.path(), &["src", "--select", "missing-bundled-path", "--format", "json"]));
    assert_eq!(
        report["diagnostics"][0]["help"],
        "the plugin has one in its own folder: write `${CLAUDE_PLUGIN_ROOT}/scripts/run.py`",
        "{report:#}"
    );
}
