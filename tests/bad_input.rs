//! Bad input of every kind, one test each: the exact findings of `--format json`, the exit code, and
//! that everything else is built and nothing is written outside the output folder.
//!
//! Every source holds one sound skill, `ok`, beside what is bad.

pub mod source;

use std::fs;

use source::{BadSource, EVERY_HOST, skill};

use crate::support::tree::Tree;

mod files;
mod frontmatter;
mod manifests;
mod names;
mod usage;

/// A source that is clean is built without a finding, so that the others show what they say they show.
#[test]
fn the_sound_part_alone_has_no_findings() {
    let built = BadSource::plugin(Tree::new()).build();
    built.expect(0, &[]);
    for host in EVERY_HOST {
        assert_eq!(built.count(host, "skills"), 1);
    }
}

#[test]
fn an_empty_plugin_says_what_to_add() {
    let bare = Tree::new().file(".claude-plugin/plugin.json", "{ \"name\": \"bad\" }\n");
    BadSource::bare(bare).build().expect(
        1,
        &["error empty-plugin .:1:1 the plugin `bad` has no components | add a skill as `skills/<name>/SKILL.md`, an agent as `agents/<name>.md` or a command as `commands/<name>.md`"],
    );
}

#[test]
fn files_of_others_stay_and_stop_a_build_that_would_replace_them() {
    let place = "out/codex/plugins/bad/.codex-plugin/plugin.json";
    let bad = BadSource::plugin(Tree::new())
        .beside(Tree::new().file(place, "mine\n").file("out/codex/note.txt", "mine too\n"));
    let built = bad.build();
    built.expect_error(
        "conflict",
        "`out/codex` contains files that plugcast did not write and would have to overwrite: plugins/bad/.codex-plugin/plugin.json",
        "move those files away, or pass another folder with `--out`",
    );
    assert_eq!(fs::read_to_string(built.path(place)).unwrap(), "mine\n");

    fs::remove_file(built.path(place)).unwrap();
    let built = built.again();
    built.expect(0, &[]);
    assert_eq!(fs::read_to_string(built.path("out/codex/note.txt")).unwrap(), "mine too\n");
}

#[test]
fn a_file_with_a_generated_name_is_refused_where_it_is_generated() {
    let built = BadSource::plugin(Tree::new().file("plugcast.plugin.js", "// mine\n")).build();
    built.expect(
        1,
        &["error generated-name plugcast.plugin.js:1:1 `plugcast.plugin.js` is the name of a file that is generated for OpenCode | rename the file in the source [opencode]"],
    );
    let row = built.row("opencode", |row| row["path"] == "plugcast.plugin.js" && row["kind"] == "file");
    assert_eq!(row["outcome"], "dropped", "{row}");
    assert_ne!(built.emitted("opencode", "plugcast.plugin.js"), "// mine\n");
    assert_eq!(built.emitted("codex", "plugcast.plugin.js"), "// mine\n");
}

#[test]
fn a_limit_joins_the_sidecar_that_a_skill_brings() {
    let source = Tree::new()
        .file("skills/x/SKILL.md", skill("name: x\ndescription: d\ndisable-model-invocation: true"))
        .file("skills/x/agents/openai.yaml", "interface:\n  display_name: X\n");
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    assert_eq!(
        built.emitted("codex", "skills/x/agents/openai.yaml"),
        "interface:\n  display_name: X\npolicy: {\"allow_implicit_invocation\":false}\n"
    );
    let row = built.row("codex", |row| row["pointer"] == "/disable-model-invocation");
    assert_eq!(row["outcome"], "mapped", "{row}");
}

/// The skill says that only the user may start it, its own sidecar that the model may: the limit is
/// kept, or it is a security loss; never neither.
#[test]
fn a_sidecar_that_says_the_opposite_is_not_followed_silently() {
    let source = Tree::new()
        .file("skills/x/SKILL.md", skill("name: x\ndescription: d\ndisable-model-invocation: true"))
        .file("skills/x/agents/openai.yaml", "policy:\n  allow_implicit_invocation: true\n");
    let built = BadSource::plugin(source).build();
    let sidecar = built.emitted("codex", "skills/x/agents/openai.yaml");
    let row = built.row("codex", |row| row["pointer"] == "/disable-model-invocation");
    let limited = sidecar.contains("false") && !sidecar.contains("true");
    assert!(limited || row["loss"]["class"] == "security", "{sidecar}\n{row}");
}
