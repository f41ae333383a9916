//! Renames commands whose names users of a host cannot type.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::HostId;
use crate::model::names;
use crate::model::overrides::{HostOverrides, NewName};
use crate::model::plugin::Plugin;
use crate::model::qualified_name::QualifiedName;
use crate::source::ComponentKind;
use crate::target::Targets;

/// Adds the new names to the `overrides` of every host with a rule for typed names.
pub(super) fn derive(plugins: &[Plugin], targets: &Targets, overrides: &mut BTreeMap<HostId, HostOverrides>) {
    for target in targets.iter() {
        let Some(rule) = target.command.typed else { continue };
        for plugin in plugins {
            let none = HostOverrides::default();
            let known = overrides.get(&target.name).unwrap_or(&none);
            let renames = untyped(plugin, |name| rule.apply(name), known);
            if !renames.is_empty() {
                overrides.entry(target.name.clone()).or_default().renames.extend(renames);
            }
        }
    }
}

/// New names by kind and qualified name.
fn untyped(
    plugin: &Plugin,
    typed: impl Fn(&str) -> String,
    known: &HostOverrides,
) -> Vec<((ComponentKind, QualifiedName), NewName)> {
    let files = plugin.components.iter().filter(|component| component.kind != ComponentKind::Agent);
    let files = files.map(|component| (component.kind, &component.name, &component.qualified));
    let inline =
        plugin.inline.iter().map(|command| (ComponentKind::Command, &command.name, &command.qualified));
    // Names that differ only in case or in separators clash on hosts.
    let place = |name: &str| names::dashed_name(name).to_lowercase();
    let (mut taken, mut wanted) = (BTreeSet::new(), Vec::new());
    for (kind, name, qualified) in files.chain(inline) {
        let key = (kind, qualified.clone());
        let to = typed(name);
        match known.renames.get(&key) {
            Some(renamed) => _ = taken.insert(place(&renamed.to)),
            None if kind != ComponentKind::Command || to == *name => _ = taken.insert(place(name)),
            None => wanted.push((key, NewName { from: name.clone(), to, at: None })),
        }
    }
    for (_, renamed) in &mut wanted {
        let first = renamed.to.clone();
        for number in 2.. {
            if taken.insert(place(&renamed.to)) {
                break;
            }
            renamed.to = format!("{first}-{number}");
        }
    }
    wanted
}
