//! A ledger as plain JSON: which needs its rows meet, and whether the rows are well formed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::source::{Need, What};

/// Kinds of rows that stand for a component, not for a part of one.
const COMPONENTS: [&str; 16] = [
    "plugin",
    "marketplace-entry",
    "skill",
    "agent",
    "command",
    "hook",
    "mcp-server",
    "lsp-server",
    "output-style",
    "monitor",
    "theme",
    "workflow",
    "setting",
    "user-config",
    "executable",
    "file",
];

/// The rows of a bundle's ledger.
pub struct Ledger {
    /// The whole document.
    document: Value,
}

impl Ledger {
    /// Reads the ledger of a bundle.
    ///
    /// # Errors
    /// A sentence, when there is none or when it is no JSON.
    pub fn read(bundle: &Path) -> Result<Self, String> {
        let path = bundle.join(".plugcast/ledger.json");
        let text = fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        let document =
            serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", path.display()))?;
        Ok(Self { document })
    }

    /// Every row.
    pub fn rows(&self) -> impl Iterator<Item = &Value> {
        self.document["rows"].as_array().into_iter().flatten()
    }

    /// Rows about a path.
    fn of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Value> {
        self.rows().filter(move |row| row["path"] == path)
    }

    /// Whether some row meets a need, or the file was left out as a whole.
    pub fn meets(&self, need: &Need) -> bool {
        if self.below_left_out(&need.path) {
            return true;
        }
        match &need.what {
            What::File => {
                let below = format!("{}/", need.path);
                self.rows().any(|row| {
                    let path = row["path"].as_str().unwrap_or_default();
                    row["kind"] == "file" && (path == need.path || path.starts_with(&below))
                })
            }
            _ if self.left_out(&need.path) => true,
            What::Component(kind, name) => {
                let by_path = matches!(*kind, "skill" | "agent" | "command");
                let folder = need.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.rows().filter(|row| row["kind"] == *kind).any(|row| {
                    let path = row["path"].as_str().unwrap_or_default();
                    let here =
                        path == need.path || (*kind == "skill" && path.trim_end_matches('/') == folder);
                    here && (by_path
                        || row["name"].as_str().is_some_and(|found| found.ends_with(name.as_str())))
                })
            }
            What::Field(pointer) => {
                let below = format!("{pointer}/");
                let mut pointers = self.of(&need.path).filter_map(|row| row["pointer"].as_str());
                pointers.any(|found| found == pointer || found.starts_with(&below))
            }
            What::Text(_, offset) => self.of(&need.path).any(|row| {
                let edge = |name: &str| row["span"][name].as_u64().map(|edge| edge as usize);
                let part = !COMPONENTS.iter().any(|kind| row["kind"] == *kind);
                part && edge("start").is_some_and(|start| start <= *offset)
                    && edge("end").is_some_and(|end| *offset < end)
            }),
        }
    }

    /// Whether a folder above the path was left out, by a row of its own.
    fn below_left_out(&self, path: &str) -> bool {
        self.rows().any(|row| {
            let top = row["path"].as_str().unwrap_or_default().trim_end_matches('/');
            row["kind"] == "file"
                && row["outcome"] == "dropped"
                && !top.is_empty()
                && path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Whether the file was left out before anyone looked at what it is.
    fn left_out(&self, path: &str) -> bool {
        let dropped = self.of(path).any(|row| row["kind"] == "file" && row["outcome"] == "dropped");
        dropped
            && !self
                .of(path)
                .any(|row| row["kind"] != "file" && COMPONENTS.iter().any(|kind| row["kind"] == *kind))
    }

    /// What is wrong with the rows themselves.
    pub fn malformed(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut ids = BTreeSet::new();
        let mut counts = [("kept", 0), ("mapped", 0), ("degraded", 0), ("dropped", 0)];
        for row in self.rows() {
            let id = row["id"].as_str().unwrap_or_default();
            let outcome = row["outcome"].as_str().unwrap_or_default();
            match counts.iter_mut().find(|(name, _)| *name == outcome) {
                Some((_, count)) => *count += 1,
                None => found.push(format!("row `{id}`: `{outcome}` is no outcome")),
            }
            if id.is_empty() || !ids.insert(id) {
                found.push(format!("row `{id}`: the id is empty or used twice"));
            }
            if outcome != "kept" && row["reason"].as_str().unwrap_or_default().trim().is_empty() {
                found.push(format!("row `{id}`: {outcome}, but without a reason"));
            }
            if let Some(loss) = row.get("loss") {
                found.extend(malformed_loss(row, loss).map(|what| format!("row `{id}`: {what}")));
            }
        }
        for (outcome, count) in counts {
            let summed = &self.document["summary"][outcome];
            if *summed != count {
                found.push(format!("summary: {summed} rows `{outcome}`, but there are {count}"));
            }
        }
        found
    }
}

fn malformed_loss(row: &Value, loss: &Value) -> Option<String> {
    let id = loss["id"].as_str().unwrap_or_default();
    let parts: Vec<&str> = id.split('/').collect();
    if parts.len() < 4 || parts.iter().any(|part| part.trim().is_empty()) {
        return Some(format!("the loss id `{id}` is not `<axis>/<plugin>/<kind>/<name>[/…]`"));
    }
    if row["plugin"] != parts[1] {
        return Some(format!("the loss id `{id}` names another plugin than the row, {}", row["plugin"]));
    }
    let class = loss["class"].as_str().unwrap_or_default();
    if !["security", "behavior", "cosmetic"].contains(&class) {
        return Some(format!("the loss `{id}` has the unknown class `{class}`"));
    }
    (row["outcome"] == "kept").then(|| format!("kept, but with the loss `{id}`"))
}
