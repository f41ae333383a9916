//! The quick answer to a build without a change, for all hosts or for none.

use std::path::Path;

use super::{BuildArgs, Failure};
use crate::build::{self, HostBundle};
use crate::diagnostic::Diagnostic;
use crate::disk::lock;
use crate::target::Target;

/// What the last build has said.
pub(super) struct Same {
    /// One bundle a host, in the order of the hosts.
    pub(super) bundles: Vec<HostBundle>,
    /// What was found in the source.
    pub(super) found: Vec<Diagnostic>,
}

/// The answer of the last build, if the bundles of all `hosts` below `out` were made from `inputs` and
/// are as they were written.
///
/// # Errors
/// When the output folder cannot be read, or another build holds it.
pub(super) fn unchanged(
    inputs: &str,
    hosts: &[&Target],
    args: &BuildArgs,
    out: &Path,
) -> Result<Option<Same>, Failure> {
    // What `--helper` names may be of another kind by now.
    if !args.helper.is_empty() || !hosts.iter().all(|target| build::record::is_in(&out.join(&target.name))) {
        return Ok(None);
    }
    for target in hosts {
        build::check_place(&args.src, out, &target.name)?;
    }
    let _lock = lock::acquire(out, lock::PATIENCE).map_err(build::BuildError::from)?;
    let mut same = Same { bundles: Vec::new(), found: Vec::new() };
    for target in hosts {
        let Some((bundle, found)) = build::record::unchanged(inputs, &target.name, &out.join(&target.name))?
        else {
            return Ok(None);
        };
        same.bundles.push(bundle);
        same.found = found;
    }
    Ok(Some(same))
}
