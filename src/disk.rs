//! The only owner of files: reads a source, writes a bundle in one step, keeps the lock.
#![expect(clippy::disallowed_methods, reason = "this module and its children are the one owner of files")]

pub mod scratch;
