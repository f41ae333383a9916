//! The result of one lowering step: a part of the bundle, with its decisions.

use super::decision::Decision;
use crate::bundle::{BundleNode, HelperFile};
use crate::diagnostic::Diagnostic;

/// A part of a bundle.
#[derive(Debug, Default)]
pub(super) struct LoweredPart {
    /// Files.
    pub(super) nodes: Vec<BundleNode>,
    /// Programs that are copied unchanged.
    pub(super) helpers: Vec<HelperFile>,
    /// The decisions about components that a file declares.
    pub(super) declared: Vec<Decision>,
    /// The decisions about everything else.
    pub(super) decisions: Vec<Decision>,
    /// The diagnostics.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl LoweredPart {
    /// Merges another part.
    pub(super) fn add(&mut self, part: Self) {
        self.nodes.extend(part.nodes);
        self.helpers.extend(part.helpers);
        self.declared.extend(part.declared);
        self.decisions.extend(part.decisions);
        self.diagnostics.extend(part.diagnostics);
    }
}

impl FromIterator<LoweredPart> for LoweredPart {
    fn from_iter<T: IntoIterator<Item = LoweredPart>>(parts: T) -> Self {
        let mut whole = Self::default();
        parts.into_iter().for_each(|part| whole.add(part));
        whole
    }
}

impl FromIterator<Decision> for LoweredPart {
    fn from_iter<T: IntoIterator<Item = Decision>>(decisions: T) -> Self {
        Self { decisions: decisions.into_iter().collect(), ..Self::default() }
    }
}

impl FromIterator<Diagnostic> for LoweredPart {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(diagnostics: T) -> Self {
        Self { diagnostics: diagnostics.into_iter().collect(), ..Self::default() }
    }
}

impl FromIterator<BundleNode> for LoweredPart {
    fn from_iter<T: IntoIterator<Item = BundleNode>>(nodes: T) -> Self {
        Self { nodes: nodes.into_iter().collect(), ..Self::default() }
    }
}
