//! `plugcast explain SOURCE:LINE`: what each host gets of a source line, by the rows and the source map that a
//! build would write.

use std::path::Path;

use crate::build::{HostBundle, SourceRequest};
use crate::cli::{CommandFailure, GlobalOptions};
use crate::compile::Source;
use crate::disk::replace::OWN_FOLDER;
use crate::disk::{FileSystem, Payload};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::printable;
use crate::source::SourceFile;
use crate::sourcemap::{MappedEdit, SourceMap};
use crate::target::Target;

/// Kinds whose row covers a whole file.
const COMPONENTS: [ComponentKind; 3] = [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command];

/// The outcome of the line `line` of `file`, which belongs to the source at `root`.
///
/// # Errors
/// When the source cannot be read, or the line does not exist.
pub(super) fn line_outcomes(
    file: &Path,
    root: &Path,
    line: usize,
    global: &GlobalOptions,
) -> Result<String, CommandFailure> {
    let targets = crate::cli::targets(global)?;
    let (config, _) = crate::build::config_of(&FileSystem::default(), root)?;
    let git = Some(crate::cli::git(root));
    let request = SourceRequest { git, src: root.to_owned(), config, ..SourceRequest::default() };
    let compiled = Source::read(&request, &targets)?;
    let project = &compiled.project;
    let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let Some(source) = project.tree.get(&path) else {
        let message = format!("`{path}` is not part of the source `{}`", root.display());
        return Err(CommandFailure::usage(message, "pass a file that a build reads, or a file in a bundle"));
    };
    let lines = source.text().map_or(0, |text| text.lines().count());
    if line == 0 || line > lines.max(1) {
        return Err(CommandFailure::usage(
            format!("`{path}` has {lines} lines, not {line}"),
            "name one of them",
        ));
    }
    let place = format!("{path}:{line}");
    let place = printable::line(&place);
    let mut text = format!("{place}\n");
    for target in targets.iter() {
        let bundle = compiled.bundle(target)?;
        text.push_str(&host_outcomes(&bundle.record.ledger.rows, source, line, target));
        text.push_str(&edits(&bundle, &path, line, target));
    }
    Ok(text)
}

/// The edits of a build to the author's text on the line: the new text and the reason of each.
fn edits(bundle: &HostBundle, path: &str, line: usize, target: &Target) -> String {
    let text_of = |path: &str| {
        let file = bundle.files.iter().find(|file| file.path == path)?;
        match &file.payload {
            Payload::Text(text) => Some(text.as_ref()),
            _ => None,
        }
    };
    let map = text_of(&format!("{OWN_FOLDER}/sourcemap.json"));
    let Some(map) = map.and_then(|text| serde_json::from_str::<SourceMap>(text).ok()) else {
        return String::new();
    };
    let mut out: Vec<String> = Vec::new();
    for mapped in map.files.iter().filter(|mapped| mapped.from.as_deref() == Some(path)) {
        let is_there = |edit: &&MappedEdit| {
            edit.edit.touches_author_text() && (edit.source.line..=edit.source.end_line).contains(&line)
        };
        for edit in mapped.edits.iter().filter(is_there) {
            let range = edit.emitted.start..edit.emitted.end;
            let stands = text_of(&mapped.path).and_then(|text| text.get(range)).unwrap_or_default();
            let stands = stands.lines().next().unwrap_or_default();
            let kind = super::kind_of(edit);
            let text = format!("{}: {kind} edited -> `{stands}`: {}", target.name, edit.reason);
            out.push(format!("  {}\n", printable::line(&text)));
        }
    }
    out.dedup();
    out.concat()
}

fn host_outcomes(rows: &[LedgerRow], file: &SourceFile, line: usize, target: &Target) -> String {
    let of_file: Vec<&LedgerRow> = rows.iter().filter(|row| row.path == file.path.as_str()).collect();
    let is_there = |row: &&&LedgerRow| {
        row.span.is_some_and(|span| {
            let end = file.position(span.end.max(span.start + 1) - 1).line;
            (span.line..=end).contains(&line)
        })
    };
    // The row of the whole component covers all of its lines; it is used if no more specific row does.
    let whole = |row: &&&LedgerRow| row.pointer.is_none() && COMPONENTS.contains(&row.kind);
    let mut there: Vec<&LedgerRow> =
        of_file.iter().filter(is_there).filter(|row| !whole(row)).copied().collect();
    if there.is_empty() {
        there = of_file.iter().filter(whole).copied().collect();
    }
    if there.is_empty() {
        there = of_file.iter().filter(|row| row.span.is_none()).copied().collect();
    }
    let lines = there.into_iter().map(|row| sentence(&target.name, row));
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => format!("  {}: not part of the bundle\n", target.name),
        false => lines.concat(),
    }
}

fn sentence(host: &str, row: &LedgerRow) -> String {
    let outcome = match row.outcome {
        RowOutcome::Kept => "kept",
        RowOutcome::Mapped => "mapped",
        RowOutcome::Degraded => "degraded",
        RowOutcome::Dropped => "dropped",
    };
    let to = row.to.as_ref().map_or(String::new(), |to| format!(" -> `{to}`"));
    let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let loss = row.loss.as_ref().map_or(String::new(), |loss| format!(" [{}]", loss.id));
    let text = format!("{host}: {} `{}` {outcome}{to}{reason}{loss}", row.kind.id(), row.name);
    format!("  {}\n", printable::line(&text))
}
