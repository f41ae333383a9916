//! Counts the items of a polish by result.

use schemars::JsonSchema;
use serde::Serialize;

use super::checklist::parse::ChecklistItem;
use super::checklist::{ItemAction, ItemOutcome};

/// The number of items by result.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// All of them.
    pub total: usize,
    /// Repaired.
    pub fixed: usize,
    /// Dispatched, but not repaired.
    pub failed: usize,
    /// Left as they are.
    pub kept: usize,
    /// Skipped.
    pub skipped: usize,
    /// Noted for later.
    pub noted: usize,
    /// To become pull requests.
    pub stacked: usize,
    /// To be planned again.
    pub replan: usize,
    /// To be repaired, but without a result.
    pub not_dispatched: usize,
}

impl Tally {
    /// The tally of a checklist.
    pub fn new(items: &[ChecklistItem]) -> Self {
        Self::count(items.iter().map(|item| (item.action, item.result, item.is_out)))
    }

    /// The tally of items, each with its action, its result, and whether it is dispatched without a result.
    pub fn count(items: impl Iterator<Item = (ItemAction, Option<ItemOutcome>, bool)>) -> Self {
        let mut tally = Self::default();
        for (action, result, is_out) in items {
            tally.total += 1;
            *match (action, result) {
                (ItemAction::Stacked, _) => &mut tally.stacked,
                (ItemAction::Replan, _) => &mut tally.replan,
                // The result of an earlier round says nothing about this one.
                (ItemAction::Fix, _) if is_out => &mut tally.not_dispatched,
                // A repair stays a repair, whatever the user decides afterwards.
                (_, Some(ItemOutcome::Fixed)) => &mut tally.fixed,
                (ItemAction::Fix, Some(ItemOutcome::Failed)) => &mut tally.failed,
                (ItemAction::Fix, None) => &mut tally.not_dispatched,
                (ItemAction::Keep, _) => &mut tally.kept,
                (ItemAction::Skip, _) => &mut tally.skipped,
                (ItemAction::Note, _) => &mut tally.noted,
            } += 1;
        }
        tally
    }

    /// The same with repairs of items that the checklist does not list any more.
    #[must_use]
    pub fn with_removed(mut self, repaired: usize) -> Self {
        self.total += repaired;
        self.fixed += repaired;
        self
    }

    /// The text of the line `Checklist items`.
    pub fn words(&self) -> String {
        let Self { total, fixed, skipped, stacked, replan, .. } = self;
        let mut words =
            format!("{total} total ({fixed} fixed, {skipped} skipped, {stacked} stacked, {replan} replan");
        let more = [(self.failed, "failed"), (self.noted, "noted"), (self.not_dispatched, "not dispatched")];
        for (count, what) in more.iter().filter(|(count, _)| *count > 0) {
            words += &format!(", {count} {what}");
        }
        words + ")"
    }
}
