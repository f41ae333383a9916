//! A unit of work as a run records it: what its agent was given.

use serde::Serialize;
use serde_json::Value;

use super::items::text;
use super::record::{round, texts};

/// A unit of work that was dispatched.
#[derive(Debug, Clone, Serialize)]
pub struct DispatchedUnit {
    /// Its name, and that of its files.
    pub name: String,
    /// The round.
    pub round: u32,
    /// Whether it is a cluster.
    pub is_cluster: bool,
    /// Its items.
    pub items: Vec<String>,
    /// The resolved threads that a cluster was given as context.
    pub priors: Vec<String>,
}

impl DispatchedUnit {
    pub(super) fn from_document(value: &Value) -> Option<Self> {
        Some(Self {
            name: text(value, "name")?,
            round: round(value)?,
            is_cluster: value["is_cluster"].as_bool()?,
            items: texts(&value["items"]),
            priors: texts(&value["priors"]),
        })
    }
}
