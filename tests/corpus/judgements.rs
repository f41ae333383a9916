//! The blocks *On this host* of the public sources on Codex: how large they are, and every line of forty components,
//! which `judged.toml` judges one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use plugcast::disk::sha256;
use serde::Deserialize;

use super::corpus;
use crate::support::run::Plugcast;
use crate::support::tree::{Entry, Tree};
use crate::support::{none_left, root};

const BEGIN: &str = "<!-- plugcast:on-this-host -->\n";
const END: &str = "<!-- /plugcast:on-this-host -->\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedBlock {
    seed: u64,
    count: usize,
    component: Vec<JudgedComponent>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedComponent {
    path: String,
    line: Vec<JudgedLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedLine {
    text: String,
    stands: Vec<String>,
    judgement: String,
    reason: String,
}

/// One emitted component: its author's text, and its block.
struct Component {
    text: String,
    block: Option<String>,
}

/// What the public sources become on Codex: components by `label/plugin/path`, and notes by `label/plugin`.
struct BuildResult {
    components: BTreeMap<String, Component>,
    notes: BTreeMap<String, String>,
}

fn built() -> &'static BuildResult {
    static BUILT: OnceLock<BuildResult> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut built = BuildResult { components: BTreeMap::new(), notes: BTreeMap::new() };
        for public in corpus::public() {
            let folder = Tree::new().temporary();
            let source = public.source.to_str().expect("the build folder has a path in UTF-8");
            let mut arguments = vec!["build", source, "--to", "codex", "--out", "out"];
            arguments.extend(public.plugin.into_iter().flat_map(|name| ["--name", name]));
            Plugcast::new(folder.path(), &arguments).run().expect_code(i32::from(!public.faults.is_empty()));
            let label = public.plugin.unwrap_or(public.name);
            for (path, entry) in Tree::read(&folder.path().join("out/codex/plugins")).entries() {
                let (Entry::File { content, .. }, Some((plugin, inner))) = (entry, path.split_once('/'))
                else {
                    continue;
                };
                let text = String::from_utf8_lossy(content).into_owned();
                if inner == "ON-THIS-HOST.md" {
                    built.notes.insert(format!("{label}/{plugin}"), text);
                } else if is_component(inner) {
                    built.components.insert(format!("{label}/{path}"), split(&text));
                }
            }
        }
        built
    })
}

fn is_component(inner: &str) -> bool {
    inner.ends_with(".md")
        && (inner.starts_with("agents/") || inner.starts_with("skills/") && inner.ends_with("/SKILL.md"))
}

fn split(text: &str) -> Component {
    let Some((before, rest)) = text.split_once(BEGIN) else {
        return Component { text: text.to_owned(), block: None };
    };
    let (block, after) = rest.split_once(END).expect("a block that begins ends");
    Component { text: format!("{before}{after}"), block: Some(format!("{BEGIN}{block}{END}")) }
}

fn lines(block: &str) -> Vec<&str> {
    block.lines().filter(|line| line.starts_with("- ")).collect()
}

#[test]
fn every_block_line_of_forty_components_is_judged() {
    let path = root().join("tests/corpus/judged.toml");
    let judged: JudgedBlock = toml::from_str(&std::fs::read_to_string(path).expect("a list")).expect("TOML");
    let mut with_block: Vec<(&String, &Component)> =
        built().components.iter().filter(|(_, component)| component.block.is_some()).collect();
    with_block.sort_by_key(|(place, _)| sha256(format!("{}\0{place}", judged.seed).as_bytes()));
    let sample = &with_block[..judged.count];
    let mut findings = Vec::new();
    for (place, component) in sample {
        let printed: BTreeSet<&str> =
            lines(component.block.as_deref().unwrap_or_default()).into_iter().collect();
        let known = judged.component.iter().find(|one| one.path == **place);
        let known = known.map(|one| one.line.as_slice()).unwrap_or_default();
        let texts: BTreeSet<&str> = known.iter().map(|line| line.text.as_str()).collect();
        findings.extend(printed.difference(&texts).map(|line| format!("{place}: not judged: {line}")));
        findings.extend(texts.difference(&printed).map(|line| format!("{place}: judged, and gone: {line}")));
        for line in known {
            if !matches!(line.judgement.as_str(), "right" | "harmless") || line.reason.len() < 8 {
                findings.push(format!("{place}: no judgement with a reason: {}", line.text));
            }
            let absent = line.stands.iter().filter(|words| !component.text.contains(words.as_str()));
            findings.extend(absent.map(|words| format!("{place}: the text does not say `{words}`")));
            if line.stands.is_empty() {
                findings.push(format!("{place}: nothing of the text stands for: {}", line.text));
            }
        }
    }
    let places: BTreeSet<&str> = sample.iter().map(|(place, _)| place.as_str()).collect();
    let gone = judged.component.iter().filter(|one| !places.contains(one.path.as_str()));
    findings.extend(gone.map(|one| format!("{}: judged, and not of the forty", one.path)));
    none_left("lines to judge in tests/corpus/judged.toml", &findings);
}

#[test]
fn blocks_are_small() {
    let components = built().components.values();
    let text: usize = components
        .clone()
        .map(|component| component.text.len() + component.block.as_ref().map_or(0, String::len))
        .sum();
    let mut sizes: Vec<usize> = components.filter_map(|one| Some(one.block.as_ref()?.len())).collect();
    sizes.sort_unstable();
    let (median, all) = (sizes[sizes.len() / 2], sizes.iter().sum::<usize>());
    assert!(sizes.len() > 200, "{} blocks", sizes.len());
    assert!(median <= 250, "the median block has {median} bytes");
    assert!(all * 100 <= text * 3, "blocks are {all} of {text} bytes");
}

/// What a sandbox refuses, and how the user allows it, is said once in each plugin.
#[test]
fn what_the_sandbox_refuses_is_said_once_in_a_plugin() {
    let mut findings = Vec::new();
    for (place, component) in &built().components {
        let block = component.block.as_deref().unwrap_or_default();
        for line in lines(block).into_iter().filter(|line| line.starts_with("- Sandbox:")) {
            let plugin = place.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
            if !built().notes.contains_key(&plugin) || !line.ends_with("ON-THIS-HOST.md`.") {
                findings.push(format!("{place}: {line}"));
            }
        }
        if block.contains("sandbox refuses") || block.contains("sandbox_workspace_write") {
            findings.push(format!("{place}: the block explains the sandbox"));
        }
    }
    for (plugin, notes) in &built().notes {
        for sentence in ["the sandbox refuses to write to `.git`", "the sandbox refuses the network"] {
            if notes.matches(sentence).count() > 1 {
                findings.push(format!("{plugin}: its notes say twice that {sentence}"));
            }
        }
    }
    none_left("sandbox lines", &findings);
}
