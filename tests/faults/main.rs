//! `plugcast` as it is, built with the feature `fault`: what the crash walks run.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(plugcast::cli::run())
}
