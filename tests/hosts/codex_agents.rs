//! 17/12: Codex lists every agent of the source once the bundle's agent files are where it looks for them, agents that no
//! text dispatches, that have no description or no instructions among them.

use serde_json::{Value, json};

use super::stage::installation;
use crate::support::hosts::real_hosts;
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn codex_lists_agents_that_nothing_dispatches() {
    let hosts = real_hosts!();
    let folder = Tree::new().temporary();
    let source = root().join("tests/cases/agents-alone/in");
    let out = folder.path().join("out");
    let paths = [&source, &out].map(|path| path.to_str().expect("UTF-8"));
    Plugcast::new(root(), &["build", paths[0], "--to", "codex", "--out", paths[1]]).run().expect_code(0);
    let binary = format!("codex={}", installation(&hosts, "codex").binary.display());
    let arguments = ["verify", paths[1], "--host-bin", &binary, "--format", "json"];
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let plugins = &shown["hosts"][0]["plugins"];
    let agents = [
        json!(["kit:deep:digger", "kit:echo", "kit:hermit", "kit:mapper", "kit:scout"]),
        json!(["lonely:bare", "lonely:mute", "lonely:plain", "lonely:reader"]),
    ];
    for (plugin, expected) in agents.iter().enumerate() {
        assert_eq!(&plugins[plugin]["observed"]["agents"], expected, "{plugins:#}");
        assert_eq!(plugins[plugin]["method"]["agents"], "listed", "{plugins:#}");
    }
}
