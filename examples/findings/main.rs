//! What `plugcast check` finds in whole public repositories, counted per rule: by default, for every
//! host, and for the source host alone. `--snapshot FILE` compares the counts with those of an earlier run, or writes
//! them; `--list RULE` prints where a rule reports, which is what is judged.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example reads its arguments and prints"
)]

mod count;
mod judgements;
#[path = "../ecosystem/snapshot.rs"]
mod snapshot;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use serde_json::{Map, Value};

/// Count what `check` finds in public repositories, per rule
#[derive(Debug, Parser)]
struct Arguments {
    /// The repositories; a label such as `owner/name@commit` stands for the folder
    #[arg(value_name = "[LABEL=]DIR", required = true)]
    repositories: Vec<String>,
    /// Print every finding of this rule, with its line
    #[arg(long, value_name = "RULE")]
    list: Vec<String>,
    /// Compare the counts with this file and end with 1 when they differ; write it when it is absent
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,
    /// Print each finding that this file has judged and that is not there any more, and end with 1
    #[arg(long, value_name = "FILE")]
    judged: Option<PathBuf>,
    /// Print what is to be judged as JSON, one finding per line
    #[arg(long)]
    sheet: bool,
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
    let mut counted = Map::new();
    let judged = arguments.judged.as_deref().map(judgements::Judgements::read).transpose()?;
    let mut gone = Vec::new();
    for repository in &arguments.repositories {
        let (label, folder) = match repository.split_once('=') {
            Some((label, folder)) => (label.to_owned(), PathBuf::from(folder)),
            None => {
                let folder = PathBuf::from(repository);
                let name = folder.file_name().context("a folder has a name; write `LABEL=DIR`")?;
                (name.to_string_lossy().into_owned(), folder)
            }
        };
        let found = count::repository(&label, &folder)?;
        println!("{label}: {} files", found.files);
        for (setting, findings) in [("default", &found.by_default), ("source host", &found.source_host)] {
            println!("  {setting}");
            for (severity, rules) in count::by_rule(findings) {
                for (rule, count) in rules {
                    println!("  {severity:>9} {count:>6}  {rule}");
                }
            }
        }
        for finding in found
            .by_default
            .iter()
            .filter(|found| arguments.list.iter().any(|rule| rule == found.rule.as_str()))
        {
            println!(
                "  {}:{}:{}: {} ({})",
                finding.path, finding.line, finding.column, finding.message, finding.rule
            );
        }
        if arguments.sheet {
            judgements::sheet(&label, &found.by_default).iter().for_each(|line| println!("{line}"));
        }
        gone.extend(judged.iter().flat_map(|judged| judged.gone(&label, &found.by_default)));
        counted.insert(label, found.counts()?);
    }
    let mut differences = match &arguments.snapshot {
        Some(file) => snapshot::compare(file, &Value::Object(counted))?,
        None => Vec::new(),
    };
    differences.append(&mut gone);
    for difference in &differences {
        eprintln!("{difference}");
    }
    Ok(ExitCode::from(u8::from(!differences.is_empty())))
}
