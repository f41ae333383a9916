//! Resolves `[targets.<host>]` of every `plugcast.toml` of a build against the known hosts and components: an unknown
//! name is an error at its position, never skipped.

use std::collections::BTreeMap;
use std::path::Path;

use camino::Utf8PathBuf;
use serde_json::Value as Json;
use toml::Spanned;

use super::BuildError;
use super::config_fault::{fault, in_file, seen_from};
use crate::diagnostic::HostId;
use crate::model::component::Component;
use crate::model::config::{Config, ConfigFault, HostConfig, PlacedWords};
use crate::model::names;
use crate::model::overrides::{ConfigPlace, HostOverrides, NewName, OverrideValue};
use crate::model::plugin::Plugin;
use crate::model::qualified_name::{last_of, parts_of, prefix_of, qualify};
use crate::model::similar_names;
use crate::read::pointer::JsonPointer;
use crate::source::{ComponentKind, LineIndex, Span};
use crate::target::{Target, Targets, ValueFormat};

/// The overrides, by host.
type HostSections = BTreeMap<HostId, HostOverrides>;
/// Kinds whose components have frontmatter, with the section that applies to all of them.
const KINDS: [(ComponentKind, &str); 3] = [
    (ComponentKind::Skill, "skills"),
    (ComponentKind::Agent, "agents"),
    (ComponentKind::Command, "commands"),
];

/// A `plugcast.toml` and what it applies to.
struct ConfigScope<'a> {
    config: &'a Config,
    /// Relative to SRC.
    path: Utf8PathBuf,
    /// Whether it lies above SRC and so may name plugins that are not read.
    above: bool,
    plugins: Vec<&'a Plugin>,
    targets: &'a Targets,
}

/// Resolves the overrides of `config`, which applies to all of SRC, and of the plugins' own files `of_roots`.
///
/// # Errors
/// At the first unknown host, component or field, and at a new name that is already taken.
pub(super) fn resolve(
    src: &Path,
    config: &Config,
    of_roots: &BTreeMap<Utf8PathBuf, &Config>,
    plugins: &[Plugin],
    targets: &Targets,
) -> Result<HostSections, BuildError> {
    let mut out = HostSections::new();
    let (path, above) = seen_from(src, &config.path);
    let all = plugins.iter().collect();
    let mut scopes = vec![ConfigScope { config, path, above, plugins: all, targets }];
    for plugin in plugins {
        // The plugin's own settings come last, so they take precedence.
        if let Some(config) = of_roots.get(&plugin.root) {
            let path = plugin.root.join("plugcast.toml");
            scopes.push(ConfigScope { config, path, above: false, plugins: vec![plugin], targets });
        }
    }
    for scope in &scopes {
        scope.resolve_into(&mut out).map_err(|fault| in_file(scope.config, fault))?;
    }
    for scope in &scopes {
        scope.clashes(&out).map_err(|fault| in_file(scope.config, fault))?;
    }
    Ok(out)
}

/// The help for a word that is not in `known`.
fn word_help<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match similar_names::nearest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("one of: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Why `target` would refuse `name` for a component of that kind.
fn name_refusal(target: &Target, kind: ComponentKind, name: &str) -> Option<String> {
    if kind == ComponentKind::Agent {
        return None;
    }
    let title = &target.host.title;
    let length = name.chars().count();
    if let Some(limit) = target.skill.name_limit.filter(|limit| length > *limit) {
        return Some(format!("has {length} characters, but {title} allows {limit}"));
    }
    if target.command.typed.is_some_and(|rule| kind == ComponentKind::Command && rule.apply(name) != name) {
        return Some(format!("cannot be typed by users of {title}"));
    }
    let lower = name.to_lowercase();
    let reserved = target.skill.reserved_words.iter().find(|word| lower.contains(word.as_str()));
    reserved.map(|word| format!("contains `{word}`, which {title} reserves"))
}

impl<'a> ConfigScope<'a> {
    /// Resolves the sections of this file into `out`.
    fn resolve_into(&self, out: &mut HostSections) -> Result<(), ConfigFault> {
        for (host, host_config) in &self.config.targets {
            let Some(target) = self.targets.get(host.get_ref()) else {
                let message = format!("unknown host `{}`", host.get_ref());
                let help = word_help(host.get_ref(), self.targets.names().into_iter());
                return Err(fault(host.span(), message, help));
            };
            let of_host = out.entry(target.name.clone()).or_default();
            self.renames(target, &host_config.rename, of_host)?;
            self.frontmatter(target, host_config, of_host)?;
            self.models(target, &host_config.models, of_host)?;
            self.tools(target, &host_config.tools, of_host)?;
        }
        Ok(())
    }

    fn place(&self, span: std::ops::Range<usize>, pointer: &[&str]) -> ConfigPlace {
        let text = &self.config.text;
        let position = LineIndex::new(text).position(text, span.start);
        ConfigPlace {
            path: self.path.clone(),
            span: Span::new(span.start, span.end),
            line: position.line,
            column: position.column,
            pointer: JsonPointer::from_keys(std::iter::once("targets").chain(pointer.iter().copied())),
        }
    }

    fn renames(
        &self,
        target: &Target,
        words: &PlacedWords,
        out: &mut HostOverrides,
    ) -> Result<(), ConfigFault> {
        for (name, new) in words {
            let Some(component) = self.component(name)? else { continue };
            let wanted = new.get_ref();
            if let Err(why) = names::check(wanted) {
                let help = "use letters, digits and `-`, such as `my-skill`".to_owned();
                return Err(fault(new.span(), format!("the name `{wanted}` {why}"), help));
            }
            let folders = prefix_of(&component.name);
            if wanted.contains(':') {
                let message = format!(
                    "the name `{wanted}` contains a colon, but only the last part of a name can be changed"
                );
                let stays = if folders.is_none() {
                    "the plugin's name cannot be changed"
                } else {
                    "plugin and folders cannot be changed"
                };
                let last = last_of(wanted);
                return Err(fault(new.span(), message, format!("write `{last}`: {stays}")));
            }
            if names::skill_name(wanted) != *wanted {
                let message = format!("the name `{wanted}` has characters that hosts show as `-`");
                let help = format!("write `{}`", names::skill_name(wanted).trim_matches('-'));
                return Err(fault(new.span(), message, help));
            }
            if let Some(why) = name_refusal(target, component.kind, wanted) {
                let help = "choose another name; `plugcast targets` shows what each host accepts".to_owned();
                return Err(fault(new.span(), format!("the name `{wanted}` {why}"), help));
            }
            let to = folders.map_or_else(|| wanted.clone(), |folders| qualify(folders, wanted));
            let at = self.place(name.span(), &[&target.name, "rename", name.get_ref()]);
            let renamed = NewName { from: component.name.clone(), to, at: Some(at) };
            out.renames.insert((component.kind, component.qualified.clone()), renamed);
        }
        Ok(())
    }

    fn frontmatter(
        &self,
        target: &Target,
        host_config: &HostConfig,
        out: &mut HostOverrides,
    ) -> Result<(), ConfigFault> {
        let of_kind = |section: &str| KINDS.iter().find(|(_, name)| *name == section).map(|(kind, _)| *kind);
        // A setting for one component takes precedence over a setting for all.
        for all in [true, false] {
            for (section, fields) in &host_config.frontmatter {
                let kind = of_kind(section.get_ref());
                if kind.is_some() != all {
                    continue;
                }
                let owners: Vec<&Component> = match kind {
                    Some(kind) => self.components().filter(|component| component.kind == kind).collect(),
                    None => self.component(section)?.into_iter().collect(),
                };
                let Some(kind) = kind.or_else(|| owners.first().map(|owner| owner.kind)) else { continue };
                for (key, value) in fields {
                    let value = settable(target, kind, key, value)?;
                    let pointer = [target.name.as_str(), "frontmatter", section.get_ref(), key.get_ref()];
                    let at = self.place(key.span(), &pointer);
                    for owner in &owners {
                        let value_here = OverrideValue { value: value.clone(), at: at.clone() };
                        record_value(out, owner, key.get_ref(), value_here);
                    }
                }
            }
        }
        Ok(())
    }

    fn models(
        &self,
        target: &Target,
        words: &PlacedWords,
        out: &mut HostOverrides,
    ) -> Result<(), ConfigFault> {
        let format = |kind: ComponentKind| target.settable.get(kind.id())?.get("model");
        let takes = |kind: ComponentKind| format(kind) == Some(&ValueFormat::Text);
        for (model, here) in words {
            if !KINDS.iter().any(|(kind, _)| takes(*kind)) {
                let message = format!("{} does not accept a model for a component", target.host.title);
                return Err(fault(model.span(), message, "remove the line".to_owned()));
            }
            if here.get_ref().trim().is_empty() {
                let help = format!("write the name of a model of {}", target.host.title);
                return Err(fault(here.span(), "the model is empty".to_owned(), help));
            }
            let at = self.place(model.span(), &[&target.name, "models", model.get_ref()]);
            for owner in self.components().filter(|component| takes(component.kind)) {
                let own = owner.field("model").and_then(crate::read::tree::Node::scalar);
                let key = (owner.kind, owner.qualified.clone());
                let has_model = out.fields.get(&key).is_some_and(|fields| fields.contains_key("model"));
                if own.as_deref() == Some(model.get_ref()) && !has_model {
                    record_value(
                        out,
                        owner,
                        "model",
                        OverrideValue { value: here.get_ref().as_str().into(), at: at.clone() },
                    );
                }
            }
        }
        Ok(())
    }

    fn tools(
        &self,
        target: &Target,
        words: &PlacedWords,
        out: &mut HostOverrides,
    ) -> Result<(), ConfigFault> {
        for (tool, stands) in words {
            let known = &self.targets.source().tools;
            if !known.contains(tool.get_ref()) {
                let message =
                    format!("{} has no tool `{}`", self.targets.source_host().host.title, tool.get_ref());
                return Err(fault(
                    tool.span(),
                    message,
                    word_help(tool.get_ref(), known.iter().map(String::as_str)),
                ));
            }
            if !target.block.contains_key("tools") {
                let message = format!("{} has the tool itself, so it cannot be replaced", target.host.title);
                return Err(fault(tool.span(), message, "remove the line".to_owned()));
            }
            if stands.get_ref().trim().is_empty() || stands.get_ref().contains('\n') {
                let message = "the replacement of a tool must be one line of text".to_owned();
                let help = "say what to call, such as \"`exec_command` with `rg`\"".to_owned();
                return Err(fault(stands.span(), message, help));
            }
            let at = self.place(tool.span(), &[&target.name, "tools", tool.get_ref()]);
            for plugin in &self.plugins {
                let stand_in = OverrideValue { value: stands.get_ref().as_str().into(), at: at.clone() };
                out.tools.entry(plugin.name.clone()).or_default().insert(tool.get_ref().clone(), stand_in);
            }
        }
        Ok(())
    }

    fn components(&self) -> impl Iterator<Item = &'a Component> {
        self.plugins.iter().flat_map(|plugin| &plugin.components)
    }

    /// The component that `word` names; `None` if it may belong to a plugin that is not read.
    fn component(&self, word: &Spanned<String>) -> Result<Option<&'a Component>, ConfigFault> {
        let text = word.get_ref().as_str();
        let (kind, name) = match text.split_once('/') {
            Some((kind, name)) => match KINDS.iter().find(|(known, _)| known.id() == kind) {
                Some((kind, _)) => (Some(*kind), name),
                None => {
                    let message = format!("`{kind}` is not a kind of component that can be overridden");
                    let known = KINDS.iter().map(|(kind, _)| kind.id());
                    return Err(fault(word.span(), message, word_help(kind, known)));
                }
            },
            None => (None, text),
        };
        let meets = |component: &&Component| {
            kind.is_none_or(|kind| kind == component.kind)
                && (component.qualified == name || component.name == name)
        };
        let found: Vec<&Component> = self.components().filter(meets).collect();
        match found.as_slice() {
            [one] => Ok(Some(one)),
            [] => {
                let prefix = parts_of(name).map(|(prefix, _)| prefix);
                let unread = |prefix| self.plugins.iter().all(|plugin| plugin.name != prefix);
                if self.above && prefix.is_some_and(unread) {
                    return Ok(None);
                }
                let inline = self.plugins.iter().flat_map(|plugin| &plugin.inline);
                if inline.into_iter().any(|command| command.qualified == name || command.name == name) {
                    let message = format!(
                        "`{name}` is defined in a manifest, but only components with a file can be used here"
                    );
                    return Err(fault(word.span(), message, "move the command to a file".to_owned()));
                }
                let message = format!("unknown component `{text}`");
                let names = self.components().flat_map(|one| [one.name.as_str(), one.qualified.as_str()]);
                let help = match similar_names::nearest(name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name a skill, an agent or a command, as `name` or as `plugin:name`".to_owned(),
                };
                Err(fault(word.span(), message, help))
            }
            several => {
                let kinds = several.iter().all(|one| one.qualified == several[0].qualified);
                let ways = several.iter().map(|one| match kinds {
                    true => format!("`{}/{}`", one.kind.id(), one.name),
                    false => format!("`{}/{}`", one.kind.id(), one.qualified),
                });
                let ways = ways.collect::<Vec<_>>().join(" or ");
                Err(fault(
                    word.span(),
                    format!("`{text}` names more than one component"),
                    format!("write {ways}"),
                ))
            }
        }
    }

    /// Reports a new name that another component of the plugin already has on the host.
    fn clashes(&self, all: &HostSections) -> Result<(), ConfigFault> {
        for host in self.config.targets.keys() {
            let Some(overrides) = all.get(host.get_ref().as_str()) else { continue };
            for plugin in &self.plugins {
                let mut taken: BTreeMap<(bool, String), (&str, Option<&NewName>)> = BTreeMap::new();
                let inline = plugin.inline.iter().map(|command| (false, command.name.as_str(), None));
                let files = plugin.components.iter().map(|component| {
                    let renamed = overrides.renames.get(&(component.kind, component.qualified.clone()));
                    (component.kind == ComponentKind::Agent, component.name.as_str(), renamed)
                });
                for (agent, name, renamed) in inline.chain(files) {
                    let here = renamed.map_or(name, |renamed| &renamed.to);
                    let key = (agent, names::dashed_name(here).to_lowercase());
                    let Some((other, before)) = taken.insert(key, (name, renamed)) else { continue };
                    let Some(renamed) = renamed.or(before) else { continue };
                    let Some(at) = &renamed.at else { continue };
                    let other = if renamed.from == name { other } else { name };
                    let span = at.span.start..at.span.end;
                    let message =
                        format!("`{}` cannot become `{}`: `{other}` has that name", renamed.from, renamed.to);
                    return Err(fault(span, message, "choose another name, or rename both".to_owned()));
                }
            }
        }
        Ok(())
    }
}

fn record_value(out: &mut HostOverrides, owner: &Component, key: &str, value: OverrideValue) {
    let of_owner = out.fields.entry((owner.kind, owner.qualified.clone())).or_default();
    of_owner.insert(key.to_owned(), value);
}

/// The value of a field, checked against the format that the host accepts.
fn settable(
    target: &Target,
    kind: ComponentKind,
    key: &Spanned<String>,
    value: &Spanned<toml::Value>,
) -> Result<Json, ConfigFault> {
    let (title, name) = (&target.host.title, key.get_ref());
    let keys = target.settable.get(kind.id());
    let Some(format) = keys.and_then(|keys| keys.get(name)) else {
        let section = KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, section)| section);
        let message = format!("`{name}` of {section} cannot be set for {title}");
        let help = match (name.as_str(), keys) {
            ("name", _) => format!("write it under `[targets.{}.rename]`", target.name),
            (_, Some(keys)) => word_help(name, keys.keys().map(String::as_str)),
            (_, None) => format!("{title} accepts no field of {section}"),
        };
        return Err(fault(key.span(), message, help));
    };
    let json = serde_json::to_value(value.get_ref()).unwrap_or_default();
    if !format.matches(&json) {
        let message = format!("`{name}` must be {} for {title}", format.words());
        return Err(fault(value.span(), message, format!("write {}", format.words())));
    }
    Ok(json)
}
