//! Public plugins in the pinned real hosts: every name that the test's own walk finds in the source
//! is listed there, and nothing is reported wrong. Hooks and servers of strangers are listed, too, but
//! not started.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::names;
use crate::support::corpus;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

fn shown(hosts: &Hosts, which: &str) {
    let public = corpus::public().into_iter().find(|public| public.name == which).expect("a public source");
    let folder = Tree::new().temporary();
    super::build(&public, folder.path());
    let names = names::of_plugins(&public);
    let mut arguments: Vec<String> = ["verify", "out", "--format", "json"].map(str::to_owned).to_vec();
    if names.hooks.is_empty() && names.servers.is_empty() {
        arguments.push("--allow-exec".to_owned());
    }
    let binaries = [
        ("claude-code", hosts.claude_code.clone()),
        ("codex", hosts.codex.clone()),
        ("opencode", hosts.opencode.clone()),
        ("rg", hosts.ripgrep.join("rg")),
    ];
    for (name, path) in binaries {
        arguments.extend(["--host-bin".to_owned(), format!("{name}={}", path.display())]);
    }
    arguments.extend(["--against".to_owned(), public.source.display().to_string()]);
    let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("`--format json` prints JSON");
    // The source host lists what is in the source, and nothing of it is missing anywhere.
    let source = &answer["source"];
    assert_eq!(source["result"], "pass", "{which}: {source:#}");
    let [listed] = source["plugins"].as_array().expect("a list of plugins").as_slice() else {
        panic!("{which}: {source:#}");
    };
    let count = |kind: &str| listed["listed"][kind].as_array().map_or(0, Vec::len);
    assert_eq!(count("agents"), names.agents.len(), "{which}: {source:#}");
    assert_eq!(
        count("skills") + count("commands"),
        names.skills.len() + names.commands.len(),
        "{which}: {source:#}"
    );
    let answered = answer["hosts"].as_array().expect("a list of hosts");
    assert_eq!(answered.len(), 3, "{answer:#}");
    for host in answered {
        let here = format!("{which} in {}", host["host"]);
        assert_eq!(host["result"], "pass", "{here}: {host:#}");
        let [plugin] = host["plugins"].as_array().expect("a list of plugins").as_slice() else {
            panic!("{here}: {host:#}");
        };
        for (kind, expected) in
            [("skills", &names.skills), ("agents", &names.agents), ("commands", &names.commands)]
        {
            let texts = plugin["observed"][kind].as_array().into_iter().flatten();
            let mut observed: Vec<&str> = texts.filter_map(Value::as_str).collect();
            observed.sort_unstable();
            assert_eq!(observed, *expected, "{here}: {kind}");
        }
        let ledger = folder.path().join("out").join(host["host"].as_str().expect("a host"));
        let dropped = dropped(&ledger);
        for (kind, key, expected) in
            [("hook", "hooks", &names.hooks), ("mcp-server", "mcp_servers", &names.servers)]
        {
            let texts = plugin["observed"][key].as_array().into_iter().flatten();
            let own = texts.filter_map(Value::as_str).map(|name| name.rsplit(':').next().unwrap_or(name));
            let observed: BTreeSet<&str> = own.collect();
            let carried =
                expected.iter().filter(|name| !dropped.contains(&(kind.to_owned(), (*name).clone())));
            assert_eq!(observed, carried.map(String::as_str).collect(), "{here}: {key}");
        }
        for (kind, method) in plugin["method"].as_object().into_iter().flatten() {
            let shown_to_nobody = match (host["host"].as_str(), kind.as_str()) {
                // Agents that nothing dispatches, and hooks, which the module runs.
                (Some("codex"), "agents") | (Some("opencode"), "hooks") => method == "resolved",
                _ => false,
            };
            assert!(shown_to_nobody || method != "resolved", "{here}: {kind} are {method}");
        }
        for list in ["missing", "unexpected", "errors"] {
            assert_eq!(plugin[list], Value::Array(Vec::new()), "{here}: {list}");
        }
    }
}

/// Kind and name of the hooks and servers whose row says that a host does not get them.
fn dropped(bundle: &Path) -> BTreeSet<(String, String)> {
    let ledger = std::fs::read_to_string(bundle.join(".plugcast/ledger.json")).expect("a ledger");
    let ledger: Value = serde_json::from_str(&ledger).expect("the ledger is JSON");
    let rows = ledger["rows"].as_array().expect("a list of rows").iter();
    let rows = rows.filter(|row| row["outcome"] == "dropped");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (text(&row["kind"]), text(&row["name"]))).collect()
}

#[test]
fn ecc_is_shown_whole() {
    shown(&real_hosts!(), "ecc");
}

#[test]
fn selfish_is_shown_whole() {
    shown(&real_hosts!(), "selfish");
}

#[test]
fn context_mode_is_shown_whole() {
    shown(&real_hosts!(), "context-mode");
}

#[test]
fn ai_labs_is_shown_whole() {
    shown(&real_hosts!(), "ai-labs");
}

#[test]
fn scrum_is_shown_whole() {
    shown(&real_hosts!(), "scrum");
}

#[test]
fn cc_sdd_skills_are_shown_whole() {
    shown(&real_hosts!(), "cc-sdd-skills");
}

#[test]
fn cc_sdd_agents_are_shown_whole() {
    shown(&real_hosts!(), "cc-sdd-agents");
}
