//! The differences between two inventories of one host, as data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::impact::Impact;
use super::inventory::{HostInventory, InventoryItem, LocatedLoss};
use super::matching::{MatchedItems, match_items};
use crate::diagnostic::HostId;
use crate::ledger::{LossClass, LossId};
use crate::source::ComponentKind;

/// What `diff --format json` prints: `plugcast.diff/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DiffReport {
    /// `plugcast.diff/1`.
    pub schema: String,
    /// The old side, as given.
    pub old: String,
    /// The new side, as given.
    pub new: String,
    /// The version change that all of it requires.
    pub impact: Impact,
    /// One object per compared host.
    pub hosts: Vec<HostDifference>,
}

/// The differences for the users of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HostDifference {
    /// The host.
    #[schemars(with = "String")]
    pub host: HostId,
    /// Plugins and components: removed, renamed, added, changed, each by kind and name.
    pub changes: Vec<ChangedItem>,
    /// Losses that only the new side has, by id.
    pub losses_new: Vec<LossChange>,
    /// Losses that only the old side has, by id.
    pub losses_gone: Vec<LossChange>,
}

/// How an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ItemChange {
    /// It was removed.
    Removed,
    /// It was renamed.
    Renamed,
    /// It was a beta, and now has the stable name.
    Promoted,
    /// It was added.
    Added,
    /// It has the same name and different values.
    Changed,
}

/// One plugin or component that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ChangedItem {
    /// How it changed.
    pub change: ItemChange,
    /// Its kind.
    pub kind: ComponentKind,
    /// The plugin that contains it.
    pub plugin: String,
    /// Its name; the last one if it was removed.
    pub name: String,
    /// Its previous name, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The similarity of the old and the new item, in percent of their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<usize>,
    /// Its source file, relative to SRC.
    pub path: String,
    /// The description of a new item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<ValueChange>,
    /// The version change that this requires.
    pub impact: Impact,
}

/// What a value is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ValueTopic {
    /// When it is used.
    Description,
    /// What it takes.
    Arguments,
    /// What it may do.
    Tools,
    /// Which model runs it, and with which settings.
    Model,
    /// Who may start it.
    Invocation,
    /// The version.
    Version,
    /// The text itself, or files next to it; without values.
    Text,
    /// Its kind: a command that became a skill.
    Kind,
    /// A file that it runs or names; without values.
    File,
    /// Anything else.
    Other,
}

/// One value that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ValueChange {
    /// What it is about.
    pub topic: ValueTopic,
    /// The field, by the host's name for it.
    pub field: String,
    /// The old value; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new value; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A loss that one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LossChange {
    /// The id.
    #[schemars(with = "String")]
    pub id: LossId,
    /// Its class.
    pub class: LossClass,
    /// Why.
    pub reason: String,
    /// The source file, relative to SRC.
    pub path: String,
    /// The 1-based line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Whether the author accepts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

impl DiffReport {
    /// The part that concerns one plugin; a renamed component also concerns its previous plugin.
    pub fn for_plugin(&self, plugin: &str) -> Self {
        let hosts: Vec<HostDifference> = self.hosts.iter().map(|host| host.for_plugin(plugin)).collect();
        let impact = hosts.iter().map(HostDifference::impact).max().unwrap_or_default();
        Self { schema: self.schema.clone(), old: self.old.clone(), new: self.new.clone(), impact, hosts }
    }

    /// Recomputes the overall impact from the remaining changes.
    pub fn weigh(&mut self) {
        self.impact = self.hosts.iter().map(HostDifference::impact).max().unwrap_or_default();
    }

    /// Whether users of no host notice it: no loss differs, and no change requires a new version.
    pub fn is_unnoticed(&self) -> bool {
        let kept = |host: &HostDifference| host.losses_new.is_empty() && host.losses_gone.is_empty();
        self.impact == Impact::None && self.hosts.iter().all(kept)
    }
}

impl ChangedItem {
    fn is_about(&self, plugin: &str) -> bool {
        let left = self.before.as_ref().and_then(|before| before.strip_prefix(plugin));
        self.plugin == plugin || left.is_some_and(|rest| rest.starts_with(':'))
    }
}

impl LossChange {
    /// The plugin that has it.
    pub fn plugin(&self) -> &str {
        self.id.plugin()
    }
}

impl HostDifference {
    fn for_plugin(&self, plugin: &str) -> Self {
        let own = |losses: &[LossChange]| {
            losses.iter().filter(|loss| loss.plugin() == plugin).cloned().collect::<Vec<_>>()
        };
        Self {
            host: self.host.clone(),
            changes: self.changes.iter().filter(|change| change.is_about(plugin)).cloned().collect(),
            losses_new: own(&self.losses_new),
            losses_gone: own(&self.losses_gone),
        }
    }

    /// The version change that the changes of this host require.
    pub fn impact(&self) -> Impact {
        self.changes.iter().map(|change| change.impact).max().unwrap_or_default()
    }
}

/// Compares what users of `host` get.
pub fn compare_inventories(host: &HostId, old: &HostInventory, new: &HostInventory) -> HostDifference {
    let mut matched = match_items(&old.items, &new.items);
    let promoted = promoted(&mut matched);
    let mut changes: Vec<ChangedItem> = Vec::new();
    changes.extend(matched.removed.iter().map(|item| changed_item(ItemChange::Removed, item)));
    let renamed = matched
        .renamed
        .iter()
        .map(|(before, after, alike)| (before, after, Some(*alike), ItemChange::Renamed));
    let promoted = promoted.iter().map(|(before, after)| (before, after, None, ItemChange::Promoted));
    changes.extend(renamed.chain(promoted).map(|(before, after, alike, change)| ChangedItem {
        before: Some(before.name.clone()),
        alike,
        fields: fields(before, after),
        ..changed_item(change, after)
    }));
    changes.extend(matched.added.iter().map(|item| ChangedItem {
        description: item.fields.get("description").cloned(),
        ..changed_item(ItemChange::Added, item)
    }));
    changes.extend(matched.same.iter().filter_map(|(before, after)| {
        let fields = fields(before, after);
        let change = ChangedItem { fields, ..changed_item(ItemChange::Changed, after) };
        let only_version = change.fields.iter().all(|field| field.topic == ValueTopic::Version);
        let impact = if only_version { Impact::None } else { change.impact };
        (!change.fields.is_empty()).then_some(ChangedItem { impact, ..change })
    }));
    same_files(old, new, &mut changes);
    changes.sort_by(|a, b| (a.change, a.kind, &a.name).cmp(&(b.change, b.kind, &b.name)));
    let only = |these: &HostInventory, others: &HostInventory| {
        let lost = these.losses.iter().filter(|(id, _)| !others.losses.contains_key(*id));
        lost.map(|(id, lost)| loss(id, lost)).collect()
    };
    HostDifference { host: host.to_owned(), changes, losses_new: only(new, old), losses_gone: only(old, new) }
}

/// Removes changes about files that are identical on both sides, whichever component runs them.
fn same_files(old: &HostInventory, new: &HostInventory, changes: &mut Vec<ChangedItem>) {
    let (before, after) = (digests(old), digests(new));
    let same = |plugin: &str, path: &str| {
        let key = (plugin, path);
        before.get(&key).is_some_and(|digest| after.get(&key) == Some(digest))
    };
    changes.retain_mut(|change| {
        let had = !change.fields.is_empty();
        change.fields.retain(|field| field.topic != ValueTopic::File || !same(&change.plugin, &field.field));
        let is_empty = change.change == ItemChange::Changed && had && change.fields.is_empty();
        let is_file = change.kind == ComponentKind::File && same(&change.plugin, &change.name);
        !is_empty && !is_file
    });
}

/// Every file beside the components, by its plugin and path, with its mode and digest.
fn digests(inventory: &HostInventory) -> BTreeMap<(&str, &str), &str> {
    let own = |item: &&InventoryItem| item.kind == ComponentKind::File;
    let alone = inventory.items.iter().filter(own);
    let alone = alone.map(|item| ((item.plugin.as_str(), item.name.as_str()), item.content.as_str()));
    let run = inventory.items.iter().flat_map(|item| {
        item.files.iter().map(|(path, digest)| ((item.plugin.as_str(), path.as_str()), digest.as_str()))
    });
    alone.chain(run).collect()
}

/// The suffix of beta names.
const BETA: &str = "-beta";

/// Removes betas that became stable from the renamed and removed items; returns each with its new item.
fn promoted<'a>(matched: &mut MatchedItems<'a>) -> Vec<(&'a InventoryItem, &'a InventoryItem)> {
    let is_stable = |beta: &InventoryItem, stable: &InventoryItem| {
        beta.kind == stable.kind
            && beta.plugin == stable.plugin
            && beta.name.strip_suffix(BETA) == Some(stable.name.as_str())
    };
    let mut out = Vec::new();
    matched.renamed.retain(|(before, after, _)| {
        let promoted = is_stable(before, after);
        out.extend(promoted.then_some((*before, *after)));
        !promoted
    });
    let (same, added) = (&mut matched.same, &mut matched.added);
    matched.removed.retain(|beta| {
        let stable = added.iter().position(|item| is_stable(beta, item)).map(|at| added.remove(at));
        let stable = stable.or_else(|| {
            let at = same.iter().position(|(_, item)| is_stable(beta, item))?;
            Some(same.remove(at).1)
        });
        out.extend(stable.map(|stable| (*beta, stable)));
        stable.is_none()
    });
    out
}

fn changed_item(change: ItemChange, item: &InventoryItem) -> ChangedItem {
    ChangedItem {
        change,
        kind: item.kind,
        plugin: item.plugin.clone(),
        name: item.name.clone(),
        before: None,
        alike: None,
        path: item.path.clone(),
        description: None,
        fields: Vec::new(),
        impact: Impact::from_change(change, item.kind, &item.name),
    }
}

fn loss(id: &LossId, lost: &LocatedLoss) -> LossChange {
    LossChange {
        id: id.clone(),
        class: lost.class,
        reason: lost.reason.clone(),
        path: lost.path.clone(),
        line: lost.line,
        accepted: lost.accepted,
    }
}

fn fields(old: &InventoryItem, new: &InventoryItem) -> Vec<ValueChange> {
    let mut names: Vec<&String> = old.fields.keys().chain(new.fields.keys()).collect();
    names.sort();
    names.dedup();
    let mut out: Vec<ValueChange> = names
        .into_iter()
        .filter(|name| old.fields.get(*name) != new.fields.get(*name))
        .map(|name| ValueChange {
            topic: topic(name),
            field: name.clone(),
            before: old.fields.get(name).cloned(),
            after: new.fields.get(name).cloned(),
        })
        .collect();
    if old.kind != new.kind {
        let kind = |item: &InventoryItem| Some(item.kind.id().to_owned());
        out.push(ValueChange {
            topic: ValueTopic::Kind,
            field: "kind".into(),
            before: kind(old),
            after: kind(new),
        });
    }
    if old.content != new.content {
        out.push(ValueChange { topic: ValueTopic::Text, field: "text".into(), before: None, after: None });
    }
    let mut files: Vec<&String> = old.files.keys().chain(new.files.keys()).collect();
    files.sort();
    files.dedup();
    let differs = |path: &&String| old.files.get(*path) != new.files.get(*path);
    out.extend(files.into_iter().filter(differs).map(|path| ValueChange {
        topic: ValueTopic::File,
        field: path.clone(),
        before: None,
        after: None,
    }));
    out.sort();
    out
}

/// What a field is about, by its name on any host.
fn topic(field: &str) -> ValueTopic {
    let first = field.split('/').next().unwrap_or(field).to_ascii_lowercase();
    let plain: String = first.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.as_str() {
        "description" | "whentouse" => ValueTopic::Description,
        "arguments" | "argumenthint" => ValueTopic::Arguments,
        "tools" | "allow" | "allowedtools" | "disallowedtools" | "permission" | "permissions"
        | "permissionmode" | "sandboxmode" => ValueTopic::Tools,
        "model" | "effort" | "modelreasoningeffort" => ValueTopic::Model,
        "disablemodelinvocation" | "userinvocable" | "policy" | "mode" => ValueTopic::Invocation,
        "version" => ValueTopic::Version,
        _ => ValueTopic::Other,
    }
}
