//! The last gate before emission: paths that some file system cannot hold, or that would fall
//! together, are errors and are not written.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use unicode_normalization::UnicodeNormalization;

use super::LoweredBundle;
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{LossClass, RowOutcome};
use crate::model::names;
use crate::source::by_parts;
use crate::target::{Axis, Target};

/// The longest path that is emitted, in bytes: what is left on Windows below a user's folder.
const LONGEST: usize = 240;

/// Takes nodes out that cannot be written everywhere, each with an error and its row corrected.
pub(super) fn unwritable(target: &Target, cast: &mut LoweredBundle) {
    let mut first: BTreeMap<String, Utf8PathBuf> = BTreeMap::new();
    let mut refused: Vec<(Utf8PathBuf, Option<Utf8PathBuf>, &str, String)> = Vec::new();
    cast.nodes.sort_by(|a, b| by_parts(a.path.as_str(), b.path.as_str()));
    for node in &cast.nodes {
        let path = node.path.as_str();
        let folded = if path.is_ascii() {
            path.to_ascii_lowercase()
        } else {
            path.nfc().collect::<String>().to_lowercase()
        };
        let reserved = node.path.components().find_map(|part| names::unwritable(part.as_str()));
        if let Some(why) = reserved {
            refused.push((node.path.clone(), node.from.clone(), "reserved-name", why));
        } else if node.path.as_str().len() > LONGEST {
            refused.push((
                node.path.clone(),
                node.from.clone(),
                "path-length",
                format!("the path has {} bytes, and {LONGEST} fit everywhere", node.path.as_str().len()),
            ));
        } else if let Some(other) = first.get(&folded) {
            let what = if *other == node.path {
                "two files would be written here".to_owned()
            } else {
                format!("it is the same file as `{other}` where case or accents are folded")
            };
            refused.push((node.path.clone(), node.from.clone(), "path-collision", what));
        } else {
            first.insert(folded, node.path.clone());
        }
    }
    for (path, from, rule, why) in refused {
        // Of two nodes with one path, the later one goes.
        let at = cast.nodes.iter().rposition(|node| node.path == path && node.from == from);
        if let Some(at) = at {
            cast.nodes.remove(at);
        }
        let source = from.clone().unwrap_or_else(|| path.clone());
        let message = format!("`{path}` cannot be written: {why}");
        cast.diagnostics.push(
            Diagnostic::whole(&source, Severity::Error, rule, message)
                .host(&target.name)
                .help("rename it in the source"),
        );
        for row in cast.rows.iter_mut().filter(|row| {
            row.to.as_deref() == Some(path.as_str()) && from.as_ref().is_some_and(|from| row.path == *from)
        }) {
            row.outcome = RowOutcome::Dropped;
            row.reason = Some(why.clone());
            row.to = None;
            let id = format!("{}/{}/{}/{}", Axis::Limit.id(), row.plugin, row.kind.id(), row.name);
            row.loss = Some(crate::ledger::Loss { id, class: LossClass::Behavior, accepted: false });
        }
    }
}
