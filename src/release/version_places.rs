//! The places in a file that state a version.

use camino::Utf8Path;

use super::context::ReleaseContext;
use super::found_version::FoundVersion;
use super::unit::VersionPlace;
use super::values::{self, VersionLocation};

/// Every place in the file at `path` that states a version; a single empty one if there is none.
pub(super) fn version_places(
    context: &ReleaseContext<'_>,
    path: &Utf8Path,
    at: &VersionLocation,
    what: &str,
    required: bool,
) -> Vec<VersionPlace> {
    let found = match context.files.get(path) {
        Some(file) => values::find(path.as_str(), file.text().unwrap_or_default(), at),
        None => vec![FoundVersion::Nothing],
    };
    let place = |(turn, found)| VersionPlace {
        path: path.to_owned(),
        what: what.to_owned(),
        at: at.clone(),
        turn,
        found,
        required,
    };
    found.into_iter().enumerate().map(place).collect()
}
