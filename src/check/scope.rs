//! The scope of the reported findings: everything, those of a change, one shard, or one file in an editor. Rules still
//! see the whole source.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::diagnostic::Diagnostic;

/// All filters of a run; a finding must pass every one.
#[derive(Debug, Clone, Default)]
pub struct CheckScope {
    /// What changed since a commit.
    pub since: Option<ChangesSince>,
    /// One shard of several.
    pub shard: Option<Shard>,
    /// One file alone.
    pub only: Option<Utf8PathBuf>,
    /// Files, and folders with their content; empty for everything.
    pub within: Vec<Utf8PathBuf>,
}

/// The changes since a commit, and the findings at that commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesSince {
    /// Files that changed, were added or are gone, relative to SRC.
    pub changed: BTreeSet<Utf8PathBuf>,
    /// The fingerprints and causes of the findings at that commit; `None` if nothing changed, so that no finding can be
    /// new.
    pub before: Option<BTreeSet<String>>,
}

/// One of several disjoint sets of files that together are all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `total`.
    pub number: u64,
    /// The number of shards.
    pub total: u64,
}

impl Shard {
    /// Parses `2/5`.
    ///
    /// # Errors
    /// A message if `text` is not a valid shard.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, total)| {
            let (number, total) = (number.parse().ok()?, total.parse().ok()?);
            (1..=total).contains(&number).then_some(Self { number, total })
        });
        numbers.ok_or_else(|| "write the part and how many there are, such as `2/5`".to_owned())
    }

    /// Whether the file or folder at `path` is in this shard; the same on every machine.
    pub fn has(self, path: &str) -> bool {
        let digest = Sha256::digest(path.as_bytes());
        let first = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        first % self.total == self.number - 1
    }
}

impl CheckScope {
    /// Whether nothing is filtered.
    pub fn is_whole(&self) -> bool {
        self.since.is_none() && self.shard.is_none() && self.only.is_none() && self.within.is_empty()
    }

    /// Whether the file or folder at `path` is in scope, regardless of changes.
    pub fn has(&self, path: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == Utf8Path::new(path))
            && (self.within.is_empty()
                || self.within.iter().any(|part| Utf8Path::new(path).starts_with(part)))
            && self.shard.is_none_or(|shard| shard.has(path))
    }
}

impl ChangesSince {
    /// Whether `found`, of this cause, belongs to the change: its file changed, or the finding is new in another file.
    pub fn keeps(&self, found: &Diagnostic, cause: &str) -> bool {
        let is_new = |before: &BTreeSet<String>| !before.contains(cause);
        self.is_changed(&found.path) || self.before.as_ref().is_some_and(is_new)
    }

    /// Whether a finding of that fingerprint existed before.
    pub fn was_found(&self, fingerprint: &str) -> bool {
        self.before.as_ref().is_some_and(|before| before.contains(fingerprint))
    }

    /// Whether the file at `path` changed.
    pub fn is_changed(&self, path: &str) -> bool {
        self.changed.contains(Utf8Path::new(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_nothing_and_are_all_together() {
        let parts: Vec<Shard> = (1..=3).map(|n| Shard::parse(&format!("{n}/3")).unwrap()).collect();
        let mut sizes = [0; 3];
        for n in 0..300 {
            let path = format!("skills/s{n}/SKILL.md");
            let having: Vec<usize> = (0..3).filter(|at| parts[*at].has(&path)).collect();
            assert_eq!(having.len(), 1, "{path}");
            sizes[having[0]] += 1;
        }
        assert!(sizes.iter().all(|size| (60..140).contains(size)), "{sizes:?}");
        for wrong in ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2", "1/2/3"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }
}
