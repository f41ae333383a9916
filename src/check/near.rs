//! "Did you mean": the known name that is most like a word.

/// The name of `known` that is most like `word`; `None` when none is like it. Upper and lower case
/// count as equal.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &word), name));
    let near = scored.filter(|(likeness, _)| *likeness > 0.85);
    near.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1))).map(|(_, name)| name)
}

/// The name of `known` that `word` is but for a slip of the hand: one letter in short names, two in
/// names of eight letters or more. Close enough to say that nothing else was meant.
pub fn slip<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = if word.len() < 8 { 1 } else { 2 };
    let scored = known.into_iter().filter_map(|name| {
        let longer = name.len().abs_diff(word.len()) > allowed || name.len() < 4;
        let first = word.chars().next().is_some_and(|c| name.starts_with(c));
        let slips = if longer || !first { usize::MAX } else { strsim::osa_distance(name, word) };
        (slips > 0 && slips <= allowed).then_some((slips, name))
    });
    scored.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        assert_eq!(nearest("skil-size", ["skill-size", "name-mismatch"]), Some("skill-size"));
        assert_eq!(nearest("Chekcer", ["planner", "checker"]), Some("checker"));
        assert_eq!(nearest("house", ["skill-size"]), None);
        assert_eq!(slip("cheker", ["checker", "shaker"]), Some("checker"));
        assert_eq!(slip("checker", ["checker"]), None);
        assert_eq!(slip("reviewer", ["previewer", "planner"]), None);
    }
}
