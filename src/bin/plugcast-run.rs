//! The `plugcast-run` binary, the helper that skills call: parses the command line, runs the command
//! and maps the result to an exit code. It ships inside bundles, so it stays small and static.

use std::process::ExitCode;

#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
#[path = "plugcast-run/c_library.rs"]
mod c_library;
#[path = "plugcast-run/closed_output.rs"]
mod closed_output;

fn main() -> ExitCode {
    ExitCode::from(plugcast::runtime::run(std::env::args_os(), &mut std::io::stdout().lock()))
}
