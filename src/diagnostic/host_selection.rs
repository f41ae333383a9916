//! Which hosts a command or a setting is for.

use serde::Deserialize;

use super::host_id::HostId;

/// The word for every host, in place of a host's name.
const ALL: &str = "all";

/// The hosts that `--to` or `[build] to` names; `all` stands for every host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct HostSelection {
    every: bool,
    named: Vec<HostId>,
}

impl HostSelection {
    /// Every host.
    pub fn every() -> &'static Self {
        static EVERY: HostSelection = HostSelection { every: true, named: Vec::new() };
        &EVERY
    }

    /// Whether neither a host nor `all` is named.
    pub fn is_empty(&self) -> bool {
        !self.every && self.named.is_empty()
    }

    /// This selection, or `other` if this one is empty.
    pub fn or<'a>(&'a self, other: &'a Self) -> &'a Self {
        if self.is_empty() { other } else { self }
    }

    /// Whether `host` is selected.
    pub fn includes(&self, host: &str) -> bool {
        self.every || self.named.iter().any(|named| **named == *host)
    }

    /// The hosts that are named, also beside `all`.
    pub fn named(&self) -> &[HostId] {
        &self.named
    }

    /// The ids of the selected hosts, where `known` are those of every host.
    pub fn ids<'a>(&'a self, known: &[&'a str]) -> Vec<&'a str> {
        if self.every { known.to_vec() } else { self.named.iter().map(HostId::as_str).collect() }
    }

    /// Removes and returns the named hosts that `is_known` rejects.
    pub fn remove_unknown(&mut self, is_known: impl Fn(&HostId) -> bool) -> Vec<HostId> {
        self.named.extract_if(.., |host| !is_known(host)).collect()
    }
}

impl<T: AsRef<str>> FromIterator<T> for HostSelection {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut out = Self::default();
        for name in names {
            match name.as_ref() {
                ALL => out.every = true,
                name if out.named.iter().any(|named| **named == *name) => {}
                name => out.named.push(HostId::new(name)),
            }
        }
        out
    }
}

impl From<Vec<String>> for HostSelection {
    fn from(names: Vec<String>) -> Self {
        names.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_selects_every_host_wherever_it_is_named() {
        let of = |names: &[&str]| names.iter().collect::<HostSelection>();
        for names in [&["all"][..], &["all", "a"], &["a", "all"]] {
            assert!(of(names).includes("a") && of(names).includes("b"), "{names:?}");
            assert_eq!(of(names).ids(&["a", "b"]), ["a", "b"]);
        }
        let named = of(&["b", "a", "b"]);
        assert_eq!((named.ids(&["a", "b", "c"]), named.includes("c")), (vec!["b", "a"], false));
        let mut old = of(&["all", "gone"]);
        assert_eq!(old.remove_unknown(|host| **host == *"a"), [HostId::new("gone")]);
        assert_eq!(old, *HostSelection::every());
        assert!(of(&[]).is_empty() && !of(&["all"]).is_empty());
        assert_eq!(of(&[]).or(&named), &named);
    }
}
