//! The hosts as data: every folder under `targets/` is one host, embedded in the binary, and `--targets-dir` adds or
//! overrides hosts. Loading rejects a file that declares a loss below the minimum of its axis, or that lacks a fact
//! that another one needs.

mod axis;
mod checks;
mod command;
mod components;
mod embedded_targets;
pub mod facts;
mod listing;
mod notes;
mod own_manifest;
mod permissions;
mod typed_name;
mod value_format;
mod yaml;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

pub use axis::Axis;
pub use checks::{
    CheckFacts, FileFormat, ProjectConfig, ProjectFiles, RefusedCommand, ServerFolder, ServerFormat,
};
pub use command::{CommandEmission, CommandFacts};
pub use components::*;
pub use facts::*;
pub use listing::ListingFacts;
pub use notes::{NotesFacts, SandboxFacts};
pub use own_manifest::{OwnField, OwnManifestFacts};
pub use permissions::PermissionFacts;
pub use typed_name::TypedName;
pub use value_format::ValueFormat;
pub use yaml::YamlFacts;

use crate::diagnostic::{HostId, HostSelection};
use crate::disk::sha256;
use crate::source::{ComponentKind, LineIndex};
use crate::source_format::SourceFacts;

/// All known hosts.
#[derive(Debug, Clone)]
pub struct Targets {
    hosts: BTreeMap<HostId, Target>,
    /// sha256 of the hosts added to the embedded ones; empty if there are none.
    added: String,
}

/// A target that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("target `{host}`: {message}")]
#[non_exhaustive]
pub struct TargetError {
    /// The host's folder.
    pub host: String,
    /// What is wrong.
    pub message: String,
}

/// An unknown host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown host `{name}`")]
pub struct UnknownHost {
    /// The name.
    pub name: String,
    /// The names of all hosts.
    pub known: Vec<String>,
}

/// The files of one target folder: `target.toml` and `templates/*`, by relative path.
pub type TargetFiles = BTreeMap<String, String>;

impl Targets {
    /// The hosts that are part of this build of plugcast.
    ///
    /// # Errors
    /// Only when an embedded file is invalid, which a test rules out.
    pub fn embedded() -> Result<Self, TargetError> {
        Self::with_added(BTreeMap::new())
    }

    /// The embedded hosts and those of `added`; a folder of the same name replaces an embedded host.
    ///
    /// # Errors
    /// The first target that does not parse or contradicts itself.
    pub fn with_added(added: BTreeMap<HostId, TargetFiles>) -> Result<Self, TargetError> {
        let print = match added.is_empty() {
            true => String::new(),
            false => sha256(&serde_json::to_vec(&added).map_err(|error| TargetError {
                host: "*".into(),
                message: format!("the added targets cannot be listed: {error}"),
            })?),
        };
        let mut hosts = BTreeMap::new();
        for (host, target) in embedded_targets::targets()? {
            hosts.insert(host.clone(), checked(&host, target)?);
        }
        for (host, files) in added {
            hosts.insert(host.clone(), load(&host, files)?);
        }
        let targets = Self { hosts, added: print };
        if targets.hosts.values().filter(|target| target.source.is_some()).count() != 1 {
            return Err(TargetError {
                host: "*".into(),
                message: "exactly one target must have a `[source]` section".into(),
            });
        }
        Ok(targets)
    }

    /// The names of all hosts, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.hosts.keys().map(HostId::as_str).collect()
    }

    /// sha256 of the hosts added to the embedded ones; empty if there are none.
    pub fn added_digest(&self) -> &str {
        &self.added
    }

    /// One host.
    pub fn get(&self, host: &str) -> Option<&Target> {
        self.hosts.get(host)
    }

    /// The selected hosts, each once.
    ///
    /// # Errors
    /// The first unknown host.
    pub fn selected(&self, selection: &HostSelection) -> Result<Vec<&Target>, UnknownHost> {
        for name in selection.named() {
            self.find(name)?;
        }
        Ok(selection.ids(&self.names()).into_iter().filter_map(|name| self.get(name)).collect())
    }

    /// The host of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<&Target, UnknownHost> {
        let unknown = || UnknownHost {
            name: name.to_owned(),
            known: self.names().into_iter().map(str::to_owned).collect(),
        };
        self.get(name).ok_or_else(unknown)
    }

    /// All hosts, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Target> {
        self.hosts.values()
    }

    /// Manifests and folders that only one host reads, of every known host.
    pub fn host_owned_paths(&self) -> Vec<String> {
        let owned = self.hosts.values().flat_map(|target| &target.host.owns);
        owned.chain(&self.source().foreign).cloned().collect()
    }

    /// Manifests of hosts other than the source host, relative to a plugin: those of the target table, and those of
    /// hosts without a target, which are in separate folders.
    pub fn sibling_manifests(&self) -> Vec<Utf8PathBuf> {
        let source = self.source();
        let name = Utf8Path::new(&source.manifest).file_name().unwrap_or_default();
        let foreign = source.foreign.iter().filter_map(|place| match Utf8Path::new(place).extension() {
            Some("json") => Some(Utf8PathBuf::from(place)),
            Some(_) => None,
            None => Some(Utf8Path::new(place).join(name)),
        });
        let known = self.iter().map(|target| target.manifest.path.as_str());
        let known = known.filter(|path| path.ends_with(name) && *path != source.manifest);
        let mut out: Vec<Utf8PathBuf> = known.map(Utf8PathBuf::from).chain(foreign).collect();
        out.sort();
        out.dedup();
        out
    }

    /// The host whose format plugins are written in.
    ///
    /// # Panics
    /// Never: loading checks that there is one.
    pub fn source_host(&self) -> &Target {
        let found = self.hosts.values().find(|target| target.source.is_some());
        found.expect("checked when the targets were loaded")
    }

    /// The format that plugins are written in.
    ///
    /// # Panics
    /// Never: loading checks that exactly one target has it.
    pub fn source(&self) -> &SourceFacts {
        self.hosts
            .values()
            .find_map(|target| target.source.as_ref())
            .expect("checked when the targets were loaded")
    }
}

impl Target {
    /// The rules for the frontmatter fields of a kind of component.
    pub fn fields(&self, kind: ComponentKind) -> &BTreeMap<String, FieldRule> {
        match kind {
            ComponentKind::Agent => &self.agent.fields,
            ComponentKind::Command => &self.command.fields,
            _ => &self.skill.fields,
        }
    }

    /// The `name` of a skill in its frontmatter on the host.
    pub fn skill_name(&self, name: &str, qualified: &str) -> String {
        self.skill.name.replace("{name}", name).replace("{qualified}", qualified)
    }

    /// The rule of a field that the host does not support.
    pub fn dropped_field(&self, kind: ComponentKind, key: &str) -> Option<&FieldRule> {
        let rules = self.fields(kind);
        let rule = rules.get(key).or_else(|| rules.get("*"))?;
        (rule.outcome == FieldOutcome::Dropped).then_some(rule)
    }

    /// The replacement of `-` in the name of a plugin or server within the names of tools.
    pub fn tool_dash(&self) -> char {
        self.servers.as_ref().and_then(|facts| facts.tool_dash).unwrap_or('-')
    }

    /// Fields of a kind of component that the host knows besides those of `fields`.
    pub fn own_fields(&self, kind: ComponentKind) -> &[String] {
        match kind {
            ComponentKind::Agent => &self.agent.own_fields,
            ComponentKind::Command => &self.command.own_fields,
            _ => &self.skill.own_fields,
        }
    }
}

fn load(host: &HostId, files: TargetFiles) -> Result<Target, TargetError> {
    let fail = |message: String| TargetError { host: host.to_string(), message };
    let text = files.get("target.toml").ok_or_else(|| fail("its folder has no `target.toml`".into()))?;
    let mut target: Target = toml::from_str(text).map_err(|error| {
        let at = LineIndex::new(text).position(text, error.span().map_or(0, |span| span.start));
        fail(format!("`target.toml:{}:{}` does not parse: {}", at.line, at.column, error.message()))
    })?;
    target.templates = files
        .into_iter()
        .filter_map(|(path, text)| Some((path.strip_prefix("templates/")?.to_owned(), text)))
        .collect();
    checked(host, target)
}

fn checked(host: &HostId, mut target: Target) -> Result<Target, TargetError> {
    host.clone_into(&mut target.name);
    if let Some(source) = &mut target.source {
        source.dialect = Some(target.yaml.dialect.clone());
    }
    check(&target).map_err(|message| TargetError { host: host.to_string(), message })?;
    Ok(target)
}

fn check(target: &Target) -> Result<(), String> {
    let fields = [
        ("skill", &target.skill.fields),
        ("agent", &target.agent.fields),
        ("command", &target.command.fields),
    ];
    for (kind, rules) in fields {
        if !rules.contains_key("*") {
            return Err(format!(
                "`[{kind}.fields]` needs a rule for `\"*\"`, so that every field has a rule"
            ));
        }
        for (field, rule) in rules {
            let floor = rule.axis.map(Axis::minimum_class);
            if let (Some(floor), Some(class)) = (floor, rule.class)
                && class > floor
            {
                return Err(format!(
                    "`{kind}.fields.{field}` declares `{}`, but losses of its axis are at least `{}`",
                    class.id(),
                    floor.id()
                ));
            }
            if matches!(rule.outcome, FieldOutcome::Dropped) && rule.reason.is_none() {
                return Err(format!("`{kind}.fields.{field}` drops a field without a `reason`"));
            }
        }
    }
    for (kind, facts) in &target.components {
        if let (Some(axis), Some(class)) = (facts.axis, facts.class)
            && class > axis.minimum_class()
        {
            let (kind, class, floor) = (kind.id(), class.id(), axis.minimum_class().id());
            return Err(format!(
                "`components.{kind}` declares `{class}`, but losses of its axis are at least `{floor}`"
            ));
        }
    }
    if target.agent.emission == AgentEmission::Registered && target.registration.is_none() {
        return Err("`agent.emission = \"registered\"` needs a `[registration]` section".into());
    }
    if target.permissions.is_some() && target.registration.is_none() {
        return Err("`[permissions]` needs a `[registration]` section, which passes them to the host".into());
    }
    if target.listing.as_ref().is_some_and(|listing| listing.unlists_commands)
        && target.invocation.user_only != InvocationForm::Sidecar
    {
        return Err(
            "`listing.unlists-commands` needs `invocation.user-only = \"sidecar\"`, which takes a command off the list"
                .into(),
        );
    }
    let places = [
        ("hooks", target.hooks.as_ref().map(|facts| &facts.path)),
        ("servers", target.servers.as_ref().map(|facts| &facts.path)),
        ("language-servers", target.language_servers.as_ref().map(|facts| &facts.path)),
    ];
    for (section, path) in places {
        if path.is_some_and(Option::is_none) && target.registration.is_none() {
            return Err(format!("`[{section}]` needs a `path`, or a `[registration]` section"));
        }
    }
    for script in target.hooks.iter().flat_map(|facts| &facts.scripts) {
        if script.words.is_empty() {
            return Err("`[[hooks.scripts]]` needs a word in `words`".into());
        }
    }
    if let Some(registration) = &target.registration {
        if registration.modules.is_empty() {
            return Err("`registration.modules` is empty".into());
        }
        if let Some(missing) =
            registration.modules.iter().find(|module| !target.templates.contains_key(*module))
        {
            return Err(format!("`registration.modules` names `templates/{missing}`, which does not exist"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_targets_load() {
        let targets = Targets::embedded().unwrap();
        assert_eq!(targets.names().len(), 3);
        assert!(!targets.source().tools.is_empty());
    }

    const FILES: [(&str, &str); 3] = [
        ("claude-code", include_str!("../targets/claude-code/target.toml")),
        ("codex", include_str!("../targets/codex/target.toml")),
        ("opencode", include_str!("../targets/opencode/target.toml")),
    ];

    #[test]
    fn the_embedded_targets_are_what_their_files_say() {
        let targets = Targets::embedded().unwrap();
        for (host, text) in FILES {
            let embedded = targets.get(host).unwrap();
            let mut read: Target = toml::from_str(text).unwrap();
            read.templates = embedded.templates.clone();
            let read = checked(&HostId::new(host), read).unwrap();
            assert_eq!(format!("{read:?}"), format!("{embedded:?}"));
        }
    }

    #[test]
    fn a_security_axis_cannot_be_declared_lower() {
        let (host, text) = FILES[0];
        let text = text.replacen("[agent.fields]", "[agent.fields]\nhooks2 = { outcome = \"dropped\", axis = \"tool-limits\", class = \"cosmetic\", reason = \"r\" }", 1);
        let folder = TargetFiles::from([("target.toml".into(), text)]);
        let error = Targets::with_added(BTreeMap::from([(HostId::new(host), folder)])).unwrap_err();
        assert!(error.message.contains("at least `security`"), "{error}");
    }
}
