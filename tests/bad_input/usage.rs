//! Calls and configurations that the tool cannot work with: exit code 2 and one error object.

use super::source::Bad;
use crate::support::tree::Tree;

#[test]
fn an_unknown_host_is_named_with_the_known_ones() {
    let built = Bad::plugin(Tree::new()).option("--to", "codex,nohost").build();
    built.expect_error("usage", "there is no host `nohost`", "known hosts: claude-code, codex, opencode");
    assert!(!built.path("out/codex").exists());
}

#[test]
fn an_absent_source_says_what_to_pass() {
    let built = Bad::bare(Tree::new()).build_after(|src| std::fs::remove_dir(src).unwrap());
    built.expect_error(
        "no-source",
        "there is no folder `src`",
        "pass the folder of a plugin, of a marketplace or of skills",
    );
}

#[test]
fn a_source_without_any_plugin_says_what_makes_one() {
    Bad::bare(Tree::new().file("README.md", "Nothing.\n")).build().expect_error(
        "no-plugin",
        "`src` holds no plugin: no marketplace, no manifest, no skills, agents or commands, and no folder that has them",
        "add `skills/<name>/SKILL.md`, or pass another folder",
    );
}

#[test]
fn several_plugins_need_a_name_for_their_marketplace() {
    let one = "---\ndescription: d\n---\nBody.\n";
    let source = Tree::new().file("a/skills/s/SKILL.md", one).file("b/skills/s/SKILL.md", one);
    Bad::bare(source).build().expect_error(
        "marketplace-name-needed",
        "the source has 2 plugins and nothing names their marketplace",
        "set `marketplace` under `[build]` in `plugcast.toml`, or add a marketplace file",
    );
}

/// The place of a configuration error, and its message, which does not repeat the place.
#[track_caller]
fn config(text: &str, line: u64, column: u64, message: &str) {
    let built = Bad::plugin(Tree::new().file("plugcast.toml", text)).build();
    let error = &built.answer()["error"];
    assert_eq!(built.answer()["schema"], "plugcast.error/1", "{}", built.answer());
    assert_eq!(error["code"], "config", "{error}");
    assert!(error["path"].as_str().is_some_and(|path| path.ends_with("src/plugcast.toml")), "{error}");
    assert_eq!((&error["line"], &error["column"]), (&line.into(), &column.into()), "{error}");
    assert!(error["message"].as_str().is_some_and(|found| found.ends_with(message)), "{error}");
    assert!(error["help"].is_string(), "{error}");
    assert!(!built.path("out/codex").exists());
}

#[test]
fn broken_configuration_is_shown_where_it_breaks() {
    config("[build\nto = 1\n", 1, 7, "unclosed table, expected `]`");
    config("[build]\nto = \"codex\"\n", 2, 6, "invalid type: string \"codex\", expected a sequence");
    config(
        "[build]\nto = [\"codex\"]\nnmae = \"x\"\n",
        3,
        1,
        "unknown field `nmae`, expected one of `to`, `out`, `name`, `marketplace`, `exclude`, `deny-loss`",
    );
    config(
        "[build]\nexclude = [\"docs\", \"a[\"]\n",
        2,
        20,
        "`a[` is no glob: error parsing glob 'a[': unclosed character class; missing ']'",
    );
}
