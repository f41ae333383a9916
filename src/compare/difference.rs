//! What differs between two inventories of one host, as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::impact::Impact;
use super::inventory::{Inventory, Item, Lost};
use super::matching::matched;
use crate::ledger::Class;
use crate::source::Kind;

/// What `diff --format json` prints: `plugcast.diff/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// `plugcast.diff/1`.
    pub schema: String,
    /// The old side, as given.
    pub old: String,
    /// The new side, as given.
    pub new: String,
    /// The version that all of it needs.
    pub impact: Impact,
    /// One object a host that was compared.
    pub hosts: Vec<HostDifference>,
}

/// What differs for the user of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostDifference {
    /// The host.
    pub host: String,
    /// Plugins and components: removed, renamed, added, changed, each by kind and name.
    pub changes: Vec<Changed>,
    /// Losses that the old side had not, by id.
    pub losses_new: Vec<LossChange>,
    /// Losses that only the old side had, by id.
    pub losses_gone: Vec<LossChange>,
}

/// What became of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is gone.
    Removed,
    /// It has another name.
    Renamed,
    /// It is new.
    Added,
    /// It has the same name and other values.
    Changed,
}

/// One plugin or component that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// What became of it.
    pub change: Change,
    /// What it is.
    pub kind: Kind,
    /// The plugin that brings it.
    pub plugin: String,
    /// Its name; of a removed one its last.
    pub name: String,
    /// Its name before, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How alike the two are that are taken for one, in percent of their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<usize>,
    /// Its source file, relative to SRC.
    pub path: String,
    /// What it is good for, of one that is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
    /// The version that this needs.
    pub impact: Impact,
}

/// What a value is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// When it is used.
    Description,
    /// What it takes.
    Arguments,
    /// What it may do.
    Tools,
    /// Which model runs it, and how.
    Model,
    /// Who may start it.
    Invocation,
    /// The version.
    Version,
    /// The text itself, or files beside it; without values.
    Text,
    /// Anything else.
    Other,
}

/// One value that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// What it is about.
    pub topic: Topic,
    /// The field, as the host calls it.
    pub field: String,
    /// The value before; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value now; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A loss that one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// The id.
    pub id: String,
    /// How grave it is.
    pub class: Class,
    /// Why.
    pub reason: String,
    /// The source file, relative to SRC.
    pub path: String,
    /// The 1-based line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The author accepts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

impl Difference {
    /// What of it concerns one plugin; a component that was renamed concerns the plugin that it left, too.
    pub fn of_plugin(&self, plugin: &str) -> Self {
        let hosts: Vec<HostDifference> = self.hosts.iter().map(|host| host.of_plugin(plugin)).collect();
        let impact = hosts.iter().map(HostDifference::impact).max().unwrap_or_default();
        Self { schema: self.schema.clone(), old: self.old.clone(), new: self.new.clone(), impact, hosts }
    }

    /// Whether users of no host notice it: no loss comes or goes, and what changed needs no version.
    pub fn is_unnoticed(&self) -> bool {
        let kept = |host: &HostDifference| host.losses_new.is_empty() && host.losses_gone.is_empty();
        self.impact == Impact::None && self.hosts.iter().all(kept)
    }
}

impl Changed {
    fn concerns(&self, plugin: &str) -> bool {
        let left = self.before.as_ref().and_then(|before| before.strip_prefix(plugin));
        self.plugin == plugin || left.is_some_and(|rest| rest.starts_with(':'))
    }
}

impl LossChange {
    /// The plugin that has it.
    pub fn plugin(&self) -> &str {
        self.id.split('/').nth(1).unwrap_or_default()
    }
}

impl HostDifference {
    fn of_plugin(&self, plugin: &str) -> Self {
        let own = |losses: &[LossChange]| {
            losses.iter().filter(|loss| loss.plugin() == plugin).cloned().collect::<Vec<_>>()
        };
        Self {
            host: self.host.clone(),
            changes: self.changes.iter().filter(|change| change.concerns(plugin)).cloned().collect(),
            losses_new: own(&self.losses_new),
            losses_gone: own(&self.losses_gone),
        }
    }

    /// The version that the changes of this host need.
    pub fn impact(&self) -> Impact {
        self.changes.iter().map(|change| change.impact).max().unwrap_or_default()
    }
}

/// Compares what the user of `host` gets.
pub fn between(host: &str, old: &Inventory, new: &Inventory) -> HostDifference {
    let matched = matched(&old.items, &new.items);
    let mut changes: Vec<Changed> = Vec::new();
    changes.extend(matched.removed.iter().map(|item| changed(Change::Removed, item)));
    changes.extend(matched.renamed.iter().map(|(before, after, alike)| Changed {
        before: Some(before.name.clone()),
        alike: Some(*alike),
        fields: fields(before, after),
        ..changed(Change::Renamed, after)
    }));
    changes.extend(matched.added.iter().map(|item| Changed {
        description: item.fields.get("description").cloned(),
        ..changed(Change::Added, item)
    }));
    changes.extend(matched.same.iter().filter_map(|(before, after)| {
        let fields = fields(before, after);
        let change = Changed { fields, ..changed(Change::Changed, after) };
        let only_version = change.fields.iter().all(|field| field.topic == Topic::Version);
        let impact = if only_version { Impact::None } else { change.impact };
        (!change.fields.is_empty()).then_some(Changed { impact, ..change })
    }));
    changes.sort_by(|a, b| (a.change, a.kind, &a.name).cmp(&(b.change, b.kind, &b.name)));
    let only = |these: &Inventory, others: &Inventory| {
        let lost = these.losses.iter().filter(|(id, _)| !others.losses.contains_key(*id));
        lost.map(|(id, lost)| loss(id, lost)).collect()
    };
    HostDifference { host: host.to_owned(), changes, losses_new: only(new, old), losses_gone: only(old, new) }
}

fn changed(change: Change, item: &Item) -> Changed {
    Changed {
        change,
        kind: item.kind,
        plugin: item.plugin.clone(),
        name: item.name.clone(),
        before: None,
        alike: None,
        path: item.path.clone(),
        description: None,
        fields: Vec::new(),
        impact: Impact::of(change, item.kind),
    }
}

fn loss(id: &str, lost: &Lost) -> LossChange {
    LossChange {
        id: id.to_owned(),
        class: lost.class,
        reason: lost.reason.clone(),
        path: lost.path.clone(),
        line: lost.line,
        accepted: lost.accepted,
    }
}

fn fields(old: &Item, new: &Item) -> Vec<FieldChange> {
    let mut names: Vec<&String> = old.fields.keys().chain(new.fields.keys()).collect();
    names.sort();
    names.dedup();
    let mut out: Vec<FieldChange> = names
        .into_iter()
        .filter(|name| old.fields.get(*name) != new.fields.get(*name))
        .map(|name| FieldChange {
            topic: topic(name),
            field: name.clone(),
            before: old.fields.get(name).cloned(),
            after: new.fields.get(name).cloned(),
        })
        .collect();
    if old.content != new.content {
        out.push(FieldChange { topic: Topic::Text, field: "text".into(), before: None, after: None });
    }
    out.sort();
    out
}

/// What a field is about, by its name on any host.
fn topic(field: &str) -> Topic {
    let first = field.split('/').next().unwrap_or(field).to_ascii_lowercase();
    let plain: String = first.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.as_str() {
        "description" | "whentouse" => Topic::Description,
        "arguments" | "argumenthint" => Topic::Arguments,
        "tools" | "allow" | "allowedtools" | "disallowedtools" | "permission" | "permissions"
        | "permissionmode" | "sandboxmode" => Topic::Tools,
        "model" | "effort" | "modelreasoningeffort" => Topic::Model,
        "disablemodelinvocation" | "userinvocable" | "policy" | "mode" => Topic::Invocation,
        "version" => Topic::Version,
        _ => Topic::Other,
    }
}
