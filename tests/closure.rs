//! Closure: every file that an emitted file names is in the bundle, or is reported once, at its place in the source.
//! Every kind of fault has a tree that shows it, and an independent walk over every case, public plugin and plugin of
//! ours finds nothing that the build did not report.

use std::path::Path;

use serde_json::Value;

use crate::support::run::Plugcast;
use crate::support::tree::{Entry, Tree};
use crate::support::{command, corpus, none_left, root};

mod faults;
mod host_documents;
mod reader;

/// Builds `source` and walks over every bundle; what the build reported is expected.
fn surprises(source: &Path, name: Option<&str>) -> Vec<String> {
    let folder = Tree::new().temporary();
    let mut arguments = vec!["build", source.to_str().expect("a path in UTF-8")];
    arguments.extend(["--to", "claude-code,codex,opencode", "--out", "out", "--format", "json"]);
    arguments.extend(name.into_iter().flat_map(|name| ["--name", name]));
    let finished = Plugcast::new(folder.path(), &arguments).run();
    let Ok(answer) = serde_json::from_str::<Value>(&finished.stdout) else { return vec![finished.stderr] };
    let findings = answer["diagnostics"].to_string();
    let mut found = Vec::new();
    for host in
        answer["targets"].as_array().into_iter().flatten().filter_map(|target| target["host"].as_str())
    {
        let bundle = Tree::read(&folder.path().join("out").join(host));
        let original = Tree::read(source);
        let open = reader::open(&bundle, &original);
        found.extend(open.into_iter().filter(|open| !findings.contains(&format!("`{}`", open.written))).map(
            |open| {
                format!(
                    "{host}: {}: `{}` resolves to nothing, and no finding says so",
                    open.file, open.written
                )
            },
        ));
    }
    found
}

#[test]
fn every_case_is_closed() {
    let mut found = Vec::new();
    for case in std::fs::read_dir(root().join("tests/cases")).expect("cases").flatten() {
        let script = std::fs::read_to_string(case.path().join("cmd")).expect("a command");
        let commands = command::parse(&script).expect("commands");
        let arguments = &commands[0].arguments;
        let name = arguments.iter().position(|argument| argument == "--name");
        let name = name.map(|at| arguments[at + 1].as_str());
        let case = case.file_name().to_string_lossy().into_owned();
        let of = surprises(&root().join("tests/cases").join(&case).join("in"), name);
        found.extend(of.into_iter().map(|finding| format!("{case}: {finding}")));
    }
    none_left("bundles of cases that are not closed", &found);
}

#[test]
fn our_own_plugins_are_closed_and_nothing_is_said() {
    for plugin in std::fs::read_dir(root().join("plugins")).expect("plugins").flatten() {
        none_left(&plugin.path().display().to_string(), &surprises(&plugin.path(), None));
    }
}

#[test]
fn public_plugins_are_closed() {
    for public in corpus::public() {
        none_left(public.name, &surprises(&public.source, public.plugin));
    }
}

#[test]
fn the_walk_finds_every_kind_of_open_end() {
    let skill = "---\nname: a\n---\n<!-- plugcast:on-this-host -->\n- Paths: `./gone.sh`, `./a.sh`.\n<!-- /plugcast:on-this-host -->\nSee [b](b.md), [c](../c.md), `[d](d.md)` and ${CLAUDE_PLUGIN_ROOT}/x/y.sh, ${CLAUDE_PLUGIN_ROOT}/z.sh.\n";
    let bundle = Tree::new()
        .file("plugins/p/skills/a/SKILL.md", skill)
        .file("plugins/p/skills/a/a.sh", "")
        .file("plugins/p/skills/c.md", "")
        .file("plugins/p/plugcast.plugin.json", "{\"bodies\":{\"p:a\":{\"file\":\"skills/b/SKILL.md\"}}}")
        .file("plugins/p/.claude-plugin/plugin.json", "{\"hooks\":\"./hooks/h.json\"}")
        .file(".claude-plugin/marketplace.json", "{\"plugins\":[{\"source\":\"./plugins/q\"}]}");
    let source = Tree::new().file("b.md", "").file("d.md", "").file("gone.sh", "").file("y.sh", "");
    let found: Vec<String> = reader::open(&bundle, &source).into_iter().map(|open| open.written).collect();
    assert_eq!(found, ["./plugins/q", "./hooks/h.json", "skills/b/SKILL.md", "./gone.sh", "b.md", "x/y.sh"],);
    assert!(matches!(bundle.get("plugins/p/skills/a/a.sh"), Some(Entry::File { .. })));
}
