//! Unmodified public plugins through the built program: each is built for every host without an
//! error but for the listed faults of the source's files, its components are all there by the test's own
//! count, and nothing of it vanishes.

use serde_json::Value;

use crate::conservation::{assert_conserved, counts};
use crate::support::corpus::{self, Public};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

mod hosts;
mod judgements;
mod names;

/// The hosts that every source is built for.
const HOSTS: &str = "claude-code,codex,opencode";

/// Builds a source below `folder` and answers what the build said.
fn build(public: &Public, folder: &std::path::Path) -> Value {
    let source = public.source.to_str().expect("the build folder has a path in UTF-8");
    let mut arguments = vec!["build", source, "--to", HOSTS, "--out", "out", "--format", "json"];
    arguments.extend(public.plugin.into_iter().flat_map(|name| ["--name", name]));
    let code = if public.faults.is_empty() { 0 } else { 1 };
    let finished = Plugcast::new(folder, &arguments).run().expect_code(code);
    serde_json::from_str(&finished.stdout).expect("`--format json` prints JSON")
}

#[test]
fn every_public_source_is_built_whole_for_every_host() {
    for public in corpus::public() {
        let folder = Tree::new().temporary();
        let answer = build(&public, folder.path());
        let names = names::of_plugins(&public);
        let targets = answer["targets"].as_array().expect("a list of targets");
        assert_eq!(targets.len(), 3, "{}", public.name);
        for target in targets {
            let host = target["host"].as_str().expect("a host");
            let plugins = target["plugins"].as_array().expect("a list of plugins");
            for (kind, expected) in
                [("skills", &names.skills), ("agents", &names.agents), ("commands", &names.commands)]
            {
                let counted: u64 = plugins.iter().map(|plugin| plugin[kind].as_u64().expect("a count")).sum();
                assert_eq!(counted, expected.len() as u64, "{} {host} {kind}: {expected:?}", public.name);
            }
            if host == "claude-code" {
                let counted = |kind: &str| -> u64 {
                    plugins.iter().map(|plugin| plugin[kind].as_u64().expect("a count")).sum()
                };
                assert_eq!(counted("hooks"), names.hooks.len() as u64, "{}: {:?}", public.name, names.hooks);
                assert_eq!(counted("mcp_servers"), names.servers.len() as u64, "{}", public.name);
            }
            assert_conserved(&public.source, &folder.path().join("out").join(host));
        }
        let found = answer["diagnostics"].as_array().expect("a list of findings");
        let errors = found.iter().filter(|finding| finding["severity"] == "error");
        let errors: Vec<_> = errors.map(|error| (error["path"].as_str(), error["rule"].as_str())).collect();
        let faults: Vec<_> = public.faults.iter().map(|(path, rule)| (Some(*path), Some(*rule))).collect();
        assert_eq!(errors, faults, "{}: {found:#?}", public.name);
    }
}

#[test]
fn every_public_source_is_there() {
    for public in corpus::public() {
        assert!(public.source.is_dir(), "{}: `{}` is missing", public.name, public.source.display());
        let marketplace = public.source.join(".claude-plugin/marketplace.json").is_file();
        assert_eq!(
            public.plugin.is_none(),
            marketplace,
            "{}: a name is given where none is in the source",
            public.name
        );
    }
}

/// Counted by hand in the published packages, so that the reader cannot go blind unnoticed.
#[test]
fn the_independent_reader_sees_what_is_there() {
    let by_hand = [
        ("ai-labs", vec![("file", 309), ("skill", 23)]),
        ("scrum", vec![("file", 80), ("skill", 8)]),
        ("cc-sdd-skills", vec![("file", 21), ("skill", 17)]),
        ("cc-sdd-agents", vec![("file", 22), ("agent", 9), ("command", 12)]),
        ("ecc", vec![("skill", 197), ("agent", 64), ("command", 84), ("hook", 28), ("mcp-server", 6)]),
        ("selfish", vec![("agent", 2), ("command", 18), ("hook", 18)]),
        ("context-mode", vec![("skill", 8), ("hook", 14), ("mcp-server", 1)]),
    ];
    for (public, (name, by_hand)) in corpus::public().iter().zip(by_hand) {
        assert_eq!(public.name, name);
        let counts = counts(&public.source, public.plugin);
        for (kind, count) in by_hand {
            assert_eq!(counts.get(kind), Some(&count), "{name}: {kind}");
        }
        assert!(counts["field"] >= 30, "{name}: {counts:?}");
    }
}
