//! The `plugcast-run` binary, the helper that skills call: parses the command line, runs the command
//! and maps the result to an exit code. It ships inside bundles, so it stays small and static.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(plugcast::runtime::run(std::env::args_os(), &mut std::io::stdout().lock()))
}
