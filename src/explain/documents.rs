//! The documents in a bundle, and the bundles in an output folder.

use camino::Utf8Path;
use serde::de::DeserializeOwned;

use super::ExplainError;
use crate::build::{self, OutputFolder};
use crate::diagnostic::HostId;
use crate::disk;
use crate::disk::folder::Folder;
use crate::disk::replace::OWN_FOLDER;
use crate::ledger::Ledger;
use crate::schema::{self, SchemaId};

/// The document `name` of the bundle in `folder`, if it has one.
pub(super) fn document<T: DeserializeOwned>(
    folder: &Folder,
    name: &str,
    id: SchemaId,
) -> Result<Option<T>, ExplainError> {
    let inner = Utf8Path::new(OWN_FOLDER).join(name);
    let path = folder.path().join(&inner);
    let Some(text) = folder.read_text(&inner)? else { return Ok(None) };
    let fail = |message: String| ExplainError::NotFound {
        message: format!("`{}`: {message}", path.display()),
        help: "build the bundle again",
    };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| fail(format!("is not valid JSON: {error}")))?;
    id.accept(value["schema"].as_str().unwrap_or_default()).map_err(fail)?;
    serde_json::from_value(value).map(Some).map_err(|error| fail(error.to_string()))
}

/// The ledger of each bundle in the output folder, by host.
///
/// # Errors
/// When the folder or a ledger cannot be read.
pub fn ledgers(out: &OutputFolder) -> Result<Vec<(HostId, Ledger)>, ExplainError> {
    build::must_be_plain(out)?;
    let out = out.path();
    build::must_be_finished(out)?;
    let mut found = Vec::new();
    let Some(folder) = Folder::open_existing(out)? else { return Ok(found) };
    for (host, _) in disk::list(out).unwrap_or_default() {
        // Leftovers of a killed build are not bundles, and a bundle must be a real folder, not a symlink to another
        // place.
        let bundle = if host.starts_with('.') { None } else { folder.subfolder(&host).ok().flatten() };
        let Some(bundle) = bundle else { continue };
        if let Some(ledger) = document(&bundle, "ledger.json", schema::LEDGER)? {
            found.push((HostId::new(&host), ledger));
        }
    }
    Ok(found)
}
