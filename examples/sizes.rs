//! What the helper `plugcast-run` is made of: bytes of its functions and constants by crate, and its own by module. Builds
//! it as bundles ship it, but with its names and with the system's C library outside of it, and asks `nm`.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example starts programs and prints"
)]

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::Parser;

/// Show what the helper is made of
#[derive(Debug, Parser)]
struct Arguments {
    /// How many parts of a path make a group of the helper's own, such as 3 for `plugcast::runtime::review`
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    depth: usize,
    /// Print also so many of the largest functions
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    largest: usize,
}

/// The folder of this build, below that of cargo: its flags are its own.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/sizes");

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let what = ["rustc", "--quiet", "--locked", "--bin", "plugcast-run", "--no-default-features"];
    let build = Command::new(env!("CARGO"))
        .args(what)
        .args(["--profile", "helper", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .args(["--target-dir", FOLDER, "--", "-Cstrip=none"])
        .status()
        .context("cargo does not start")?;
    ensure!(build.success(), "the helper cannot be built");
    let listed = Command::new("nm")
        .args(["--print-size", "--size-sort", "--reverse-sort", "--demangle"])
        .arg(format!("{FOLDER}/helper/plugcast-run"))
        .output()
        .context("`nm` does not start; it is in the package `binutils`")?;
    ensure!(listed.status.success(), "`nm` fails: {}", String::from_utf8_lossy(&listed.stderr).trim());
    let listed = String::from_utf8_lossy(&listed.stdout);
    let symbols: Vec<(u64, &str)> = listed.lines().filter_map(symbol).collect();
    let mut groups: BTreeMap<String, u64> = BTreeMap::new();
    for (size, name) in &symbols {
        *groups.entry(group(name, arguments.depth)).or_default() += size;
    }
    let mut groups: Vec<(String, u64)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    println!("{:>9}  all", symbols.iter().map(|(size, _)| size).sum::<u64>());
    for (group, size) in groups {
        println!("{size:>9}  {group}");
    }
    for (size, name) in symbols.iter().take(arguments.largest) {
        println!("{size:>9}  {name}");
    }
    Ok(())
}

/// Size and name of what takes space in the file: address, size, kind, name.
fn symbol(line: &str) -> Option<(u64, &str)> {
    let mut parts = line.splitn(4, ' ');
    let size = u64::from_str_radix(parts.nth(1)?, 16).ok()?;
    let kind = parts.next()?;
    (!["b", "B"].contains(&kind)).then_some((size, parts.next()?))
}

/// The crate that a name begins with, of the helper's own the module. A method of a trait counts to its type.
fn group(name: &str, depth: usize) -> String {
    let path = name.trim_start_matches(['<', '&', '[', '(', '*']);
    let path = ["mut ", "const ", "dyn "].iter().fold(path, |path, word| path.trim_start_matches(word));
    let end = path.find(|c: char| !c.is_alphanumeric() && !['_', ':'].contains(&c)).unwrap_or(path.len());
    let parts: Vec<&str> = path[..end].split("::").filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["plugcast", ..] => parts[..depth.clamp(1, parts.len())].join("::"),
        [first, _, ..] => (*first).to_owned(),
        _ => "constants, and functions without a path".to_owned(),
    }
}
