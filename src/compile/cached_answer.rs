//! The fast path of a build without a change, for all hosts or none.

use std::path::Path;

use crate::build::cache::{BuildCache, CacheKey, CachedBundle};
use crate::build::{self, BuildError, OutputFolder};
use crate::disk;
use crate::disk::lock::{self, OutputLock};
use crate::disk::replace::OWN_FOLDER;
use crate::target::Target;

/// Whether the result of an earlier build is still valid.
#[derive(Debug)]
pub(super) enum CacheLookup {
    /// It is; one bundle per host, in the order of the hosts.
    Hit(Vec<CachedBundle>),
    /// It is not, or that is unknown; with the lock of the output folder, if it was taken for the lookup.
    Miss(Option<OutputLock>),
}

/// The result of an earlier build of `src`, if the bundles of all `hosts` below `out` are those that a build from the
/// inputs of `key` wrote.
///
/// # Errors
/// When the output folder cannot be read, or another build holds it.
pub(super) fn unchanged(
    (cache, key): (&BuildCache, &CacheKey),
    hosts: &[&Target],
    src: &Path,
    out: &OutputFolder,
) -> Result<CacheLookup, BuildError> {
    let is_built = |target: &&Target| {
        disk::is_file(&out.path().join(&target.name).join(OWN_FOLDER).join("manifest.json"))
    };
    if !hosts.iter().all(is_built) {
        return Ok(CacheLookup::Miss(None));
    }
    for target in hosts {
        build::check_place(src, out, &target.name)?;
    }
    let lock = lock::acquire(out, lock::PATIENCE)?;
    let mut bundles = Vec::with_capacity(hosts.len());
    for target in hosts {
        match cache.lookup(key, &target.name, lock.folder())? {
            Some(bundle) => bundles.push(bundle),
            None => return Ok(CacheLookup::Miss(Some(lock))),
        }
    }
    Ok(CacheLookup::Hit(bundles))
}
