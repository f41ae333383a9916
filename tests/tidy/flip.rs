//! Every key of every target is used: each leaf is changed in memory, and either loading refuses the
//! target, or the output of some case changes. What is for people alone is listed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use plugcast::build::{self, BuildError, SourceRequest};
use plugcast::compile::{self, Source};
use plugcast::diagnostic::{Diagnostic, HostId};
use plugcast::model::project::Project;
use plugcast::read::dialect;
use plugcast::target::{TargetFiles, Targets};
use toml::Value;

use super::targets::leaves;
use crate::support::command;
use crate::support::tree::Tree;
use crate::support::{none_left, root};

/// Keys that change no output because they tell people what a fact stands on.
const FOR_PEOPLE: [&str; 4] = ["evidence", "host.title", "host.verified", "host.version"];

/// Keys that only rules of `check` read; the labelled trees show what they do. Some are read by more on
/// another host.
const FOR_RULES: [&str; 14] = [
    "marketplace.reserved-names",
    "marketplace.reserved-for",
    "source.agents",
    "skill.name-required",
    "skill.reserved-words",
    "skill.own-fields",
    "agent.own-fields",
    "command.own-fields",
    "listing.extra-field",
    "listing.commands",
    "claude-code:listing",
    // Trees of hundreds of skills in `losses` show these.
    "opencode:listing",
    "listing.session",
    // Each of its keys counts in a separate test, below.
    "yaml.dialect",
];

/// Words with a special meaning, to which a text that must be one of a few is changed.
const WORDS: [&str; 20] = [
    "kept",
    "mapped",
    "dropped",
    "permissions",
    "invocation",
    "native",
    "prompt-asset",
    "registered",
    "as-skill",
    "field",
    "sidecar",
    "none",
    "relative",
    "bound",
    "security",
    "behavior",
    "cosmetic",
    "metadata",
    "model",
    "positive-integer",
];

/// Words that the keys of a dialect can have.
const DIALECT_WORDS: [&str; 15] = [
    "anywhere",
    "line",
    "line-start",
    "last",
    "refused",
    "refused-where-read",
    "written",
    "canonical",
    "ignored",
    "null-refused",
    "must-fit",
    "below-keys",
    "rescued",
    "",
    "[",
];

/// A case as the library reads it.
struct Case {
    request: SourceRequest,
}

fn cases() -> Vec<Case> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join("tests/cases"))
        .expect("cases")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("in").is_dir())
        .collect();
    // What names most comes first: it answers for most keys.
    folders.sort_by_key(|path| {
        let first = ["vocabulary", "vocabulary-shelf", "read-only-commands"];
        (first.iter().position(|name| path.ends_with(name)).unwrap_or(first.len()), path.clone())
    });
    folders.into_iter().map(|folder| case(&folder)).collect()
}

fn case(folder: &std::path::Path) -> Case {
    let script = std::fs::read_to_string(folder.join("cmd")).expect("a command");
    let commands = command::parse(&script).expect("commands");
    let arguments = &commands[0].arguments;
    let given = |option: &str| {
        arguments.iter().position(|argument| argument == option).map(|at| arguments[at + 1].clone())
    };
    let name = given("--name");
    let src = folder.join("in");
    let mut config = build::read_config(&src).expect("a configuration that reads").unwrap_or_default();
    config.build.marketplace = given("--marketplace").or(config.build.marketplace);
    let mut request = SourceRequest::new(src);
    (request.name, request.config) = (name, config);
    Case { request }
}

fn read(request: &SourceRequest, targets: &Targets) -> Result<(Project, Vec<Diagnostic>), BuildError> {
    Source::read(request, targets).map(|source| (source.project, source.findings))
}

/// Everything that a build says about a project on a host, in one text.
fn picture(project: &Project, found: &[Diagnostic], host: &str, targets: &Targets) -> String {
    let Some(target) = targets.get(host) else { return "no such host".to_owned() };
    match compile::bundle(project, target, targets) {
        Ok(bundle) => {
            let record = bundle.record;
            let ledger = serde_json::to_string(&record.ledger).expect("a ledger is JSON");
            format!(
                "{}\n{ledger}\n{:?}\n{found:?}\n{:?}",
                record.manifest.digest, record.diagnostics, record.plugins
            )
        }
        Err(error) => error.to_string(),
    }
}

pub(super) fn files(host: &str) -> TargetFiles {
    let folder = Tree::read(&root().join("targets").join(host));
    folder.entries().map(|(path, entry)| (path.to_owned(), entry.text())).collect()
}

/// The other values that a leaf could have.
pub(super) fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Boolean(flag) => vec![Value::Boolean(!flag)],
        Value::Integer(number) => vec![Value::Integer(if *number == 1 { 2 } else { 1 })],
        Value::String(text) => {
            let other = Value::String(format!("{text}-x"));
            let words =
                WORDS.iter().filter(|word| *word != text).map(|word| Value::String((*word).to_owned()));
            std::iter::once(other).chain(words).collect()
        }
        Value::Array(items) if items.is_empty() => {
            vec![
                Value::Array(vec![Value::String("description".to_owned())]),
                Value::Array(vec![Value::String("metadata".to_owned())]),
            ]
        }
        _ => Vec::new(),
    }
}

/// The same document with another value at `keys`; without the item at `drop` of a list.
pub(super) fn changed(document: &Value, keys: &[String], change: &dyn Fn(&mut Value)) -> String {
    let mut document = document.clone();
    let mut at = &mut document;
    for key in keys {
        at = match at {
            Value::Array(items) => &mut items[key.parse::<usize>().expect("an index")],
            table => table.get_mut(key).expect("a key"),
        };
    }
    change(at);
    toml::to_string(&document).expect("TOML")
}

/// What every case gives on every host, as it is.
struct BaselineResults {
    cases: Vec<Case>,
    projects: Vec<(Project, Vec<Diagnostic>)>,
    /// By host, in the order of the cases.
    pictures: BTreeMap<String, Vec<String>>,
}

impl BaselineResults {
    fn new() -> Self {
        let targets = Targets::embedded().expect("the embedded targets load");
        let cases = cases();
        let read = |case: &Case| read(&case.request, &targets).expect("a case can be read");
        let projects: Vec<_> = cases.iter().map(read).collect();
        let of = |host: &str| {
            projects.iter().map(|(project, found)| picture(project, found, host, &targets)).collect()
        };
        let pictures = targets.names().into_iter().map(|host| (host.to_owned(), of(host))).collect();
        Self { cases, projects, pictures }
    }

    /// Whether anything comes out otherwise with `text` as the target file of `host`; `reads` tells
    /// whether the key already counts when a source is read, so that every host may differ. A case that shows
    /// a difference comes first in `order` from then on: it often shows the next key, too.
    fn differs(&self, host: &str, text: String, reads: bool, order: &mut [usize]) -> Outcome {
        let mut folder = files(host);
        folder.insert("target.toml".to_owned(), text);
        let Ok(targets) = Targets::with_added(BTreeMap::from([(HostId::new(host), folder)])) else {
            return Outcome::Refused;
        };
        let hosts: Vec<&String> = if reads {
            self.pictures.keys().collect()
        } else {
            vec![self.pictures.get_key_value(host).expect("a host").0]
        };
        let shows = |at: usize| {
            let again = reads.then(|| read(&self.cases[at].request, &targets));
            let (project, found) = match &again {
                None => (&self.projects[at].0, &self.projects[at].1),
                Some(Ok((project, found))) => (project, found),
                Some(Err(_)) => return true,
            };
            hosts.iter().any(|host| picture(project, found, host, &targets) != self.pictures[*host][at])
        };
        let Some(place) = order.iter().position(|at| shows(*at)) else { return Outcome::Same };
        order[..=place].rotate_right(1);
        Outcome::Differs
    }
}

#[derive(PartialEq)]
pub(super) enum Outcome {
    Refused,
    Differs,
    Same,
}

fn unused(host: &str, before: &BaselineResults) -> Vec<String> {
    let text = files(host).remove("target.toml").expect("a target");
    let document = Value::Table(text.parse().expect("a target is TOML"));
    let mut found = Vec::new();
    let mut order: Vec<usize> = (0..before.cases.len()).collect();
    for (keys, value) in leaves(&document) {
        let path = keys.join(".");
        let named = |key: &&str| {
            let key = key.strip_prefix(&format!("{host}:")).unwrap_or(key);
            path == key || path.starts_with(&format!("{key}."))
        };
        if keys[0] == "checks" || FOR_PEOPLE.iter().chain(&FOR_RULES).any(named) {
            continue;
        }
        let reads = matches!(keys[0].as_str(), "source" | "settable") || path == "host.owns";
        let mut outcomes = Vec::new();
        if let Value::Array(items) = &value {
            for (at, item) in items.iter().enumerate() {
                let drop = |list: &mut Value| {
                    list.as_array_mut().expect("a list").remove(at);
                };
                if before.differs(host, changed(&document, &keys, &drop), reads, &mut order) == Outcome::Same
                {
                    found.push(format!(
                        "targets/{host}/target.toml: `{path}`: nothing changes without {}",
                        item
                    ));
                }
            }
        }
        for other in others(&value) {
            let set = |place: &mut Value| *place = other.clone();
            outcomes.push(before.differs(host, changed(&document, &keys, &set), reads, &mut order));
            if outcomes.last() == Some(&Outcome::Differs) {
                break;
            }
        }
        // Refused whatever it says: one value is possible. Loaded and the same: nothing uses it.
        if outcomes.contains(&Outcome::Same) && !outcomes.contains(&Outcome::Differs) {
            found.push(format!("targets/{host}/target.toml: `{path}` is used by nothing that a case shows"));
        }
    }
    found
}

#[test]
fn every_key_of_every_target_is_used() {
    let before = BaselineResults::new();
    let hosts: Vec<String> = before.pictures.keys().cloned().collect();
    let found: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = hosts.iter().map(|host| scope.spawn(|| unused(host, &before))).collect();
        running.into_iter().flat_map(|one| one.join().expect("no panic")).collect()
    });
    none_left("keys of targets (use them, or add a case that shows their use)", &found);
}

/// What a host reads of every file of `tests/fixtures/dialects`, in one text.
fn readings(yaml: &plugcast::target::YamlFacts) -> String {
    let tree = Tree::read(&root().join("tests/fixtures/dialects/skills"));
    let shown = |text: String| {
        let read = yaml.read(&text);
        let shown = |fields: dialect::ReadFields| {
            let of = |key: &String| yaml.dialect.shown.contains(key);
            fields.into_iter().filter(|(key, _)| of(key)).collect::<Vec<_>>()
        };
        format!("{:?} {:?}", read.map(shown), dialect::end(&text, yaml.dialect.closing))
    };
    tree.entries().map(|(_, entry)| shown(entry.text())).collect()
}

#[test]
fn every_key_of_every_dialect_is_used() {
    let targets = Targets::embedded().expect("the embedded targets load");
    let mut found = Vec::new();
    for host in targets.names() {
        let before = readings(&targets.get(host).expect("a host").yaml);
        let text = files(host).remove("target.toml").expect("a target");
        let document = Value::Table(text.parse().expect("a target is TOML"));
        let differs = |text: String| {
            let mut folder = files(host);
            folder.insert("target.toml".to_owned(), text);
            let changed = Targets::with_added(BTreeMap::from([(HostId::new(host), folder)]));
            changed.is_ok_and(|targets| readings(&targets.get(host).expect("a host").yaml) != before)
        };
        for (keys, value) in leaves(&document) {
            // What is shown matters to the rule, which mentions nothing else.
            if keys.len() < 3 || keys[..2] != ["yaml", "dialect"] || keys[2] == "shown" {
                continue;
            }
            let items = value.as_array().map_or(0, Vec::len);
            let dropped = (0..items).map(|at| {
                changed(&document, &keys, &|list: &mut Value| {
                    list.as_array_mut().expect("a list").remove(at);
                })
            });
            let mut words: Vec<Value> = others(&value);
            words.extend(DIALECT_WORDS.map(|word| Value::String(word.to_owned())));
            let other = |word: &Value| changed(&document, &keys, &|place: &mut Value| *place = word.clone());
            let path = keys.join(".");
            for (at, text) in dropped.enumerate() {
                if !differs(text) {
                    found.push(format!(
                        "targets/{host}/target.toml: `{path}`: nothing changes without item {at}"
                    ));
                }
            }
            if value.as_array().is_none_or(Vec::is_empty) && !words.iter().any(|word| differs(other(word))) {
                found.push(format!(
                    "targets/{host}/target.toml: `{path}` is used by no file of tests/fixtures/dialects"
                ));
            }
        }
    }
    none_left("keys of dialects (use them, or add a file that shows their use)", &found);
}
