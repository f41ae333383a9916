//! What the hosts list of a stranger's plugin without starting anything of it, and what does not
//! stand among its skills: workflows, forked skills, an empty field, a reserved name.

use serde_json::{Value, json};

use super::stage::installation;
use crate::support::hosts::real_hosts;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

const MANIFEST: &str = r#"{ "name": "claude-workshop", "version": "1.0.0", "mcpServers": {} }"#;
const SKILL: &str = "---\nname: lathe\ndescription: Turns a piece\nuser-invocable: false\ncontext: fork\n---\n\nTurn it slowly.\n";
const WORKFLOW: &str = "export const meta = {\n  name: 'sweep-up',\n  description: 'Sweeps the floor',\n  phases: [{ title: 'Sweep', detail: 'every corner' }],\n}\nexport default async function run() { return 'swept' }\n";
const HOOKS: &str = r#"{ "hooks": {
  "Stop": [{ "hooks": [{ "type": "command", "command": "touch started" }] }],
  "SessionStart": [{ "matcher": "startup", "hooks": [
    { "type": "command", "command": "touch started" },
    { "type": "command", "command": "touch started twice" }] }],
  "Notification": [{ "hooks": [
    { "type": "command", "command": "true" }, { "type": "command", "command": "true" }] }]
} }"#;
const SERVERS: &str = r#"{ "mcpServers": { "bench": { "command": "touch", "args": ["started"] } } }"#;

#[test]
fn claude_code_lists_hooks_servers_and_workflows_that_never_start() {
    let hosts = real_hosts!();
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", MANIFEST)
        .file("in/skills/lathe/SKILL.md", SKILL)
        .file("in/workflows/sweep.js", WORKFLOW)
        .file("in/hooks/hooks.json", HOOKS)
        .file("in/.mcp.json", SERVERS)
        .temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "claude-code", "--out", "out"])
        .run()
        .expect_code(0);
    let binary = installation(&hosts, "claude-code").binary;
    let host = format!("claude-code={}", binary.display());
    let shown =
        Plugcast::new(folder.path(), &["verify", "out", "--format", "json", "--host-bin", &host]).run();
    let shown: Value = serde_json::from_str(&shown.expect_code(0).stdout).expect("JSON");
    let plugin = &shown["hosts"][0]["plugins"][0];
    let names = json!({
        "skills": ["claude-workshop:lathe"], "agents": [], "commands": [],
        "hooks": ["Notification/*/1", "Notification/*/2", "SessionStart/startup/1", "SessionStart/startup/2", "Stop/*/1"],
        "mcp_servers": ["plugin:claude-workshop:bench"],
    });
    assert_eq!((&plugin["expected"], &plugin["observed"]), (&names, &names));
    // The host lists equal handlers once, so that the second one is only there.
    assert_eq!(plugin["method"], json!({ "skills": "listed", "hooks": "resolved", "mcp_servers": "listed" }));
    assert_eq!((&plugin["missing"], &plugin["unexpected"]), (&json!([]), &json!([])), "{plugin:#}");
    assert_eq!((&shown["hosts"][0]["invoked"], &shown["hosts"][0]["total"]), (&json!(1), &json!(1)));
}
