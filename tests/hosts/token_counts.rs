//! A skill that includes a large file: the source host asks for its number of tokens before it sends it.

use super::verify::verify;
use crate::support::hosts::real_hosts;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn the_source_host_counts_a_large_included_file() {
    let hosts = real_hosts!();
    let line = "One line of the packaging rules, which the skill includes as a whole.\n";
    let skill = "---\nname: pack\ndescription: Packs. Use when asked to.\n---\n\nFollow:\n\n@${CLAUDE_PLUGIN_ROOT}/references/rules.md\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{\"name\": \"demo\"}")
        .file("src/references/rules.md", line.repeat(600))
        .file("src/skills/pack/SKILL.md", skill)
        .temporary();
    let build = ["build", "src", "--to", "claude-code", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let finished = verify(&hosts, &folder.path().join("out/claude-code"), &[]).expect_code(0);
    assert!(finished.stdout.contains("bodies compared 1 of 1"), "{}", finished.stdout);
}
