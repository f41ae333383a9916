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
            let said = entry.text();
            assert!(said.replace('"', "").contains("description: Says it"), "{name}: {host}: {said}");
            let marked = host != "opencode" || said.contains("\n---");
            assert!(marked, "{name}: {host}: the mark is at the start of its line: {said}");
        }
    }
}
