//! Matches the items of two sides: by name, handlers of hooks by what they do, and the rest by similarity, as renames.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use super::inventory::InventoryItem;
use crate::disk;
use crate::source::ComponentKind;

/// The minimum similarity of two texts, in percent, to count as a rename.
const ALIKE: usize = 60;
/// Texts of fewer words match only if they are equal.
const FEW: usize = 12;
/// The maximum number of pairs to compare word by word: beyond it, only items with equal texts are matched as renamed.
const MOST_PAIRS: usize = 500 * 500;

/// The matched pairs, and the items that only one side has.
#[derive(Debug, Default)]
pub(super) struct MatchedItems<'a> {
    /// The same item on both sides.
    pub(super) same: Vec<(&'a InventoryItem, &'a InventoryItem)>,
    /// The same item under another name, with the similarity in percent.
    pub(super) renamed: Vec<(&'a InventoryItem, &'a InventoryItem, usize)>,
    /// Only on the old side.
    pub(super) removed: Vec<&'a InventoryItem>,
    /// Only on the new side.
    pub(super) added: Vec<&'a InventoryItem>,
}

/// Matches the items of two sides.
pub(super) fn match_items<'a>(old: &'a [InventoryItem], new: &'a [InventoryItem]) -> MatchedItems<'a> {
    let mut out = MatchedItems::default();
    let mut old_left = rounds(old, new, &mut out);
    let mut ids = BTreeMap::new();
    let mut profiles = |items: &[&'a InventoryItem]| -> Vec<Option<Profile<'a>>> {
        items.iter().map(|item| Profile::new(item, &mut ids)).collect()
    };
    let (before, after) = (profiles(&old_left), profiles(&out.added));
    let (mut taken_old, mut taken_new) = (BTreeSet::new(), BTreeSet::new());
    // First, items that are identical except for the name, in order.
    let mut same: BTreeMap<&Profile<'_>, Vec<usize>> = BTreeMap::new();
    for (to, profile) in after.iter().enumerate().rev() {
        profile.iter().for_each(|profile| same.entry(profile).or_default().push(to));
    }
    for (from, profile) in before.iter().enumerate() {
        let to = profile.as_ref().and_then(|profile| same.get_mut(profile)?.pop());
        if let Some(to) = to {
            taken_old.insert(from);
            taken_new.insert(to);
            out.renamed.push((old_left[from], out.added[to], 100));
        }
    }
    let left = |profiles: &'_ [Option<Profile<'a>>], taken: &BTreeSet<usize>| -> Vec<usize> {
        (0..profiles.len()).filter(|at| !taken.contains(at) && profiles[*at].is_some()).collect()
    };
    let (left_old, left_new) = (left(&before, &taken_old), left(&after, &taken_new));
    let mut candidates = Vec::new();
    if left_old.len() * left_new.len() <= MOST_PAIRS {
        for (from, to) in left_old.iter().flat_map(|from| left_new.iter().map(move |to| (*from, *to))) {
            let pair = before[from].as_ref().zip(after[to].as_ref());
            candidates.extend(pair.and_then(|(old, new)| Some((old.similarity(new)?, from, to))));
        }
    }
    // Most similar first; ties in order.
    candidates.sort_by_key(|(likeness, from, to)| (Reverse(*likeness), *from, *to));
    for (likeness, from, to) in candidates {
        if !taken_old.contains(&from) && !taken_new.contains(&to) {
            taken_old.insert(from);
            taken_new.insert(to);
            out.renamed.push((old_left[from], out.added[to], likeness));
        }
    }
    let mut at = 0..;
    old_left.retain(|_| !taken_old.contains(&at.next().unwrap_or_default()));
    let mut at = 0..;
    out.added.retain(|_| !taken_new.contains(&at.next().unwrap_or_default()));
    out.removed = old_left;
    out
}

/// The key by which two items of a pair match.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MatchKey<'a> {
    kind: ComponentKind,
    plugin: &'a str,
    group: &'a str,
    /// The name, or the group of a handler.
    name: &'a str,
    /// The fields, if they must match.
    fields: Option<&'a BTreeMap<String, String>>,
}

impl<'a> MatchKey<'a> {
    /// A key of the group only, as an item of this `kind`.
    fn new(item: &'a InventoryItem, kind: ComponentKind) -> Self {
        Self { kind, plugin: &item.plugin, group: group(item), name: "", fields: None }
    }
}

/// Matches by name and content, then by name only. Returns the unmatched items of the old side; those of the new side
/// are in `out.added`.
fn rounds<'a>(
    old: &'a [InventoryItem],
    new: &'a [InventoryItem],
    out: &mut MatchedItems<'a>,
) -> Vec<&'a InventoryItem> {
    let mut old_left: Vec<&InventoryItem> = old.iter().collect();
    let mut new_left: Vec<&InventoryItem> = new.iter().collect();
    let loose = |item: &'a InventoryItem| MatchKey::new(item, item.kind);
    let exact = |item: &'a InventoryItem| match item.kind {
        ComponentKind::Hook => MatchKey { fields: Some(&item.fields), ..loose(item) },
        _ => MatchKey { name: &item.name, ..loose(item) },
    };
    // A command that becomes a skill of the same name is still called the same way.
    let called = |item: &'a InventoryItem| MatchKey::new(item, call_kind(item.kind));
    for key in [&exact as &dyn Fn(&'a InventoryItem) -> MatchKey<'a>, &loose, &called] {
        let mut by_key: BTreeMap<_, Vec<&InventoryItem>> = BTreeMap::new();
        for item in new_left.iter().rev() {
            by_key.entry(key(item)).or_default().push(item);
        }
        let mut paired: BTreeSet<*const InventoryItem> = BTreeSet::new();
        old_left.retain(|item| match by_key.get_mut(&key(item)).and_then(Vec::pop) {
            Some(other) => {
                out.same.push((item, other));
                paired.insert(std::ptr::from_ref(other));
                false
            }
            None => true,
        });
        new_left.retain(|item| !paired.contains(&std::ptr::from_ref::<InventoryItem>(item)));
    }
    out.added = new_left;
    old_left
}

/// The kind for calls: commands and skills are called the same way.
fn call_kind(kind: ComponentKind) -> ComponentKind {
    if kind == ComponentKind::Command { ComponentKind::Skill } else { kind }
}

/// The name without its number: handlers are renumbered when an earlier one is removed.
fn group(item: &InventoryItem) -> &str {
    match (item.kind, item.name.rsplit_once('/')) {
        (ComponentKind::Hook, Some((group, _))) => group,
        _ => &item.name,
    }
}

/// The data by which an item is compared if the other side has none of its name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Profile<'a> {
    /// Kind, values and digest of an item without a text.
    Values(ComponentKind, &'a BTreeMap<String, String>, &'a str),
    /// Kind, and the count of each word of its description and text, by the id of the word.
    Words(ComponentKind, Vec<(usize, usize)>),
}

impl<'a> Profile<'a> {
    /// The profile of `item`, with word ids from `ids`; `None` if it is identified by its name only.
    fn new(item: &'a InventoryItem, ids: &mut BTreeMap<&'a str, usize>) -> Option<Self> {
        if item.kind == ComponentKind::Plugin || is_empty_file(item) {
            return None;
        }
        let kind = call_kind(item.kind);
        if item.text.trim().is_empty() {
            let something = !item.fields.is_empty() || !item.content.is_empty();
            return something.then_some(Self::Values(kind, &item.fields, &item.content));
        }
        let description = item.fields.get("description").map_or("", String::as_str);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for word in words(description).chain(words(&item.text)) {
            let next = ids.len();
            *counts.entry(*ids.entry(word).or_insert(next)).or_default() += 1;
        }
        Some(Self::Words(kind, counts.into_iter().collect()))
    }

    /// The similarity of two texts in percent, if one may be the other under a new name.
    fn similarity(&self, other: &Self) -> Option<usize> {
        let (Self::Words(kind, a), Self::Words(other_kind, b)) = (self, other) else { return None };
        let count = |words: &[(usize, usize)]| words.iter().map(|(_, n)| n).sum::<usize>();
        let (total, least) = (count(a) + count(b), count(a).min(count(b)));
        let percent = |shared: usize| (200 * shared).checked_div(total);
        if kind != other_kind || least < FEW || percent(least)? < ALIKE {
            return None;
        }
        let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
        let mut shared = 0;
        while let (Some((word, n)), Some((other, m))) = (a.peek(), b.peek()) {
            match word.cmp(other) {
                Ordering::Less => drop(a.next()),
                Ordering::Greater => drop(b.next()),
                Ordering::Equal => {
                    shared += (*n).min(*m);
                    a.next();
                    b.next();
                }
            }
        }
        percent(shared).filter(|percent| *percent >= ALIKE)
    }
}

/// Whether a file is empty, so that its content does not identify it.
fn is_empty_file(item: &InventoryItem) -> bool {
    item.kind == ComponentKind::File && item.content.contains(&disk::sha256(b""))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: ComponentKind, name: &str, command: &str, text: &str) -> InventoryItem {
        InventoryItem {
            kind,
            plugin: "demo".into(),
            name: name.into(),
            path: String::new(),
            fields: BTreeMap::from([("command".to_owned(), command.to_owned())]),
            text: text.into(),
            content: text.into(),
            ..InventoryItem::default()
        }
    }

    #[test]
    fn a_handler_that_goes_takes_no_other_with_it() {
        let hook = |n: usize, command| item(ComponentKind::Hook, &format!("Stop/*/{n}"), command, "");
        let old = [hook(1, "a"), hook(2, "b"), hook(3, "c")];
        let new = [hook(1, "b"), hook(2, "d")];
        let found = match_items(&old, &new);
        let same: Vec<_> =
            found.same.iter().map(|(a, b)| (&*a.fields["command"], &*b.fields["command"])).collect();
        assert_eq!(same, [("b", "b"), ("a", "d")]);
        assert_eq!(found.removed.len(), 1);
        assert_eq!(found.removed[0].fields["command"], "c");
    }

    #[test]
    fn alike_texts_are_renamed_and_others_are_not() {
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
        let other = "alpha beta gamma delta one zeta eta theta iota kappa lambda mu nu xi";
        let skill = |name, text| item(ComponentKind::Skill, name, "", text);
        let old = [skill("demo:a", long), skill("demo:b", other)];
        let changed = format!("{long} fourteen");
        let new = [skill("demo:c", &changed), skill("demo:d", "nothing of it")];
        let found = match_items(&old, &new);
        assert_eq!(found.renamed.len(), 1);
        let (before, after, percent) = found.renamed[0];
        assert_eq!((&*before.name, &*after.name), ("demo:a", "demo:c"));
        assert!((90..100).contains(&percent), "{percent}");
        assert_eq!((found.removed.len(), found.added.len()), (1, 1));
    }
}
