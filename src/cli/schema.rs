//! `plugcast schema`: the JSON Schema of any document that plugcast writes.

use clap::Args;

use super::console::Console;
use super::{CLEAN, CommandFailure};
use crate::report::json::schemas;

/// Print the JSON Schema of a document
///
/// Exit codes: 0 printed; 2 unknown document.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plugcast schema --list\n  plugcast schema ledger > ledger.schema.json")]
pub struct SchemaArgs {
    /// The document, such as `manifest` or `ledger`
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// Print the names of all documents
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no document of that name.
pub fn run(args: &SchemaArgs, console: &Console) -> Result<u8, CommandFailure> {
    let all = schemas();
    let Some(name) = &args.name else {
        all.iter().for_each(|(name, _)| console.print_line(name));
        return Ok(CLEAN);
    };
    match all.iter().find(|(known, _)| known == name) {
        Some((_, schema)) => {
            console.json(schema);
            Ok(CLEAN)
        }
        None => {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            Err(CommandFailure::usage(
                format!("unknown document `{name}`"),
                format!("one of: {}", names.join(", ")),
            ))
        }
    }
}
