//! What is wrong with bundles that were written, by the hosts' own readers: a file that its host refuses, or one that says
//! something else there than the source says on the source host.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::readers::{Reader, Readers};
use crate::oracles::codex;

/// One emitted file.
pub struct EmittedFile {
    /// The path in the bundle.
    pub path: String,
    /// The source file behind it.
    pub from: Option<String>,
    /// The text.
    pub text: String,
}

/// A bundle that would be written.
pub struct Bundle {
    /// What made its source.
    pub seed: u64,
    /// The host.
    pub host: String,
    /// The source files.
    pub source: BTreeMap<String, String>,
    /// The emitted files.
    pub files: Vec<EmittedFile>,
    /// Source files of skills, agents and commands.
    pub components: BTreeSet<String>,
    /// Source files of which the ledger has something as dropped.
    pub dropped: BTreeSet<String>,
}

/// Fields whose meaning must arrive, where the host takes them from the same place.
const FIELDS: [&str; 8] = [
    "description",
    "when_to_use",
    "argument-hint",
    "allowed-tools",
    "tools",
    "disallowedTools",
    "model",
    "context",
];

/// The answers of the readers to all texts that are asked for.
struct Answers<'a>(BTreeMap<(Reader, &'a str), Value>);

impl<'a> Answers<'a> {
    fn read_by<'b>(&'b self, reader: Reader, text: &'b str) -> &'b Value
    where
        'a: 'b,
    {
        self.0.get(&(reader, text)).expect("every text was asked for")
    }

    /// The fields that the source host has of a source file.
    fn expected_fields<'b>(&'b self, text: &'b str) -> &'b Value
    where
        'a: 'b,
    {
        &self.read_by(Reader::Claude, text)["fields"]
    }
}

/// The JSON files of a plugin and of a bundle that a host reads.
fn is_read(host: &str, path: &str) -> bool {
    let inner =
        path.strip_prefix("plugins/").and_then(|rest| rest.split_once('/')).map_or(path, |(_, inner)| inner);
    let read: &[&str] = match host {
        "claude-code" => &[
            ".claude-plugin/marketplace.json",
            ".claude-plugin/plugin.json",
            "hooks/hooks.json",
            ".mcp.json",
        ],
        "codex" => &[
            ".agents/plugins/marketplace.json",
            ".codex-plugin/plugin.json",
            "hooks/hooks.json",
            ".mcp.json",
            ".app.json",
        ],
        _ => &["package.json", "plugcast.plugin.json"],
    };
    read.contains(&inner)
}

/// The reader of an emitted file, where this program has one.
fn reader(host: &str, path: &str) -> Option<Reader> {
    let is_component = path.ends_with(".md")
        && ["/skills/", "/agents/", "/commands/"].iter().any(|part| path.contains(part));
    match host {
        _ if path.ends_with(".json") => is_read(host, path).then_some(Reader::Json),
        "claude-code" if is_component => Some(Reader::Claude),
        "opencode" if path.ends_with("/SKILL.md") => Some(Reader::OpenCode),
        _ => None,
    }
}

/// The text that a reader gets: the source host skips a byte order mark in JSON (2.1.330).
fn shown_to<'a>(host: &str, reader: Reader, text: &'a str) -> &'a str {
    let marked = text.strip_prefix('\u{feff}').filter(|_| host == "claude-code" && reader == Reader::Json);
    marked.unwrap_or(text)
}

/// What is wrong with `bundles`.
pub fn findings(bundles: &[Bundle], readers: &Readers) -> Vec<String> {
    let mut questions: Vec<(Reader, &str)> = Vec::new();
    for bundle in bundles {
        let source = bundle.source.iter().filter(|(path, _)| path.ends_with(".md"));
        questions.extend(source.map(|(_, text)| (Reader::Claude, text.as_str())));
        let emitted = bundle.files.iter();
        questions.extend(emitted.filter_map(|file| {
            let reader = reader(&bundle.host, &file.path)?;
            Some((reader, shown_to(&bundle.host, reader, &file.text)))
        }));
    }
    questions.sort_unstable();
    questions.dedup();
    let values = readers.read(&questions);
    let answers = Answers(questions.into_iter().zip(values).collect());
    bundles.iter().flat_map(|bundle| of_bundle(bundle, &answers)).collect()
}

fn of_bundle(bundle: &Bundle, answers: &Answers<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let files: BTreeMap<&str, &EmittedFile> =
        bundle.files.iter().map(|file| (file.path.as_str(), file)).collect();
    for file in &bundle.files {
        let source = file
            .from
            .as_ref()
            .and_then(|from| bundle.source.get(from))
            .filter(|_| file.path.ends_with(".md"));
        let meant = source
            .filter(|text| !text.lines().skip(1).any(is_strange))
            .map(|text| answers.expected_fields(text));
        let is_component = file.from.as_ref().is_some_and(|from| bundle.components.contains(from));
        let wrong = match (bundle.host.as_str(), reader(&bundle.host, &file.path)) {
            (host, Some(Reader::Json)) => {
                let text = shown_to(host, Reader::Json, &file.text);
                answers.read_by(Reader::Json, text).is_null().then(|| "is not valid JSON".to_owned())
            }
            (_, Some(Reader::Claude)) if !is_component => None,
            (_, Some(Reader::Claude)) => claude(answers.read_by(Reader::Claude, &file.text), meant),
            (_, Some(Reader::OpenCode)) => {
                opencode(answers.read_by(Reader::OpenCode, &file.text), &file.path, meant)
            }
            ("codex", None) if file.path.ends_with("/SKILL.md") => codex(file, meant, &files),
            (_, None) if file.path.ends_with(".toml") => toml(&file.text),
            (_, None) => None,
        };
        let shown = |text: &str| format!("{:?}", text.chars().take(1200).collect::<String>());
        let shown = format!("{}\n    of {}", shown(&file.text), shown(source.map_or("", String::as_str)));
        let place = format!("{} {}/{}", bundle.seed, bundle.host, file.path);
        found.extend(wrong.map(|wrong| format!("{place}: {wrong}\n    {shown}")));
    }
    // What the source host loads is there, or the ledger says why not.
    for path in bundle.source.keys().filter(|path| path.ends_with(".md")) {
        let carried = bundle.files.iter().any(|file| file.from.as_ref() == Some(path));
        if !carried && !bundle.dropped.contains(path) {
            found.push(format!("{} {}: `{path}` is gone without a row", bundle.seed, bundle.host));
        }
    }
    found
}

/// Whether a line of frontmatter has a key that is not a word: a list, a mapping, one with an anchor, a tag or a question
/// mark. The source host reads the other fields, and the build says that it reads none: nobody writes such keys.
fn is_strange(line: &str) -> bool {
    line.starts_with(['?', '{', '[', '&', '*', '!', '~', ','])
}

/// A scalar as the source host shows it.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// Whether a field is set.
fn flag(fields: &Value, key: &str) -> bool {
    shown(&fields[key]).is_some_and(|text| ["true", "yes", "on", "1"].contains(&text.to_lowercase().as_str()))
}

fn off(fields: &Value, key: &str) -> bool {
    shown(&fields[key]).is_some() && !flag(fields, key)
}

/// A field, and whether a value of it passes.
type Demand = (&'static str, fn(&Value) -> bool);

/// What `claude plugin validate` demands of fields (2.1.330).
const CHECKED: [Demand; 4] = [
    ("name", |value| value.is_null() || value.is_string()),
    ("shell", |value| value.is_null() || value.is_string()),
    ("description", |value| !value.is_array() && !value.is_object()),
    ("allowed-tools", |value| {
        let texts = |items: &Vec<Value>| items.iter().all(Value::is_string);
        value.is_null() || value.is_string() || value.as_array().is_some_and(texts)
    }),
];

/// The fields without values that the source host drops when it loads them; its check says so.
fn loaded(fields: &Value) -> Value {
    let mut fields = fields.clone();
    for (key, holds) in CHECKED.iter().filter(|(key, _)| FIELDS.contains(key)) {
        fields[*key] = match &fields[*key] {
            // Of a list it takes what is text.
            Value::Array(items) if *key == "allowed-tools" => {
                items.iter().filter(|item| item.is_string()).cloned().collect()
            }
            value if holds(value) && *value != "" => value.clone(),
            _ => Value::Null,
        };
        if fields[*key].as_array().is_some_and(Vec::is_empty) {
            fields[*key] = Value::Null;
        }
    }
    fields
}

fn claude(read: &Value, meant: Option<&Value>) -> Option<String> {
    let fields = &read["fields"];
    if read["strict"] != true {
        return Some("its frontmatter is not YAML".to_owned());
    }
    let meant = meant?;
    for key in ["disable-model-invocation", "user-invocable"] {
        let same = flag(fields, key) == flag(meant, key) && off(fields, key) == off(meant, key);
        if !same {
            return Some(format!("security: `{key}` is {} and was {}", fields[key], meant[key]));
        }
    }
    if let Some(key) = CHECKED.iter().find(|(key, holds)| !holds(&fields[*key])).map(|(key, _)| key) {
        return Some(format!("`claude plugin validate` refuses `{key}`: {}", fields[*key]));
    }
    let (fields, meant) = (&loaded(fields), &loaded(meant));
    FIELDS.iter().find_map(|key| {
        let same = shown(&fields[key]) == shown(&meant[key])
            && (fields[key] == meant[key]
                || shown(&meant[key]).is_some()
                || fields[key].is_null() == meant[key].is_null());
        (!same).then(|| format!("`{key}` is {} and was {}", fields[key], meant[key]))
    })
}

fn codex(file: &EmittedFile, meant: Option<&Value>, files: &BTreeMap<&str, &EmittedFile>) -> Option<String> {
    let Some((_, description)) = codex::shown(&file.text) else {
        return Some("the host refuses it".to_owned());
    };
    let line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let description = description.as_ref().map(line).unwrap_or_default();
    if description.is_empty() {
        return Some("it has no description".to_owned());
    }
    let meant = meant?;
    if let Some(meant) =
        shown(&meant["description"]).filter(|meant| meant.parse::<f64>().is_err() && *meant != description)
    {
        return Some(format!("the description is {description:?} and was {meant:?}"));
    }
    if flag(meant, "disable-model-invocation") {
        let place = file.path.replace("/SKILL.md", "/agents/openai.yaml");
        let sidecar =
            files.get(place.as_str()).and_then(|file| yaml_serde::from_str::<Value>(&file.text).ok());
        let implicit = sidecar.map(|document| document["policy"]["allow_implicit_invocation"].clone());
        // Where the author's own file says the contrary, the build reports an error and a loss of class security.
        if implicit != Some(Value::Bool(false)) && implicit != Some(Value::Bool(true)) {
            return Some(format!("security: only the user may invoke it, and `{place}` says {implicit:?}"));
        }
    }
    None
}

fn opencode(read: &Value, path: &str, meant: Option<&Value>) -> Option<String> {
    let fields = &read["fields"];
    let plugin = path.split('/').nth(1).unwrap_or_default();
    if !fields["name"].as_str().is_some_and(|name| name.starts_with(&format!("{plugin}:"))) {
        return Some(format!("the host refuses it, or its name is {}", fields["name"]));
    }
    let description = shown(&fields["description"]);
    if !fields["description"].is_string() || description.is_none() {
        return Some(format!("its description is {}", fields["description"]));
    }
    let meant = shown(&meant?["description"]).filter(|meant| meant.parse::<f64>().is_err());
    let differs = meant.is_some_and(|meant| Some(&meant) != description.as_ref());
    differs.then(|| format!("its description is {description:?}"))
}

fn toml(text: &str) -> Option<String> {
    let Ok(table) = text.parse::<toml::Table>() else { return Some("is not TOML".to_owned()) };
    let missing = ["name", "description", "developer_instructions"].into_iter().find(|key| {
        table.get(*key).and_then(toml::Value::as_str).is_none_or(|text| text.trim().is_empty())
    })?;
    Some(format!("has no `{missing}`"))
}
