//! A ledger as plain JSON: which needs its rows meet, and whether the rows are well formed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::source::{Need, NeedKind};

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
    /// The places of the rows about each path.
    places: BTreeMap<String, Vec<usize>>,
}

impl Ledger {
    /// Reads the ledger of a bundle.
    ///
    /// # Errors
    /// A sentence, when there is none or when it is not valid JSON.
    pub fn read(bundle: &Path) -> Result<Self, String> {
        let path = bundle.join(".plugcast/ledger.json");
        let text = fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        let document: Value =
            serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", path.display()))?;
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, row) in document["rows"].as_array().into_iter().flatten().enumerate() {
            places.entry(row["path"].as_str().unwrap_or_default().to_owned()).or_default().push(place);
        }
        Ok(Self { document, places })
    }

    /// Every row.
    pub fn rows(&self) -> impl Iterator<Item = &Value> {
        self.document["rows"].as_array().into_iter().flatten()
    }

    /// Rows about a path.
    fn rows_of<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.places.get(path).into_iter().flatten().map(|place| &self.document["rows"][*place])
    }

    /// Whether some row meets a need, or the file was left out as a whole.
    pub fn meets(&self, need: &Need) -> bool {
        if self.below_left_out(&need.path) {
            return true;
        }
        match &need.what {
            NeedKind::File => {
                let below = format!("{}/", need.path);
                let inside = self.places.range(below.clone()..).map(|(path, _)| path);
                let inside = inside.take_while(|path| path.starts_with(&below));
                let rows = self.rows_of(&need.path).chain(inside.flat_map(|path| self.rows_of(path)));
                rows.into_iter().any(|row| row["kind"] == "file")
            }
            _ if self.left_out(&need.path) => true,
            NeedKind::Component(kind, name) => {
                let by_path = matches!(*kind, "skill" | "agent" | "command");
                let folder = need.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let folders = [folder.to_owned(), format!("{folder}/")];
                let folders = folders.iter().filter(|_| *kind == "skill").flat_map(|path| self.rows_of(path));
                self.rows_of(&need.path).chain(folders).filter(|row| row["kind"] == *kind).any(|row| {
                    by_path || row["name"].as_str().is_some_and(|found| found.ends_with(name.as_str()))
                })
            }
            NeedKind::Field(pointer) => {
                let below = format!("{pointer}/");
                let mut pointers = self.rows_of(&need.path).filter_map(|row| row["pointer"].as_str());
                pointers.any(|found| found == pointer || found.starts_with(&below))
            }
            NeedKind::Text(_, offset) => self.rows_of(&need.path).any(|row| {
                let edge = |name: &str| row["span"][name].as_u64().map(|edge| edge as usize);
                let part = !COMPONENTS.iter().any(|kind| row["kind"] == *kind);
                part && edge("start").is_some_and(|start| start <= *offset)
                    && edge("end").is_some_and(|end| *offset < end)
            }),
        }
    }

    /// Whether a folder above the path was left out, by a separate row.
    fn below_left_out(&self, path: &str) -> bool {
        let folders = path.match_indices('/').flat_map(|(at, _)| [&path[..at], &path[..=at]]);
        let mut rows = folders.flat_map(|folder| self.rows_of(folder));
        rows.any(|row| row["kind"] == "file" && row["outcome"] == "dropped")
    }

    /// Whether the file was left out before anyone looked at what it is.
    fn left_out(&self, path: &str) -> bool {
        let dropped = self.rows_of(path).any(|row| row["kind"] == "file" && row["outcome"] == "dropped");
        dropped
            && !self
                .rows_of(path)
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
                None => found.push(format!("row `{id}`: unknown outcome `{outcome}`")),
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
