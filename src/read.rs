//! Bytes to spanned trees, one file a format. Reading never fails: what cannot be read comes back
//! as faults with spans, beside everything that could.

pub mod format;
pub mod frontmatter;
pub mod json;
pub mod markdown;
pub mod tree;
pub mod yaml;
