//! The strings of a server: the variables in them, and their replacements on a host that fills no variables.

mod parts;
mod shell_line;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use self::parts::{StringPart, parts, single_variable};
use super::options;
use crate::ledger::RowOutcome;
use crate::read::pointer::{self, JsonPointer};
use crate::read::tree::{MappingEntry, Node};
use crate::source_format::SourceFacts;
use crate::target::ServerFacts;

/// The strings of one server in the host's own form.
pub struct Strings<'a> {
    /// The defaults of options.
    defaults: &'a BTreeMap<String, String>,
    source: &'a SourceFacts,
    facts: &'a ServerFacts,
    node: Option<Node>,
    texts: BTreeMap<&'static str, String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    env_vars: Vec<String>,
    headers: Vec<(String, String)>,
    env_headers: Vec<(String, String)>,
    bearer: Option<String>,
    /// A variable that the host does not fill, in a string that has no other form.
    pub unknown: Option<String>,
    /// Whether some string names the plugin's folder.
    pub at_root: bool,
    /// The variables that a shell fills when the server starts.
    pub shell: BTreeSet<String>,
    /// Parts with a different form on the host.
    pub parts: Vec<ServerPart>,
    /// Their pointers.
    pointers: BTreeSet<JsonPointer>,
}

/// The outcome of a part of a server: the part, its pointer within the server, the outcome and the reason.
type ServerPart = (MappingEntry, JsonPointer, RowOutcome, String);

/// How deeply defaults may be nested. Each is read again for the one around it, so a deeper one is treated as a
/// variable without a default.
const MOST_DEFAULTS: usize = 32;

impl<'a> Strings<'a> {
    /// Starts without any string.
    pub fn new(
        defaults: &'a BTreeMap<String, String>,
        source: &'a SourceFacts,
        facts: &'a ServerFacts,
    ) -> Self {
        Self {
            defaults,
            source,
            facts,
            node: None,
            texts: BTreeMap::new(),
            args: Vec::new(),
            env: Vec::new(),
            env_vars: Vec::new(),
            headers: Vec::new(),
            env_headers: Vec::new(),
            bearer: None,
            unknown: None,
            at_root: false,
            shell: BTreeSet::new(),
            parts: Vec::new(),
            pointers: BTreeSet::new(),
        }
    }

    /// Reads every string of a server.
    pub fn read(&mut self, node: &Node) {
        for (entry, text) in texts(node, "env") {
            self.variable(&entry, &text);
        }
        let run_by_shell = self.shell_line(node);
        for key in ["command", "url", "cwd"] {
            if let Some(entry) = node.entry(key)
                && let Some(text) = entry.node.as_str()
                && !(run_by_shell && key == "command")
            {
                let text = self.fill_plain(text, entry);
                self.texts.insert(key, text);
            }
        }
        if let Some(entry) = node.entry("args").filter(|_| !run_by_shell) {
            for item in entry.node.items().unwrap_or_default() {
                let text = self.fill_plain(&item.scalar().unwrap_or_default(), entry);
                self.args.push(text);
            }
        }
        for (entry, text) in texts(node, "headers") {
            self.header(&entry, &text);
        }
        if self.at_root && !self.facts.expands && !self.texts.contains_key("cwd") {
            self.texts.insert("cwd", self.facts.root.clone().unwrap_or_default());
        }
        self.node = Some(node.clone());
    }

    /// Lets a shell start the server if its command or an argument names an environment variable that the host does not
    /// fill; returns whether it does.
    fn shell_line(&mut self, node: &Node) -> bool {
        let (facts, source) = (self.facts, self.source);
        let (Some(shell), Some(command)) = (&facts.shell, node.get("command").and_then(Node::as_str)) else {
            return false;
        };
        let arguments = node.get("args").and_then(Node::items).unwrap_or_default();
        let arguments = arguments.iter().map(|item| item.scalar().unwrap_or_default());
        let words = std::iter::once(command.to_owned()).chain(arguments);
        let words: Vec<String> =
            words.map(|word| options::as_variables(self.defaults, source, &word)).collect();
        if words.iter().all(|word| self.fill(word).is_ok()) {
            return false;
        }
        let root = (source.plugin_root.as_str(), facts.root.as_deref().unwrap_or("."));
        let fixed: BTreeSet<&str> = self.env.iter().map(|(key, _)| key.as_str()).collect();
        let taken =
            |name: &str| fixed.contains(name) || source.variables.iter().any(|variable| variable == name);
        let Some(line) = shell_line::quote(&words, root, &taken) else { return false };
        self.at_root |= line.at_root;
        let passed: BTreeSet<String> = self.env_vars.iter().cloned().collect();
        self.env_vars.extend(line.variables.difference(&passed).cloned());
        self.shell = line.variables;
        let mut words = shell.iter().cloned().chain([line.text]);
        self.texts.insert("command", words.next().unwrap_or_default());
        self.args.extend(words);
        true
    }

    /// The value of a name in a template.
    pub fn lookup(&self, name: &str) -> Option<Json> {
        let map = |pairs: &[(String, String)]| {
            let object: Json =
                pairs.iter().map(|(key, value)| (key.clone(), Json::from(value.as_str()))).collect();
            (!pairs.is_empty()).then_some(object)
        };
        match name {
            "argv" => {
                Some(json!(self.texts.get("command").into_iter().chain(&self.args).collect::<Vec<_>>()))
            }
            "args" => (!self.args.is_empty()).then(|| json!(self.args)),
            "env" => map(&self.env),
            "env_vars" => (!self.env_vars.is_empty()).then(|| json!(self.env_vars)),
            "headers" => map(&self.headers),
            "env_headers" => map(&self.env_headers),
            "bearer" => self.bearer.clone().map(Json::from),
            "extensions" => {
                let map = self.node.as_ref()?.get("extensionToLanguage")?;
                Some(map.entries().iter().map(|entry| Json::from(entry.key.as_str())).collect())
            }
            pointer if pointer.starts_with('/') => {
                pointer::find(self.node.as_ref()?, pointer).map(Node::to_json)
            }
            text => self.texts.get(text).map(|text| Json::from(text.as_str())),
        }
    }

    /// A string in which the host cannot refer to an environment variable.
    fn fill_plain(&mut self, text: &str, entry: &MappingEntry) -> String {
        let text = options::as_variables(self.defaults, self.source, text);
        if self.facts.expands {
            return text;
        }
        match self.fill(&text) {
            Ok((text, defaults)) => {
                if defaults {
                    self.default(entry, &[&entry.key]);
                }
                text
            }
            Err(variable) => {
                self.unknown.get_or_insert(variable);
                text
            }
        }
    }

    fn variable(&mut self, entry: &MappingEntry, text: &str) {
        let text = options::as_variables(self.defaults, self.source, text);
        if self.facts.expands {
            return self.env.push((entry.key.clone(), text));
        }
        match (single_variable(&text), self.fill(&text)) {
            (Some((name, None)), _) if name == entry.key => self.env_vars.push(entry.key.clone()),
            (_, Ok((text, defaults))) => {
                if defaults {
                    self.default(entry, &["env", &entry.key]);
                }
                self.env.push((entry.key.clone(), text));
            }
            (_, Err(_)) => {
                self.env_vars.push(entry.key.clone());
                let reason = format!(
                    "the host passes on variables only under their own names: set `{}` itself",
                    entry.key
                );
                self.decide(entry, &["env", &entry.key], RowOutcome::Degraded, reason);
            }
        }
    }

    fn header(&mut self, entry: &MappingEntry, text: &str) {
        let text = options::as_variables(self.defaults, self.source, text);
        if self.facts.expands {
            return self.headers.push((entry.key.clone(), text));
        }
        let bearer = text.strip_prefix("Bearer ").filter(|_| entry.key.eq_ignore_ascii_case("authorization"));
        if let Some((name, None)) = bearer.and_then(single_variable) {
            self.bearer = Some(name.to_owned());
        } else if let Some((name, default)) = single_variable(&text) {
            self.env_headers.push((entry.key.clone(), name.to_owned()));
            // If the variable is not set, the host sends the plain header of the same name.
            match default.map(|default| self.fill(default)) {
                Some(Ok((default, _))) => self.headers.push((entry.key.clone(), default)),
                Some(Err(_)) => self.default(entry, &["headers", &entry.key]),
                None => {}
            }
        } else {
            match self.fill(&text) {
                Ok((text, defaults)) => {
                    if defaults {
                        self.default(entry, &["headers", &entry.key]);
                    }
                    self.headers.push((entry.key.clone(), text));
                }
                Err(_) => {
                    let reason = self.facts.variable_loss.clone().unwrap_or_default();
                    self.decide(entry, &["headers", &entry.key], RowOutcome::Dropped, reason);
                }
            }
        }
    }

    /// `text` with variables replaced by the plugin's folder and defaults, and whether a default was used; the error is
    /// the first other variable.
    fn fill(&mut self, text: &str) -> Result<(String, bool), String> {
        self.filled_within(text, MOST_DEFAULTS)
    }

    /// The same within a default; `most` further levels may be nested.
    fn filled_within(&mut self, text: &str, most: usize) -> Result<(String, bool), String> {
        let (mut out, mut defaults, mut root) = (String::new(), false, false);
        for part in parts(text) {
            match part {
                StringPart::Text(text) => out.push_str(text),
                StringPart::Variable(name, _) if name == self.source.plugin_root => {
                    out.push_str(self.facts.root.as_deref().unwrap_or("."));
                    root = true;
                }
                StringPart::Variable(name, Some(_)) if most == 0 => return Err(name.to_owned()),
                StringPart::Variable(_, Some(default)) => {
                    out.push_str(&self.filled_within(default, most - 1)?.0);
                    defaults = true;
                }
                StringPart::Variable(name, None) => return Err(name.to_owned()),
            }
        }
        self.at_root |= root;
        Ok((out, defaults))
    }

    fn default(&mut self, entry: &MappingEntry, keys: &[&str]) {
        let reason = self.facts.default_loss.clone().unwrap_or_default();
        self.decide(entry, keys, RowOutcome::Degraded, reason);
    }

    fn decide(&mut self, entry: &MappingEntry, keys: &[&str], outcome: RowOutcome, reason: String) {
        let pointer = JsonPointer::from_keys(keys.iter().copied());
        if self.pointers.insert(pointer.clone()) {
            self.parts.push((entry.clone(), pointer, outcome, reason));
        }
    }
}

/// A field of a server as a mapping of texts.
fn texts(node: &Node, key: &str) -> Vec<(MappingEntry, String)> {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(|entry| Some((entry.clone(), entry.node.scalar()?))).collect()
}
