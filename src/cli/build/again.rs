//! The quick answer to a build without a change, for all hosts or for none.

use std::path::Path;

use super::{BuildArgs, Failure};
use crate::build::{self, HostBundle};
use crate::diagnostic::Diagnostic;
use crate::disk::lock::{self, Lock};
use crate::target::Target;

/// What the last build has said.
pub(super) struct Same {
    /// One bundle a host, in the order of the hosts.
    pub(super) bundles: Vec<HostBundle>,
    /// What was found in the source.
    pub(super) found: Vec<Diagnostic>,
}

/// Whether the last build's answer still holds.
pub(super) enum Again {
    /// It does.
    Same(Same),
    /// It does not, or cannot be known; with the lock of the output folder, where it was taken to look.
    Anew(Option<Lock>),
}

/// The answer of the last build, if the bundles of all `hosts` below `out` were made from `inputs` and
/// are as they were written.
///
/// # Errors
/// When the output folder cannot be read, or another build holds it.
pub(super) fn look(inputs: &str, hosts: &[&Target], args: &BuildArgs, out: &Path) -> Result<Again, Failure> {
    // What `--helper` names may be of another kind by now.
    if !args.helper.is_empty() || !hosts.iter().all(|target| build::record::is_in(&out.join(&target.name))) {
        return Ok(Again::Anew(None));
    }
    for target in hosts {
        build::check_place(&args.src, out, &target.name)?;
    }
    let lock = lock::acquire(out, lock::PATIENCE).map_err(build::BuildError::from)?;
    let mut same = Same { bundles: Vec::new(), found: Vec::new() };
    for target in hosts {
        let Some((bundle, found)) = build::record::unchanged(inputs, &target.name, &out.join(&target.name))?
        else {
            return Ok(Again::Anew(Some(lock)));
        };
        same.bundles.push(bundle);
        same.found = found;
    }
    Ok(Again::Same(same))
}
