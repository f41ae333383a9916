//! One tree for each kind of closure fault, with everything that is said about it.

use serde_json::{Value, json};

use tempfile::TempDir;

use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const MANIFEST: &str = "{\"name\":\"kit\"}";

/// A plugin named `kit` with one skill, whose text ends with `body`.
pub fn kit(body: &str) -> Tree {
    let skill = format!("---\ndescription: Plans.\n---\n\n{body}\n");
    Tree::new().file("in/.claude-plugin/plugin.json", MANIFEST).file("in/skills/plan/SKILL.md", skill)
}

/// Builds `in` for `hosts` and answers every finding in one line; the exit code tells whether one of
/// them is an error.
pub fn findings(tree: &Tree, hosts: &str) -> Vec<String> {
    lines(&built(tree, &["--to", hosts]).1)
}

/// Builds `in` into `out` of a fresh folder.
pub fn built(tree: &Tree, arguments: &[&str]) -> (TempDir, FinishedRun) {
    let folder = tree.temporary();
    let arguments = [["build", "in", "--out", "out", "--format", "json"].as_slice(), arguments].concat();
    let finished = Plugcast::new(folder.path(), &arguments).run();
    (folder, finished)
}

/// Every finding of a build in one line.
pub fn lines(finished: &FinishedRun) -> Vec<String> {
    let answer: Value =
        serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{}", finished.stderr));
    let mut lines = Vec::new();
    let mut errors = 0;
    for found in answer["diagnostics"].as_array().unwrap_or_else(|| panic!("{answer:#}")) {
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        errors += usize::from(text("severity") == "error");
        lines.push(format!(
            "{} {} {}:{}:{} {} | {}",
            text("severity"),
            text("rule"),
            text("path"),
            found["line"],
            found["column"],
            text("message"),
            text("help")
        ));
    }
    let written = answer["targets"].as_array().expect("targets").iter().all(|target| target["written"] != 0);
    assert!(written, "what is whole is written: {answer:#}");
    assert_eq!(finished.code, Some(i32::from(errors > 0)), "{lines:#?}");
    lines
}

const ALL: &str = "claude-code,codex,opencode";

#[test]
fn a_broken_link_is_reported_once_for_all_hosts_with_a_suggestion() {
    let tree =
        kit("Read [the steps](references/step.md) first.").file("in/skills/plan/references/steps.md", "x\n");
    assert_eq!(
        findings(&tree, ALL),
        ["warning broken-link in/skills/plan/SKILL.md:5:18 `references/step.md` does not exist: the plugin has no `skills/plan/references/step.md` | did you mean `skills/plan/references/steps.md`?".replace("in/skills", "skills")]
    );
}

#[test]
fn a_path_differs_in_case() {
    let tree = kit("Read `references/steps.md`.").file("in/skills/plan/references/Steps.md", "x\n");
    assert_eq!(
        findings(&tree, ALL),
        [
            "warning missing-bundled-path skills/plan/SKILL.md:5:7 `references/steps.md` does not exist: the plugin has no `skills/plan/references/steps.md` | did you mean `skills/plan/references/Steps.md`?"
        ]
    );
}

#[test]
fn a_path_behind_a_variable_is_not_found() {
    let tree =
        kit("Run `${CLAUDE_PLUGIN_ROOT}/scripts/lint.sh`.\n\n```sh\n\"${CLAUDE_SKILL_DIR}\"/run/go.sh\n```")
            .script("in/scripts/lints.sh", "")
            .script("in/skills/plan/run/gone.sh", "");
    assert_eq!(
        findings(&tree, ALL),
        [
            "warning missing-bundled-path skills/plan/SKILL.md:5:6 `scripts/lint.sh` does not exist: the plugin has no `scripts/lint.sh` | did you mean `scripts/lints.sh`?",
            "warning missing-bundled-path skills/plan/SKILL.md:8:2 `run/go.sh` does not exist: the plugin has no `skills/plan/run/go.sh` | did you mean `skills/plan/run/gone.sh`?",
        ]
    );
}

#[test]
fn a_path_that_leaves_the_plugin_is_not_installed_with_it() {
    let tree = kit("See [the rules](../../../rules.md).").file("rules.md", "x\n");
    assert_eq!(
        findings(&tree, ALL),
        [
            "warning cross-skill-reference skills/plan/SKILL.md:5:17 `../../../rules.md` points outside the plugin, but only the plugin is installed | add the file, or fix the path"
        ]
    );
}

#[test]
fn what_is_left_out_of_the_build_is_an_error_of_every_host() {
    let tree = kit("Read [this](references/own.md) and run `${CLAUDE_PLUGIN_ROOT}/dist/go.js`.")
        .file("in/plugcast.toml", "[build]\nexclude = [\"skills/plan/references/own.md\"]\n")
        .file("in/.gitignore", "dist/\n")
        .file("in/dist/go.js", "")
        .file("in/skills/plan/references/own.md", "x\n");
    let finished = built(&tree, &["--to", "codex,opencode"]).1;
    let found = lines(&finished);
    let line = |column: usize, path: &str, why: &str| {
        format!(
            "error closure skills/plan/SKILL.md:5:{column} `{path}` is not in the bundle: {why}, or remove the reference"
        )
    };
    let excluded = "`[build] exclude` names it | ship the file";
    let ignored = "a `.gitignore` of the source ignores it | list the file under `include` of `[build]` in `plugcast.toml`";
    assert_eq!(found, [line(13, "references/own.md", excluded), line(41, "dist/go.js", ignored),]);
    // One place is one finding, with the names of all hosts.
    let answer: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let hosts = ["codex", "opencode"];
    assert!(
        answer["diagnostics"]
            .as_array()
            .expect("findings")
            .iter()
            .all(|found| found["hosts"] == json!(hosts))
    );
}

#[test]
fn what_a_host_cannot_carry_is_an_error_until_its_loss_is_accepted() {
    let tree = kit("Start `${CLAUDE_PLUGIN_ROOT}/output-styles/all.md`, the style `kit:all`.")
        .file("in/output-styles/all.md", "x\n");
    let help =
        "say in the text what to do without it, and accept the loss `appearance/kit/output-style/all.md`";
    let line = |severity: &str, column: usize, name: &str| {
        format!(
            "{severity} closure skills/plan/SKILL.md:5:{column} `{name}` is not in the bundle: the host has no output styles | {help}"
        )
    };
    assert_eq!(
        findings(&tree, "claude-code,codex"),
        [line("error", 8, "output-styles/all.md"), line("error", 64, "kit:all")]
    );
    let accepted = "[[accept-loss]]\nid = \"appearance/*\"\nreason = \"the text says what to do\"\n";
    let tree = tree.file("in/plugcast.toml", accepted);
    assert_eq!(
        findings(&tree, "claude-code,codex"),
        [line("warning", 8, "output-styles/all.md"), line("warning", 64, "kit:all")]
    );
}

#[test]
fn a_name_that_nothing_has_is_said_with_the_name_that_was_meant() {
    let tree = kit("Dispatch `kit:review:cheker`, then /kit:plan.")
        .file("in/agents/review/checker.md", "---\ndescription: Checks.\n---\n\nYou check.\n");
    assert_eq!(
        findings(&tree, ALL),
        [
            "warning unknown-agent skills/plan/SKILL.md:5:11 unknown name `kit:review:cheker`: no skill, agent or command has it | did you mean `kit:review:checker`?"
        ]
    );
}

/// The name of another plugin, or one that only begins alike, was once suggested.
#[test]
fn a_suggestion_is_close_and_of_the_same_plugin() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\nDo it.\n");
    let text = "Call the Skill tool with `kit:debug`, then with `kit:review-plans`.";
    let tree = Tree::new()
        .file("in/kit/.claude-plugin/plugin.json", MANIFEST)
        .file("in/kit/skills/plan/SKILL.md", skill("plan") + text)
        .file("in/kit/skills/review-goals/SKILL.md", skill("review-goals"))
        .file("in/other/.claude-plugin/plugin.json", "{\"name\":\"other\"}")
        .file("in/other/skills/debug/SKILL.md", skill("debug"));
    assert_eq!(findings(&tree, ALL), [] as [&str; 0]);
}

#[test]
fn a_workflow_has_the_name_in_its_script_alone() {
    let script = "export const meta = { name: 'sweep', description: 'Sweeps.' };\n";
    let tree =
        kit("Call the Workflow tool with `kit:deep`, then `kit:sweep`.").file("in/workflows/deep.js", script);
    for host in ["claude-code", "codex", "opencode"] {
        assert_eq!(
            findings(&tree, host),
            [
                "warning unknown-skill skills/plan/SKILL.md:5:30 unknown name `kit:deep`: no skill, agent or command has it | did you mean `kit:sweep`?"
            ],
            "{host}"
        );
    }
}

#[test]
fn a_component_that_a_host_refuses_is_named_by_nothing_there() {
    let long = "x".repeat(70);
    let tree = kit(&format!("Then run /kit:{long}."))
        .file(&format!("in/skills/{long}/SKILL.md"), "---\ndescription: Long.\n---\n\nLong.\n");
    let found = findings(&tree, "claude-code,codex");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("error closure skills/plan/SKILL.md:5:11 `kit:xxx"), "{found:#?}");
    assert!(found[0].contains("is not in the bundle: its name has 70 characters"), "{found:#?}");
    assert!(found[1].starts_with("error limit "), "{found:#?}");
}

#[test]
fn hooks_and_servers_name_scripts_that_are_there_and_can_be_run() {
    let hooks = "{\"hooks\":{\"Stop\":[{\"hooks\":[\n{\"type\":\"command\",\"command\":\"${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh --now\"},\n{\"type\":\"command\",\"command\":\"bash \\\"${CLAUDE_PLUGIN_ROOT}\\\"/hooks/stp.sh\"}]}]}}\n";
    let servers = "{\"mcpServers\":{\n\"a\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/bin/serve\",\n\"args\":[\"${CLAUDE_PLUGIN_ROOT}/etc/a.json\"]},\n\"b\":{\"command\":\"node\",\"args\":[\"${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh\"]}}}\n";
    let tree = kit("Plan.")
        .file("in/hooks/hooks.json", hooks)
        .file("in/.mcp.json", servers)
        .file("in/hooks/stop.sh", "");
    assert_eq!(
        findings(&tree, "claude-code"),
        [
            "warning missing-bundled-path .mcp.json:2:39 `bin/serve` does not exist: the plugin has no `bin/serve` | add the file, or fix the path",
            "warning missing-bundled-path .mcp.json:3:32 `etc/a.json` does not exist: the plugin has no `etc/a.json` | add the file, or fix the path",
            "warning hook-script-not-executable hooks/hooks.json:2:52 `hooks/stop.sh` is called as a program but is not executable | make it executable with `chmod +x hooks/stop.sh`, or call it with its interpreter",
            "warning hook-script-missing hooks/hooks.json:3:61 `hooks/stp.sh` does not exist: the plugin has no `hooks/stp.sh` | did you mean `hooks/stop.sh`?",
        ]
    );
}

#[test]
fn a_manifest_names_a_file_that_is_not_there() {
    let tree = kit("Plan.")
        .file("in/.claude-plugin/plugin.json", "{\"name\":\"kit\",\n\"hooks\":\"./config/hooks.json\"}\n");
    let found = findings(&tree, "claude-code");
    assert_eq!(
        found,
        [
            "error manifest-target-missing .claude-plugin/plugin.json:2:9 `config/hooks.json` does not exist in the source | fix the path, or remove the entry"
        ]
    );
}

#[test]
fn texts_that_no_host_loads_warn_and_fail_nothing() {
    let tree = kit("Plan.")
        .file(
            "in/README.md",
            "See [the style](output-styles/all.md), `output-styles/all.md` and [more](docs/none.md).\n",
        )
        .file("in/output-styles/all.md", "x\n");
    assert_eq!(
        findings(&tree, "codex"),
        [
            "warning closure README.md:1:17 `output-styles/all.md` is not in the bundle: the host has no output styles | no host loads this text, but readers will look for the file"
        ]
    );
}

#[test]
fn examples_placeholders_and_files_to_make_are_left_alone() {
    let body = "Read `references/<name>.md`, `references/{id}.md`, `references/*.md`, `path/to/file.md`, `references/your-file.md`.\n\
        Write the result to `references/out.md`, save `scripts/new.py`. See https://e.org/references/x.md, `/etc/references/x.md` and and/or.\n\
        A `references/schema.md` would help. See `docs/none.md` of the user's repository, `node:fs`, `kit:` and kit::x.\n\n\
        ```sh\npython gen.py > references/report.md\ncat src/lib.rs\n```\n\n    See [this](references/that.md).\n\nSee `[that](references/this.md)` and [x](y).";
    let tree = kit(body)
        .file("in/skills/plan/references/a.md", "x\n")
        .file("in/skills/plan/scripts/a.py", "")
        .file("in/skills/plan/examples/b.md", "See `references/none.md`.\n");
    assert_eq!(findings(&tree, ALL), [""; 0]);
}

#[test]
fn a_path_of_another_skill_that_the_text_names_is_right() {
    let tree = kit("Follow `references/steps.md` in the build skill.")
        .file("in/skills/plan/references/a.md", "x\n")
        .file("in/skills/build/SKILL.md", "---\ndescription: Builds.\n---\n\nRead `references/steps.md`.\n")
        .file("in/skills/build/references/steps.md", "x\n");
    assert_eq!(findings(&tree, ALL), [""; 0]);
}
