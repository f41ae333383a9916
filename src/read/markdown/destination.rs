//! The parts of a link's destination.

/// The path of a destination without its query, and its anchor, both as written.
pub fn destination_parts(destination: &str) -> (&str, Option<&str>) {
    let (path, anchor) = match destination.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (destination, None),
    };
    (path.split('?').next().unwrap_or_default(), anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_and_an_anchor_are_not_part_of_the_path() {
        for (destination, parts) in [
            ("a.md", ("a.md", None)),
            ("a.md#b", ("a.md", Some("b"))),
            ("a.md?x=1#b", ("a.md", Some("b"))),
            ("a.md#b?c", ("a.md", Some("b?c"))),
            ("#b", ("", Some("b"))),
        ] {
            assert_eq!(destination_parts(destination), parts, "{destination}");
        }
    }
}
