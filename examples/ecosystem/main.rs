//! What becomes of whole public repositories: each is built for every host and shown to the real
//! ones, and a table says per repository and host what its source has, what came of it, and how the
//! host showed it. `--snapshot FILE` compares the counts with those of an earlier run, or writes them.
//! Hooks and servers of strangers are listed and not started.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example reads its arguments and prints"
)]

mod hosts;
mod measure;
mod snapshot;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

/// Build public repositories for every host, show them to the real hosts, and count
#[derive(Debug, Parser)]
struct Arguments {
    /// The repositories; a label such as `owner/name@commit` stands for the folder in the table
    #[arg(value_name = "[LABEL=]DIR", required = true)]
    repositories: Vec<String>,
    /// The binary of a host, instead of the pinned one in target/hosts; `rg=PATH` names ripgrep
    #[arg(long, value_name = "HOST=PATH")]
    host_bin: Vec<String>,
    /// Print one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json"])]
    format: String,
    /// Compare the counts with this file and end with 1 when they differ; write it when it is absent
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let search = hosts::search(&arguments.host_bin)?;
    let mut measured = Vec::new();
    for repository in &arguments.repositories {
        let (label, folder) = match repository.split_once('=') {
            Some((label, folder)) => (label.to_owned(), PathBuf::from(folder)),
            None => {
                let folder = PathBuf::from(repository);
                let name = folder.file_name().context("a folder has a name; write `LABEL=DIR`")?;
                (name.to_string_lossy().into_owned(), folder)
            }
        };
        eprintln!("{label}");
        measured.push(measure::repository(label, &folder, &search)?);
    }
    if arguments.format == "json" {
        println!("{}", serde_json::to_string(&measured)?);
    } else {
        print!("{}", table::text(&measured));
    }
    let differences = match &arguments.snapshot {
        Some(file) => snapshot::compare(file, &measure::counts(&measured)?)?,
        None => Vec::new(),
    };
    for difference in &differences {
        eprintln!("{difference}");
    }
    Ok(ExitCode::from(u8::from(!differences.is_empty())))
}
