//! 13: frontmatter that the source host reads, however it is indented and its lines end, is read and built; what each host
//! makes of such texts is in `tests/fixtures/dialects`.

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn case_13_frontmatter_that_the_source_host_reads_is_carried() {
    for (name, text) in [
        ("fields", "---\n  name: s\n  description: Says it\n---\nSay it with `demo:s`.\n"),
        ("closing mark", "---\nname: s\ndescription: Says it\n  ---\nSay it with `demo:s`.\n"),
        ("tabs", "---\n\tname: s\n\tdescription: Says it\n---\nSay it with `demo:s`.\n"),
        ("blank behind a mark", "--- \t\nname: s\ndescription: Says it\n---\nSay it with `demo:s`.\n"),
        (
            "two returns",
            "---\r\r\nname: s\r\r\ndescription: Says it\r\r\n---\r\r\nSay it with `demo:s`.\r\r\n",
        ),
    ] {
        let folder = demo().file("in/skills/s/SKILL.md", text).temporary();
        let finished = Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run();
        assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
        let out = Tree::read(&folder.path().join("out"));
        for host in ["claude-code", "codex", "opencode"] {
            let path = format!("{host}/plugins/demo/skills/s/SKILL.md");
            let (_, entry) = out.entries().find(|(at, _)| *at == path).expect("the skill is written");
            let host_text = entry.text();
            assert!(
                host_text.replace('"', "").contains("description: Says it"),
                "{name}: {host}: {host_text}"
            );
            let marked = host != "opencode" || host_text.contains("\n---");
            assert!(marked, "{name}: {host}: the mark is at the start of its line: {host_text}");
        }
    }
}

/// What keeps a skill from the model in the source host, by what 2.1.330 offers of such skills.
const USER_ONLY: &[(&str, &str)] = &[
    ("point", "disable-model-invocation: 1.0"),
    ("hex", "disable-model-invocation: 0x1"),
    ("octal", "disable-model-invocation: 0o1"),
    ("exponent", "disable-model-invocation: 10e-1"),
    ("mark", "disable-model-invocation: \u{feff}true"),
    ("list-key", "[disable-model-invocation]: true"),
    ("asked-list", "? - disable-model-invocation\n: true"),
    ("merge", "b: &b {disable-model-invocation: true}\n<<: *b"),
    ("merges", "b: &b {disable-model-invocation: true}\n<<: [*b]"),
    ("first-merge", "<<: [{disable-model-invocation: true}, {disable-model-invocation: false}]"),
    ("merged-twice", "<<: {disable-model-invocation: false, disable-model-invocation: true}"),
    ("quoted-merge", "\"<<\": {disable-model-invocation: true}"),
    ("verbatim", "disable-model-invocation: !<tag:yaml.org,2002:bool> \"true\""),
    ("text", "disable-model-invocation: !!str true"),
    ("own", "disable-model-invocation: !own true"),
    ("beside-an-alias", "license: *x\n? disable-model-invocation\n: true"),
    ("inner-merge", "<<: {<<: [5, {disable-model-invocation: yes}]}"),
];
/// What does not, and what nobody understands.
const OFFERED: &[(&str, &str)] = &[
    ("minus", "disable-model-invocation: -1"),
    ("quoted", "disable-model-invocation: \"1.0\""),
    ("unclear", "disable-model-invocation: perhaps"),
    ("list", "disable-model-invocation: [true]"),
    ("named", "disable-model-invocation: false\n<<: [{disable-model-invocation: true}]"),
    ("last-merge", "<<: [{disable-model-invocation: false}, {disable-model-invocation: true}]"),
];

fn flagged(skills: &[(&str, &str)]) -> Tree {
    skills.iter().fold(demo(), |tree, (name, fields)| {
        let text = format!("---\nname: {name}\ndescription: Says it\n{fields}\n---\n\nSay it.\n");
        tree.file(&format!("in/skills/{name}/SKILL.md"), text)
    })
}

/// Those of other forms were offered to the model by every host, their flag was written as `false`, and the ledger said
/// that this is the host's default.
#[test]
fn case_13_a_skill_for_users_alone_stays_one_however_its_flag_is_written() {
    let folder = flagged(USER_ONLY).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    let text = |path: String| out.get(&path).map(crate::support::tree::Entry::text).unwrap_or_default();
    let data: serde_json::Value =
        serde_json::from_str(&text("opencode/plugins/demo/plugcast.plugin.json".to_owned())).unwrap();
    for (name, fields) in USER_ONLY {
        let policy = text(format!("codex/plugins/demo/skills/{name}/agents/openai.yaml"));
        assert!(policy.contains("allow_implicit_invocation: false"), "{fields}: {policy}");
        assert_eq!(data["bodies"][format!("demo:{name}")]["user_only"], true, "{fields}");
        let own = text(format!("claude-code/plugins/demo/skills/{name}/SKILL.md"));
        let is_written = own.contains("disable-model-invocation: true") || own.contains(fields);
        assert!(is_written, "{fields}: {own}");
    }
}

#[test]
fn case_13_a_flag_that_nobody_understands_is_not_written_as_false() {
    let folder = flagged(OFFERED).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    for (name, fields) in OFFERED {
        let own = out.get(&format!("claude-code/plugins/demo/skills/{name}/SKILL.md")).unwrap().text();
        assert!(own.contains(fields), "{fields}: {own}");
        assert!(
            out.get(&format!("codex/plugins/demo/skills/{name}/agents/openai.yaml")).is_none(),
            "{fields}"
        );
    }
}

/// What is behind `name` and `description`, and whether the source host (2.1.330) offers such a skill to the user alone.
pub const EARLY: &[(&str, &str, bool)] = &[
    ("in-a-value", "license: a --- b\ndisable-model-invocation: true\n---", false),
    ("behind-a-word", "license: a---b\ndisable-model-invocation: true\n---", false),
    ("in-a-comment", "# a --- b\ndisable-model-invocation: true\n---", false),
    ("in-a-block", "license: |\n  a\n  ---\n  b\ndisable-model-invocation: true\n---", false),
    ("text-behind", "disable-model-invocation: true\n--- text", true),
    ("four", "disable-model-invocation: true\n----", true),
    ("behind-a-flag", "disable-model-invocation: true---", true),
    ("returned", "disable-model-invocation: true\n---\r", true),
    ("indented", "disable-model-invocation: true\n  ---", true),
    ("blank", "disable-model-invocation: true\n---\u{a0}\u{feff}", true),
];

/// A skill with the fields and the end of one of them.
pub fn ending(name: &str, fields: &str) -> String {
    format!("---\nname: {name}\ndescription: Says {name}\n{fields}\n\nSay it.\n")
}

/// Dashes within a value were taken for a part of it, so that a flag behind them hid a skill that the source host offers, and
/// tools behind them were limits that it does not have.
#[test]
fn case_13_frontmatter_ends_at_the_first_dashes_wherever_they_stand() {
    let tree = EARLY.iter().fold(demo(), |tree, (name, fields, _)| {
        tree.file(&format!("in/skills/{name}/SKILL.md"), ending(name, fields))
    });
    let agent = "---\nname: a\ndescription: Looks --- closely\ntools: Read\n---\n\nLook.\n";
    let folder = tree.file("in/agents/a.md", agent).temporary();
    let finished =
        Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    let text = |path: String| out.get(&path).map(crate::support::tree::Entry::text).unwrap_or_default();
    let data: serde_json::Value =
        serde_json::from_str(&text("opencode/plugins/demo/plugcast.plugin.json".to_owned())).unwrap();
    let ledger = text("codex/.plugcast/ledger.json".to_owned());
    for (name, fields, user_only) in EARLY {
        let policy = text(format!("codex/plugins/demo/skills/{name}/agents/openai.yaml"));
        assert_eq!(policy.contains("allow_implicit_invocation: false"), *user_only, "{fields:?}: {policy}");
        let is_user_only = data["bodies"][format!("demo:{name}")]["user_only"] == true;
        assert_eq!(is_user_only, *user_only, "{fields:?}");
        let place = format!("skills/{name}/SKILL.md");
        let mut findings = finished.stderr.split("\n\n");
        let told = findings.any(|one| one.contains("[frontmatter-ends-early]") && one.contains(&place));
        let ends = !matches!(*name, "behind-a-flag" | "returned" | "indented" | "blank");
        assert_eq!(told, ends, "{name}: {}", finished.stderr);
        let behind = fields.split_once("---").is_some_and(|(_, behind)| behind.contains("\ndisable"));
        let expected =
            |row: &str| row.contains(&place) && row.contains("dashes end the frontmatter before it");
        assert_eq!(ledger.lines().any(expected), behind, "{name}");
    }
    assert!(data["agents"]["demo:a"]["permission"].is_null(), "{}", data["agents"]["demo:a"]);
    let stderr_text = finished.stderr.replace('\n', " ");
    assert!(
        stderr_text.contains("frontmatter-ends-early")
            && stderr_text.contains("the rest of `description` and `tools` are text"),
        "{stderr_text}"
    );
}

/// It was carried for show: the ledger called it kept, and no host but the source's reads it.
#[test]
fn case_13_when_to_use_of_a_command_is_a_loss_like_that_of_a_skill() {
    let text = "---\ndescription: Does c\nwhen_to_use: Only after tests\n---\n\nDo c.\n";
    let folder = demo().file("in/commands/c.md", text).temporary();
    let build = |host: &str| {
        let arguments = ["build", "in", "--to", host, "--out", "out", "--deny-loss", "behavior"];
        Plugcast::new(folder.path(), &arguments).run()
    };
    for host in ["codex", "opencode"] {
        let finished = build(host).expect_code(1);
        let told = finished.stdout + &finished.stderr;
        assert!(told.contains("when_to_use"), "{host}: {told}");
    }
    build("claude-code").expect_code(0);
}

/// 2.1.330 hides a skill from the user wherever the field is there and not on, also where it is empty.
#[test]
fn case_13_a_skill_that_the_source_host_hides_from_the_user_is_a_loss_elsewhere() {
    let fields =
        ["user-invocable:", "user-invocable: perhaps", "user-invocable: [true]", "user-invocable: 0.0"];
    for fields in fields {
        let folder = flagged(&[("t", fields)]).temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run().expect_code(0);
        let ledger = folder.path().join("out/codex/.plugcast/ledger.json");
        let ledger: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(ledger).unwrap()).unwrap();
        let rows = ledger["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["pointer"] == "/user-invocable").expect("a row");
        assert!(row["outcome"] == "dropped" && row["loss"]["id"].is_string(), "{fields}: {row}");
    }
}
