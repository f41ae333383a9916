//! The source map is the truth: over every case, public plugin and plugin of ours, bytes outside its
//! ranges are the source's, byte for byte and in order, and no range can be left out. What `explain` says
//! of a line is held against the source.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::run::Plugcast;
use crate::support::tree::{Entry, Tree};
use crate::support::{command, corpus, none_left, root};

/// A source that was built for every host.
struct BuildResult {
    name: String,
    source: PathBuf,
    folder: TempDir,
}

impl BuildResult {
    fn new(name: &str, source: &Path, arguments: &[&str]) -> Self {
        let folder = Tree::new().temporary();
        let mut all = vec!["build", source.to_str().expect("a path in UTF-8")];
        all.extend(["--to", "claude-code,codex,opencode", "--out", "out"]);
        all.extend(arguments);
        Plugcast::new(folder.path(), &all).run();
        Self { name: name.to_owned(), source: source.to_owned(), folder }
    }

    fn hosts(&self) -> Vec<(String, PathBuf)> {
        let hosts = ["claude-code", "codex", "opencode"].map(str::to_owned);
        let bundle = |host: String| (host.clone(), self.folder.path().join("out").join(host));
        hosts.into_iter().map(bundle).filter(|(_, folder)| folder.is_dir()).collect()
    }
}

/// Every case and every plugin of ours.
fn at_home() -> Vec<BuildResult> {
    let mut out = Vec::new();
    for case in fs::read_dir(root().join("tests/cases")).expect("cases").flatten().map(|entry| entry.path()) {
        let script = fs::read_to_string(case.join("cmd")).expect("a command");
        let commands = command::parse(&script).expect("commands");
        let arguments = &commands[0].arguments;
        let name = arguments.iter().position(|argument| argument == "--name");
        let name: Vec<&str> =
            name.into_iter().flat_map(|at| ["--name", arguments[at + 1].as_str()]).collect();
        let title = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        out.push(BuildResult::new(&title, &case.join("in"), &name));
    }
    for plugin in fs::read_dir(root().join("plugins")).expect("plugins").flatten() {
        out.push(BuildResult::new("ours", &plugin.path(), &[]));
    }
    out
}

fn document(bundle: &Path, name: &str) -> Value {
    let text = fs::read_to_string(bundle.join(".plugcast").join(name)).expect("a document of the bundle");
    serde_json::from_str(&text).expect("JSON")
}

fn items<'a>(value: &'a Value, key: &str) -> Vec<&'a Value> {
    value[key].as_array().into_iter().flatten().collect()
}

/// Whether `emitted` is `original` with the bytes of every edit replaced, and nothing else.
fn walks(edits: &[&Value], original: &[u8], emitted: &[u8]) -> bool {
    let edge = |edit: &Value, side: &str, edge: &str| edit[side][edge].as_u64().unwrap_or_default() as usize;
    let (mut source, mut made) = (0, 0);
    for edit in edits {
        let (before, after) = (edge(edit, "source", "start"), edge(edit, "emitted", "start"));
        if original.get(source..before).is_none() || original.get(source..before) != emitted.get(made..after)
        {
            return false;
        }
        (source, made) = (edge(edit, "source", "end"), edge(edit, "emitted", "end"));
    }
    original.get(source..).is_some() && original.get(source..) == emitted.get(made..)
}

/// What is wrong with the source maps of a build; the number of ranges that were left out to see.
fn violations(built: &BuildResult) -> (Vec<String>, usize) {
    let (mut found, mut ranges) = (Vec::new(), 0);
    for (host, bundle) in built.hosts() {
        let (manifest, map) = (document(&bundle, "manifest.json"), document(&bundle, "sourcemap.json"));
        let mapped: BTreeMap<&str, &Value> = items(&map, "files")
            .into_iter()
            .filter_map(|file| Some((file["path"].as_str()?, file)))
            .collect();
        for file in items(&manifest, "files") {
            let path = file["path"].as_str().expect("a path");
            let place = format!("{} {host}/{path}", built.name);
            let emitted = fs::read(bundle.join(path)).expect("an emitted file");
            let entry = mapped.get(path);
            let Some(from) = file["from"].as_str() else {
                if !entry.is_some_and(|entry| entry["from"].is_null() && items(entry, "edits").is_empty()) {
                    found.push(format!(
                        "{place}: has no source, and the map does not say that it is generated"
                    ));
                }
                continue;
            };
            let original = fs::read(built.source.join(from)).expect("a source file");
            let edits = entry.map(|entry| items(entry, "edits")).unwrap_or_default();
            if !walks(&edits, &original, &emitted) {
                found.push(format!("{place}: differs from `{from}` outside the ranges of the map"));
            }
            for left_out in 0..edits.len() {
                let mut fewer = edits.clone();
                let edit = fewer.remove(left_out);
                ranges += 1;
                if walks(&fewer, &original, &emitted) {
                    found.push(format!("{place}: nothing differs in the range {}", edit["emitted"]));
                }
            }
        }
    }
    (found, ranges)
}

#[test]
fn every_byte_that_differs_lies_in_a_range_and_no_range_is_idle() {
    let mut ranges = 0;
    for built in at_home() {
        let (found, counted) = violations(&built);
        ranges += counted;
        none_left(&built.name, &found);
    }
    assert!(ranges > 150, "only {ranges} ranges were left out");
}

#[test]
fn every_byte_of_public_plugins_that_differs_lies_in_a_range() {
    for public in corpus::public() {
        let name: Vec<&str> = public.plugin.into_iter().flat_map(|name| ["--name", name]).collect();
        none_left(public.name, &violations(&BuildResult::new(public.name, &public.source, &name)).0);
    }
}

/// Every how-many-th line of an emitted file is asked for.
const STEP: usize = 11;

#[test]
fn what_explain_says_of_a_line_is_in_the_source() {
    let (mut found, mut unchanged, mut generated) = (Vec::new(), 0, 0);
    for built in at_home().iter().filter(|built| {
        ["thin", "block", "marketplace", "renamed", "other-kinds", "ours"].contains(&&*built.name)
    }) {
        for (host, bundle) in built.hosts() {
            for (path, entry) in
                Tree::read(&bundle).entries().filter(|(path, _)| !path.starts_with(".plugcast/"))
            {
                let Entry::File { content, .. } = entry else { continue };
                let Ok(text) = std::str::from_utf8(content) else { continue };
                let step = if path.ends_with(".js") { 3000 } else { STEP };
                for (at, line) in text.lines().enumerate().step_by(step) {
                    let place = format!("{}:{}", bundle.join(path).display(), at + 1);
                    let answer =
                        Plugcast::new(built.folder.path(), &["explain", &place]).run().expect_code(0).stdout;
                    match judge(&built.source, line, &answer) {
                        Ok(true) => unchanged += 1,
                        Ok(false) => generated += 1,
                        Err(why) => {
                            found.push(format!("{} {host}/{path}:{}: {why}\n{answer}", built.name, at + 1))
                        }
                    }
                }
            }
        }
    }
    none_left("lines of which `explain` says what is not so", &found);
    assert!(unchanged > 50 && generated > 50, "{unchanged} unchanged lines, {generated} others");
}

/// Whether the line is the source's own; an answer that the source belies is an error.
fn judge(source: &Path, line: &str, answer: &str) -> Result<bool, String> {
    let first = answer.lines().next().unwrap_or_default();
    let behind = first.split_once(" comes from ").or_else(|| first.split_once(" is ")).map(|(_, rest)| rest);
    let behind = behind.unwrap_or_default().trim_end_matches(", byte for byte");
    let Some((path, at)) =
        behind.rsplit_once(':').and_then(|(path, at)| Some((path, at.parse::<usize>().ok()?)))
    else {
        let says = first.contains(" is generated: ");
        return if says { Ok(false) } else { Err("it names no line and does not say why".to_owned()) };
    };
    let text = fs::read_to_string(source.join(path)).map_err(|_| format!("there is no `{path}`"))?;
    let own = text.lines().nth(at - 1).ok_or_else(|| format!("`{path}` has no line {at}"))?;
    if answer.contains("  unchanged") || first.ends_with("byte for byte") {
        return if own == line { Ok(true) } else { Err(format!("the source says {own:?} there")) };
    }
    // A field of a document: its own key or value stands on that line.
    if let Some((_, rest)) = answer.split_once("generated: the field `") {
        let key = rest.split('`').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let named = own.contains(key) || own.trim_start().starts_with(['-', '{', '"']);
        return if named { Ok(false) } else { Err(format!("the source says {own:?} there, not `{key}`")) };
    }
    Ok(false)
}

#[test]
fn generated_lines_name_the_field_that_they_say() {
    let source = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{\n  \"name\": \"kit\",\n  \"description\": \"Plans.\",\n  \"author\": {\n    \"name\": \"Ann\"\n  }\n}\n")
        .file("in/skills/plan/SKILL.md", "---\ndescription: Plans things.\ndisable-model-invocation: true\n---\n\nDispatch `kit:scout`.\n")
        .file("in/agents/scout.md", "---\nname: scout\ndescription: Looks.\ntools: Read\n---\n\nYou look.\n\nTwice.\n");
    let folder = source.temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex,opencode"]).run().expect_code(0);
    let ask = |file: &str, words: &str| {
        let text = fs::read_to_string(folder.path().join("dist").join(file)).expect("an emitted file");
        let at =
            text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words} in {text}"))
                + 1;
        let answer = Plugcast::new(folder.path(), &["explain", &format!("dist/{file}:{at}")])
            .run()
            .expect_code(0)
            .stdout;
        let first = answer.lines().next().unwrap_or_default().to_owned();
        first.split_once(" comes from ").map_or(first.clone(), |(_, place)| place.to_owned())
    };
    for (file, words, place) in [
        (
            "codex/plugins/kit/.codex-plugin/plugin.json",
            "\"shortDescription\"",
            ".claude-plugin/plugin.json:3",
        ),
        ("codex/plugins/kit/.codex-plugin/plugin.json", "\"developerName\"", ".claude-plugin/plugin.json:5"),
        ("codex/plugins/kit/skills/plan/agents/openai.yaml", "allow_implicit", "skills/plan/SKILL.md:3"),
        ("codex/agents/kit/scout.toml", "description = ", "agents/scout.md:3"),
        ("codex/agents/kit/scout.toml", "Twice.", "agents/scout.md:9"),
        ("opencode/plugins/kit/plugcast.plugin.json", "Plans things.", "skills/plan/SKILL.md:2"),
        ("opencode/plugins/kit/plugcast.plugin.json", "user_only", "skills/plan/SKILL.md:3"),
        ("opencode/plugins/kit/plugcast.plugin.json", "Looks.", "agents/scout.md:3"),
        ("opencode/plugins/kit/package.json", "\"name\": \"kit\"", ".claude-plugin/plugin.json:2"),
    ] {
        assert_eq!(ask(file, words), place, "{file}: {words}");
    }
    for (file, words, why) in [
        ("opencode/plugins/kit/plugcast.plugin.js", "import", "the same for every plugin"),
        ("opencode/plugins/kit/plugcast.plugin.json", "\"schema\"", "the module needs it"),
        ("opencode/plugins/kit/package.json", "\"main\"", "no field of the source provides it"),
    ] {
        assert!(ask(file, words).ends_with(why) || ask(file, words).contains(why), "{}", ask(file, words));
    }
}
