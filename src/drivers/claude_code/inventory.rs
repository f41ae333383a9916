//! The components that Claude Code 2.1.330 finds in a plugin's folder without starting any of them: the `provides` of
//! `claude plugin validate --json`. It is the host's only list of hook handlers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::model::qualified_name::{parts_of, qualify};

/// The parts of the list that no session shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InstalledInventory {
    /// Hook handlers: `<event>/<matcher or *>/<n>`, n from 1.
    pub hooks: BTreeSet<String>,
    /// MCP servers, without the plugin's name.
    pub servers: BTreeSet<String>,
    /// Workflows by the names under which they are listed among the skills.
    pub workflows: BTreeSet<String>,
}

impl InstalledInventory {
    /// Parses a report; `None` if the host refused the plugin before it read the folder.
    pub fn from_report(report: &Value) -> Option<Self> {
        let provides = report.get("provides").filter(|provides| provides.is_object())?;
        let list = |key: &str| provides[key].as_array().map_or(&[][..], Vec::as_slice);
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut hooks = BTreeSet::new();
        for hook in list("hooks") {
            let matcher = hook["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("*");
            let group = format!("{}/{matcher}", hook["event"].as_str().unwrap_or_default());
            let number = numbers.entry(group.clone()).or_default();
            *number += 1;
            hooks.insert(format!("{group}/{number}"));
        }
        let servers = list("mcpServers").iter().filter_map(|server| server["name"].as_str());
        let workflows = list("workflows").iter().filter_map(Value::as_str);
        Some(Self {
            hooks,
            servers: servers.map(str::to_owned).collect(),
            workflows: workflows.map(str::to_owned).collect(),
        })
    }

    /// The list of a plugin that was loaded under another name, with its own name restored.
    pub fn renamed(mut self, shown: &str, own: &str) -> Self {
        let rename = |name: &String| match parts_of(name) {
            Some((plugin, local)) if plugin == shown => qualify(own, local),
            _ => name.clone(),
        };
        self.workflows = self.workflows.iter().map(rename).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_handlers_within_their_event_and_matcher() {
        let hook = |event: &str, matcher: Value| serde_json::json!({ "event": event, "matcher": matcher });
        let report = serde_json::json!({ "provides": {
            "hooks": [hook("Stop", Value::Null), hook("Stop", "".into()), hook("PreToolUse", "Bash".into())],
            "mcpServers": [{ "name": "notes", "type": "stdio" }],
            "workflows": ["shown:sweep"],
        } });
        let inventory = InstalledInventory::from_report(&report).unwrap().renamed("shown", "demo");
        assert_eq!(Vec::from_iter(inventory.hooks), ["PreToolUse/Bash/1", "Stop/*/1", "Stop/*/2"]);
        assert_eq!(Vec::from_iter(inventory.servers), ["notes"]);
        assert_eq!(Vec::from_iter(inventory.workflows), ["demo:sweep"]);
        assert_eq!(InstalledInventory::from_report(&serde_json::json!({ "provides": null })), None);
    }
}
