//! The last check before emission: paths that some file systems do not support, or that would collide, are errors and
//! are not written.

use std::collections::BTreeMap;

use camino::Utf8Path;
use unicode_normalization::UnicodeNormalization;

use super::decision::UnwritableFiles;
use crate::bundle::BundleNode;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::names;
use crate::target::Target;

/// The longest path that is emitted, in bytes: the room that remains on Windows below a user's folder.
const LONGEST: usize = 240;

/// The nodes of a bundle that can be written everywhere, and the reasons for the others.
#[derive(Debug, Default)]
pub(super) struct WritableNodes {
    pub(super) nodes: Vec<BundleNode>,
    /// Why the other source files are not written.
    pub(super) unwritable: UnwritableFiles,
    /// An error for each node that is not written.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Separates `nodes`, which are sorted by path: of two that collide, the first is written.
pub(super) fn split_writable(target: &Target, nodes: Vec<BundleNode>) -> WritableNodes {
    let mut out = WritableNodes::default();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for node in nodes {
        let folded = folded_path(&node.path);
        let other = first.get(&folded).map(|at| out.nodes[*at].path.as_path());
        let Some((rule, why)) = fault(&node.path, other) else {
            first.insert(folded, out.nodes.len());
            out.nodes.push(node);
            continue;
        };
        let source = node.from.as_ref().unwrap_or(&node.path);
        let message = format!("`{}` cannot be written: {why}", node.path);
        let found = Diagnostic::for_file(source, Severity::Error, rule, message).host(&target.name);
        out.diagnostics.push(found.help("rename it in the source"));
        if let Some(from) = node.from {
            out.unwritable.entry((node.path.into_string(), from.into_string())).or_insert(why);
        }
    }
    out
}

/// The rule and the reason why no file can be written at `path`; `other` has the same path if case and accents are
/// folded.
fn fault(path: &Utf8Path, other: Option<&Utf8Path>) -> Option<(RuleId, String)> {
    let length = path.as_str().len();
    if let Some(why) = path.components().find_map(|part| names::unwritable(part.as_str())) {
        return Some((RuleId::UNPORTABLE_PATH, why));
    }
    if length > LONGEST {
        return Some((
            RuleId::PATH_LENGTH,
            format!("the path has {length} bytes, and {LONGEST} fit everywhere"),
        ));
    }
    let other = other?;
    let what = match other == path {
        true => "two files would be written here".to_owned(),
        false => format!("it is the same file as `{other}` where case or accents are folded"),
    };
    Some((RuleId::PATH_COLLISION, what))
}

/// The path as seen by a file system that folds case and accents.
fn folded_path(path: &Utf8Path) -> String {
    match path.as_str().is_ascii() {
        true => path.as_str().to_ascii_lowercase(),
        false => path.as_str().nfc().collect::<String>().to_lowercase(),
    }
}
