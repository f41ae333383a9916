//! A unit of work as a run records it: what its agent was given, so that a reply counts for that alone.

use serde::Serialize;
use serde_json::Value;

use super::items::{FeedbackItem, FetchedFeedback, ItemPlaces, text};
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
    /// For each of them, the fingerprints of the comments that its agent got.
    pub read: Vec<String>,
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
            read: texts(&value["read"]),
            priors: texts(&value["priors"]),
        })
    }

    /// Whether its agent got all that others have written to an item.
    pub(super) fn covers(&self, item: &FeedbackItem) -> bool {
        self.items.iter().zip(&self.read).any(|(id, read)| *id == item.id && item.is_covered_by(read))
    }

    /// Whether others have written to an item since it was dispatched.
    pub(super) fn is_outdated(&self, fetched: &FetchedFeedback, places: &ItemPlaces) -> bool {
        let is_new = |(id, read): (&String, &String)| {
            places.item(fetched, id).is_some_and(|item| !item.is_covered_by(read))
        };
        self.items.iter().zip(&self.read).any(is_new)
    }
}
