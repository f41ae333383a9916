//! What the texts of our skills say of the helper is true: every call is one that it understands, every flag in prose
//! is one of a call, every word in backticks is a field or value of an answer that came by then, every status of each
//! call is treated below it, every name is there. `walk` runs the calls.

mod designers;
mod reviewers;
mod seeds;
mod walk;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use plugcast::runtime::grammar::HelperRequest;
use plugcast::runtime::{grammar, published};
use serde_json::Value;

use crate::support::{none_left, root};

/// The helper's path as a host block binds it.
const PATH: &str = "\"${CLAUDE_PLUGIN_ROOT}/bin/plugcast-run\"";
/// How a skill names that path once, and how it calls the helper from then on.
const DEFINITION: &str = "HELPER stands for `\"${CLAUDE_PLUGIN_ROOT}/bin/plugcast-run\"`";
const CALL: &str = "HELPER ";
/// Stand-in values of the capital words in calls.
const VALUES: [(&str, &str); 15] = [
    ("MODE", "headless"),
    ("RUN", "run"),
    ("IDS", "F1,F2"),
    ("BASE", "0123abc"),
    ("NAME", "name"),
    ("N", "2"),
    ("PORT", "3000"),
    ("PID", "1"),
    ("TIME", "1"),
    ("TYPE", "vite"),
    ("DIR", "dir"),
    ("SEEN", "0123abc"),
    ("CODE", "which_config"),
    ("IDE", "codex"),
    ("ID", "T1"),
];
/// Tools of hosts that are in backticks like a field.
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
    assert!(calls >= 10, "the calls are found: {calls}");
}

/// The most lines that the text of a skill may have; long steps go to `references/`.
const MOST: usize = 500;

#[test]
fn the_texts_of_our_skills_are_short() {
    let plugins = root().join("plugins");
    let mut skills = 0;
    let mut findings = Vec::new();
    for plugin in names(&plugins) {
        for skill in names(&plugins.join(&plugin).join("skills")) {
            let path = plugins.join(&plugin).join("skills").join(&skill).join("SKILL.md");
            let text =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            findings.extend(too_long(&text).map(|long| format!("{plugin}:{skill}: {long}")));
            skills += 1;
        }
    }
    assert!(skills >= 8, "the skills are found: {skills}");
    none_left("long texts of skills", &findings);
}

fn too_long(text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines >= MOST).then(|| format!("{lines} lines"))
}

#[test]
fn long_texts_are_found() {
    assert_eq!(too_long(&"line\n".repeat(499)), None);
    assert!(too_long(&"line\n".repeat(500)).is_some());
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
        let mut called: Vec<&str> = Vec::new();
        for section in &sections {
            let words: BTreeSet<&str> = in_backticks(section).collect();
            for (call, below) in calls(section) {
                count += 1;
                called.push(call);
                match command(call) {
                    Err(wrong) => findings.push(format!("`{call}`: {wrong}")),
                    Ok(None) => {}
                    Ok(Some(row)) => {
                        collect(&row.schema(), &mut known);
                        // A call that prints for people tells no status.
                        if !call.contains("--format text") {
                            findings.extend(untreated(row, below));
                        }
                    }
                }
            }
            findings.extend(
                flags(&words)
                    .filter(|flag| !called.iter().any(|call| takes(call, flag)))
                    .map(|flag| format!("`{flag}` is an option of no call above")),
            );
            // Before the first call the text may speak of all of them.
            if known.is_empty() {
                continue;
            }
            let named = words.iter().filter_map(|word| self.agent(word)).collect::<String>();
            for word in words.iter().filter(|word| is_field(word) && !TOOLS.contains(word)) {
                let parts = word.split('.').all(|part| known.contains(part));
                // The object that the text itself shows for a file.
                let shown = self.text.contains(&format!("\"{word}\": "));
                if !parts && !shown && !named.contains(&format!("\"{word}\"")) {
                    findings.push(format!("`{word}` is in no answer that came by then"));
                }
            }
        }
        let (paths, definitions) = (self.text.matches(PATH).count(), self.text.matches(DEFINITION).count());
        if calls(self.text).next().is_some() && (paths, definitions) != (1, 1) {
            findings
                .push(format!("the helper's path is written {paths} times, and defined {definitions} times"));
        }
        for word in in_backticks(self.text) {
            let own = word
                .split_once(':')
                .is_some_and(|(plugin, _)| names(self.plugins).iter().any(|n| n == plugin));
            if own && self.agent(word).is_none() && !self.is_skill(word) {
                findings.push(format!("`{word}` is neither an agent nor a skill"));
            }
            let reference = self.plugins.join(self.plugin).join("skills");
            let there = |skill: &String| reference.join(skill).join(word).is_file();
            if word.starts_with("references/") && !names(&reference).iter().any(there) {
                findings.push(format!("`{word}` is not a file"));
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

/// The calls of a text, each with what is below it.
fn calls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices("```sh\n").filter_map(|(at, mark)| {
        let (call, below) = text[at + mark.len()..].split_once('\n')?;
        let below = below.split_once("```").map_or(below, |(_, below)| below);
        Some((call.strip_prefix(CALL)?, below))
    })
}

/// The statuses of a call that the text below it does not treat.
fn untreated(row: &published::PublishedCommand, below: &str) -> Vec<String> {
    let statuses = statuses(&row.schema());
    if statuses.len() < 2 {
        return Vec::new();
    }
    let treated: BTreeSet<&str> = in_backticks(below).collect();
    let missing = statuses.iter().filter(|status| !treated.contains(status.as_str()));
    missing.map(|status| format!("`{}` may answer `{status}`, which is not treated", row.command)).collect()
}

/// The options that prose names.
fn flags<'a>(words: &'a BTreeSet<&str>) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|word| word.starts_with("--"))
}

/// Whether a call takes an option, with a value or without.
fn takes(call: &str, flag: &str) -> bool {
    let call = call.split(" <<").next().unwrap_or(call);
    ["", " F1,F2", " 2", " continue"].iter().any(|value| command(&format!("{call} {flag}{value}")).is_ok())
}

/// The command of a call, where it has one.
fn command(call: &str) -> Result<Option<&'static published::PublishedCommand>, String> {
    let call = call.split(" <<").next().unwrap_or(call);
    let words = std::iter::once("plugcast-run").chain(call.split_whitespace());
    let value = |word: &str| {
        VALUES.iter().find(|(own, _)| *own == word).map_or(word.to_owned(), |(_, value)| (*value).to_owned())
    };
    let words: Vec<OsString> = words.map(|word| value(word.trim_matches(['\'', '"'])).into()).collect();
    match grammar::parse(&words).map_err(|failure| failure.error.message)? {
        HelperRequest::Run(invocation) => Ok(Some(invocation.command)),
        HelperRequest::Version => Ok(None),
        HelperRequest::Help(help) => Err(format!("it prints its help: {help}")),
    }
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
        "# A\n\n`anything`\n\n## Start\n\n- {DEFINITION}.\n\n```sh\n{CALL}review begin --stdin\n```\n\n`started` brings `run_id` and \
         `run_folder`, `--take-over` and `--sometimes`; `empty` ends.\n\n## Wrong\n\n```sh\n{CALL}review commence\n```\n\n`review:nobody` and \
         `review:fixer`, `references/x.md`, {PATH}\n"
    );
    let (count, findings) = Skill { plugins: &plugins, plugin: "review", text: &text }.findings();
    let found = findings.join("\n");
    for part in [
        "`run_folder` is in no",
        "`untraced`, which",
        "review commence",
        "`review:nobody`",
        "`references/x.md`",
        "`--sometimes` is an option of no call",
        "path is written 2 times",
    ] {
        assert!(found.contains(part), "`{part}` is missing in {found}");
    }
    assert_eq!((count, findings.len()), (2, 7), "{found}");
}
