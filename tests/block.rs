//! The block *On this host* binds every name of a text that the host does not know, and nothing else:
//! taking any line out leaves a name unbound. Names are read line by line from the emitted texts, by a
//! reader that shares nothing with the program; it looks at every case, at this repository's own
//! plugins and at the public ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::conservation;
use crate::support::expected::EXPECTATIONS;
use crate::support::run::Plugcast;
use crate::support::tree::{Entry, Tree};
use crate::support::{corpus, none_left, root};

mod reader;
mod tool_names;

use reader::Text;

const BEGIN: &str = "<!-- plugcast:on-this-host -->\n";
const END: &str = "<!-- /plugcast:on-this-host -->\n";

/// Splits an emitted text into the author's and the lines of the block.
fn split(text: &str) -> (String, Vec<String>) {
    let text = text.replace("\r\n", "\n");
    let Some((before, rest)) = text.split_once(BEGIN) else { return (text, Vec::new()) };
    let (block, after) = rest.split_once(END).expect("a block that begins ends");
    let lines = block.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
    (format!("{before}{after}"), lines)
}

/// What is wrong with the blocks of one plugin's emitted folder. `folders` answers whether the source of
/// an emitted file names folders by variables.
fn findings(host: &str, plugin: &Tree, names: &[String], folders: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, entry) in plugin.entries() {
        let Entry::File { content, .. } = entry else { continue };
        let Ok(text) = std::str::from_utf8(content) else { continue };
        if !path.ends_with(".md") {
            continue;
        }
        let (own, lines) = split(text);
        let kind = reader::kind(path);
        let Some(kind) = kind else {
            if !lines.is_empty() {
                found.push(format!("{host}/{path}: a block in a file that is not a component"));
            }
            continue;
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        // A component does not bind its own name.
        let own_name = reader::own_name(&own, path);
        let foreign: Vec<String> =
            names.iter().filter(|name| name.rsplit(':').next() != Some(&own_name)).cloned().collect();
        let agents: BTreeSet<String> =
            plugin.entries().filter_map(|(path, entry)| reader::agent(path, &entry.text())).collect();
        let (mut all, mut mentioned) = Text::main(&own, kind).names(&foreign, &agents, host);
        if kind == reader::Kind::Skill {
            for (beside, entry) in plugin.below(folder).entries() {
                if beside.ends_with(".md") && beside != path.rsplit('/').next().unwrap_or_default() {
                    let (needed, other) = Text::outside_block(&entry.text()).names(&foreign, &agents, host);
                    all.extend(needed);
                    mentioned.extend(other);
                }
            }
        }
        let place = format!("{host}/{path}");
        // Where a variable became a path, a line has to say from where it counts, by the folder that it begins with.
        let paths: BTreeSet<String> = if host == "codex" { reader::paths(&own) } else { BTreeSet::new() };
        let bound =
            |name: &String| lines.iter().any(|line| reader::bound(line, names, &agents).contains(name));
        if host == "codex" && folders(path) && !reader::names_folders(&own) && !paths.iter().any(bound) {
            found.push(format!("{place}: no line says from where its paths count"));
        }
        // A skill that was a command may include files, too.
        let mut others: BTreeSet<String> = paths.into_iter().chain(reader::includes(&own)).collect();
        others.extend(reader::apart(&own, names));
        others.extend(reader::scripts(&own));
        others.extend(mentioned);
        for text in shared(plugin, &own, folder) {
            let (needed, other) = Text::outside_block(&text).names(&foreign, &agents, host);
            others.extend(needed.into_iter().chain(other));
        }
        others.extend(plugin.below("bin").entries().map(|(program, _)| program.to_owned()));
        found.extend(check(&place, &all, &others, &lines, names, &agents));
    }
    found
}

/// The texts outside of components that the component in `folder` reads: those whose names are in its texts, or in such
/// a text.
fn shared(plugin: &Tree, own: &str, folder: &str) -> Vec<String> {
    let texts = || plugin.entries().filter(|(path, _)| path.ends_with(".md"));
    let beside = texts().filter(|(path, _)| !folder.is_empty() && path.starts_with(&format!("{folder}/")));
    let mut readers: Vec<String> = beside.map(|(_, entry)| entry.text()).collect();
    readers.push(own.to_owned());
    let mut found = Vec::new();
    for _ in 0..2 {
        let is_read = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            readers.iter().any(|text| text.contains(name))
        };
        let read = texts().filter(|(path, _)| reader::kind(path).is_none() && is_read(path));
        readers = read.map(|(_, entry)| entry.text()).collect();
        found.extend(readers.iter().cloned());
    }
    found
}

/// Names that no line binds, and lines that are the only binder of no name. `others` need no binder.
fn check(
    place: &str,
    names: &BTreeSet<String>,
    others: &BTreeSet<String>,
    lines: &[String],
    components: &[String],
    agents: &BTreeSet<String>,
) -> Vec<String> {
    let exact: Vec<BTreeSet<String>> = lines.iter().map(|line| reader::spans(line)).collect();
    let ruled: Vec<BTreeSet<String>> =
        lines.iter().map(|line| reader::bound(line, components, agents)).collect();
    // A rule for all names leaves those alone that another line gives in full.
    let binders = |name: &String| -> Vec<usize> {
        let by = |sets: &[BTreeSet<String>]| (0..sets.len()).filter(|at| sets[*at].contains(name)).collect();
        let named: Vec<usize> = by(&exact);
        if named.is_empty() { by(&ruled) } else { named }
    };
    let mut found: Vec<String> = names
        .iter()
        .filter(|name| binders(name).is_empty())
        .map(|name| format!("{place}: `{name}` is bound by no line"))
        .collect();
    for (at, line) in lines.iter().enumerate() {
        if !names.union(others).any(|name| binders(name) == [at]) {
            found.push(format!("{place}: nothing would be unbound without the line `{line}`"));
        }
    }
    found
}

/// The findings of every plugin of a bundle.
fn bundle(host: &str, bundle: &Tree, source: &Path) -> Vec<String> {
    let plugins = bundle.below("plugins");
    let names = conservation::qualified(source, &plugins.top());
    let manifest = bundle.get(".plugcast/manifest.json").expect("a bundle has a manifest").text();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let one = |plugin: String| {
        let folders = |path: &str| {
            let path = format!("plugins/{plugin}/{path}");
            let mut files = manifest["files"].as_array().into_iter().flatten();
            let from = files.find(|file| file["path"] == path).and_then(|file| file["from"].as_str());
            let text = from.and_then(|from| fs::read_to_string(source.join(from)).ok());
            text.is_some_and(|text| reader::names_folders(&text))
        };
        findings(host, &plugins.below(&plugin), &names, &folders)
    };
    plugins.top().into_iter().flat_map(one).collect()
}

#[test]
fn every_line_of_every_case_is_needed_and_enough() {
    let mut found = Vec::new();
    let mut blocks = 0;
    let _whole = EXPECTATIONS.read();
    for case in fs::read_dir(root().join("tests/cases")).expect("cases").flatten() {
        // Names that a `plugcast.toml` or an object in `commands` gives belong to no file, so the reader here does not know them.
        if case.file_name() == "per-host" || case.file_name() == "odd-names" {
            continue;
        }
        let (source, expected) = (case.path().join("in"), case.path().join("expected"));
        for host in ["claude-code", "codex", "opencode"] {
            if !expected.join(host).is_dir() {
                continue;
            }
            let tree = Tree::read(&expected.join(host));
            blocks += tree.entries().filter(|(_, entry)| entry.text().contains(BEGIN)).count();
            let name = case.file_name().to_string_lossy().into_owned();
            found
                .extend(bundle(host, &tree, &source).into_iter().map(|finding| format!("{name}: {finding}")));
        }
    }
    assert!(blocks > 20, "the cases have {blocks} blocks only");
    none_left("blocks that say too little or too much", &found);
}

/// Builds a source and checks every bundle.
fn built(source: &Path, name: Option<&str>, code: i32) -> Vec<String> {
    let folder = Tree::new().temporary();
    let mut arguments = vec![
        "build",
        source.to_str().expect("a path in UTF-8"),
        "--to",
        "claude-code,codex,opencode",
        "--out",
        "out",
    ];
    arguments.extend(name.into_iter().flat_map(|name| ["--name", name]));
    Plugcast::new(folder.path(), &arguments).run().expect_code(code);
    let out = Tree::read(&folder.path().join("out"));
    let hosts = ["claude-code", "codex", "opencode"];
    hosts.into_iter().flat_map(|host| bundle(host, &out.below(host), source)).collect()
}

#[test]
fn every_line_in_our_own_plugins_is_needed_and_enough() {
    for plugin in fs::read_dir(root().join("plugins")).expect("plugins").flatten() {
        none_left(&plugin.path().display().to_string(), &built(&plugin.path(), None, 0));
    }
}

#[test]
fn every_line_in_public_plugins_is_needed_and_enough() {
    // The reader knows names in full and commands at the start of a line. `ecc` names its own agents by
    // their last word, `selfish` its git commands within sentences.
    let read = |public: &corpus::Public| !["ecc", "selfish"].contains(&public.name);
    for public in corpus::public().into_iter().filter(read) {
        let code = i32::from(!public.faults.is_empty());
        none_left(public.name, &built(&public.source, public.plugin, code));
    }
}

#[test]
fn a_line_too_many_and_a_name_too_few_are_found() {
    let text = format!(
        "---\nname: x\n---\n{BEGIN}## On this host\n\n- Tools: `TodoWrite`: a list.\n- Agents: `p:idle`.\n{END}Use TodoWrite and AskUserQuestion, then `p:plan`.\n"
    );
    let plugin = Tree::new().file("skills/x/SKILL.md", text);
    let names = ["p:idle", "p:plan"].map(str::to_owned);
    let found = findings("codex", &plugin, &names, &|_| false);
    assert_eq!(
        found,
        [
            "codex/skills/x/SKILL.md: `AskUserQuestion` is bound by no line",
            "codex/skills/x/SKILL.md: `p:plan` is bound by no line",
            "codex/skills/x/SKILL.md: nothing would be unbound without the line `- Agents: `p:idle`.`",
        ]
    );
}
