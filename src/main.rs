//! The `plugcast` binary: parses the command line, runs the command and maps the result to an exit code.

fn main() {}
