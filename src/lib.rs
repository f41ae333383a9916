//! The map of the house, in the order of the flow: a plugin is read, modelled, lowered for a target,
//! emitted, read back and written to disk; drivers then show it to the real hosts.
//!
//! A module may use the ones above it in this list, never those below (`tests/tidy.rs` holds them to it).

pub mod source;
pub mod diagnostic;
pub mod rewrite;
pub mod schema;
pub mod process;
pub mod disk;

pub mod read;

pub mod sourcemap;
pub mod ledger;
pub mod target;
pub mod model;
pub mod bundle;

pub mod lower;
pub mod check;
pub mod emit;
pub mod reread;
pub mod build;

pub mod drivers;
pub mod report;
pub mod cli;
