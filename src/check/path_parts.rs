//! The names of the files and folders of a plugin. They quickly rule out nearly every word with a slash in a text: it
//! starts with none of them, so it is not a path of the plugin.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Every part of the paths of a plugin.
#[derive(Debug)]
pub struct PathParts<'a> {
    /// In lower case.
    parts: BTreeSet<Cow<'a, str>>,
    /// For each first byte of a part, a bit set of the lengths that occur, up to 64.
    lengths: [u64; 256],
}

impl<'a> PathParts<'a> {
    /// The parts of `paths`.
    pub fn from_paths(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut parts = BTreeSet::new();
        let mut before = "";
        for path in paths {
            // Paths are sorted, so most folders are those of the previous path.
            for part in path[shared_folder(before, path)..].split('/') {
                if is_folded(part) {
                    parts.insert(Cow::Borrowed(part));
                } else {
                    parts.insert(Cow::Owned(part.to_lowercase()));
                }
            }
            before = path;
        }
        let mut lengths = [0; 256];
        for part in parts.iter().filter(|part| !part.is_empty()) {
            lengths[usize::from(part.as_bytes()[0])] |= 1 << (part.len() % 64);
        }
        Self { parts, lengths }
    }

    /// Whether `path` can exist relative to some folder of the plugin: its first part is a known name, in whatever
    /// case, or it starts with `..`.
    pub fn may_hold(&self, path: &str) -> bool {
        let length = path.bytes().position(|byte| byte == b'/').unwrap_or(path.len());
        let (first, rest) = path.split_at(length);
        // In such a short text, setting up a search costs more than comparing at each position.
        let climbs = || rest.as_bytes().windows(3).any(|part| part == b"/..");
        first.starts_with('.') || self.has_part(first) || climbs()
    }

    /// Whether a part has this name, in whatever case.
    fn has_part(&self, name: &str) -> bool {
        if !is_folded(name) {
            return self.parts.contains(name.to_lowercase().as_str());
        }
        // Its first byte and its length rule out nearly every word of a text.
        let lengths = name.bytes().next().map_or(0, |byte| self.lengths[usize::from(byte)]);
        lengths >> (name.len() % 64) & 1 == 1 && self.parts.contains(name)
    }
}

/// Whether a name is in lower case, by a cheap and conservative test.
fn is_folded(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}

/// The length of the folder prefix that `path` shares with `before`.
fn shared_folder(before: &str, path: &str) -> usize {
    let shared = before.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    path.as_bytes()[..shared].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
}
