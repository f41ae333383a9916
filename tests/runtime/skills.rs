//! What the texts of our skills say of the helper is true: every call is one that it understands, every word in
//! backticks is a field or value of an answer that came by then, every status is treated, every name is there.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use plugcast::runtime::{grammar, published};
use serde_json::Value;

use crate::support::{none_left, root};

/// How skills call the helper.
const CALL: &str = "\"${CLAUDE_PLUGIN_ROOT}/bin/plugcast-run\" ";
/// Tools of hosts that stand in backticks like a field.
const TOOLS: [&str; 2] = ["question", "request_user_input"];

/// One skill with the folder of its plugin.
struct Skill<'a> {
    plugins: &'a Path,
    plugin: &'a str,
    text: &'a str,
}

#[test]
fn every_call_field_status_and_name_in_our_skills_is_there() {
    let plugins = root().join("plugins");
    let mut calls = 0;
    for plugin in names(&plugins) {
        for skill in names(&plugins.join(&plugin).join("skills")) {
            let path = plugins.join(&plugin).join("skills").join(&skill).join("SKILL.md");
            let text =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let (count, findings) = Skill { plugins: &plugins, plugin: &plugin, text: &text }.findings();
            calls += count;
            none_left(&format!("{plugin}:{skill}"), &findings);
        }
    }
    assert!(calls >= 9, "the calls are found: {calls}");
}

/// The most that the text of a skill may have; a line feed counts twice, as after a checkout with Windows line endings.
const MOST: (usize, usize) = (500, 8000);

#[test]
fn the_texts_of_our_skills_are_short() {
    let plugins = root().join("plugins");
    let mut skills = 0;
    let mut findings = Vec::new();
    for plugin in names(&plugins) {
        for skill in names(&plugins.join(&plugin).join("skills")) {
            let path = plugins.join(&plugin).join("skills").join(&skill).join("SKILL.md");
            let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            findings.extend(too_long(&text).map(|long| format!("{plugin}:{skill}: {long}")));
            skills += 1;
        }
    }
    assert!(skills >= 8, "the skills are found: {skills}");
    none_left("long texts of skills", &findings);
}

fn too_long(text: &[u8]) -> Option<String> {
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    let bytes = text.len() + lines - text.windows(2).filter(|two| two == b"\r\n").count();
    (lines >= MOST.0 || bytes > MOST.1).then(|| format!("{lines} lines, {bytes} bytes"))
}

#[test]
fn long_texts_are_found() {
    assert_eq!(too_long("line\n".repeat(499).as_bytes()), None);
    assert!(too_long("line\n".repeat(500).as_bytes()).is_some());
    assert_eq!(too_long(&[b'x'; 8000]), None);
    assert!(too_long(&[b"\n", &[b'x'; 7999][..]].concat()).is_some());
    assert_eq!(too_long(&[b"\r\n", &[b'x'; 7998][..]].concat()), None);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Skill<'_> {
    /// How many calls there are, and what is wrong.
    fn findings(&self) -> (usize, Vec<String>) {
        let mut findings = Vec::new();
        let sections: Vec<&str> = self.text.split("\n## ").collect();
        let (mut count, mut known) = (0, BTreeSet::new());
        let mut treated: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for section in &sections {
            let words: BTreeSet<&str> = in_backticks(section).collect();
            for call in section.lines().filter_map(|line| line.strip_prefix(CALL)) {
                count += 1;
                match command(call) {
                    Err(wrong) => findings.push(format!("`{call}`: {wrong}")),
                    Ok(None) => {}
                    Ok(Some(row)) => {
                        collect(&row.schema(), &mut known);
                        // A call that prints for people tells no status.
                        if !call.contains("--format text") {
                            treated.entry(row.command).or_default().extend(&words);
                        }
                    }
                }
            }
            // Before the first call the text may speak of all of them.
            if known.is_empty() {
                continue;
            }
            let named = words.iter().filter_map(|word| self.agent(word)).collect::<String>();
            for word in words.iter().filter(|word| is_field(word) && !TOOLS.contains(word)) {
                let parts = word.split('.').all(|part| known.contains(part));
                if !parts && !named.contains(&format!("\"{word}\"")) {
                    findings.push(format!("`{word}` is in no answer that came by then"));
                }
            }
        }
        for (words, said) in treated {
            let row = published::find(words).expect("it was found before");
            for status in statuses(&row.schema()) {
                if !said.contains(status.as_str()) && statuses(&row.schema()).len() > 1 {
                    findings.push(format!("`{words}` may answer `{status}`, which is not treated"));
                }
            }
        }
        for word in in_backticks(self.text) {
            let own = word
                .split_once(':')
                .is_some_and(|(plugin, _)| names(self.plugins).iter().any(|n| n == plugin));
            if own && self.agent(word).is_none() && !self.is_skill(word) {
                findings.push(format!("`{word}` is no agent and no skill"));
            }
            let reference = self.plugins.join(self.plugin).join("skills");
            let there = |skill: &String| reference.join(skill).join(word).is_file();
            if word.starts_with("references/") && !names(&reference).iter().any(there) {
                findings.push(format!("`{word}` is no file"));
            }
        }
        (count, findings)
    }

    /// The text of an agent by its qualified name.
    fn agent(&self, name: &str) -> Option<String> {
        let (plugin, rest) = name.split_once(':')?;
        let path = format!("{plugin}/agents/{}.md", rest.replace(':', "/"));
        std::fs::read_to_string(self.plugins.join(path)).ok()
    }

    fn is_skill(&self, name: &str) -> bool {
        let (plugin, skill) = name.split_once(':').unwrap_or_default();
        self.plugins.join(plugin).join("skills").join(skill).join("SKILL.md").is_file()
    }
}

/// The command of a call, where it has one.
fn command(call: &str) -> Result<Option<&'static published::Published>, String> {
    let call = call.split(" <<").next().unwrap_or(call).replace("MODE", "headless");
    let words = std::iter::once("plugcast-run").chain(call.split_whitespace());
    let words: Vec<OsString> = words.map(|word| word.trim_matches(['\'', '"']).into()).collect();
    let parsed = grammar::parse(&words).map_err(|failure| failure.error.message)?;
    let parsed = parsed.map_err(|help| format!("it prints its help: {help}"))?;
    Ok(parsed.command.and_then(|command| published::find(command.words())))
}

/// The texts in single backticks outside of fences.
fn in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// Whether a text in backticks looks like a field or value: `run_dir`, `queues.fixer`.
fn is_field(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '.')
}

/// The names of fields, and the values of those that have a few.
fn collect(schema: &Value, out: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                out.extend(properties.keys().cloned());
            }
            let values = object.get("enum").and_then(Value::as_array).into_iter().flatten();
            out.extend(values.chain(object.get("const")).filter_map(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| collect(value, out));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        _ => {}
    }
}

/// What `status` may be in an answer with exit code 0.
fn statuses(schema: &Value) -> BTreeSet<String> {
    let mut status = &schema["anyOf"][0]["properties"]["status"];
    if let Some(name) = status["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        status = &schema["$defs"][name];
    }
    let mut values = BTreeSet::new();
    collect(status, &mut values);
    values
}

#[test]
fn what_is_not_there_is_found() {
    let plugins = root().join("plugins");
    let text = format!(
        "# A\n\n`anything`\n\n## Start\n\n```sh\n{CALL}review start --mode MODE\n```\n\n`started` brings `run_dir` and \
         `run_folder`.\n\n## Wrong\n\n```sh\n{CALL}review begin\n```\n\n`review:nobody` and `review:fixer`, `references/x.md`\n"
    );
    let (count, findings) = Skill { plugins: &plugins, plugin: "review", text: &text }.findings();
    let found = findings.join("\n");
    assert_eq!((count, findings.len()), (2, 5), "{found}");
    for part in
        ["`run_folder` is in no", "`untraced`, which", "review begin", "`review:nobody`", "`references/x.md`"]
    {
        assert!(found.contains(part), "`{part}` is missing in {found}");
    }
}
