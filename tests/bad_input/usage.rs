//! Calls and configurations that the tool cannot work with: exit code 2 and one error object.

use super::source::BadSource;
use crate::support::tree::Tree;

#[test]
fn an_unknown_host_is_named_with_the_known_ones() {
    let built = BadSource::plugin(Tree::new()).option("--to", "codex,nohost").build();
    built.expect_error("usage", "unknown host `nohost`", "known hosts: claude-code, codex, opencode");
    assert!(!built.path("out/codex").exists());
}

#[test]
fn an_absent_source_says_what_to_pass() {
    let built = BadSource::bare(Tree::new()).build_after(|src| std::fs::remove_dir(src).unwrap());
    built.expect_error(
        "no-source",
        "the folder `src` does not exist",
        "pass the folder of a plugin, of a marketplace or of skills",
    );
}

#[test]
fn a_source_without_any_plugin_says_what_makes_one() {
    BadSource::bare(Tree::new().file("README.md", "Nothing.\n")).build().expect_error(
        "no-plugin",
        "no plugin found in `src`: it has no marketplace, manifest, skill, agent or command at any depth",
        "add `skills/<name>/SKILL.md`, or pass another folder",
    );
}

#[test]
fn a_marketplace_of_remote_plugins_is_not_a_source() {
    let listed = r#"{ "name": "m", "owner": { "name": "O" }, "plugins": [{ "name": "far", "source": { "source": "github", "repo": "example/far" } }] }"#;
    let marketplace = Tree::new().file(".claude-plugin/marketplace.json", listed);
    BadSource::bare(marketplace).build().expect_error(
        "no-plugin",
        "every plugin of the marketplace in `src` comes from another repository",
        "pass a checkout of the plugin's own repository",
    );
}

#[test]
fn what_a_project_has_for_itself_is_named() {
    let skill = "---\ndescription: d\n---\nBody.\n";
    let project = Tree::new().file("README.md", "Nothing.\n").file(".claude/skills/s/SKILL.md", skill);
    BadSource::bare(project).build().expect_error(
        "no-plugin",
        "no plugin found in `src`, but `src/.claude` contains the skills, agents or commands of a project",
        "pass that folder to build a plugin from them",
    );
}

#[test]
fn several_plugins_without_a_marketplace_take_the_name_of_their_folder_for_it() {
    let one = "---\ndescription: d\n---\nBody.\n";
    let source = Tree::new().file("a/skills/s/SKILL.md", one).file("b/skills/s/SKILL.md", one);
    let built = BadSource::bare(source).build();
    built.expect(0, &[]);
    let text =
        std::fs::read_to_string(built.path("out/claude-code/.claude-plugin/marketplace.json")).unwrap();
    let marketplace: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(marketplace["name"], "src");
}

#[test]
fn an_extra_comma_is_not_a_host() {
    BadSource::plugin(Tree::new()).option("--to", "codex,").build().expect_error(
        "usage",
        "trailing comma or empty name in the list of hosts",
        "remove the comma; known hosts: claude-code, codex, opencode",
    );
}

#[test]
fn a_list_that_is_written_as_a_text_is_shown_as_a_list() {
    let built = BadSource::plugin(Tree::new().file("plugcast.toml", "[build]\nto = \"codex\"\n")).build();
    assert_eq!(built.answer()["error"]["help"], "write `[\"codex\"]`", "{}", built.answer());
}

#[test]
fn the_folder_of_git_is_not_a_source() {
    let source = Tree::new().file("HEAD", "ref: x\n").file("objects/a", "").file("refs/a", "");
    BadSource::bare(source).build().expect_error(
        "git-folder",
        "`src` is git's internal data folder",
        "pass the folder of a plugin, of a marketplace or of skills",
    );
}

/// Each command says first that the folder is not there, whatever else is missing.
#[test]
fn a_folder_that_is_not_there_is_said_first() {
    let folder = Tree::new().temporary();
    for command in ["build", "check", "verify"] {
        let finished = crate::support::run::Plugcast::new(folder.path(), &[command, "nowhere"]).run();
        assert_eq!(finished.code, Some(2), "{command}");
        let first = finished.stderr.lines().next();
        assert_eq!(first, Some("error: the folder `nowhere` does not exist"), "{command}");
    }
}

/// Issue 18, messages: a host without a bundle is held against those that have one.
#[test]
fn a_host_that_a_folder_of_bundles_has_not_is_named_with_the_one_that_was_meant() {
    let built = BadSource::plugin(Tree::new()).build();
    let root = built.path("");
    let call = ["verify", "out", "--to", "claude-cod"];
    let ended = crate::support::run::Plugcast::new(&root, &call).run().expect_code(2);
    assert!(
        ended.stderr.starts_with("error: `out` has no bundle for host `claude-cod`\n"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("help: did you mean `claude-code`?"), "{}", ended.stderr);
}

/// The place of a configuration error, and its message, which does not repeat the place.
#[track_caller]
fn config(text: &str, line: u64, column: u64, message: &str) {
    let built = BadSource::plugin(Tree::new().file("plugcast.toml", text)).build();
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
        "unknown field `nmae`, expected one of `to`, `out`, `name`, `marketplace`, `exclude`, `include`, `deny-loss`",
    );
    config(
        "[build]\nexclude = [\"docs\", \"a[\"]\n",
        2,
        20,
        "invalid glob `a[`: unclosed character class; missing ']'",
    );
}

/// A plugin with commands and agents, two of which share a name.
fn components() -> Tree {
    let agent = "---\ndescription: d\n---\nBody.\n";
    let command = Tree::new().file("commands/go.md", agent).file("commands/stay.md", agent);
    let tree = command.file("agents/deep/one.md", agent).file("agents/go.md", agent);
    tree.file(".claude-plugin/plugin.json", r#"{"name": "kit"}"#)
}

/// Mistaken settings of targets: the text, line and column of the mistake, the message and the help.
const MISTAKEN_TARGETS: [(&str, u64, u64, &str, &str); 14] = [
    ("[targets.codxe.rename]\n", 1, 10, "unknown host `codxe`", "did you mean `codex`?"),
    (
        "[targets.codex]\nrenmae = {}\n",
        2,
        1,
        "unknown field `renmae`, expected one of `rename`, `frontmatter`, `models`, `tools`",
        "did you mean `rename`?",
    ),
    ("[targets.codex.rename]\n\n saty = \"x\"\n", 3, 2, "unknown component `saty`", "did you mean `stay`?"),
    (
        "[targets.codex.rename]\ngo = \"x\"\n",
        2,
        1,
        "`go` names more than one component",
        "write `agent/go` or `command/go`",
    ),
    (
        "[targets.codex.rename]\n\"hook/go\" = \"x\"\n",
        2,
        1,
        "`hook` is not a kind of component that can be overridden",
        "one of: skill, agent, command",
    ),
    (
        "[targets.codex.rename]\nstay = \"../x\"\n",
        2,
        8,
        "the name `../x` would leave the output folder",
        "use letters, digits and `-`, such as `my-skill`",
    ),
    (
        "[targets.codex.rename]\nstay = \"Bad Name!\"\n",
        2,
        8,
        "the name `Bad Name!` has characters that hosts show as `-`",
        "write `Bad-Name`",
    ),
    (
        "[targets.codex.rename]\n\"deep:one\" = \"other:two\"\n",
        2,
        14,
        "the name `other:two` contains a colon, but only the last part of a name can be changed",
        "write `two`: plugin and folders cannot be changed",
    ),
    (
        "[targets.codex.rename]\nstay = \"Go\"\n",
        2,
        1,
        "`stay` cannot become `Go`: `go` has that name",
        "choose another name, or rename both",
    ),
    (
        "[targets.codex.frontmatter.agents]\nmodle = \"x\"\n",
        2,
        1,
        "`modle` of agents cannot be set for Codex",
        "did you mean `model`?",
    ),
    (
        "[targets.codex.frontmatter.stay]\nname = \"x\"\n",
        2,
        1,
        "`name` of commands cannot be set for Codex",
        "write it under `[targets.codex.rename]`",
    ),
    (
        "[targets.opencode.frontmatter.agents]\nsteps = \"7\"\n",
        2,
        9,
        "`steps` must be a whole number above zero for OpenCode",
        "write a whole number above zero",
    ),
    (
        "[targets.codex.tools]\nTodoWriet = \"x\"\n",
        2,
        1,
        "Claude Code has no tool `TodoWriet`",
        "did you mean `TodoWrite`?",
    ),
    (
        "[targets.claude-code.tools]\nTodoWrite = \"x\"\n",
        2,
        1,
        "Claude Code has the tool itself, so it cannot be replaced",
        "remove the line",
    ),
];

#[test]
fn what_a_host_is_told_is_held_against_hosts_components_and_fields() {
    for (text, line, column, message, help) in MISTAKEN_TARGETS {
        let built = BadSource::plugin(components().file("plugcast.toml", text)).build();
        let error = &built.answer()["error"];
        assert_eq!((&error["line"], &error["column"]), (&line.into(), &column.into()), "{text}: {error}");
        assert_eq!((&error["message"], &error["help"]), (&message.into(), &help.into()), "{text}: {error}");
        assert!(!built.path("out/codex").exists());
    }
}

/// An agent and a command never meet, either.
#[test]
fn two_components_may_change_places() {
    let swap = "[targets.codex.rename]\n\"command/go\" = \"stay\"\nstay = \"go\"\n\"deep:one\" = \"stay\"\n";
    let built = BadSource::plugin(components().file("plugcast.toml", swap)).build();
    assert!(built.path("out/codex/plugins/kit/skills/go/SKILL.md").exists(), "{}", built.answer());
}
