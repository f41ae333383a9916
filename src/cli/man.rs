//! `plugcast man`: the manual page of the program, or of one of its commands.

use clap::{Args, Command};

use super::console::Console;
use super::{CLEAN, CommandFailure};
use crate::model::similar_names::nearest;

/// Print the manual page of `plugcast`, or of one command
///
/// Exit codes: 0 printed; 2 unknown command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plugcast man > plugcast.1\n  plugcast man check | man -l -")]
pub struct ManArgs {
    /// The command, such as `check`
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the page of `whole`, the whole command line, or of the named command.
///
/// # Errors
/// When the command is unknown, or the page cannot be generated.
pub fn run(args: &ManArgs, mut whole: Command, console: &Console) -> Result<u8, CommandFailure> {
    whole.build();
    let command = match &args.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            // Its display name is `plugcast-check`, like that of every page.
            Some(found) => found.clone(),
            None => {
                let names: Vec<&str> = whole.get_subcommands().map(Command::get_name).collect();
                let near =
                    nearest(name, names.iter().copied()).map(|near| format!("did you mean `{near}`? "));
                let help = format!("{}commands: {}", near.unwrap_or_default(), names.join(", "));
                return Err(CommandFailure::usage(format!("unknown command `{name}`"), help));
            }
        },
    };
    let mut out = Vec::new();
    clap_mangen::Man::new(command).render(&mut out).map_err(|error| CommandFailure {
        code: "io".into(),
        message: format!("the page cannot be made: {error}"),
        help: None,
        place: None,
    })?;
    console.print(&String::from_utf8_lossy(&out));
    Ok(CLEAN)
}
