//! Faults in what a host runs: hooks and servers of every host, in its own documents.

use std::fs;

use serde_json::Value;

use super::faults::{built, findings, kit, lines};
use crate::support::root;
use crate::support::tree::Tree;

const RUNNING: &str = "codex,opencode";

fn hooks(handlers: &str) -> String {
    format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[\n{handlers}]}}]}}}}\n")
}

fn command(command: &str) -> String {
    hooks(&format!("{{\"type\":\"command\",\"command\":\"{command}\"}}"))
}

#[test]
fn a_script_of_a_hook_is_not_in_the_bundle() {
    let tree = kit("Plan.")
        .file("in/hooks/hooks.json", command("bash \\\"${CLAUDE_PLUGIN_ROOT}\\\"/dist/stop.sh"))
        .file("in/plugcast.toml", "[build]\nexclude = [\"dist/stop.sh\"]\n")
        .script("in/dist/stop.sh", "");
    assert_eq!(
        findings(&tree, RUNNING),
        [
            "error closure hooks/hooks.json:2:61 `dist/stop.sh` is not in the bundle: `[build] exclude` names it | ship the file, or remove the reference"
        ]
    );
}

#[test]
fn what_several_documents_name_is_one_finding_with_all_its_places() {
    let tree = kit("Plan.")
        .file("in/commands/go.md", "---\ndescription: Goes.\n---\n\nGo.\n")
        .file("in/hooks/hooks.json", command("cat \\\"${CLAUDE_PLUGIN_ROOT}/commands/go.md\\\""))
        .file(
            "in/.mcp.json",
            "{\"mcpServers\":{\"s\":{\"command\":\"node\",\"args\":[\"${CLAUDE_PLUGIN_ROOT}/commands/go.md\"]}}}\n",
        );
    let (_folder, finished) = built(&tree, &["--to", "codex"]);
    let found = lines(&finished);
    assert_eq!(found.len(), 1, "{found:#?}");
    let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
    let found = &answer["diagnostics"][0];
    let mut places = vec![found["path"].clone()];
    places.extend(found["related"].as_array().unwrap().iter().map(|place| place["path"].clone()));
    places.sort_by_key(Value::to_string);
    assert_eq!(places, [".mcp.json", "hooks/hooks.json"]);
}

#[test]
fn a_hook_names_a_file_that_is_nowhere() {
    let tree = kit("Plan.")
        .file("in/hooks/hooks.json", command("${CLAUDE_PLUGIN_ROOT}/hooks/stp.sh"))
        .script("in/hooks/stop.sh", "");
    for host in ["codex", "opencode"] {
        assert_eq!(
            findings(&tree, host),
            [
                "warning hook-script-missing hooks/hooks.json:2:52 `hooks/stp.sh` does not exist: the plugin has no `hooks/stp.sh` | did you mean `hooks/stop.sh`?"
            ],
            "{host}"
        );
    }
}

#[test]
fn a_hook_calls_a_file_that_cannot_be_run() {
    let tree = kit("Plan.")
        .file("in/hooks/hooks.json", command("${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh --now"))
        .file("in/hooks/stop.sh", "");
    for host in ["codex", "opencode"] {
        assert_eq!(
            findings(&tree, host),
            [
                "warning hook-script-not-executable hooks/hooks.json:2:52 `hooks/stop.sh` is called as a program but is not executable | make it executable with `chmod +x hooks/stop.sh`, or call it with its interpreter"
            ],
            "{host}"
        );
    }
}

#[test]
fn a_server_names_files_that_are_left_out_and_that_are_nowhere() {
    let servers = "{\"mcpServers\":{\n\"a\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/dist/serve\"},\n\"b\":{\"command\":\"node\",\"args\":[\"${CLAUDE_PLUGIN_ROOT}/lib/b.cjs\"]},\n\"c\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/lib/c.sh\"},\n\"d\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/lib/d\"},\n\"e\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/lib/e\"}}}\n";
    let tree = kit("Plan.")
        .file("in/.mcp.json", servers)
        .script("in/lib/d", "exec cat\n")
        .script("in/lib/e", "#!/bin/sh\nexec cat\n")
        .file("in/.gitignore", "dist/\n")
        .script("in/dist/serve", "")
        .file("in/lib/b1.cjs", "")
        .file("in/lib/c.sh", "");
    for host in ["codex", "opencode"] {
        assert_eq!(
            findings(&tree, host),
            [
                "error closure .mcp.json:2:39 `dist/serve` is not in the bundle: a `.gitignore` of the source ignores it | list the file under `include` of `[build]` in `plugcast.toml`, or remove the reference",
                "warning missing-bundled-path .mcp.json:3:54 `lib/b.cjs` does not exist: the plugin has no `lib/b.cjs` | did you mean `lib/b1.cjs`?",
                "warning script-not-executable .mcp.json:4:39 `lib/c.sh` is called as a program but is not executable | make it executable with `chmod +x lib/c.sh`, or call it with its interpreter",
                "warning shebang-missing .mcp.json:5:39 `lib/d` is called as a program but has no shebang line | start it with a line such as `#!/usr/bin/env bash`, or call it with its interpreter",
            ]
        );
    }
}

/// The file of an agent to install lies far from the plugin: a path in it says which file it counts from.
#[test]
fn paths_of_an_agent_to_install_count_from_a_file_that_it_names() {
    let agent = "---\nname: one\ndescription: d\n---\nRead `../lib/table.md` and run the `plan` skill.\n";
    let tree = kit("Dispatch the `one` agent.")
        .file("in/agents/one.md", agent)
        .file("in/lib/table.md", "A table.\n");
    assert_eq!(findings(&tree, "codex"), [""; 0]);
    let text =
        "which file that path is relative to | this is a bug in plugcast; please report it with the file";
    assert_eq!(
        said_with(&tree, "codex", "is `{{ file }}` of the plugin", "is a file of the plugin"),
        [format!(
            "error closure agents/kit/one.toml:1:1 `agents/kit/one.toml` names `../lib/table.md`, but does not say {text}"
        )]
    );
}

/// `./` of a command such as `go build ./...` was taken for a path of an agent to install.
#[test]
fn a_command_in_an_agent_to_install_runs_anywhere() {
    let agent = "---\nname: one\ndescription: d\n---\nRun `go build ./...` and `ls ..`.\n";
    let tree = kit("Dispatch the `one` agent.").file("in/agents/one.md", agent);
    assert_eq!(findings(&tree, "codex"), [""; 0]);
}

#[test]
fn a_language_server_names_a_file_that_is_nowhere() {
    let servers = "{\"notes\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/lib/notes\",\"extensionToLanguage\":{\".txt\":\"text\"},\n\"initializationOptions\":{\"words\":\"${CLAUDE_PLUGIN_ROOT}/lib/words.txt\"}}}\n";
    let tree = kit("Plan.").file("in/.lsp.json", servers).file("in/lib/word.txt", "");
    assert_eq!(
        findings(&tree, "opencode"),
        [
            "warning missing-bundled-path .lsp.json:1:44 `lib/notes` does not exist: the plugin has no `lib/notes` | add the file, or fix the path",
            "warning missing-bundled-path .lsp.json:2:57 `lib/words.txt` does not exist: the plugin has no `lib/words.txt` | did you mean `lib/word.txt`?",
        ]
    );
}

/// What can never run is in no document that the host reads, and has a row that says why.
#[test]
fn a_handler_that_can_never_run_is_not_shipped_and_has_its_row() {
    let text = "{\"hooks\":{\n\"PreToolUse\":[{\"matcher\":\"NotebookEdit\",\"hooks\":[{\"type\":\"command\",\"command\":\"echo never\"}]}],\n\"TeammateIdle\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo idle\"}]}],\n\"Stop\":[{\"hooks\":[{\"type\":\"prompt\",\"prompt\":\"Done?\"},{\"type\":\"command\",\"command\":\"echo stop\"}]}]}}\n";
    let tree = kit("Plan.").file("in/hooks/hooks.json", text);
    assert_eq!(findings(&tree, RUNNING), [""; 0]);
    let folder = built(&tree, &["--to", RUNNING]).0;
    for (host, file, lost) in [
        (
            "codex",
            "hooks/hooks.json",
            ["PreToolUse/NotebookEdit/1", "Stop/*/1", "TeammateIdle/*/1"].as_slice(),
        ),
        ("opencode", "plugcast.plugin.json", &["Stop/*/1", "TeammateIdle/*/1"]),
    ] {
        let out = folder.path().join("out").join(host);
        let emitted = fs::read_to_string(out.join("plugins/kit").join(file)).expect("a document");
        assert!(
            emitted.contains("echo stop") && !emitted.contains("echo idle") && !emitted.contains("Done?")
        );
        assert_eq!(emitted.contains("echo never"), lost.len() == 2, "{host}: {emitted}");
        let ledger = fs::read_to_string(out.join(".plugcast/ledger.json")).expect("a ledger");
        let ledger: Value = serde_json::from_str(&ledger).expect("JSON");
        let rows = ledger["rows"].as_array().expect("rows").iter();
        let dropped = rows.filter(|row| row["kind"] == "hook" && row["outcome"] == "dropped");
        let mut names: Vec<&str> = dropped
            .inspect(|row| assert!(row["reason"].is_string() && row["loss"]["id"].is_string(), "{row}"))
            .filter_map(|row| row["name"].as_str())
            .collect();
        names.sort_unstable();
        assert_eq!(names, lost, "{host}");
    }
}

/// Builds for a host like `host` whose facts differ in one place.
fn said_with(tree: &Tree, host: &str, from: &str, to: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("targets").join(host).join("target.toml")).expect("a target");
    assert!(text.contains(from), "{host} has no `{from}`");
    let own = Tree::read(&root().join("targets").join(host));
    let tree = own.entries().fold(tree.clone(), |tree, (path, entry)| {
        tree.file(&format!("targets/{host}/{path}"), entry.text().as_bytes())
    });
    let tree = tree.file(&format!("targets/{host}/target.toml"), text.replace(from, to));
    let (_folder, finished) = built(&tree, &["--to", host, "--targets-dir", "targets"]);
    lines(&finished)
}

#[test]
fn a_variable_that_a_host_does_not_fill_is_in_no_document() {
    let help = "this is a bug in plugcast; please report it with the file";
    let servers = "{\"mcpServers\":{\"a\":{\"command\":\"${CLAUDE_PLUGIN_ROOT}/lib/a\",\n\"args\":[\"${DATA:-${CLAUDE_PLUGIN_ROOT}/lib}\"]}}}\n";
    let tree = kit("Plan.").file("in/.mcp.json", servers).script("in/lib/a", "#!/bin/sh\n");
    assert_eq!(findings(&tree, RUNNING), [""; 0]);
    let at = "error closure .mcp.json:1:32";
    assert_eq!(
        said_with(&tree, "codex", "root = \".\"", "root = \"${CLAUDE_PLUGIN_ROOT}\"")[..1],
        [format!(
            "{at} `plugins/kit/.mcp.json` contains `${{CLAUDE_PLUGIN_ROOT}}`, which the host does not expand there | {help}"
        )]
    );
    let told = said_with(
        &tree,
        "opencode",
        "_NAME\"\nexpands = true",
        "_NAME\"\nexpands = false\nvariable-loss = \"none\"\ndefault-loss = \"none\"\nroot = \"${CLAUDE_PLUGIN_ROOT}\"",
    );
    assert_eq!(
        told[0],
        format!(
            "{at} `plugins/kit/plugcast.plugin.json` contains `${{CLAUDE_PLUGIN_ROOT}}`, which the host does not expand there | {help}"
        )
    );

    let tree = kit("Plan.").file("in/hooks/hooks.json", command("cd $CLAUDE_PROJECT_DIR && ls"));
    assert_eq!(findings(&tree, RUNNING), [""; 0]);
    let warning = "warning closure hooks/hooks.json:2:33 `$CLAUDE_PROJECT_DIR` is empty here: the host does not set it for hooks | give it a default, as in `${NAME:-.}`, or read what the hook gets on standard input";
    assert_eq!(said_with(&tree, "codex", "CLAUDE_PROJECT_DIR = \"$PWD\"", "OTHER = \"$PWD\""), [warning]);
    assert_eq!(
        said_with(
            &tree,
            "opencode",
            "\"CLAUDE_PLUGIN_DATA\", \"CLAUDE_PROJECT_DIR\"]",
            "\"CLAUDE_PLUGIN_DATA\"]"
        ),
        [warning]
    );
}
