//! 7: what a host refuses is not written; and 13: a result that cannot be written is no success.

use std::fs;

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn case_7_json_that_hosts_refuse_is_not_copied() {
    for (servers, said, place) in [
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\u{1}b\"}}}", "control character", ".mcp.json:1:"),
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\tb\"}}}", "control character", ".mcp.json:1:"),
        ("{\"mcpServers\":{\"x\":\n{\"command\":\"it\\'s\"}}}", "invalid escape", ".mcp.json:2:"),
        ("{\"mcpServers\":{\"x\":{\"command\":\"a\",\"timeout\":1.}}}", "invalid number", ".mcp.json:1:"),
    ] {
        let folder = demo().file("in/.mcp.json", servers).temporary();
        let finished = Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"])
            .run()
            .expect_code(1);
        for said in [said, place, "error[json-syntax]"] {
            assert!(finished.stderr.contains(said), "`{said}` is missing in {}", finished.stderr);
        }
        for (path, _) in Tree::read(&folder.path().join("out")).entries() {
            assert!(!path.ends_with("/.mcp.json"), "{path} is written");
        }
    }
}

#[test]
fn case_13_a_result_that_cannot_be_written_is_no_success() {
    let folder = demo().temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run().expect_code(0);
    let line = "\"$0\" \"$@\" > /dev/full";
    for arguments in [
        &["targets"][..],
        &["rules"],
        &["check", "in"],
        &["--help"],
        &["build", "in", "--to", "codex", "--out", "out"],
        &["man"],
    ] {
        let finished = Plugcast::new(folder.path(), arguments).below("sh", &["-c", line]).run();
        assert_eq!(finished.code, Some(2), "{arguments:?}: {}", finished.stderr);
    }
    let closed = "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}";
    Plugcast::new(folder.path(), &["targets"]).below("bash", &["-c", closed]).run().expect_code(0);
}

#[test]
fn case_7_the_same_in_a_manifest_leaves_the_old_bundle() {
    let folder = demo().temporary();
    let build = || Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run();
    build().expect_code(0);
    let manifest = folder.path().join("in/.claude-plugin/plugin.json");
    fs::write(manifest, "{\"name\":\"demo\",\"version\":\"1.0.0\",\"description\":\"a\u{1}b\"}").unwrap();
    build().expect_code(1);
}

#[test]
fn case_7_what_a_host_would_misread_is_left_out_with_a_row() {
    // No reader of YAML takes this character, and no form of the value changes that.
    let text = "---\nname: t\ndescription: Says\u{ffff} it\n---\n\nSay it.\n";
    let folder = demo().file("in/skills/t/SKILL.md", text).temporary();
    let finished =
        Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(1);
    assert!(finished.stderr.contains("error[reread]"), "{}", finished.stderr);
    for host in ["claude-code", "codex", "opencode"] {
        let out = Tree::read(&folder.path().join("out").join(host));
        let paths: Vec<&str> = out.entries().map(|(path, _)| path).collect();
        assert!(paths.contains(&"plugins/demo/skills/s/SKILL.md"), "{host}: {paths:?}");
        assert!(!paths.iter().any(|path| path.contains("skills/t")), "{host}: {paths:?}");
        let ledger =
            fs::read_to_string(folder.path().join("out").join(host).join(".plugcast/ledger.json")).unwrap();
        let ledger: serde_json::Value = serde_json::from_str(&ledger).unwrap();
        let row = |row: &&serde_json::Value| row["kind"] == "skill" && row["path"] == "skills/t/SKILL.md";
        let row = ledger["rows"].as_array().unwrap().iter().find(row).expect("a row");
        assert_eq!(row["outcome"], "dropped", "{host}: {row}");
        assert!(row["reason"].as_str().unwrap().contains("would refuse"), "{host}: {row}");
    }
    Plugcast::new(folder.path(), &["build", "in", "--to", "all", "--out", "out"]).run().expect_code(1);
}
