//! A text that many may hold and none copies.

use std::ops::Deref;
use std::sync::Arc;

/// A shared text: one of the source, or one that was made.
#[derive(Debug, Clone)]
pub struct Text(Held);

#[derive(Debug, Clone)]
enum Held {
    Source(Arc<str>),
    Made(Arc<String>),
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self(Held::Source(text))
    }
}

impl From<String> for Text {
    /// Takes the text as it is, and gives back room that it does not need.
    fn from(mut text: String) -> Self {
        text.shrink_to_fit();
        Self(Held::Made(Arc::new(text)))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Held::Source(text.into()))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Held::Source(text) => text,
            Held::Made(text) => text,
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}
