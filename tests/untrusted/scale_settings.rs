//! 13: settings of any length cost in proportion to it.

use super::demo;
use super::scale::{BUILD, CHECK, in_proportion, repeated};
use crate::support::tree::Tree;

/// Each accepted loss that no host has was a finding for which the lines of the whole file were counted.
#[test]
fn case_13_accepted_losses_that_no_host_has_cost_in_proportion() {
    let source = |many| {
        let settings = repeated(many, "[[accept-loss]]\nid = \"a#*\"\nreason = \"r\"\n");
        demo().file("in/plugcast.toml", settings)
    };
    in_proportion(2000, source, &BUILD);
}

/// For each missing path of a manifest, all files of the plugin were searched.
#[test]
fn case_13_missing_paths_of_a_manifest_cost_in_proportion() {
    fn source(many: usize, field: &str) -> Tree {
        let paths = repeated(many, "\"./gone/#.md\", ");
        let manifest = format!("{{ \"name\": \"demo\", \"{field}\": [{paths} \"./gone/last.md\"] }}");
        let files = (0..many).fold(demo(), |tree, at| tree.file(&format!("in/docs/{at}.txt"), "x"));
        files.file("in/.claude-plugin/plugin.json", manifest)
    }
    let sources: [fn(usize) -> Tree; 2] = [|many| source(many, "commands"), |many| source(many, "agents")];
    for source in sources {
        in_proportion(1000, source, &CHECK);
        in_proportion(2000, source, &BUILD);
    }
}
