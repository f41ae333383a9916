//! Writes a bundle to its output folder: plans the changes, and makes them in one step.

use std::collections::BTreeSet;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::{BuildError, HostBundle};
use crate::bundle::{BundleManifest, ManifestHelper};
use crate::diagnostic::HostId;
use crate::disk::folder::Folder;
use crate::disk::lock::{self, OutputFolder};
use crate::disk::replace::{self, FileChange, OWN_FOLDER, OutputFile, OutputPlace};
use crate::disk::{self, Payload, foreign_files, open_beneath};
use crate::emit;
use crate::ledger::{Ledger, LedgerRow, RowOutcome};
use crate::model::runtime::PLATFORMS;
use crate::progress::Progress;
use crate::schema;

/// What a build did to an output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteSummary {
    /// The changes, planned or made, sorted by path.
    pub changes: Vec<FileChange>,
    /// How many files were written.
    pub files: usize,
    /// Whether the folder did not exist before.
    pub is_new: bool,
}

/// Checks that a bundle for `host` can be written below `out`: neither folder is a file, no link leads elsewhere, and
/// the host's folder does not contain the source.
///
/// # Errors
/// [`BuildError::Place`] with the reason.
pub fn check_place(src: &Path, out: &OutputFolder, host: &HostId) -> Result<(), BuildError> {
    must_be_plain(out)?;
    let out = out.path();
    let folder = out.join(host);
    let bad = |folder: &Path, why, help| Err(BuildError::Place { folder: folder.to_owned(), why, help });
    let elsewhere = "pass another folder with `--out`";
    match disk::kind(out) {
        Some(disk::FileKind::File) => return bad(out, "is a file, not a folder", elsewhere),
        Some(disk::FileKind::Link) if !disk::is_folder(out) => {
            return bad(out, "is a link whose target is not a folder", elsewhere);
        }
        _ => {}
    }
    match disk::kind(&folder) {
        Some(disk::FileKind::File) => {
            return bad(
                &folder,
                "is a file, not a folder",
                "move it away, or pass another folder with `--out`",
            );
        }
        Some(disk::FileKind::Link) => {
            let help = "remove the link, or pass the folder above its target with `--out`";
            return bad(&folder, "is a link, and plugcast writes only inside the output folder", help);
        }
        _ => {}
    }
    match (disk::canonical(src), disk::canonical(&folder)) {
        (Ok(src), Ok(folder_there)) if src.starts_with(&folder_there) => {
            bad(&folder, "contains the source", elsewhere)
        }
        _ => Ok(()),
    }
}

/// Checks that an output folder that the user did not name with `--out` is not reached through a link.
///
/// # Errors
/// [`BuildError::Place`] if it is.
pub fn must_be_plain(out: &OutputFolder) -> Result<(), BuildError> {
    if !out.is_linked() {
        return Ok(());
    }
    Err(BuildError::Place {
        folder: out.path().to_owned(),
        why: "is a link or is reached through one, which is allowed only with `--out`",
        help: "remove the link, or pass its target with `--out`",
    })
}

/// Completes what a killed build left directly below `out`, where this command writes. Waits for a build that is
/// writing there.
///
/// # Errors
/// When another build does not end in time, leftovers cannot be moved or removed, or `out` is reached through a link.
pub fn complete(out: &OutputFolder) -> Result<(), BuildError> {
    must_be_plain(out)?;
    let unfinished = replace::unfinished_outputs(out.path());
    let names = unfinished.iter().filter(|folder| folder.parent() == Some(out.path()));
    for name in names.filter_map(|folder| folder.file_name()?.to_str()) {
        let lock = lock::acquire(out, lock::PATIENCE)?;
        replace::recover(&OutputPlace { out: lock.folder(), name })?;
    }
    Ok(())
}

/// Checks that no bundle at, above or directly below `path` is incomplete, without changing anything. Waits for a build
/// that is writing there.
///
/// # Errors
/// When that build does not end in time, or an interrupted build left no bundle in its place.
pub fn must_be_finished(path: &Path) -> Result<(), BuildError> {
    for folder in replace::unfinished_outputs(path) {
        lock::wait(folder.parent().unwrap_or(Path::new("")), lock::PATIENCE)?;
        if replace::is_displaced(&folder) {
            return Err(BuildError::Unfinished(folder));
        }
    }
    Ok(())
}

/// What writing `bundle` to `folder` would change; writes nothing. Helpers are inputs: one that only one side has
/// does not count as a change, and those of both sides are compared by version instead of bytes.
///
/// # Errors
/// When the folder cannot be read, or holds foreign files where emitted ones must go.
pub fn plan_changes(bundle: &HostBundle, folder: &Path) -> Result<Vec<FileChange>, BuildError> {
    let there = Folder::open_existing(folder)?;
    let there = there.as_ref();
    let mut files = with_records(bundle, there)?;
    let mut owned = owned_files(there, &files)?;
    let Some((old, text)) = manifest(there)? else { return plan(&files, &owned, there) };
    let same = old.helpers.iter().all(|helper| {
        is_program(helper, bundle)
            && bundle
                .record
                .manifest
                .helpers
                .iter()
                .all(|new| new.path != helper.path || new.is_equivalent(helper))
    });
    let mut changed = Vec::new();
    if same {
        let helpers = old.helpers.iter().chain(&bundle.record.manifest.helpers);
        let aside: BTreeSet<Utf8PathBuf> = helpers.map(|helper| helper.path.clone().into()).collect();
        files.retain(|file| !aside.contains(&file.path));
        owned.retain(|path| !aside.contains(path));
        for helper in &old.helpers {
            // A missing helper does not count as a change.
            let held = disk::hash_beneath(folder, Utf8Path::new(&helper.path));
            if held.is_some_and(|held| held.ok().is_none_or(|held| held.sha256 != helper.sha256)) {
                changed.push(FileChange::Changed(helper.path.clone().into()));
            }
        }
    }
    let rest = |manifest: &BundleManifest| BundleManifest { helpers: Vec::new(), ..manifest.clone() };
    let as_written = emit::json::entries(&old, 2) == text;
    if same && as_written && rest(&old) == rest(&bundle.record.manifest) {
        let path = own_document("manifest.json");
        let listed = files.iter_mut().filter(|file| file.path == path);
        listed.for_each(|file| file.payload = Payload::Text(text.as_str().into()));
    }
    changed.extend(plan(&files, &owned, there)?);
    changed.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changed)
}

/// Whether `helper` lies where `bundle` has a launcher for it. The manifest may come from anyone, so any other entry is
/// compared like an ordinary file.
fn is_program(helper: &ManifestHelper, bundle: &HostBundle) -> bool {
    let path = Utf8Path::new(&helper.path);
    let programs = format!("plugins/{}/bin", helper.plugin);
    let name = path.file_name().unwrap_or_default();
    let launcher = format!("{programs}/{}", name.strip_suffix(".exe").unwrap_or(name));
    let lists = |path: &str| bundle.record.manifest.files.iter().any(|file| file.path == path);
    PLATFORMS.contains(&helper.platform.as_str())
        && helper.path == format!("{programs}/{}/{name}", helper.platform)
        && lists(&launcher)
        && !lists(&helper.path)
}

/// What writing `files` would change in `there`, the existing folder.
fn plan(
    files: &[OutputFile],
    owned: &BTreeSet<Utf8PathBuf>,
    there: Option<&Folder>,
) -> Result<Vec<FileChange>, BuildError> {
    if let Some(folder) = there {
        let conflicts = foreign_files::conflicts(folder, files, owned)?;
        if !conflicts.is_empty() {
            let paths = conflicts.into_iter().map(Utf8PathBuf::into_string).collect();
            return Err(BuildError::Conflict { folder: folder.path().to_owned(), paths });
        }
    }
    Ok(replace::changes(there, files, owned)?)
}

/// The path of one of our own documents.
fn own_document(name: &str) -> Utf8PathBuf {
    Utf8PathBuf::from(OWN_FOLDER).join(name)
}

/// Writes `bundle` below `out` unless it is there already. The caller holds the lock, whose open folder is `out`;
/// `progress` is told of each file.
///
/// # Errors
/// As [`plan_changes`], and when a file cannot be written; the old bundle then stays in place.
pub fn write(bundle: &HostBundle, out: &Folder, progress: &Progress) -> Result<WriteSummary, BuildError> {
    let place = OutputPlace { out, name: &bundle.record.host };
    replace::recover(&place)?;
    // From here on this open folder is used, even if another one takes its name.
    let there = place.open()?;
    let there = there.as_ref();
    let files = with_records(bundle, there)?;
    let owned = owned_files(there, &files)?;
    let changes = plan(&files, &owned, there)?;
    if changes.is_empty() {
        return Ok(WriteSummary { changes, files: 0, is_new: false });
    }
    replace::replace(&place, there, &files, &owned, progress)?;
    Ok(WriteSummary { changes, files: files.len(), is_new: there.is_none() })
}

/// The files of the bundle, with the documents in the folder that are still valid: a verification of exactly these
/// files, and an equivalent ledger.
fn with_records(bundle: &HostBundle, there: Option<&Folder>) -> Result<Vec<OutputFile>, BuildError> {
    let mut files = bundle.files.clone();
    let Some(folder) = there else { return Ok(files) };
    if let Some(file) = files.iter_mut().find(|file| file.path == own_document("ledger.json"))
        && let Some(there) = folder.read_text(&file.path)?
    {
        let equal = matches!(&file.payload, Payload::Text(text) if **text == *there);
        if !equal && is_equivalent_ledger(bundle, &there) {
            file.payload = Payload::Text(there.into());
        }
    }
    let path = own_document("verified.json");
    let text = folder.read_text(&path)?;
    let record: Option<serde_json::Value> = text.as_ref().and_then(|text| serde_json::from_str(text).ok());
    let current = record.is_some_and(|record| record["digest"] == bundle.record.manifest.digest.as_str());
    if let (true, Some(text)) = (current, text) {
        files.push(OutputFile { path, executable: false, payload: Payload::Text(text.into()) });
    }
    Ok(files)
}

/// Whether the existing ledger is equivalent to the new one: rows of ignored files come and go with build folders and
/// installed packages, and must not make a bundle stale.
fn is_equivalent_ledger(bundle: &HostBundle, there: &str) -> bool {
    let old: Option<Ledger> = serde_json::from_str(there).ok();
    old.is_some_and(|old| {
        let lasting = old.rows.iter().filter(|row| !row.transient);
        let is_exclusion = |row: &LedgerRow| row.outcome == RowOutcome::Dropped && row.loss.is_none();
        // It must be exactly what a build writes.
        old == Ledger::new(old.rows.clone())
            && emit::json::entries(&old, 2) == there
            && old.rows.iter().filter(|row| row.transient).all(is_exclusion)
            && lasting.eq(bundle.record.ledger.rows.iter().filter(|row| !row.transient))
    })
}

/// The files that the last build wrote, with our own documents. A file that is not in `files` would be removed, so its
/// bytes must match the manifest: the manifest may come from anyone.
fn owned_files(there: Option<&Folder>, files: &[OutputFile]) -> Result<BTreeSet<Utf8PathBuf>, BuildError> {
    let (Some(folder), Some((manifest, _))) = (there, manifest(there)?) else { return Ok(BTreeSet::new()) };
    let stays: BTreeSet<&Utf8Path> = files.iter().map(|file| file.path.as_path()).collect();
    let is_ours = |path: &Utf8Path, sha256: &str| {
        let has_those_bytes = || {
            let held = disk::hash_beneath(folder.path(), path);
            held.is_some_and(|held| held.is_ok_and(|held| held.sha256 == sha256))
        };
        open_beneath::is_inner(path) && (stays.contains(path) || has_those_bytes())
    };
    let listed = manifest.files.into_iter().map(|file| (file.path, file.sha256));
    let listed = listed.chain(manifest.helpers.into_iter().map(|helper| (helper.path, helper.sha256)));
    let listed = listed.map(|(path, sha256)| (Utf8PathBuf::from(path), sha256));
    let mut owned: BTreeSet<Utf8PathBuf> =
        listed.filter(|(path, sha256)| is_ours(path, sha256)).map(|(path, _)| path).collect();
    for name in ["manifest", "ledger", "sourcemap", "verified"] {
        owned.insert(format!("{OWN_FOLDER}/{name}.json").into());
    }
    Ok(owned)
}

/// The manifest of the bundle in `folder`; `None` when there is no bundle.
///
/// # Errors
/// When it exists and cannot be read.
pub fn manifest_of(folder: &Path) -> Result<Option<BundleManifest>, BuildError> {
    if !disk::is_folder(folder) {
        return Ok(None);
    }
    Ok(manifest(Folder::open_existing(folder)?.as_ref())?.map(|(manifest, _)| manifest))
}

/// The manifest that the last build wrote, and its text.
fn manifest(there: Option<&Folder>) -> Result<Option<(BundleManifest, String)>, BuildError> {
    let Some(folder) = there else { return Ok(None) };
    let path = own_document("manifest.json");
    let Some(text) = folder.read_text(&path)? else { return Ok(None) };
    let fail = |message: String| BuildError::Document { path: folder.path().join(&path), message };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| fail(format!("is not valid JSON: {error}")))?;
    schema::MANIFEST.accept(value["schema"].as_str().unwrap_or_default()).map_err(fail)?;
    let manifest: BundleManifest =
        serde_json::from_value(value).map_err(|error| fail(format!("is not a manifest: {error}")))?;
    Ok(Some((manifest, text)))
}
