//! `plugcast completions`: the completion script of a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use super::CLEAN;
use super::console::Console;

/// Print a completion script for a shell
///
/// Exit codes: 0 printed; 2 unknown shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast completions bash > ~/.local/share/bash-completion/completions/plugcast\n  plugcast completions fish > ~/.config/fish/completions/plugcast.fish"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script for `command`, the whole command line.
pub fn run(args: &CompletionsArgs, mut command: Command, console: &Console) -> u8 {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut command, "plugcast", &mut out);
    console.print(&String::from_utf8_lossy(&out));
    CLEAN
}
