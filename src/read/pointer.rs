//! JSON pointers (RFC 6901): the location of a value in a document.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use super::tree::Node;

/// The location of a value in a document; the default is the document itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonPointer(String);

impl JsonPointer {
    /// A pointer from nested keys, outermost first.
    pub fn from_keys<'k>(keys: impl IntoIterator<Item = &'k str>) -> Self {
        keys.into_iter().fold(Self::default(), |pointer, key| pointer.key(key))
    }

    /// The pointer to `key` in the mapping that this points to.
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}/{}", self.0, escape(key)))
    }

    /// The pointer to the item with the index `at` in the list that this points to.
    pub fn item(&self, at: usize) -> Self {
        Self(format!("{}/{at}", self.0))
    }

    /// Appends `inner`, a pointer relative to the value that this points to.
    pub fn join(&self, inner: &str) -> Self {
        Self(format!("{}{inner}", self.0))
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The keys of a pointer, outermost first.
pub fn keys(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescaped)
}

/// Whether `outer` points to the same value as `inner`, or to one that contains it.
pub fn contains(outer: &str, inner: &str) -> bool {
    relative_to(outer, inner).is_some()
}

/// `inner` relative to `outer`, if `outer` contains it.
pub fn relative_to<'p>(outer: &str, inner: &'p str) -> Option<&'p str> {
    inner.strip_prefix(outer).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The value in `node` at `pointer`.
pub fn find<'a>(node: &'a Node, pointer: &str) -> Option<&'a Node> {
    keys(pointer).try_fold(node, |node, key| node.get(&key))
}

/// Escapes a key for use in a pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The key that an escaped part of a pointer stands for.
pub fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

impl Deref for JsonPointer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for JsonPointer {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl PartialEq<str> for JsonPointer {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for JsonPointer {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<JsonPointer> for str {
    fn eq(&self, other: &JsonPointer) -> bool {
        self == other.0
    }
}

impl From<JsonPointer> for String {
    fn from(pointer: JsonPointer) -> Self {
        pointer.0
    }
}

impl From<&JsonPointer> for String {
    fn from(pointer: &JsonPointer) -> Self {
        pointer.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::json;

    #[test]
    fn a_key_is_found_whatever_it_holds() {
        let text = r#"{"a/b": {"c~d": [1, {"e": 2}]}, "~1": 3}"#;
        let node = json::parse(text).0.unwrap();
        let pointer = JsonPointer::from_keys(["a/b", "c~d"]);
        assert_eq!(pointer, "/a~1b/c~0d");
        assert!(find(&node, &pointer).is_some());
        assert!(find(&node, &JsonPointer::default().key("~1")).is_some());
        assert_eq!(keys(&pointer.item(1).key("e")).collect::<Vec<_>>(), ["a/b", "c~d", "1", "e"]);
        assert_eq!(pointer.join("/1/e"), pointer.item(1).key("e"));
    }

    #[test]
    fn a_pointer_holds_itself_and_what_lies_below() {
        for (outer, inner, held) in [
            ("/a", "/a", true),
            ("/a", "/a/b", true),
            ("", "/a", true),
            ("/a", "/ab", false),
            ("/a/b", "/a", false),
        ] {
            assert_eq!(contains(outer, inner), held, "{outer} {inner}");
        }
    }
}
