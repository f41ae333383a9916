//! The checks before a release: versions, changelog, counts, the inventory compared with the last release, bundles,
//! losses. One small file per check, and one table of them; each finding names a file, a line and how to fix it.

mod automation;
mod bumps;
mod bundles;
mod changelog;
mod checks;
mod context;
mod counts;
mod error;
mod finding;
mod found_version;
mod history;
mod inventory;
mod losses;
mod ownership;
pub mod pages;
mod past_releases;
mod published_values;
mod report;
mod session;
mod tags;
mod unit;
mod units;
mod values;
mod version_places;
mod versions;

pub use error::ReleaseError;
pub use report::{ReleaseReport, ReleaseSummary, ReleasedUnit};
pub use session::{ReleaseExamination, ReleaseOptions, ReleaseSession};
