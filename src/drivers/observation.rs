//! The observations of a driver, and their scope.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use super::loaded_bundle::{LoadedComponent, LoadedPlugin};
use crate::bundle::verification::Method;
use crate::ledger::ComponentKind;
use crate::progress::Progress;

/// The time limit for a host. A start takes about a second on an idle machine, and over a minute on a busy one.
pub const LIMIT: Duration = Duration::from_secs(300);

/// A host's binary and the tools that it may find.
#[derive(Debug, Clone)]
pub struct Installation {
    /// The binary.
    pub binary: PathBuf,
    /// `PATH` for the host and what it starts.
    pub search_path: String,
    /// Receives the progress of the host.
    pub progress: Progress,
}

/// The scope of an observation.
#[derive(Debug, Clone, Copy, Default)]
pub struct ObservationScope {
    /// Check the body of every skill and command.
    pub all: bool,
    /// Allow the plugin's own hooks, servers and commands to run.
    pub allow_exec: bool,
}

/// Who can start a skill or command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invoker {
    /// The user types its name.
    User,
    /// Only the model calls it.
    Model,
}

/// One body to check: it is invoked in the host, which must send these lines to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyInvocation {
    /// The plugin.
    pub plugin: String,
    /// The name as the host shows it.
    pub name: String,
    /// The emitted file, relative to the bundle.
    pub file: String,
    /// The lines that must be sent to the model, in order.
    pub lines: Vec<String>,
    /// Who can start it.
    pub way: Invoker,
}

impl BodyInvocation {
    /// Compares the text sent to the model with the body; `Err` is a message about what is missing.
    ///
    /// # Errors
    /// When a line is missing or out of order.
    pub fn compare(&self, given: &str) -> Result<(), String> {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        match super::emitted_text::first_missing(&lines, given) {
            None => Ok(()),
            Some(line) => Err(format!("the model was not given this line of the body: `{}`", line.trim())),
        }
    }
}

/// What a host shows of a bundle.
#[derive(Debug, Default)]
pub struct Observation {
    /// How each expected component was found, by plugin, kind and name.
    pub seen: BTreeMap<(String, ComponentKind, String), Method>,
    /// Unexpected names in a plugin's namespace: plugin and name.
    pub unexpected: BTreeSet<(String, String)>,
    /// Errors of the host about a plugin; without a plugin, about all of them.
    pub errors: Vec<(Option<String>, String)>,
    /// The names of bodies that were compared.
    pub invoked: BTreeSet<String>,
    /// Remarks that are not failures.
    pub notes: Vec<String>,
    /// Folders in which the host saw parts of the bundle, and the corresponding paths in the bundle.
    pub places: Vec<(String, String)>,
}

impl Observation {
    /// Records a component as found; the strongest method is kept.
    pub fn record_component(&mut self, plugin: &str, component: &LoadedComponent, method: Method) {
        let key = (plugin.to_owned(), component.kind, component.name.clone());
        let known = self.seen.entry(key).or_insert(method);
        *known = (*known).max(method);
    }

    /// Records every component of these kinds whose name the host lists, and every listed name of the plugin's
    /// namespace that belongs to none of them.
    pub fn record_listed(
        &mut self,
        plugin: &LoadedPlugin,
        kinds: &[ComponentKind],
        listed: &BTreeSet<String>,
    ) {
        for component in plugin.components_of(kinds).filter(|component| listed.contains(&component.name)) {
            self.record_component(&plugin.name, component, Method::Listed);
        }
        let namespace = format!("{}:", plugin.name);
        let meant: BTreeSet<&str> =
            plugin.components_of(kinds).map(|component| component.name.as_str()).collect();
        for name in
            listed.iter().filter(|name| name.starts_with(&namespace) && !meant.contains(name.as_str()))
        {
            self.unexpected.insert((plugin.name.clone(), name.clone()));
        }
    }

    /// Records an error about a plugin.
    pub fn record_error(&mut self, plugin: &str, sentence: impl Into<String>) {
        self.errors.push((Some(plugin.to_owned()), sentence.into()));
    }

    /// Records an error about the whole bundle.
    pub fn record_bundle_error(&mut self, sentence: impl Into<String>) {
        self.errors.push((None, sentence.into()));
    }

    /// Records a host message if it names a plugin's folder or one of its components, unless it is known noise.
    /// `places` are the folders in which the host sees the plugin.
    pub fn record_message(
        &mut self,
        plugin: &LoadedPlugin,
        places: &[String],
        message: &str,
        known_noise: &[&str],
    ) {
        let message = message.trim();
        let names_it = places.iter().any(|place| message.contains(place.as_str()))
            || plugin
                .components
                .iter()
                .any(|component| component.name.contains(':') && message.contains(&component.name));
        let known = known_noise.contains(&message);
        if names_it && !known {
            self.record_error(&plugin.name, message);
        }
    }

    /// Replaces paths in errors by those in the bundle, and removes an error that only repeats another one, such as in
    /// a log line.
    pub fn tidy(&mut self, root: &str) {
        self.places.push((format!("{root}/"), String::new()));
        for (_, sentence) in &mut self.errors {
            for (seen, place) in &self.places {
                *sentence = sentence.replace(seen, place);
            }
        }
        let all = self.errors.clone();
        let mut number = 0;
        self.errors.retain(|(owner, sentence)| {
            let repeats = |(at, (other, other_message)): (usize, &(Option<String>, String))| {
                other == owner
                    && sentence.contains(other_message.as_str())
                    && (other_message.len() < sentence.len() || at < number)
            };
            let keep = !all.iter().enumerate().any(repeats);
            number += 1;
            keep
        });
    }

    /// Records the result of a body check.
    pub fn check(&mut self, invocation: &BodyInvocation, result: Result<(), String>) {
        self.invoked.insert(invocation.name.clone());
        if let Err(sentence) = result {
            self.record_error(
                &invocation.plugin,
                format!("`{}` (`{}`): {sentence}", invocation.name, invocation.file),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_files_of_the_bundle_once() {
        let mut observation = Observation::default();
        observation.places.push(("/tmp/x/cache/demo/1.0".to_owned(), "plugins/demo".to_owned()));
        observation.record_error("demo", "/tmp/x/cache/demo/1.0/a.md: bad");
        observation.record_error("demo", "12:00 ERROR /tmp/x/cache/demo/1.0/a.md: bad");
        observation.record_error("demo", "/tmp/x/cache/demo/1.0/a.md: bad");
        observation.record_error("other", "/bundle/plugins/other/b.md: bad");
        observation.tidy("/bundle");
        let other_message: Vec<&str> =
            observation.errors.iter().map(|(_, sentence)| sentence.as_str()).collect();
        assert_eq!(other_message, ["plugins/demo/a.md: bad", "plugins/other/b.md: bad"]);
    }
}
