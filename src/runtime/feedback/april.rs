//! The shape and the filter of `--compat april`: open threads that are not outdated, as GitHub lists them, and what others
//! than the author wrote.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::items::{FeedbackItem, FetchedFeedback, ItemKind};

/// The lists of `--compat april`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct AprilLists {
    /// Open threads that are not outdated, each as `{"node": …}`.
    pub review_threads: Vec<Value>,
    /// Comments on the pull request by others than its author.
    pub pr_comments: Vec<Value>,
    /// Texts of reviews by others than its author.
    pub review_bodies: Vec<Value>,
}

impl AprilLists {
    /// Sorts the items of a pull request into the lists.
    pub(super) fn from_items(fetched: &FetchedFeedback) -> Self {
        let mut lists = Self::default();
        let is_authors = |item: &FeedbackItem| {
            let author = item.comments.first().and_then(|comment| comment.author.as_ref());
            author.is_some() && author == fetched.pr_author.as_ref()
        };
        for item in &fetched.items {
            let mut comments = item.comments.iter().map(|one| {
                json!({
                    "id": one.id,
                    "author": one.author.as_ref().map(|login| json!({ "login": login })),
                    "body": one.body,
                    "createdAt": one.created_at,
                    "url": one.url,
                })
            });
            match item.kind {
                ItemKind::ReviewThread if item.outdated => {}
                ItemKind::ReviewThread => lists.review_threads.push(json!({ "node": {
                    "id": item.id,
                    "isResolved": false,
                    "isOutdated": false,
                    "path": item.path,
                    "line": item.line,
                    "comments": { "nodes": comments.collect::<Vec<_>>() },
                } })),
                _ if is_authors(item) => {}
                ItemKind::PrComment => lists.pr_comments.extend(comments.next()),
                ItemKind::ReviewBody => lists.review_bodies.extend(comments.next()),
            }
        }
        lists
    }
}
