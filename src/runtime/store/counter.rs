//! Increasing counters, one file per item, kept under the lock. If the file is missing or damaged, the counter restarts
//! from the item's existing numbers.

use super::LockedStore;
use crate::disk;
use crate::runtime::answer::CallFailure;

impl LockedStore<'_> {
    /// The next number of an item, from 1. `highest` is the last existing number, used if there is no counter.
    ///
    /// # Errors
    /// `state_unwritable` or `sandboxed`.
    pub fn next_number(&self, item: &str, highest: impl FnOnce() -> u64) -> Result<u64, CallFailure> {
        // A name of any form becomes a plain file name, and different ones stay different.
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let name: String = item.chars().map(|c| if plain(c) { c } else { '_' }).take(60).collect();
        let path =
            self.store.local("counters").join(format!("{name}-{}", &disk::sha256(item.as_bytes())[..12]));
        let text = self.read(&path)?;
        let kept = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse::<u64>().ok());
        let next = kept.unwrap_or_else(highest).saturating_add(1);
        self.replace(&path, format!("{next}\n").as_bytes())?;
        Ok(next)
    }
}
