//! The `plugcast` binary: parses the command line, runs the command and maps the result to an exit code.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(plugcast::cli::run())
}
