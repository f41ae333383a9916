//! The map of the house, in the order of the flow: a plugin is read, modelled, lowered for a target,
//! emitted, read back and written to disk; drivers then show it to the real hosts.

pub mod bundle;
pub mod ledger;
pub mod schema;
pub mod sourcemap;
pub mod disk;
pub mod process;
pub mod drivers;
pub mod report;
pub mod cli;
