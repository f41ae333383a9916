//! Tests in the pinned real hosts. Every test here asks for `real_hosts!()`; `.ci/run` fails when one
//! of them did not run.

mod built_in_agents;
mod claude_code;
mod codex;
mod codex_agents;
mod codex_manifest;
mod damaged_frontmatter;
mod dialects;
mod documents;
mod feedback;
mod frontmatter_end;
mod gates;
mod harbour;
mod helper;
mod limited_agents;
mod listed_skills;
mod listing;
mod listing_only;
mod model;
mod opencode;
mod opencode_hooks;
mod opencode_servers;
mod parent_folders;
mod polish;
mod read_only;
mod refused_values;
pub mod review;
mod sandboxes;
mod server_variables;
mod short_script;
mod source_host;
mod source_lists;
mod source_names;
mod stage;
mod token_counts;
mod tool_lists;
mod untrusted;
mod verify;

use std::process::Command;

use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

#[test]
fn the_pinned_versions_are_the_installed_ones() {
    let hosts = real_hosts!();
    let home = Tree::new().temporary();
    let version = |binary: &std::path::Path| {
        let mut command = Command::new(binary);
        command.arg("--version").env_clear().env("HOME", home.path()).env("PATH", "");
        let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let pins = include_str!("hosts/package.json");
    for (package, binary) in [
        ("@anthropic-ai/claude-code", &hosts.claude_code),
        ("@openai/codex", &hosts.codex),
        ("opencode-ai", &hosts.opencode),
    ] {
        let pins: serde_json::Value = serde_json::from_str(pins).expect("the pins are JSON");
        let pin = pins["dependencies"][package].as_str().expect("a pin is a string");
        let found = version(binary);
        assert!(found.contains(pin), "`{package}` is pinned to {pin} but answers `{found}`");
    }
    assert!(hosts.ripgrep.join("rg").is_file());
}
