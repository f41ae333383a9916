//! A map by path. Paths are compared as strings, in the order of their parts, which is much cheaper than comparing
//! components.

use std::cmp::Ordering;

use camino::{Utf8Path, Utf8PathBuf};

/// The order of paths part by part: `a/x` comes before `a-b`. Both must be normalized: no `.`, no empty part.
pub fn by_parts(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Compare eight bytes at once: paths of one source share prefixes.
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let blocks = eights.take_while(|(a, b)| a == b).count() * 8;
    let shared = blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count();
    let next = |path: &[u8]| path.get(shared).map(|byte| if *byte == b'/' { 0 } else { *byte });
    next(a).cmp(&next(b))
}

/// A map by normalized paths (no `.`, no empty part), in the order of their parts.
#[derive(Debug, Clone)]
pub struct PathMap<T> {
    entries: Vec<(Utf8PathBuf, T)>,
}

impl<T> Default for PathMap<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> PathMap<T> {
    fn place(&self, path: &Utf8Path) -> Result<usize, usize> {
        // Paths mostly arrive in order, so a new one is nearly always appended.
        if self.entries.last().is_none_or(|(last, _)| by_parts(last.as_str(), path.as_str()).is_lt()) {
            return Err(self.entries.len());
        }
        self.entries.binary_search_by(|(other, _)| by_parts(other.as_str(), path.as_str()))
    }

    /// Sets the value of `path`, replacing any existing one.
    pub fn insert(&mut self, path: &Utf8Path, value: T) {
        match self.place(path) {
            Ok(at) => self.entries[at].1 = value,
            Err(at) => self.entries.insert(at, (path.to_owned(), value)),
        }
    }

    /// Sets the value of `path` if it has none.
    pub fn insert_new(&mut self, path: &Utf8Path, value: T) {
        if let Err(at) = self.place(path) {
            self.entries.insert(at, (path.to_owned(), value));
        }
    }

    /// Removes a path.
    pub fn remove(&mut self, path: &Utf8Path) {
        if let Ok(at) = self.place(path) {
            self.entries.remove(at);
        }
    }

    /// The value of `path`.
    pub fn get(&self, path: &Utf8Path) -> Option<&T> {
        self.place(path).ok().map(|at| &self.entries[at].1)
    }

    /// A mutable reference to the value of `path`.
    pub fn get_mut(&mut self, path: &Utf8Path) -> Option<&mut T> {
        self.place(path).ok().map(|at| &mut self.entries[at].1)
    }

    /// Whether `path` has a value.
    pub fn contains(&self, path: &Utf8Path) -> bool {
        self.place(path).is_ok()
    }

    /// The first path at or after `path` in order; this is a path below it, if there is one.
    pub fn first_from(&self, path: &Utf8Path) -> Option<&Utf8Path> {
        let at = self.place(path).unwrap_or_else(|at| at);
        self.entries.get(at).map(|(path, _)| path.as_path())
    }

    /// Every path with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Utf8Path, &T)> {
        self.entries.iter().map(|(path, value)| (path.as_path(), value))
    }

    /// Every path with a mutable reference to its value, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Utf8Path, &mut T)> {
        self.entries.iter_mut().map(|(path, value)| (path.as_path(), value))
    }

    /// Every value, in the order of the paths.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_of_parts() {
        let mut map = PathMap::default();
        for (at, path) in ["b", "a-b/x", "a/x", "a/b/y", "b"].into_iter().enumerate() {
            map.insert(path.into(), at);
        }
        map.insert_new("a/x".into(), 9);
        let all: Vec<_> = map.iter().map(|(path, at)| (path.as_str(), *at)).collect();
        assert_eq!(all, [("a/b/y", 3), ("a/x", 2), ("a-b/x", 1), ("b", 4)]);
        assert_eq!(map.first_from("a".into()), Some(Utf8Path::new("a/b/y")));
        assert_eq!(map.first_from("c".into()), None);
        map.remove("a/x".into());
        assert!(!map.contains("a/x".into()) && map.get("a-b/x".into()) == Some(&1));
    }
}
