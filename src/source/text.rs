//! A text that can be shared without copying it.

use std::ops::Deref;
use std::sync::Arc;

/// A shared text, from the source or generated.
#[derive(Debug, Clone)]
pub struct SharedText(TextStorage);

#[derive(Debug, Clone)]
enum TextStorage {
    Source(Arc<str>),
    Generated(Arc<String>),
}

impl From<Arc<str>> for SharedText {
    fn from(text: Arc<str>) -> Self {
        Self(TextStorage::Source(text))
    }
}

impl From<String> for SharedText {
    /// Does not copy the text, but releases its unused capacity.
    fn from(mut text: String) -> Self {
        text.shrink_to_fit();
        Self(TextStorage::Generated(Arc::new(text)))
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
            TextStorage::Generated(text) => text,
        }
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}
