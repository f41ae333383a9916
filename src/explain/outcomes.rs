//! What each host gets of a source line, by the rows and the source map that a build would write.

use std::path::Path;

use super::ExplainError;
use crate::build::{HostBundle, SourceRequest};
use crate::compile::Source;
use crate::diagnostic::HostId;
use crate::disk::Payload;
use crate::disk::replace::OWN_FOLDER;
use crate::git::Git;
use crate::ledger::{ComponentKind, LedgerRow};
use crate::source::SourceFile;
use crate::sourcemap::{MappedEdit, SourceMap};
use crate::target::Targets;

/// Kinds whose row covers a whole file.
const COMPONENTS: [ComponentKind; 3] = [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command];

/// What one host gets of a line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LineOutcome {
    /// The host.
    pub host: HostId,
    /// The rows of the ledger about the line; none if it is not part of the bundle.
    pub rows: Vec<LedgerRow>,
    /// What a build changes in the author's text on it.
    pub edits: Vec<LineEdit>,
}

/// A change of the author's text on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineEdit {
    /// Its kind, as in the source map.
    pub kind: String,
    /// The first line of the new text.
    pub text: String,
    /// Why it is made.
    pub reason: String,
}

/// The path of `file` in the source at `root`, and what each host gets of its line `line`.
///
/// # Errors
/// When the source cannot be read, or the line does not exist.
pub(super) fn line_outcomes(
    file: &Path,
    root: &Path,
    line: usize,
    targets: &Targets,
    git: Git,
) -> Result<(String, Vec<LineOutcome>), ExplainError> {
    let (mut request, _) = SourceRequest::load(root)?;
    request.git = Some(git);
    let compiled = Source::read(&request, targets)?;
    let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let Some(source) = compiled.project.tree.get(&path) else {
        return Err(ExplainError::NotFound {
            message: format!("`{path}` is not part of the source `{}`", root.display()),
            help: "pass a file that a build reads, or a file in a bundle",
        });
    };
    ExplainError::check_line(&path, source.text().map_or(0, |text| text.lines().count()), line)?;
    let mut outcomes = Vec::new();
    for target in targets.iter() {
        let bundle = compiled.bundle(target)?;
        let rows = rows_about(&bundle.record.ledger.rows, source, line);
        let edits = edits(&bundle, &path, line);
        outcomes.push(LineOutcome { host: target.name.clone(), rows, edits });
    }
    Ok((path, outcomes))
}

/// The edits of a build to the author's text on the line.
fn edits(bundle: &HostBundle, path: &str, line: usize) -> Vec<LineEdit> {
    let text_of = |path: &str| {
        let file = bundle.files.iter().find(|file| file.path == path)?;
        match &file.payload {
            Payload::Text(text) => Some(text.as_ref()),
            _ => None,
        }
    };
    let map = text_of(&format!("{OWN_FOLDER}/sourcemap.json"));
    let Some(map) = map.and_then(|text| serde_json::from_str::<SourceMap>(text).ok()) else {
        return Vec::new();
    };
    let mut found: Vec<LineEdit> = Vec::new();
    for mapped in map.files.iter().filter(|mapped| mapped.from.as_deref() == Some(path)) {
        let is_there = |edit: &&MappedEdit| {
            edit.edit.touches_author_text() && (edit.source.line..=edit.source.end_line).contains(&line)
        };
        for edit in mapped.edits.iter().filter(is_there) {
            let range = edit.emitted.start..edit.emitted.end;
            let text = text_of(&mapped.path).and_then(|text| text.get(range)).unwrap_or_default();
            let text = text.lines().next().unwrap_or_default().to_owned();
            found.push(LineEdit { kind: edit_kind(edit), text, reason: edit.reason.clone() });
        }
    }
    found.dedup();
    found
}

/// The kind of an edit, as written in the source map.
pub(super) fn edit_kind(edit: &MappedEdit) -> String {
    let kind = serde_json::to_value(edit.edit).ok();
    kind.and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The rows about the line; the row of the whole component covers all of its lines, and is used if no more specific row
/// does.
fn rows_about(rows: &[LedgerRow], file: &SourceFile, line: usize) -> Vec<LedgerRow> {
    let of_file: Vec<&LedgerRow> = rows.iter().filter(|row| row.path == file.path.as_str()).collect();
    let is_there = |row: &&&LedgerRow| {
        row.span.is_some_and(|span| {
            let end = file.position(span.end.max(span.start + 1) - 1).line;
            (span.line..=end).contains(&line)
        })
    };
    let whole = |row: &&&LedgerRow| row.pointer.is_none() && COMPONENTS.contains(&row.kind);
    let mut there: Vec<&LedgerRow> =
        of_file.iter().filter(is_there).filter(|row| !whole(row)).copied().collect();
    if there.is_empty() {
        there = of_file.iter().filter(whole).copied().collect();
    }
    if there.is_empty() {
        there = of_file.iter().filter(|row| row.span.is_none()).copied().collect();
    }
    there.into_iter().cloned().collect()
}
