//! One sort for all types, which keeps the helper small: the standard library's sort compiles to three kilobytes of
//! machine code per type and comparison, and was a twentieth of the helper. Here only the comparison depends on the
//! type; what is sorted is always a list of indices.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Sorts; the order of equal items is kept.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Builds a set; collecting one would use the standard library's sort.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// Sorts by a key; the order of items with equal keys is kept.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts with a comparison; the order of equal items is kept.
pub fn sort_by<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let mut places = sorted_indices(items.len(), &|one, other| order(&items[one], &items[other]));
    for at in 0..items.len() {
        while places[at] != at {
            let place = places[at];
            items.swap(at, place);
            places.swap(at, place);
        }
    }
}

/// The indices of the items in sorted order.
fn sorted_indices(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_unstable_by(|one, other| order(*one, *other).then(one.cmp(other)));
    let mut places = vec![0; count];
    for (place, item) in sorted.into_iter().enumerate() {
        places[item] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        for count in 0..40_u32 {
            let items: Vec<(u32, u32)> = (0..count).map(|n| (n * 7919 % 11, n)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
            sort_by(&mut ours, |one, other| other.cmp(one));
            theirs.sort_by(|one, other| other.cmp(one));
            assert_eq!(ours, theirs);
            sort(&mut ours);
            theirs.sort();
            assert_eq!(ours, theirs);
            assert_eq!(set(ours).into_iter().collect::<Vec<_>>(), theirs);
        }
    }
}
