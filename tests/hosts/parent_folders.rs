//! 3: the folder for temporary files is open to everybody, or is in a repository that nobody vouches for. What hosts
//! look for in the folders above a project is neither run nor asked nor shown when `verify` starts them below it.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use super::stage::installation;
use crate::support::git::git;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// What each host looks for, each with a mark that it leaves when it is run.
fn lay_traps(parent: &Path, marks: &Path) {
    let mark = |name: &str| marks.join(name).to_str().expect("UTF-8").to_owned();
    let server = |name: &str| json!({ "command": "touch", "args": [mark(name)] });
    let hooks = json!({ "hooks": { "SessionStart": [{ "hooks": [
        { "type": "command", "command": format!("touch {}", mark("hook")) },
    ] }] }, "enableAllProjectMcpServers": true });
    let opencode =
        json!({ "mcp": { "above": { "type": "local", "command": ["touch", mark("opencode-server")] } } });
    let module = |name: &str| {
        let mark = mark(name);
        format!(
            "import fs from \"fs\"\nfs.writeFileSync({mark:?}, \"\")\nexport const Above = async () => ({{}})\n"
        )
    };
    let skill = "---\nname: above\ndescription: Stands above\n---\n\nAbove.\n";
    let codex = format!(
        "notify = [\"touch\", {:?}]\n[mcp_servers.above]\ncommand = \"touch\"\nargs = [{:?}]\n",
        mark("notify"),
        mark("codex-server")
    );
    Tree::new()
        .file("opencode.json", opencode.to_string())
        .file(".opencode/opencode.json", opencode.to_string())
        .file(".opencode/plugin/above.js", module("plugin"))
        .file(".opencode/tool/above.js", module("tool"))
        .file(".opencode/skill/above/SKILL.md", skill)
        .file(".opencode/command/above.md", "---\ndescription: Stands above\n---\n\nAbove.\n")
        .file(".opencode/agent/above.md", "---\ndescription: Stands above\n---\n\nAbove.\n")
        .file(".agents/skills/above/SKILL.md", skill)
        .file(".claude/skills/above/SKILL.md", skill)
        .file(".claude/agents/above.md", skill)
        .file(".claude/commands/above.md", "---\ndescription: Stands above\n---\n\nAbove.\n")
        .file(".claude/settings.json", hooks.to_string())
        .file(".claude/settings.local.json", hooks.to_string())
        .file(".mcp.json", json!({ "mcpServers": { "above": server("server") } }).to_string())
        .file(".codex/config.toml", codex)
        .file(".codex/hooks.json", hooks.to_string())
        .file("CLAUDE.md", "It stands above.\n")
        .file("AGENTS.md", "It stands above.\n")
        .file("node_modules/above/index.js", module("package"))
        .write(parent);
}

/// A bundle, and the temporary folder below the traps.
fn fixture(host: &str) -> TempDir {
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .file("in/.mcp.json", json!({ "mcpServers": { "plain": { "command": "true" } } }).to_string())
        .file("marks/.keep", "")
        .file("parent/inner/.keep", "")
        .temporary();
    lay_traps(&folder.path().join("parent"), &folder.path().join("marks"));
    Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run().expect_code(0);
    folder
}

fn nothing_above_is_taken(host: &str, hosts: &Hosts) {
    let folder = fixture(host);
    let below = folder.path().join("parent/inner");
    let below = below.to_str().expect("UTF-8");
    let binaries = [("claude-code", &hosts.claude_code), (host, &installation(hosts, host).binary)]
        .map(|(host, binary)| format!("{host}={}", binary.display()));
    let ripgrep = format!("rg={}", hosts.ripgrep.join("rg").display());
    let mut arguments = vec!["verify", "out", "--against", "in", "--host-bin", &ripgrep];
    arguments.extend(binaries.iter().flat_map(|binary| ["--host-bin", binary]));
    let verify = || Plugcast::new(folder.path(), &arguments).env("TMPDIR", below).run().expect_code(0);
    verify();
    let marks = || Tree::read(&folder.path().join("marks")).top();
    assert_eq!(marks(), [".keep"]);
    // In a repository the hosts look further up, and git itself reads settings that name commands.
    let parent = folder.path().join("parent");
    git(&parent, &["init", "--quiet"]);
    let monitor = format!("touch {}", folder.path().join("marks/monitor").display());
    git(&parent, &["config", "core.fsmonitor", &monitor]);
    verify();
    assert_eq!(marks(), [".keep"]);
    assert_eq!(fs::read_dir(parent.join("inner")).expect("it is there").count(), 1, "nothing is left there");
}

#[test]
fn case_3_claude_code_takes_nothing_from_the_folders_above() {
    nothing_above_is_taken("claude-code", &real_hosts!());
}

#[test]
fn case_3_codex_takes_nothing_from_the_folders_above() {
    nothing_above_is_taken("codex", &real_hosts!());
}

#[test]
fn case_3_opencode_takes_nothing_from_the_folders_above() {
    nothing_above_is_taken("opencode", &real_hosts!());
}
