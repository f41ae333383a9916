//! An index of many paths by their hashes: a lookup compares one path instead of a dozen that share long prefixes.

/// Positions of paths in a list, by the hashes of the paths. Among equal hashes, which a hostile source may contrive, they
/// are in the order of the paths.
#[derive(Debug, Clone, Default)]
pub struct HashedPaths(Vec<(u64, usize)>);

impl HashedPaths {
    /// The index of `paths`, which must be distinct.
    pub fn new(paths: &[&str]) -> Self {
        let hashes = paths.iter().enumerate();
        let mut positions: Vec<(u64, usize)> =
            hashes.map(|(position, path)| (hash(path), position)).collect();
        positions.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| paths[a.1].cmp(paths[b.1])));
        Self(positions)
    }

    /// The position of `path`, where `path_at` is the path at a position.
    pub fn find<'p>(&self, path: &str, path_at: impl Fn(usize) -> &'p str) -> Option<usize> {
        let wanted = hash(path);
        let order =
            |(hash, position): &(u64, usize)| hash.cmp(&wanted).then_with(|| path_at(*position).cmp(path));
        self.0.binary_search_by(order).ok().map(|at| self.0[at].1)
    }
}

/// A hash that takes eight bytes at once.
fn hash(path: &str) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mix = |hash: u64, part: u64| (hash.rotate_left(5) ^ part).wrapping_mul(FACTOR);
    let (eights, rest) = path.as_bytes().as_chunks::<8>();
    let start = eights.iter().fold(0, |hash, eight| mix(hash, u64::from_le_bytes(*eight)));
    rest.iter().fold(start, |hash, byte| mix(hash, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_path_and_no_other() {
        // The hash does not see zeros at the start.
        let paths = ["", "a", "a/b", "a-b", "skills/plan/SKILL.md", "\0", "\0\0"];
        let index = HashedPaths::new(&paths);
        assert_eq!(hash(""), hash("\0\0"));
        for (position, path) in paths.into_iter().enumerate() {
            assert_eq!(index.find(path, |at| paths[at]), Some(position));
        }
        assert_eq!(index.find("skills/plan", |at| paths[at]), None);
        assert_eq!(index.find("\0\0\0", |at| paths[at]), None);
        assert_eq!(HashedPaths::default().find("a", |_| ""), None);
    }
}
