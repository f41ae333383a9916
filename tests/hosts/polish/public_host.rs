//! A server that would listen on all addresses of this machine: nothing runs before a yes, a no ends the polish, and after a
//! yes it listens there.

use plugcast::drivers::script::{ModelRequest, ScriptStep};

use super::dialogue::{Dialogue, assert_said};
use super::envelope;
use super::hand::{call, call_with, calls};
use super::rounds::{checklist, question};
use super::site::Site;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::{answer, shown};
use crate::hosts::review::says;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// A server that listens where its configuration says.
const PUBLIC: &str = r#"
put server.js 'setTimeout(() => process.exit(), 300000)' 'require("http").createServer((_, answer) => answer.end(require("fs").readFileSync("app/views/cart.html"))).listen(process.env.PORT, process.env.HOST)'
put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node", "runtimeArgs": ["server.js"], "port": '"$PORT"', "env": {"HOST": "0.0.0.0"}}]}'
commit 'Listen on all addresses'
reviewed
"#;
const ALLOWED: &str = "--allow-public-host";

/// From the beginning to the question whether everybody may reach it.
fn asked(host: Host) -> Vec<ScriptStep> {
    let mut steps = calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0)]);
    steps.push(call(host, "## 4. Start", 0));
    steps.push(says(whether_public).expects([r#""code":"public_host""#]));
    steps
}

fn whether_public(request: &ModelRequest) -> Result<String, String> {
    let error = answer(request, "rt.launch.read/1")?["error"].clone();
    let message = error["message"].as_str().unwrap_or_default();
    Ok(format!("{message}\nEverybody on the network could reach it. Start it anyway?\n1. yes\n2. no"))
}

/// Whether something listens on a port at all addresses, by the table of the kernel.
fn is_public(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel has a table");
    table.lines().any(|line| line.contains(&format!(" 00000000:{port:04X} 00000000:0000 0A ")))
}

fn allowed(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), PUBLIC);
    let github = GitHub::with_state(&github::tool("feature"));
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "public-host");
    let before = site.snapshot();

    // After a no nothing was started, and the run has ended.
    assert_said(&dialogue.start("", asked(host)), "0.0.0.0");
    let [declined] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let mut steps = vec![call(host, "## 11. Cancel", 0)];
    steps.push(says(|request| shown(request, "Polish cancelled", "\nPolish complete")));
    let cancelled = dialogue.reply("no", steps);
    assert_said(&cancelled, "\nDev server: none\n");
    assert_said(&cancelled, "\nNext: begin another polish, or merge it\n");
    assert_eq!(site.json(&format!("{declined}/metadata.json"))["status"], "cancelled");
    assert!(!site.has(&format!("{declined}/server.json")) && !site.answers(""), "nothing was started");
    assert_eq!((site.claims(), site.snapshot()), (0, before.clone()));

    // After a yes the command is asked for as ever, and only then it starts.
    dialogue.start("", asked(host));
    let steps = vec![call_with(host, "## 4. Start", 0, ALLOWED, &[]), says(question)];
    assert_said(&dialogue.reply("yes", steps), "Start `node server.js` on port ");
    let runs = site.runs();
    let run = runs.iter().find(|run| *run != declined).expect("a separate run");
    assert!(!site.has(&format!("{run}/server.json")) && !site.answers(""), "one yes starts nothing yet");
    let mut steps = vec![call_with(host, "## 4. Start", 3, ALLOWED, &[])];
    steps.extend(checklist(host));
    let shown = dialogue.reply("the first", steps);
    assert_said(
        &shown,
        &format!("(2 items, 1 stacked)\nApp: http://127.0.0.1:{}/ (not opened)\n", site.port),
    );
    assert!(site.answers("hello from the cart") && is_public(site.port), "it listens on all addresses");

    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 9. Seeds", 0), ("## 10. End", 0)]);
    steps.push(says(envelope));
    let pid = site.json(&format!("{run}/server.json"))["pid"].as_u64().expect("a number");
    assert_said(&dialogue.reply("done", steps), &format!("\nDev server: {pid} on :{} (logs: ", site.port));
    assert_eq!((site.claims(), site.snapshot()), (0, before), "nothing was changed");
    site.end(pid);
}

#[test]
fn claude_code_asks_before_a_server_listens_on_all_addresses() {
    allowed(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_asks_before_a_server_listens_on_all_addresses() {
    allowed(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_asks_before_a_server_listens_on_all_addresses() {
    allowed(&real_hosts!(), Host::Codex);
}
