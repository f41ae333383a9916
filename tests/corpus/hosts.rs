//! Public plugins in the pinned real hosts: every name that the test's own walk finds in the source
//! is listed there, and nothing is reported wrong.

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
    let mut arguments: Vec<String> = ["verify", "out", "--allow-exec", "--format", "json"].map(str::to_owned).to_vec();
    let binaries = [
        ("claude-code", hosts.claude_code.clone()),
        ("codex", hosts.codex.clone()),
        ("opencode", hosts.opencode.clone()),
        ("rg", hosts.ripgrep.join("rg")),
    ];
    for (name, path) in binaries {
        arguments.extend(["--host-bin".to_owned(), format!("{name}={}", path.display())]);
    }
    let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("`--format json` prints JSON");
    let names = names::of(&public);
    let answered = answer["hosts"].as_array().expect("a list of hosts");
    assert_eq!(answered.len(), 3, "{answer:#}");
    for host in answered {
        let here = format!("{which} in {}", host["host"]);
        assert_eq!(host["result"], "pass", "{here}: {host:#}");
        let [plugin] = host["plugins"].as_array().expect("a list of plugins").as_slice() else {
            panic!("{here}: {host:#}");
        };
        for (kind, expected) in [("skills", &names.skills), ("agents", &names.agents), ("commands", &names.commands)] {
            let texts = plugin["observed"][kind].as_array().into_iter().flatten();
            let mut observed: Vec<&str> = texts.filter_map(Value::as_str).collect();
            observed.sort_unstable();
            assert_eq!(observed, *expected, "{here}: {kind}");
        }
        for list in ["missing", "unexpected", "errors"] {
            assert_eq!(plugin[list], Value::Array(Vec::new()), "{here}: {list}");
        }
    }
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
