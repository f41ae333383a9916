//! Which files a run speaks about: all of them, those that changed with what depends on them, one
//! part of several, or the one in an editor. Rules still see the whole source.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::diagnostic::Diagnostic;

/// Everything that narrows a run; all of it must agree.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Files that changed, and files that depend on them.
    pub changed: Option<Affected>,
    /// One part of several.
    pub shard: Option<Shard>,
    /// One file alone.
    pub only: Option<Utf8PathBuf>,
}

/// What a change may have made right or wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    /// Files that changed, were added or are gone.
    pub changed: BTreeSet<Utf8PathBuf>,
    /// Files that name one of them.
    pub dependents: BTreeSet<Utf8PathBuf>,
}

/// One of several parts of the files, which share nothing and together are all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `total`.
    pub number: u64,
    /// How many parts there are.
    pub total: u64,
}

impl Shard {
    /// Reads `2/5`.
    ///
    /// # Errors
    /// A sentence, when it is no part of a whole.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, total)| {
            let (number, total) = (number.parse().ok()?, total.parse().ok()?);
            (1..=total).contains(&number).then_some(Self { number, total })
        });
        numbers.ok_or_else(|| "write the part and how many there are, such as `2/5`".to_owned())
    }

    /// Whether the file or folder at `path` is in this part: the same on every machine.
    pub fn has(self, path: &str) -> bool {
        let digest = Sha256::digest(path.as_bytes());
        let first = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        first % self.total == self.number - 1
    }
}

impl Scope {
    /// Whether everything counts.
    pub fn is_whole(&self) -> bool {
        self.changed.is_none() && self.shard.is_none() && self.only.is_none()
    }

    /// Whether what stands in the file or folder at `path` counts.
    pub fn has(&self, path: &str) -> bool {
        let path_of = Utf8Path::new(path);
        self.only.as_ref().is_none_or(|only| only == path_of)
            && self.shard.is_none_or(|shard| shard.has(path))
            && self.changed.as_ref().is_none_or(|affected| affected.has(path_of))
    }

    /// Whether `found` counts: where it stands, or, among changes, where it leads.
    pub fn keeps(&self, found: &Diagnostic) -> bool {
        if self.has(&found.path) {
            return true;
        }
        let leads = |affected: &Affected| {
            found.related.iter().any(|related| affected.changed.contains(Utf8Path::new(&related.path)))
        };
        self.changed.as_ref().is_some_and(leads) && Self { changed: None, ..self.clone() }.has(&found.path)
    }
}

impl Affected {
    /// Whether the file at `path` is affected, or a file below the folder `path` has changed.
    fn has(&self, path: &Utf8Path) -> bool {
        let below = || {
            path.as_str().is_empty()
                || path == "."
                || self.changed.range(path.to_owned()..).next().is_some_and(|next| next.starts_with(path))
        };
        self.changed.contains(path) || self.dependents.contains(path) || below()
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
