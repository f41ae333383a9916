//! Dialects of frontmatter in the pinned hosts: each file of `tests/fixtures/dialects` stands as it is in
//! a bundle's folder of skills, each host starts once, and what it shows is what `read::dialect` says of
//! it. Where that is not what the author means (the last line of each file), `plugcast check` reports it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::SessionOpening;
use plugcast::target::Targets;
use serde_json::Value;

use super::model::{between, done, main};
use super::stage::Stage;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;
use crate::support::{places, root};

/// Rules whose finding explains why every selected host misses what was meant.
const OTHERS: [&str; 9] = [
    "yaml-syntax",
    "duplicate-key",
    "field-type",
    "empty-value",
    "description-missing",
    "frontmatter-missing",
    "frontmatter-unclosed",
    "frontmatter-ends-early",
    "frontmatter-not-first",
];

fn folder() -> PathBuf {
    root().join("tests/fixtures/dialects")
}

/// The files by the name of their folder.
fn cases() -> BTreeMap<String, String> {
    let tree = Tree::read(&folder().join("skills"));
    let text = |(path, entry): (&str, &crate::support::tree::Entry)| {
        Some((path.strip_suffix("/SKILL.md")?.to_owned(), entry.text()))
    };
    tree.entries().filter_map(text).collect()
}

fn intended_text(text: &str) -> String {
    text.trim_end().rsplit("Meant:").next().unwrap_or_default().trim().to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the host shows of each case as a skill: its description, if it has the skill at all.
fn shown(hosts: &Hosts, host: &'static str) -> String {
    shown_at(hosts, host, |name| format!("skills/{name}/SKILL.md"))
}

/// What the host shows of each case at its place in the bundle's plugin.
fn shown_at(hosts: &Hosts, host: &'static str, place: impl Fn(&str) -> String) -> String {
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("skills/sound/SKILL.md", "---\nname: sound\ndescription: Sounds.\n---\nSound.\n");
    let stage = Stage::of_source(hosts, host, &source);
    for (name, text) in cases() {
        let path = stage.bundle.join("plugins/kit").join(place(&name));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let script = ModelScript::default().with_conversation(main().then(done()));
    let mut session = stage.session(SessionOpening::Prompt("sound".to_owned()), script);
    session.environment.push(("SLASH_COMMAND_TOOL_CHAR_BUDGET".to_owned(), "1000000".to_owned()));
    let transcript = stage.run(session);
    transcript.requests("main").next().expect("a request").all_text()
}

/// Compares what the host shows with what is said of it: by the reader, and by the rules.
fn compare(host: &str, shown: &BTreeMap<String, String>) {
    let targets = Targets::embedded().expect("the embedded targets load");
    let yaml = &targets.get(host).expect("the host").yaml;
    let folder = folder();
    let arguments = ["check", folder.to_str().expect("UTF-8"), "--to", host, "--format", "json"];
    let finished = Plugcast::new(root(), &arguments).run();
    let found: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let mut spoken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in found["diagnostics"].as_array().expect("a list") {
        let rule = finding["rule"].as_str().unwrap_or_default();
        // Without a host it says that every host guesses right.
        let counts = OTHERS.contains(&rule)
            || rule == "yaml-dialect" && finding["hosts"].as_array().is_some_and(|hosts| !hosts.is_empty());
        for place in places(finding) {
            let case = place["path"].as_str().and_then(|path| path.split('/').nth(1)).filter(|_| counts);
            spoken.entry(case.unwrap_or_default().to_owned()).or_default().insert(rule.to_owned());
        }
    }
    let mut wrong = Vec::new();
    for (name, text) in cases() {
        let read = yaml.read(&text);
        let read = read.ok().filter(|fields| fields.contains_key("name"));
        let described = read.and_then(|fields| fields.get("description").map(|text| one_line(text)));
        let described = described.filter(|text| !text.is_empty());
        let seen = shown.get(&name).map(|text| one_line(text)).filter(|text| !text.is_empty());
        if described != seen {
            wrong.push(format!("{name}: the reader says {described:?}, the host shows {seen:?}"));
        }
        let rules = spoken.get(&name).cloned().unwrap_or_default();
        if seen.as_ref() != Some(&intended_text(&text)) && rules.is_empty() {
            wrong.push(format!("{name}: no rule says that the host shows {seen:?}"));
        }
        if seen.as_ref() == Some(&intended_text(&text)) && rules.contains("yaml-dialect") {
            wrong.push(format!("{name}: the host shows what is meant, and `yaml-dialect` reports it"));
        }
    }
    assert!(wrong.is_empty(), "{host}:\n{}", wrong.join("\n"));
}

/// The lines of Claude Code's lists, by name.
fn listed(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("- kit:")) {
        let Some((name, description)) = line.split_once(": ") else { continue };
        let plain = description.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        found.insert(name.to_owned(), plain);
    }
    found
}

#[test]
fn claude_code_reads_frontmatter_as_predicted() {
    let hosts = real_hosts!();
    compare("claude-code", &listed(&shown(&hosts, "claude-code")));
}

/// Only there do commands and agents stand as the author wrote them: other hosts get generated texts.
#[test]
fn claude_code_reads_commands_and_agents_as_it_reads_skills() {
    let hosts = real_hosts!();
    let targets = Targets::embedded().expect("the embedded targets load");
    let yaml = &targets.get("claude-code").expect("the host").yaml;
    let mut wrong = Vec::new();
    for (kind, instead) in [("commands", "Meant:"), ("agents", "Agent from kit plugin")] {
        let shown = listed(&shown_at(&hosts, "claude-code", |name| format!("{kind}/{name}.md")));
        assert!(shown.len() > 100, "{kind}: {shown:#?}");
        for (name, text) in cases() {
            let read = yaml.read(&text).ok();
            let described = read.and_then(|fields| fields.get("description").map(|text| one_line(text)));
            let described = described.filter(|text| !text.is_empty());
            let seen = shown.get(&name).map(|text| one_line(text.split(" (Tools: ").next().unwrap_or(text)));
            let right = match (&described, &seen) {
                (None, Some(seen)) => seen.is_empty() || seen.starts_with(instead),
                (None, None) => true,
                _ => described == seen,
            };
            if !right {
                wrong.push(format!("{kind}/{name}: the reader says {described:?}, the host shows {seen:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codex_reads_frontmatter_as_predicted() {
    let hosts = real_hosts!();
    let text = shown(&hosts, "codex");
    let list = between(&text, "### Available skills\n", "\n</skills_instructions>").expect("a list");
    let mut found = BTreeMap::new();
    for line in list.lines().filter_map(|line| line.strip_prefix("- kit:")) {
        let line = line.split(" (file: ").next().unwrap_or(line);
        if let Some((name, description)) = line.split_once(": ") {
            found.insert(name.to_owned(), description.to_owned());
        }
    }
    compare("codex", &found);
}

#[test]
fn opencode_reads_frontmatter_as_predicted() {
    let hosts = real_hosts!();
    let text = shown(&hosts, "opencode");
    let mut found = BTreeMap::new();
    for skill in text.split("<skill>").skip(1) {
        let part = |open: &str, close: &str| between(skill, open, close).map(str::to_owned);
        if let (Ok(name), Ok(description)) =
            (part("<name>", "</name>"), part("<description>", "</description>"))
        {
            found.insert(name, description);
        }
    }
    compare("opencode", &found);
}
