//! The source map: which bytes of an emitted file come from which bytes of the source, and which
//! edit made the others. Bytes outside every listed edit are equal to the source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document written to `.plugcast/sourcemap.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceMap {
    /// `plugcast.sourcemap/1`.
    pub schema: String,
    /// Emitted files that differ from their source, sorted by path; a generated file has no `from`.
    pub files: Vec<MappedFile>,
}

/// One emitted file that is not a plain copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedFile {
    /// Path relative to the bundle.
    pub path: String,
    /// The source file relative to SRC; absent when the whole file is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The edits, in the order of the emitted bytes.
    pub edits: Vec<MappedEdit>,
}

/// One place where emitted bytes differ from the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedEdit {
    /// What made the edit.
    pub edit: EditKind,
    /// Where the new bytes stand in the emitted file.
    pub emitted: MappedRange,
    /// Which source bytes they replace; empty for an insertion.
    pub source: MappedRange,
    /// Why, in one sentence.
    pub reason: String,
}

/// A byte range and the 1-based lines of its first and last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedRange {
    /// Byte offset of the first byte.
    pub start: usize,
    /// Byte offset after the last byte.
    pub end: usize,
    /// Line of the first byte.
    pub line: usize,
    /// Line of the last byte.
    pub end_line: usize,
}

/// What made an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EditKind {
    /// The generated block *On this host*.
    Block,
    /// A frontmatter field, or frontmatter as a whole.
    Frontmatter,
    /// A byte order mark was removed.
    ByteOrderMark,
    /// A variable in a path or command.
    Variable,
    /// A path that followed a renamed file.
    Path,
    /// A name of a component that goes by another one.
    Name,
    /// A construct that the host would execute or mangle.
    Construct,
    /// A field of a JSON file.
    Json,
}

impl EditKind {
    /// Whether the edit changes words that the author wrote for the model to read.
    /// A generated block or frontmatter alone does not.
    pub fn touches_author_text(self) -> bool {
        matches!(self, EditKind::Variable | EditKind::Path | EditKind::Name | EditKind::Construct)
    }
}
