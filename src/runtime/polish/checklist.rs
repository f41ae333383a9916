//! `polish checklist`: what the user decides about each item, in a file that the user edits. What this program
//! determined about an item is in a separate file, which no edit changes.

mod claimed_commit;
mod files;
mod markup;
pub mod parse;
mod parser;
pub mod rewrite;
mod text;
pub mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::PolishRun;
use super::tally::Tally;
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::run::text as text_of;
use crate::runtime::store::LockedStore;
use parse::ChecklistItem;

pub use super::earlier_runs::CHECKLIST;
pub use text::{ChecklistFault, ItemAction};

/// What this program determined and did, next to the checklist.
pub(super) const LOCK: &str = "checklist.lock.json";
/// The results of the dispatched items.
pub(super) const LOG: &str = "dispatch-log.json";

/// `checklist.lock.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChecklistLock {
    schema: String,
    /// The items that this program wrote or dispatched, by number.
    items: BTreeMap<u32, LockedItem>,
}

/// What is known of an item.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedItem {
    /// Why it is oversized; empty if it is manageable.
    reasons: Vec<String>,
    /// Whether the user added it.
    added: bool,
    /// Its title and files when it was written or dispatched: they show whether its number was changed.
    #[serde(default)]
    title: String,
    #[serde(default)]
    files: Vec<String>,
    /// If it is dispatched: the hash of its action, files and notes at that time. Later edits wait for the next
    /// dispatch.
    #[serde(default)]
    planned: Option<String>,
    /// The commit that was checked out then, and the files that were dispatched with it: a repair comes after the one,
    /// and changes no others.
    #[serde(default)]
    dispatch_head: String,
    #[serde(default)]
    dispatch_files: Vec<String>,
    /// Whether the run was continued since, so that it may be dispatched again.
    #[serde(default)]
    interrupted: bool,
    /// The same hash, once it has a result.
    dispatched: Option<String>,
    /// Its result.
    result: Option<ItemOutcome>,
}

/// The result of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemOutcome {
    /// It was repaired.
    Fixed,
    /// It could not be repaired.
    Failed,
}

impl ItemOutcome {
    fn word(self) -> &'static str {
        match self {
            ItemOutcome::Fixed => "fixed",
            ItemOutcome::Failed => "failed",
        }
    }
}

/// What the title of an item counts for its similarity, and what its files do.
const SAME_TITLE: u8 = 2;
const SAME_FILES: u8 = 1;

impl LockedItem {
    /// How much of it an item has: its title, and its files.
    fn similarity(&self, title: &str, files: &[String]) -> u8 {
        SAME_TITLE * u8::from(self.title == title)
            + SAME_FILES * u8::from(!files.is_empty() && self.files == files)
    }

    /// Whether it was dispatched.
    fn was_out(&self) -> bool {
        self.planned.is_some() || self.dispatched.is_some()
    }
}

impl ChecklistLock {
    fn new() -> Self {
        Self { schema: "plugcast.polish-checklist/1".to_owned(), items: BTreeMap::new() }
    }

    /// The highest number in it.
    fn last(&self) -> u32 {
        self.items.keys().next_back().copied().unwrap_or_default()
    }

    /// What is recorded of a checklist that another one replaces, if any of its items has a result.
    fn result_warning(&self) -> Option<String> {
        let of_item = |(id, item): (&u32, &LockedItem)| Some(format!("item {id} {}", item.result?.word()));
        let results: Vec<String> = self.items.iter().filter_map(of_item).collect();
        (!results.is_empty()).then(|| {
            let results = results.join(", ");
            format!("the checklist before this one was removed; its results no longer count: {results}")
        })
    }

    /// The number that an item had before the user changed it, if that would move a result: `here` is every item with
    /// its title and files.
    fn number_before(&self, id: u32, here: &BTreeMap<u32, (&str, &[String])>) -> Option<u32> {
        let likeness = |locked: &LockedItem, id: u32| {
            here.get(&id).map_or(0, |(title, files)| locked.similarity(title, files))
        };
        let own = self.items.get(&id);
        let kept = own.map_or(0, |own| likeness(own, id));
        if kept == SAME_TITLE + SAME_FILES {
            return None;
        }
        let was_out = own.is_some_and(LockedItem::was_out);
        let others =
            self.items.iter().filter(|(before, locked)| **before != id && (locked.was_out() || was_out));
        let mut before = others.filter(|(before, locked)| {
            let found = likeness(locked, id);
            // An item that the user adds may have the files of another one.
            (found >= SAME_TITLE || own.is_some() && found > 0)
                && found > kept
                && found > likeness(locked, **before)
        });
        before.next().map(|(before, _)| *before)
    }

    /// Loads the lock of a run.
    fn load(run: &PolishRun) -> Result<Self, CallFailure> {
        Ok(run.folder().sealed(LOCK)?.unwrap_or_else(Self::new))
    }
}

/// Records what items asked for when they were dispatched, each with the files of its group.
///
/// # Errors
/// What the store refuses.
pub(in crate::runtime) fn record_dispatch(
    run: &PolishRun,
    held: &LockedStore<'_>,
    head: &str,
    items: &[(&ChecklistItem, &[String])],
) -> Result<(), CallFailure> {
    let mut lock = ChecklistLock::load(run)?;
    for (item, files) in items {
        let locked = lock.items.entry(item.id).or_insert_with(|| LockedItem {
            added: item.added_by_user,
            reasons: item.reasons.clone(),
            ..LockedItem::default()
        });
        (locked.title, locked.files) = (item.title.clone(), item.files.clone());
        locked.planned = Some(request_hash(item.action, &item.files, &item.notes));
        (locked.dispatch_head, locked.dispatch_files) = (head.to_owned(), files.to_vec());
        locked.interrupted = false;
    }
    let folder = run.folder();
    held.commit(folder.seal()?.steps(&folder, vec![(LOCK, text_of(&lock))])?)
}

/// The dispatched items without a result, by number, with the files that they had then: an agent may be at work on
/// them, whatever the user made of the item since.
///
/// # Errors
/// What the store refuses.
pub(in crate::runtime) fn dispatched(run: &PolishRun) -> Result<Vec<(u32, Vec<String>)>, CallFailure> {
    let items = ChecklistLock::load(run)?.items.into_iter();
    let is_out = |item: &LockedItem| item.planned.is_some() && !item.interrupted;
    Ok(items.filter(|(_, item)| is_out(item)).map(|(id, item)| (id, item.files)).collect())
}

/// The dispatched items that have no result when the run is continued, and the text of [`LOCK`] that records them.
///
/// # Errors
/// What the store refuses.
pub(super) fn interrupted(run: &PolishRun) -> Result<(Vec<u32>, String), CallFailure> {
    let mut lock = ChecklistLock::load(run)?;
    let mut open = Vec::new();
    for (id, item) in &mut lock.items {
        item.interrupted = item.planned.is_some();
        open.extend(item.interrupted.then_some(*id));
    }
    Ok((open, text_of(&lock)))
}

/// The results of the items that this program wrote or dispatched, whatever the checklist says now. An item that was
/// never dispatched counts as it was written.
///
/// # Errors
/// What the store refuses.
pub(super) fn tally(run: &PolishRun) -> Result<Tally, CallFailure> {
    let lock = ChecklistLock::load(run)?;
    let mut tally = Tally { total: lock.items.len(), ..Tally::default() };
    for item in lock.items.values() {
        *match item.result {
            _ if !item.reasons.is_empty() => &mut tally.stacked,
            _ if item.planned.is_some() => &mut tally.not_dispatched,
            Some(ItemOutcome::Fixed) => &mut tally.fixed,
            Some(ItemOutcome::Failed) => &mut tally.failed,
            None => &mut tally.kept,
        } += 1;
    }
    Ok(tally)
}

/// How many items were repaired and are not among those `here`, since the user removed them: their repairs stay.
///
/// # Errors
/// What the store refuses.
pub(super) fn removed_repairs(run: &PolishRun, here: &[u32]) -> Result<usize, CallFailure> {
    let items = ChecklistLock::load(run)?.items;
    let is_repaired = |item: &LockedItem| item.result == Some(ItemOutcome::Fixed);
    Ok(items.iter().filter(|(id, item)| !here.contains(id) && is_repaired(item)).count())
}

/// An item of a checklist whose working tree is gone: nothing can be measured again.
pub(super) struct UnmeasuredItem {
    pub(super) id: u32,
    pub(super) action: ItemAction,
    pub(super) result: Option<ItemOutcome>,
    /// Whether it is dispatched and has no result yet.
    pub(super) is_out: bool,
}

/// The items as the user left them; none if the checklist is missing or malformed.
///
/// # Errors
/// What the store refuses.
pub(super) fn unmeasured(run: &PolishRun) -> Result<Option<Vec<UnmeasuredItem>>, CallFailure> {
    let lock = ChecklistLock::load(run)?;
    let Ok(Some(text)) = run.store.text(&run.path.join(CHECKLIST)) else { return Ok(None) };
    let list = parser::parse(&text, lock.last());
    let item = |section: &text::ItemSection| {
        let locked = lock.items.get(&section.id);
        let is_large = locked.is_some_and(|locked| !locked.reasons.is_empty());
        Some(UnmeasuredItem {
            id: section.id,
            action: if is_large { ItemAction::Stacked } else { section.action().ok()? },
            result: locked.and_then(|locked| locked.result),
            is_out: locked.is_some_and(|locked| locked.planned.is_some()),
        })
    };
    Ok(list.sections.iter().map(item).collect::<Option<Vec<_>>>().filter(|_| list.faults.is_empty()))
}

/// The hash of what an item asks for.
fn request_hash(action: ItemAction, files: &[String], notes: &str) -> String {
    disk::sha256(serde_json::to_string(&(action, files, notes)).unwrap_or_default().as_bytes())
}
