//! What is at a place that may state a version.

use crate::source::Span;

/// The result of a search for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundVersion {
    /// The value, and its span without quotes.
    Version(String, Span),
    /// Nothing: the file has no such key, or inherits the version.
    Nothing,
    /// The version cannot be read: where, and why.
    Fault(Span, String),
}
