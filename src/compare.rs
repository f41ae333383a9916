//! The changes for the users of each host between two states of a source: both are built in memory, or read from
//! bundles, and the results for the host are compared, not the sources.

mod commit_source;
pub mod difference;
mod documents;
mod error;
pub mod impact;
mod inventory;
mod matching;
mod shipped_files;
mod python_imports;
mod session;
mod side;
mod state;
mod wording;

pub use commit_source::{CommitSource, read_commit};
pub use difference::{
    ChangedItem, DiffReport, HostDifference, ItemChange, LossChange, ValueChange, ValueTopic,
};
pub use error::ComparisonError;
pub use impact::Impact;
pub use inventory::{HostInventory, InventoryItem};
pub use session::{ComparisonRequest, ComparisonSession};
pub use side::{ComparisonSide, bundles, source};
pub use state::ComparedState;
pub use wording::{line, title};

use crate::build::BuildError;
use crate::parallel;
use crate::progress::Progress;
use crate::target::{Target, Targets};

/// Compares `old` with `new` for each of `hosts`, each of which is a step of `progress`.
///
/// # Errors
/// When a side cannot be built, or its bundle cannot be read.
pub fn compare(
    (old, old_label): (&ComparisonSide<'_>, &str),
    (new, new_label): (&ComparisonSide<'_>, &str),
    hosts: &[&Target],
    targets: &Targets,
    progress: &Progress,
) -> Result<DiffReport, BuildError> {
    let files = old.files().max(new.files());
    let compared = parallel::map(hosts.to_vec(), files, |target| {
        let (before, after) = (old.inventory(target, targets)?, new.inventory(target, targets)?);
        progress.step();
        Ok(difference::compare_inventories(&target.name, &before, &after))
    });
    let compared = compared.into_iter().collect::<Result<Vec<_>, BuildError>>()?;
    let impact = compared.iter().map(|host| host.impact()).max().unwrap_or_default();
    Ok(DiffReport {
        schema: crate::schema::DIFF.tag(),
        old: old_label.to_owned(),
        new: new_label.to_owned(),
        impact,
        hosts: compared,
    })
}
