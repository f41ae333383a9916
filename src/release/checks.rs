//! The table of the checks.

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::{bundles, changelog, counts, inventory, losses, ownership, versions};
use crate::diagnostic::{self, Diagnostic};

type ReleaseCheck = fn(&ReleaseContext<'_>, &mut Vec<Diagnostic>) -> Result<(), ReleaseError>;

/// Every check, in the order of a user's workflow.
const CHECKS: [ReleaseCheck; 7] = [
    versions::check,
    changelog::check,
    counts::check,
    inventory::check,
    bundles::check,
    losses::check,
    ownership::check,
];

/// Runs every check.
///
/// # Errors
/// When git, a source or a bundle cannot be read.
pub(super) fn check(context: &ReleaseContext<'_>) -> Result<Vec<Diagnostic>, ReleaseError> {
    let mut out = Vec::new();
    for check in CHECKS {
        check(context, &mut out)?;
    }
    diagnostic::sort(&mut out);
    Ok(out)
}
