//! The overrides of `[targets.<host>]` in a `plugcast.toml`, resolved to components, and the project as one host gets
//! it: components and all mentions of them with their names on that host.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;

use camino::Utf8PathBuf;
use serde_json::Value as Json;

use super::component::Component;
use super::plugin::InlineCommand;
use super::project::Project;
use super::references::{Reference, ReferenceTarget};
use crate::diagnostic::HostId;
use crate::model::qualified_name::{QualifiedName, last_of, plugin_of, qualify};
use crate::read::pointer::JsonPointer;
use crate::source::{ComponentKind, Span};
use crate::source_format::SourceFacts;

/// A place in a `plugcast.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The file, relative to SRC.
    pub path: Utf8PathBuf,
    /// The bytes.
    pub span: Span,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode code points.
    pub column: usize,
    /// Its JSON pointer in the file.
    pub pointer: JsonPointer,
}

impl fmt::Display for ConfigPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.path, self.line)
    }
}

/// A value that the file sets for one component or tool.
#[derive(Debug, Clone)]
pub struct OverrideValue {
    /// The value.
    pub value: Json,
    /// Where it is set.
    pub at: ConfigPlace,
}

/// A new name.
#[derive(Debug, Clone)]
pub struct NewName {
    /// The name after the plugin's, in the source.
    pub from: String,
    /// The same on the host.
    pub to: String,
    /// Where it is set; `None` for a name that was derived so that users can type it.
    pub at: Option<ConfigPlace>,
}

/// The overrides for one host.
#[derive(Debug, Clone, Default)]
pub struct HostOverrides {
    /// New names, by kind and qualified name.
    pub renames: BTreeMap<(ComponentKind, QualifiedName), NewName>,
    /// Frontmatter, by kind and qualified name, then by key.
    pub fields: BTreeMap<(ComponentKind, QualifiedName), BTreeMap<String, OverrideValue>>,
    /// Substitutes for tools, by plugin and tool.
    pub tools: BTreeMap<String, BTreeMap<String, OverrideValue>>,
}

/// The overrides of one component for the host of a project.
#[derive(Debug, Clone, Default)]
pub struct ComponentOverride {
    /// Its new name.
    pub renamed: Option<NewName>,
    /// Frontmatter, by key.
    pub fields: BTreeMap<String, OverrideValue>,
}

impl NewName {
    /// How to write `written`, a mention of the component `plugin:from`, on the host.
    pub fn renamed_mention(&self, written: &str) -> String {
        let slash = if written.starts_with('/') { "/" } else { "" };
        let bare = &written[slash.len()..];
        let last = |name: &str| last_of(name).to_owned();
        let before = bare.strip_suffix(self.from.as_str());
        let name = match before.filter(|before| before.is_empty() || before.ends_with(':')) {
            Some(before) => format!("{before}{}", self.to),
            // A skill, mentioned by its folder after the plugin's name.
            None if bare.contains(':') => qualify(plugin_of(bare), &self.to),
            None => last(&self.to),
        };
        format!("{slash}{name}")
    }
}

/// A project as one host gets it, with the overrides for that host applied.
#[derive(Debug)]
pub struct HostProject<'a>(Cow<'a, Project>);

impl Deref for HostProject<'_> {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

impl HostProject<'_> {
    /// The same without the components whose own files are at `paths`: they are lost, for `reason`.
    pub fn without_components(&self, paths: &BTreeSet<String>, reason: &str) -> HostProject<'static> {
        HostProject(Cow::Owned(self.0.without_components(paths, reason)))
    }
}

impl Project {
    /// The project as `host` gets it.
    pub fn for_host(&self, host: &HostId, source: &SourceFacts) -> HostProject<'_> {
        let Some(overrides) = self.overrides.get(host) else { return HostProject(Cow::Borrowed(self)) };
        let resolved = self.resolve(source);
        // Names in texts must be resolved before any component is renamed.
        for command in self.plugins.iter().flat_map(|plugin| &plugin.inline) {
            resolved.inline(command);
        }
        let mut own = self.clone();
        own.overrides.clear();
        own.inventory = Default::default();
        own.tool_substitutes.clone_from(&overrides.tools);
        for ((kind, qualified), renamed) in &overrides.renames {
            let plugin = plugin_of(qualified);
            own.host_renames.insert((*kind, QualifiedName::new(plugin, &renamed.to)), renamed.clone());
        }
        for plugin in &mut own.plugins {
            for component in &mut plugin.components {
                apply_overrides(component, overrides);
            }
            for command in &mut plugin.inline {
                rename_in_command(command, overrides);
                if let Some(renamed) =
                    overrides.renames.get(&(ComponentKind::Command, command.qualified.clone()))
                {
                    command.qualified = QualifiedName::new(&plugin.name, &renamed.to);
                    command.name.clone_from(&renamed.to);
                }
            }
        }
        HostProject(Cow::Owned(own))
    }

    /// The new name of a component, by the qualified name that it has on this host.
    pub fn renamed(&self, kind: ComponentKind, qualified: &str) -> Option<&NewName> {
        // Nearly always there is none; this avoids allocating a key for the lookup.
        if self.host_renames.is_empty() {
            return None;
        }
        self.host_renames.get(&(kind, qualified.into()))
    }
}

fn apply_overrides(component: &mut Component, overrides: &HostOverrides) {
    let key = (component.kind, component.qualified.clone());
    if let Some(fields) = overrides.fields.get(&key) {
        component.host_override.fields.clone_from(fields);
    }
    if let Some(renamed) = overrides.renames.get(&key) {
        component.qualified = QualifiedName::new(component.plugin(), &renamed.to);
        component.name.clone_from(&renamed.to);
        component.host_override.renamed = Some(renamed.clone());
    }
    let own = component.references.get_mut().into_iter().flatten();
    let references = own.chain(component.shared.get_mut().into_iter().flatten());
    for reference in references.flat_map(|file| &mut file.references) {
        rename(reference, overrides);
    }
}

fn rename(reference: &mut Reference, overrides: &HostOverrides) -> Option<NewName> {
    let ReferenceTarget::Component(kind, qualified) = &mut reference.named else { return None };
    let renamed = overrides.renames.get(&(*kind, qualified.clone()))?;
    let plugin = plugin_of(qualified);
    *qualified = QualifiedName::new(plugin, &renamed.to);
    Some(renamed.clone())
}

/// Updates the names in the text of a command in a manifest, which is emitted wherever the manifest is not copied.
fn rename_in_command(command: &mut InlineCommand, overrides: &HostOverrides) {
    let Some(references) = command.references.get_mut() else { return };
    let (mut text, mut copied) = (String::new(), 0);
    for reference in references {
        let renamed = rename(reference, overrides);
        let span = reference.span;
        if span.start < copied {
            continue;
        }
        text.push_str(&command.content[copied..span.start]);
        let written = span.slice(&command.content);
        let start = text.len();
        text.push_str(
            &renamed.map_or_else(|| written.to_owned(), |renamed| renamed.renamed_mention(written)),
        );
        reference.span = Span::new(start, text.len());
        copied = span.end;
    }
    text.push_str(&command.content[copied..]);
    command.content = text;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_keeps_its_form() {
        let renamed = NewName { from: "review:old".into(), to: "review:new".into(), at: None };
        for (written, wanted) in [
            ("p:review:old", "p:review:new"),
            ("/p:review:old", "/p:review:new"),
            ("review:old", "review:new"),
            ("old", "new"),
            ("/old", "/new"),
            ("p:folder", "p:review:new"),
            ("folder", "new"),
        ] {
            assert_eq!(renamed.renamed_mention(written), wanted);
        }
    }
}
