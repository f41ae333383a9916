//! An index of paths by their hashes in lower case, for names that differ from existing ones only in case.

/// Positions of paths in a list, by the hashes of the paths in lower case and then by position.
#[derive(Debug)]
pub struct FoldedPaths(Vec<(u64, usize)>);

impl FoldedPaths {
    /// The index of `paths`.
    pub fn new(paths: &[&str]) -> Self {
        let mut positions: Vec<(u64, usize)> =
            paths.iter().enumerate().map(|(position, path)| (hash(path), position)).collect();
        positions.sort_unstable();
        Self(positions)
    }

    /// The first other path that is `path` in another case, where `path_at` is the path at a position.
    pub fn variant<'p>(&self, path: &str, path_at: impl Fn(usize) -> &'p str) -> Option<&'p str> {
        let wanted = hash(path);
        let start = self.0.partition_point(|(hash, _)| *hash < wanted);
        let equal = self.0[start..].iter().take_while(|(hash, _)| *hash == wanted);
        equal.map(|(_, position)| path_at(*position)).find(|other| *other != path && is_same(other, path))
    }
}

fn is_same(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

fn hash(path: &str) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mix = |hash: u64, part: u32| (hash.rotate_left(5) ^ u64::from(part)).wrapping_mul(FACTOR);
    if path.is_ascii() {
        return path.bytes().fold(0, |hash, byte| mix(hash, byte.to_ascii_lowercase().into()));
    }
    path.chars().flat_map(char::to_lowercase).fold(0, |hash, c| mix(hash, c.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_in_another_case_and_no_other() {
        let paths = ["README.md", "docs", "docs-old/a.md", "docs/Ärger.md", "docs/ä", "x"];
        let index = FoldedPaths::new(&paths);
        let variant = |path| index.variant(path, |at| paths[at]);
        assert_eq!(variant("readme.md"), Some("README.md"));
        assert_eq!(variant("Docs"), Some("docs"));
        assert_eq!(variant("docs/ärger.MD"), Some("docs/Ärger.md"));
        assert_eq!(variant("docs/Ä"), Some("docs/ä"));
        assert_eq!(variant("README.md"), None);
        assert_eq!(variant("doc"), None);
    }

    #[test]
    fn characters_beyond_ascii_may_have_a_lower_case_within_it() {
        let paths = ["\u{212a}.md"];
        assert_eq!(FoldedPaths::new(&paths).variant("k.md", |at| paths[at]), Some("\u{212a}.md"));
    }
}
