//! The one integration test binary. Every test of the built program is a module here, so that the
//! crate is linked once: what each module guards stands on top of its file.
#![expect(clippy::disallowed_methods, reason = "tests own their folders and the children they start")]

mod support;

mod tidy;
mod cases;
mod conservation;
mod closure;
mod schemas;
mod hosts;
mod scripted_models;
mod readme;
mod rules;
mod gallery;
mod labelled;
mod checking;
mod promoting;
mod command_line;
mod diffing;
mod releasing;
mod opencode_module;
mod corpus;
mod oracles;
mod bad_input;
mod untrusted;
mod peers;
mod fourth_host;
mod block;
mod output;
mod unchanged;
mod faults;
mod helper;
mod dev_servers;
mod doctor;
mod fuzz;
mod mutants;
mod losses;
mod explain;
mod fixing;
mod sourcemap;
mod determinism;
mod runtime;
