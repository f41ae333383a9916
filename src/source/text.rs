//! A text that many may hold and none copies.

use std::ops::Deref;
use std::sync::Arc;

/// A shared text: one of the source, or one that was made.
#[derive(Debug, Clone)]
pub struct SharedText(TextStorage);

#[derive(Debug, Clone)]
enum TextStorage {
    Source(Arc<str>),
    Made(Arc<String>),
}

impl From<Arc<str>> for SharedText {
    fn from(text: Arc<str>) -> Self {
        Self(TextStorage::Source(text))
    }
}

impl From<String> for SharedText {
    /// Takes the text as it is, and gives back room that it does not need.
    fn from(mut text: String) -> Self {
        text.shrink_to_fit();
        Self(TextStorage::Made(Arc::new(text)))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self(TextStorage::Source(text.into()))
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextStorage::Source(text) => text,
            TextStorage::Made(text) => text,
        }
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}
