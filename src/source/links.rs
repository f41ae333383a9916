//! Links in the source.

use camino::{Utf8Path, Utf8PathBuf};

use super::SourceTree;

impl SourceTree {
    /// Where a path below a link is in the source; `None` for a path without a link.
    pub fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut above = path.ancestors().filter(|_| !self.links.is_empty());
        let (link, target) = above.find_map(|part| self.links.get_key_value(part))?;
        Some(target.join(path.strip_prefix(link).ok()?))
    }
}
