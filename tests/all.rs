//! The one integration test binary. Every test of the built program is a module here, so that the
//! crate is linked once: what each module guards stands on top of its file.
#![expect(clippy::disallowed_methods, reason = "tests own their folders and the children they start")]

mod support;

mod bad_input;
mod block;
mod cases;
mod checking;
mod closure;
mod command_line;
mod conservation;
mod corpus;
mod determinism;
mod dev_servers;
mod diffing;
mod doctor;
mod explain;
mod faults;
mod fixing;
mod fourth_host;
mod fuzz;
mod gallery;
mod helper;
mod hosts;
mod labelled;
mod losses;
mod mutants;
mod opencode_module;
mod oracles;
mod output;
mod peers;
mod promoting;
mod readme;
mod releasing;
mod rules;
mod runtime;
mod schemas;
mod scripted_models;
mod sourcemap;
mod tidy;
mod unchanged;
mod untrusted;
