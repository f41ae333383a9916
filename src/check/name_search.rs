//! Searches a text for several file names in one pass: most texts contain none of them.

use std::collections::BTreeSet;

use aho_corasick::packed::Searcher;
use memchr::memmem;

/// Names to look for.
#[derive(Debug)]
pub enum NameSearch {
    /// Few enough names for a SIMD search.
    Simd(Searcher),
    /// More names, or a processor without SIMD support.
    OneByOne(Vec<Box<[u8]>>),
}

impl NameSearch {
    /// The names of the files at `paths`; `None` without any.
    pub fn new(paths: &[&str]) -> Option<Self> {
        let names: BTreeSet<&str> = paths.iter().filter_map(|path| path.rsplit('/').next()).collect();
        if names.is_empty() {
            return None;
        }
        // A search for a single name is faster than one for several.
        let together = (names.len() > 1).then(|| Searcher::new(&names)).flatten();
        let each = || Self::OneByOne(names.iter().map(|name| name.as_bytes().into()).collect());
        Some(together.map_or_else(each, Self::Simd))
    }

    /// Whether `text` contains one of them.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Simd(searcher) => searcher.find(text).is_some(),
            Self::OneByOne(names) => names.iter().any(|name| memmem::find(text.as_bytes(), name).is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_any_number_of_names_is_found_wherever_it_stands() {
        for many in [1, 2, 5, 40, 300] {
            let paths: Vec<String> = (0..many).map(|at| format!("scripts/{at}/run-{at}.sh")).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let search = NameSearch::new(&paths).unwrap();
            for at in 0..many {
                for before in
                    ["", "x", "run `scripts/a/", "a text that is longer than what is compared at once "]
                {
                    assert!(search.is_in(&format!("{before}run-{at}.sh")), "{many}: {at} after {before:?}");
                }
            }
            assert!(!search.is_in("run-a.sh run-.sh scripts/0/"));
            assert!(!search.is_in(""));
        }
        assert!(NameSearch::new(&[]).is_none());
    }
}
