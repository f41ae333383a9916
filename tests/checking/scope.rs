//! What of a repository `check` reads: everything that is a skill, a plugin or a component, wherever it lies.

use std::fs;

use super::{Plugcast, found, json, run, skill};
use crate::support::tree::Tree;

const MANIFEST: &str = "{ \"name\": \"demo\" }\n";

/// A command beside the skill once made the folder a plugin that has no skills.
#[test]
fn skills_in_any_folder_are_read_beside_commands() {
    let folder = Tree::new().file("src/alpha/SKILL.md", skill("beta")).temporary();
    let finding = ["alpha/SKILL.md:2 name-mismatch"];
    assert_eq!(found(&folder, &["src"]), finding);
    fs::create_dir_all(folder.path().join("src/zeta/commands")).unwrap();
    fs::write(folder.path().join("src/zeta/commands/a.md"), "---\ndescription: Does it.\n---\nDo it.\n")
        .unwrap();
    assert_eq!(found(&folder, &["src"]), finding);
}

/// OpenCode finds skills at any depth; the seventh folder was neither read nor named.
#[test]
fn skills_at_any_depth_are_read() {
    let deep = "src/teams/core/tools/ai/kit/catalog/triage/SKILL.md";
    let alone = Tree::new().file(deep, skill("beta"));
    let expected = ["teams/core/tools/ai/kit/catalog/triage/SKILL.md:2 name-mismatch"];
    assert_eq!(found(&alone.clone().temporary(), &["src"]), expected);
    let command = "---\ndescription: Does it.\n---\nDo it.\n";
    let beside = alone.clone().file("src/zeta/commands/a.md", command).temporary();
    assert_eq!(found(&beside, &["src"]), expected);
    let plugin = alone
        .file("src/.claude-plugin/plugin.json", MANIFEST)
        .file("src/skills/one/SKILL.md", skill("one"))
        .temporary();
    assert_eq!(found(&plugin, &["src"]), expected);
}

/// 864 skills lay beside one plugin, of which 15 files were read.
#[test]
fn skills_and_plugins_beside_those_of_a_marketplace_or_manifest_are_read() {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"me\" }, \"plugins\": [{ \"name\": \"demo\", \"source\": \"./plugins/demo\" }] }\n";
    let shelf = Tree::new()
        .file("src/plugins/demo/.claude-plugin/plugin.json", MANIFEST)
        .file("src/plugins/demo/skills/one/SKILL.md", skill("one"))
        .file("src/engineering/two/SKILL.md", skill("second"))
        .file("src/plugins/other/.claude-plugin/plugin.json", "{ \"name\": \"other\" }\n")
        .file("src/plugins/other/skills/three/SKILL.md", skill("third"));
    let expected =
        ["engineering/two/SKILL.md:2 name-mismatch", "plugins/other/skills/three/SKILL.md:2 name-mismatch"];
    let listed = shelf.clone().file("src/.claude-plugin/marketplace.json", listing).temporary();
    assert_eq!(found(&listed, &["src"]), expected);
    let plugin = shelf
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"top\", \"skills\": \"./mine\" }\n")
        .file("src/mine/four/SKILL.md", skill("fourth"))
        .temporary();
    let all = found(&plugin, &["src"]);
    assert_eq!(
        all,
        [&["engineering/two/SKILL.md:2 name-mismatch", "mine/four/SKILL.md:2 name-mismatch"], &expected[1..]]
            .concat()
    );
}

#[test]
fn projects_are_read_for_the_hosts_that_read_their_folders() {
    let open = "---\nname: plan\ndescription: Plans.\nargument-hint: [issue] [branch]\n---\nPlan.\n";
    let folder = Tree::new()
        .file("src/.claude/skills/two/SKILL.md", skill("second"))
        .file(
            "src/.claude/agents/checker.md",
            "---\nname: checker\ndescription: Checks.\ncolor: mauve\n---\nCheck.\n",
        )
        .file("src/.agents/skills/three/SKILL.md", skill("third"))
        .file("src/.codex/skills/plan/SKILL.md", open)
        .file("src/.opencode/skills/plan/SKILL.md", open)
        .file(
            "src/.opencode/agents/own.md",
            "---\nmode: subagent\ntools:\n  bash: false\n---\nOf another form.\n",
        )
        .temporary();
    let expected = [
        ".agents/skills/three/SKILL.md:2 name-mismatch",
        ".claude/agents/checker.md:4 agent-field",
        ".claude/skills/two/SKILL.md:2 name-mismatch",
        ".opencode/skills/plan/SKILL.md:4 yaml-dialect",
    ];
    // Codex takes the value as text, and does not read the folder of the host that loses it.
    assert_eq!(found(&folder, &["src"]), expected);
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(shown["diagnostics"][3]["hosts"], serde_json::json!(["opencode"]), "{shown:#}");
}

#[test]
fn agents_commands_and_hooks_of_projects_are_read_as_their_hosts_read_them() {
    let hooks = "{\n  \"hooks\": {\n    \"Stopp\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }]\n  }\n}\n";
    let folder = Tree::new()
        .file("src/app/.claude/settings.json", hooks)
        .file("src/app/.opencode/agent/own.md", "---\ndescription: Checks.\nmode: worker\n---\nCheck.\n")
        .file("src/app/.opencode/command/ship.md", "---\ndescription:\n---\nShip.\n")
        .file("src/app/.codex/agents/own.toml", "name = \"own\"\ndescription = \"Checks.\"\n")
        .file("src/app/.codex/prompts/old.md", "Write the plan.\n")
        .file("src/app/.codex/hooks.json", "{}\n")
        .temporary();
    let expected = [
        "app/.claude/settings.json:3 hook-event",
        "app/.codex/agents/own.toml:1 project-file",
        "app/.opencode/agent/own.md:3 project-file",
        "app/.opencode/command/ship.md:2 project-file",
    ];
    assert_eq!(found(&folder, &["src"]), expected);
    // Each is of one host alone.
    assert_eq!(found(&folder, &["src", "--to", "codex"]), expected[..2]);
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    let left_out: Vec<_> = shown["left_out"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(left_out, ["app/.codex/hooks.json", "app/.codex/prompts"], "{shown:#}");
    // A file stands for its project's folder, and the folder for itself.
    for path in
        ["src/app/.claude/settings.json", "src/app/.opencode/agent/own.md", "src/app/.codex/agents/own.toml"]
    {
        let one = run(folder.path(), &[path, "--format", "json"]);
        assert_eq!(json(&one)["diagnostics"].as_array().unwrap().len(), 1, "{path}: {}", one.stdout);
    }
    assert_eq!(found(&folder, &["src/app/.claude"]), ["settings.json:3 hook-event"]);
}

#[test]
fn a_file_stands_for_its_plugin_and_several_paths_are_read_at_once() {
    let folder = super::plugin().file("other/skills/four/SKILL.md", skill("fourth")).temporary();
    assert_eq!(found(&folder, &["src/skills/two/SKILL.md"]), [super::TWO]);
    assert!(found(&folder, &["src/skills/one/SKILL.md"]).is_empty());
    assert_eq!(found(&folder, &["src/skills/two"]), [super::TWO], "and so does the folder of a skill");
    assert_eq!(found(&folder, &["src/skills/two/SKILL.md", "src/skills/three"]), [super::THREE, super::TWO]);
    let both = found(&folder, &["src", "other"]);
    let expected = [
        "other/skills/four/SKILL.md:2 name-mismatch",
        "src/skills/three/SKILL.md:2 name-mismatch",
        "src/skills/two/SKILL.md:2 name-mismatch",
    ];
    assert_eq!(both, expected);
    assert_eq!(found(&folder, &["src/skills/two", "other/skills/four/SKILL.md"]), [expected[0], expected[2]]);
    let absent = run(folder.path(), &["src", "nowhere"]).expect_code(2);
    assert!(absent.stderr.contains("the folder `nowhere` does not exist"), "{}", absent.stderr);
}

/// `docs/check.md`: skills, agents and commands are judged as parts of their plugin.
#[test]
fn a_folder_of_components_stands_for_its_plugin() {
    let text = "---\nname: checker\ndescription: Checks a text when it is asked for.\n---\nRun `/demo:on` and `/demo:one`.\n";
    let folder = super::plugin()
        .file("src/agents/review/checker.md", text)
        .file("src/skills/one/references/more.md", "Read [it](none.md).\n")
        .file("src/docs/skills/other/SKILL.md", skill("another"))
        .temporary();
    let (agent, more) =
        ("agents/review/checker.md:5 unknown-skill", "skills/one/references/more.md:1 broken-link");
    for (path, expected) in [
        ("src/agents", &[agent][..]),
        ("src/agents/review", &[agent]),
        ("src/agents/review/checker.md", &[agent]),
        ("src/skills/one/references", &[more]),
        ("src/skills", &[more, super::THREE, super::TWO]),
        // What belongs to no plugin's components stands for itself.
        ("src/docs", &["skills/other/SKILL.md:2 name-mismatch"]),
    ] {
        assert_eq!(found(&folder, &[path]), expected, "{path}");
    }
    let rest = found(&folder, &["src/agents", "src/skills/two"]);
    assert_eq!(rest, [agent, super::TWO]);
}

/// Issue 18: a source of more than 100,000 files says so before the work goes on.
#[test]
fn how_much_was_found_is_said_before_a_long_work_goes_on() {
    let folder = super::plugin().temporary();
    let count = 100_001;
    for at in 0..count {
        let inner = folder.path().join(format!("src/data/{}", at / 1000));
        if at % 1000 == 0 {
            fs::create_dir_all(&inner).unwrap();
        }
        fs::write(inner.join(format!("{at}.bin")), "").unwrap();
    }
    let ended = run(&folder.path().join("src"), &["data"]).expect_code(2);
    assert!(
        ended.stderr.starts_with("note: reading `data` takes a while: it has 100001 files\n"),
        "{}",
        ended.stderr
    );
    let none = "error: no plugin found in `data`: none of its 100001 files is a marketplace";
    assert!(ended.stderr.contains(none), "{}", ended.stderr);
    let quiet = run(&folder.path().join("src"), &["data", "-q"]).expect_code(2);
    assert!(quiet.stderr.starts_with("error: "), "{}", quiet.stderr);
}

#[test]
fn what_is_left_out_stands_in_one_line() {
    let folder = super::plugin()
        .file("src/tests/fixtures/bad/SKILL.md", skill("worse"))
        .file("src/old/.plugcast/manifest.json", "{}\n")
        .temporary();
    let finished = run(folder.path(), &["src"]).expect_code(0);
    let line = "not checked: `old` (it is a bundle that a build wrote), `tests` (it belongs to tests, examples or documentation)\n";
    assert!(finished.stdout.contains(line), "{}", finished.stdout);
    let shown = json(&run(folder.path(), &["src", "--format", "json"]));
    assert_eq!(shown["left_out"][1]["path"], "tests", "{shown:#}");
}

/// With a skill at its root a plugin within a plugin was read as a folder of that skill: four findings were gone.
#[test]
fn a_plugin_within_a_plugin_is_read_also_where_it_is_a_skill() {
    let tree = Tree::new()
        .file("src/.claude-plugin/plugin.json", MANIFEST)
        .file("src/skills/one/SKILL.md", skill("one"))
        .file("src/inner/.claude-plugin/plugin.json", "{ \"name\": \"inner\", \"skills\": [\"./x\"] }\n")
        .file("src/inner/agents/x.md", "No frontmatter\n");
    let expected = [
        "inner/.claude-plugin/plugin.json:1 manifest-target-missing",
        "inner/agents/x.md:1 frontmatter-missing",
    ];
    assert_eq!(found(&tree.clone().temporary(), &["src"]), expected);
    assert_eq!(found(&tree.file("src/inner/SKILL.md", skill("inner")).temporary(), &["src"]), expected);
}

/// They were not read, and nothing said so.
#[test]
fn components_at_the_root_of_a_marketplace_are_named_where_no_plugin_has_them() {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"me\" }, \"plugins\": [{ \"name\": \"demo\", \"source\": \"./dist/plugins/demo\" }] }\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/marketplace.json", listing)
        .file("src/dist/plugins/demo/skills/one/SKILL.md", skill("one"))
        .file("src/agents/helper.md", "# Helpers\n\nWhat they are.\n")
        .temporary();
    let output = run(folder.path(), &["src"]).expect_code(0);
    assert!(
        output.stdout.contains("not checked: `agents` (no plugin of the marketplace contains it)"),
        "{}",
        output.stdout
    );
}

/// Issue 18, attack 2: they were not read, `check agents` found nothing in 0 files, and only the copies below `dist` were mended.
#[test]
fn components_at_the_root_of_a_marketplace_are_checked() {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"me\" }, \"plugins\": [{ \"name\": \"demo\", \"source\": \"./dist/plugins/demo\" }] }\n";
    let agent = "---\nname: helper\ndescription: Helps with a task when asked.\ntools: Reed\n---\nSee [the guide](../docs/guide.md) and [none](nope.md).\n";
    let command = "---\ndescription: Plans the work.\nallowed-tools: Bash(git\n---\nRun `python3 scripts/plan.py` in the project.\n";
    let folder = Tree::new()
        .file("src/.claude-plugin/marketplace.json", listing)
        .file("src/dist/plugins/demo/skills/one/SKILL.md", skill("one"))
        .file("src/docs/guide.md", "# Guide\n")
        .file("src/agents/README.md", "# Agents\n")
        .file("src/agents/helper.md", agent)
        .file("src/commands/plan.md", command)
        .temporary();
    let of_agents = ["agents/helper.md:4 unknown-tool"];
    let of_commands = ["commands/plan.md:3 unclosed-tool-rule"];
    assert_eq!(found(&folder, &["src"]), [&of_agents[..], &of_commands].concat());
    assert_eq!(found(&folder, &["src/agents/helper.md"]), of_agents);
    assert_eq!(found(&folder, &["src/commands"]), of_commands);
    Plugcast::new(folder.path(), &["build", "src", "--to", "all", "--out", "out"]).run().expect_code(0);
    assert!(!folder.path().join("out/claude-code/plugins/agents").exists(), "no plugin has them");
}
