//! What an author says about losses: which of them are accepted, and which fail a build.

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8Path;

use super::BuildError;
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk;
use crate::disk::folder::Folder;
use crate::disk::replace::OWN_FOLDER;
use crate::ledger::{Class, Ledger, Row};
use crate::model::project::Project;
use crate::source::Span;

/// Which losses fail a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Denial {
    /// Losses of this class, and of graver ones.
    pub class: Option<Class>,
    /// Losses that the ledger in the output folder does not have.
    pub new: bool,
}

/// One finding for each loss that `denial` forbids; none means that the bundle may be written.
///
/// # Errors
/// When the ledger in `folder` is there and cannot be read.
pub fn denied(
    project: &Project,
    ledger: &Ledger,
    host: &str,
    denial: Denial,
    folder: &Path,
) -> Result<Vec<Diagnostic>, BuildError> {
    let known = if denial.new { known_losses(folder)? } else { BTreeSet::new() };
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for row in &ledger.rows {
        let Some(loss) = row.loss.as_ref().filter(|loss| !loss.accepted) else { continue };
        let by_class = denial.class.is_some_and(|class| loss.class <= class);
        let is_new = denial.new && !known.contains(&loss.id);
        if (by_class || is_new) && seen.insert(&loss.id) {
            let what = if by_class { "is denied" } else { "is new" };
            let reason = row.reason.as_deref().unwrap_or_default();
            let found = finding(project, row, format!("the loss `{}` {what}: {reason}", loss.id));
            let help = format!(
                "accept it with `[[accept-loss]] id = \"{}\"` and a reason in `plugcast.toml`, or leave this host out",
                loss.id
            );
            out.push(found.host(host).help(help));
        }
    }
    Ok(out)
}

fn finding(project: &Project, row: &Row, message: String) -> Diagnostic {
    match (row.span, project.tree.get(&row.path)) {
        (Some(span), Some(file)) => {
            Diagnostic::at(file, Span::new(span.start, span.end), Severity::Error, "denied-loss", message)
        }
        _ => Diagnostic::whole(&row.path, Severity::Error, "denied-loss", message),
    }
}

/// The loss ids of the ledger that the last build wrote.
fn known_losses(folder: &Path) -> Result<BTreeSet<String>, BuildError> {
    let rows = ledger_of(folder)?.map(|ledger| ledger.rows).unwrap_or_default();
    Ok(rows.into_iter().filter_map(|row| row.loss).map(|loss| loss.id).collect())
}

/// The ledger of the bundle in `folder`; `None` when there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub fn ledger_of(folder: &Path) -> Result<Option<Ledger>, BuildError> {
    let inner = Utf8Path::new(OWN_FOLDER).join("ledger.json");
    let path = folder.join(&inner);
    if !disk::is_folder(folder) {
        return Ok(None);
    }
    let Some(text) = Folder::open(folder)?.read_text(&inner)? else { return Ok(None) };
    let fail = |error: serde_json::Error| BuildError::Document {
        path: path.clone(),
        message: format!("is not a ledger: {error}"),
    };
    serde_json::from_str(&text).map(Some).map_err(fail)
}
