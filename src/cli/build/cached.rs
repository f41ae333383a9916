//! The quick answer to a build without a change, for all hosts or for none.

use std::path::PathBuf;

use super::{BuildArgs, Failure};
use crate::build::cache::BuildCache;
use crate::build::{self, HostBundle, OutputFolder};
use crate::cli::environment;
use crate::diagnostic::Diagnostic;
use crate::disk;
use crate::disk::lock::{self, Lock};
use crate::disk::replace::OWN_FOLDER;
use crate::target::Target;

/// What an earlier build has said.
pub(super) struct CachedAnswer {
    /// One bundle a host, in the order of the hosts.
    pub(super) bundles: Vec<HostBundle>,
    /// What was found in the source.
    pub(super) found: Vec<Diagnostic>,
}

/// Whether the answer of an earlier build still holds.
pub(super) enum CacheLookup {
    /// It does.
    Hit(CachedAnswer),
    /// It does not, or cannot be known; with the lock of the output folder, where it was taken to look.
    Miss(Option<Lock>),
}

/// The answer of an earlier build, if the bundles of all `hosts` below `out` are what a build from these inputs wrote.
///
/// # Errors
/// When the output folder cannot be read, or another build holds it.
pub(super) fn lookup(
    (cache, inputs): (&BuildCache, &str),
    hosts: &[&Target],
    args: &BuildArgs,
    out: &OutputFolder,
) -> Result<CacheLookup, Failure> {
    let is_built = |target: &&Target| {
        disk::is_file(&out.path().join(&target.name).join(OWN_FOLDER).join("manifest.json"))
    };
    // What `--helper` names may be of another kind by now.
    if !args.helper.is_empty() || !hosts.iter().all(is_built) {
        return Ok(CacheLookup::Miss(None));
    }
    for target in hosts {
        build::check_place(&args.src, out, &target.name)?;
    }
    let lock = lock::acquire(out, lock::PATIENCE).map_err(build::BuildError::from)?;
    let mut answer = CachedAnswer { bundles: Vec::new(), found: Vec::new() };
    for target in hosts {
        let Some((bundle, found)) = cache.lookup(inputs, &target.name, lock.folder())? else {
            return Ok(CacheLookup::Miss(Some(lock)));
        };
        answer.bundles.push(bundle);
        answer.found = found;
    }
    Ok(CacheLookup::Hit(answer))
}

/// The folder of this user for caches.
pub(super) fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}
