//! Which thing of the one side is which of the other: by name, handlers of hooks by what they do, and what
//! is left by likeness, which makes it a rename.

use std::collections::{BTreeMap, BTreeSet};

use super::inventory::Item;
use crate::source::Kind;

/// How alike two texts must be, in percent, to be one that was renamed.
const ALIKE: usize = 60;
/// Texts of fewer words are alike only when they are equal.
const FEW: usize = 12;

/// The pairs, and what only one side has.
#[derive(Debug, Default)]
pub(super) struct Matched<'a> {
    /// The same thing on both sides.
    pub(super) same: Vec<(&'a Item, &'a Item)>,
    /// The same thing by another name, with the likeness in percent.
    pub(super) renamed: Vec<(&'a Item, &'a Item, usize)>,
    /// Only on the old side.
    pub(super) removed: Vec<&'a Item>,
    /// Only on the new side.
    pub(super) added: Vec<&'a Item>,
}

/// Matches the things of two sides.
pub(super) fn matched<'a>(old: &'a [Item], new: &'a [Item]) -> Matched<'a> {
    let mut out = Matched::default();
    let mut old_left = rounds(old, new, &mut out);
    let mut candidates = Vec::new();
    for (from, before) in old_left.iter().enumerate() {
        for (to, after) in out.added.iter().enumerate() {
            if let Some(likeness) = likeness(before, after) {
                candidates.push((likeness, from, to));
            }
        }
    }
    // The most alike first; of equals the first in order.
    candidates.sort_by_key(|(likeness, from, to)| (std::cmp::Reverse(*likeness), *from, *to));
    let (mut taken_old, mut taken_new) = (BTreeSet::new(), BTreeSet::new());
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

/// Pairs by name and content, then by name alone. Returns what is left of the old side; what is left of the
/// new one is `out.added`.
fn rounds<'a>(old: &'a [Item], new: &'a [Item], out: &mut Matched<'a>) -> Vec<&'a Item> {
    let mut old_left: Vec<&Item> = old.iter().collect();
    let mut new_left: Vec<&Item> = new.iter().collect();
    let exact = |item: &Item| {
        let fields = if item.kind == Kind::Hook { format!("{:?}", item.fields) } else { item.name.clone() };
        (item.kind, item.plugin.clone(), group(item), fields)
    };
    let loose = |item: &Item| (item.kind, item.plugin.clone(), group(item), String::new());
    for key in [&exact as &dyn Fn(&Item) -> (Kind, String, String, String), &loose] {
        let mut by_key: BTreeMap<_, Vec<&Item>> = BTreeMap::new();
        for item in new_left.iter().rev() {
            by_key.entry(key(item)).or_default().push(item);
        }
        let mut paired: Vec<*const Item> = Vec::new();
        old_left.retain(|item| match by_key.get_mut(&key(item)).and_then(Vec::pop) {
            Some(other) => {
                out.same.push((item, other));
                paired.push(std::ptr::from_ref(other));
                false
            }
            None => true,
        });
        new_left.retain(|item| !paired.contains(&std::ptr::from_ref::<Item>(item)));
    }
    out.added = new_left;
    old_left
}

/// What stays of a name when its number goes: handlers move up when one before them goes.
fn group(item: &Item) -> String {
    match (item.kind, item.name.rsplit_once('/')) {
        (Kind::Hook, Some((group, _))) => group.to_owned(),
        _ => item.name.clone(),
    }
}

/// How alike two things are, in percent, if one may be the other under a new name.
fn likeness(old: &Item, new: &Item) -> Option<usize> {
    let text = |kind| matches!(kind, Kind::Skill | Kind::Command);
    if old.kind != new.kind && !(text(old.kind) && text(new.kind)) {
        return None;
    }
    if old.kind == Kind::Plugin {
        return None;
    }
    if old.text.trim().is_empty() || new.text.trim().is_empty() {
        let equal = old.fields == new.fields && old.content == new.content;
        let something = !old.fields.is_empty() || !old.content.is_empty();
        return (equal && something).then_some(100);
    }
    let described = |item: &Item| {
        let description = item.fields.get("description").map_or("", String::as_str);
        format!("{description} {}", item.text)
    };
    let (old, new) = (described(old), described(new));
    let (a, b) = (words(&old), words(&new));
    let count = |words: &BTreeMap<&str, usize>| words.values().sum::<usize>();
    let shared: usize = a.iter().map(|(word, n)| (*n).min(b.get(word).copied().unwrap_or(0))).sum();
    let (total, few) = (count(&a) + count(&b), count(&a).min(count(&b)) < FEW);
    let percent = (200 * shared).checked_div(total)?;
    let enough = if few { 100 } else { ALIKE };
    (percent >= enough).then_some(percent)
}

fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut out = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *out.entry(word).or_default() += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: Kind, name: &str, command: &str, text: &str) -> Item {
        Item {
            kind,
            plugin: "demo".into(),
            name: name.into(),
            path: String::new(),
            fields: BTreeMap::from([("command".to_owned(), command.to_owned())]),
            text: text.into(),
            content: text.into(),
        }
    }

    #[test]
    fn a_handler_that_goes_takes_no_other_with_it() {
        let hook = |n: usize, command| item(Kind::Hook, &format!("Stop/*/{n}"), command, "");
        let old = [hook(1, "a"), hook(2, "b"), hook(3, "c")];
        let new = [hook(1, "b"), hook(2, "d")];
        let found = matched(&old, &new);
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
        let skill = |name, text| item(Kind::Skill, name, "", text);
        let old = [skill("demo:a", long), skill("demo:b", other)];
        let changed = format!("{long} fourteen");
        let new = [skill("demo:c", &changed), skill("demo:d", "nothing of it")];
        let found = matched(&old, &new);
        assert_eq!(found.renamed.len(), 1);
        let (before, after, percent) = found.renamed[0];
        assert_eq!((&*before.name, &*after.name), ("demo:a", "demo:c"));
        assert!((90..100).contains(&percent), "{percent}");
        assert_eq!((found.removed.len(), found.added.len()), (1, 1));
    }
}
