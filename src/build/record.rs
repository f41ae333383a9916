//! A build without a change: when program, source, settings and options are those of the last build, and
//! the bundle is what that build wrote, the last build's answer is still the answer.
//!
//! All of it is compared by content. A bundle that carries programs is always built anew, since where
//! they come from is settled later.

use std::path::Path;

use camino::Utf8Path;

use super::assemble::source_digest;
use super::discover::{Gathered, SourceRequest};
use super::{BuildError, HostBundle};
use crate::bundle::Manifest;
use crate::bundle::record::Record;
use crate::diagnostic::Diagnostic;
use crate::disk::replace::{self, OWN_FOLDER};
use crate::disk::{self, Fingerprint, beneath};
use crate::ledger::Ledger;
use crate::schema;
use crate::source::Exclusion;
use crate::target::Targets;

/// The file name of the record.
pub(super) const RECORD: &str = "record.json";
/// What this program is made of; see `build.rs` at the top of the package.
const PROGRAM: &str = env!("PLUGCAST_PROGRAM");

/// sha256 over everything that a bundle depends on, whatever its host. `options` are those of the command
/// line that decide what is written, and that the rest does not tell.
///
/// # Errors
/// When a file of the source cannot be read.
pub fn inputs(
    gathered: &Gathered,
    request: &SourceRequest,
    targets: &Targets,
    options: &str,
) -> Result<String, BuildError> {
    let left_out =
        |exclusion: &Exclusion| format!("{}\0{}\0{}\n", exclusion.path, exclusion.reason, exclusion.fault);
    let exclusions: String = gathered.tree.exclusions.iter().map(left_out).collect();
    let outside: String = gathered.outside.iter().map(left_out).collect();
    let parts = [
        PROGRAM.to_owned(),
        targets.added().to_owned(),
        format!("{:?} {options}", request.name),
        request.config.text.clone(),
        format!("{:?}", gathered.settings),
        source_digest(&gathered.tree)?,
        exclusions,
        outside,
    ];
    let lines: String = parts.iter().map(|part| format!("{}\n", disk::sha256(part.as_bytes()))).collect();
    Ok(disk::sha256(lines.as_bytes()))
}

/// The same for one host.
pub(super) fn of_host(inputs: &str, host: &str) -> String {
    disk::sha256(format!("{inputs} {host}").as_bytes())
}

/// Whether there is a record in the bundle `folder`.
pub fn is_in(folder: &Path) -> bool {
    disk::is_file(&folder.join(OWN_FOLDER).join(RECORD))
}

/// The bundle in `folder`, with what was found in the source, if it was built for `host` from just these
/// inputs and is as it was written. Its `files` are left empty: there is nothing to write. Call it under
/// the lock.
///
/// # Errors
/// When the folder cannot be read, or what a killed build left cannot be removed.
pub fn unchanged(
    inputs: &str,
    host: &str,
    folder: &Path,
) -> Result<Option<(HostBundle, Vec<Diagnostic>)>, BuildError> {
    replace::recover(folder)?;
    let own = folder.join(OWN_FOLDER);
    let Some(record) = disk::read_text(&own.join(RECORD)).ok().flatten() else { return Ok(None) };
    // Whatever is wrong with one of the documents, the build makes them anew.
    let Some(record) = serde_json::from_str::<Record>(&record)
        .ok()
        .filter(|record| record.schema == schema::RECORD.tag() && record.inputs == of_host(inputs, host))
    else {
        return Ok(None);
    };
    let (mut manifest, mut ledger) = (None, None);
    for (name, sha256) in &record.documents {
        let Some(text) = disk::read_text(&own.join(name)).ok().flatten() else { return Ok(None) };
        if disk::sha256(text.as_bytes()) != *sha256 {
            return Ok(None);
        }
        match name.as_str() {
            "manifest.json" => manifest = serde_json::from_str::<Manifest>(&text).ok(),
            "ledger.json" => ledger = serde_json::from_str::<Ledger>(&text).ok(),
            _ => {}
        }
    }
    let (Some(manifest), Some(ledger)) = (manifest, ledger) else { return Ok(None) };
    if !manifest.helpers.is_empty() {
        return Ok(None);
    }
    let Ok(root) = beneath::open_folder(folder, "".into()) else { return Ok(None) };
    for file in &manifest.files {
        let print = Fingerprint { size: file.size, sha256: file.sha256.clone() };
        if !disk::is_as_written(&root, Utf8Path::new(&file.path), file.mode == "0755", &print)? {
            return Ok(None);
        }
    }
    let Record { plugins, found, found_here, .. } = record;
    let bundle = HostBundle {
        host: host.to_owned(),
        files: Vec::new(),
        manifest,
        ledger,
        diagnostics: found_here,
        plugins,
    };
    Ok(Some((bundle, found)))
}
