//! What `check` costs, against one pass of a Markdown parser over the same bytes, with one thread
//! against two, and beside the fastest peer. Prints a table and ends with 1 when a budget is missed.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench writes its input, starts programs, and prints"
)]

#[path = "../build/child.rs"]
mod child;
mod peer;
mod shelf;
#[path = "../build/table.rs"]
mod table;
#[path = "../build/words.rs"]
#[expect(dead_code, reason = "the other bench needs more of it")]
mod words;

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pulldown_cmark::{Options, Parser};
use table::{Row, median};

/// How often each command runs; ratios are taken in a round.
const ROUNDS: usize = 9;
/// The program that is measured, as `cargo bench` builds it: the release profile.
const PLUGCAST: &str = env!("CARGO_BIN_EXE_plugcast");
/// The argument that makes this program the reference itself.
const REFERENCE: &str = "--parse";
/// The variable that says how many threads there are.
const THREADS: &str = "RAYON_NUM_THREADS";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1).map(Path::new);
    let result = if let Some(folder) = after(REFERENCE) {
        parse(folder).map(|events| println!("{events}")).map(|()| true)
    } else if !arguments.iter().any(|argument| argument == "--bench") {
        println!("run `cargo bench --bench check`");
        Ok(true)
    } else {
        bench()
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

/// Reads every file below `folder`, and counts what the parser finds in all of them.
fn parse(folder: &Path) -> io::Result<usize> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut events = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            events += parse(&path)?;
        } else {
            let text = fs::read_to_string(&path)?;
            events += Parser::new_ext(&text, options).count();
        }
    }
    Ok(events)
}

fn bench() -> io::Result<bool> {
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let (one, ten) = (temporary.path().join("in"), temporary.path().join("in10"));
    let size = shelf::write(&one, 1)?;
    shelf::write(&ten, 10)?;
    println!(
        "{} Markdown and JSON files, {:.1} MB, {} skills; {ROUNDS} rounds, medians",
        size.files,
        size.bytes as f64 / 1e6,
        size.skills
    );
    let (one, ten) = (one.display().to_string(), ten.display().to_string());
    let mut rows = vec![memory(&one)?];
    rows.extend(times(&one)?);
    rows.push(growth(&one, &ten)?);
    print!("\n{}\n", table::text(&rows));
    println!("{}", peer::line(Path::new(&one), ROUNDS));
    Ok(table::all_met(&rows))
}

/// One run of `check` with so many threads: what it cost, and how long it took in milliseconds.
fn check(folder: &str, threads: usize) -> io::Result<(child::Run, f64)> {
    let threads = format!("{THREADS}={threads}");
    let begin = Instant::now();
    let ran = child::run("env", &[&threads, PLUGCAST, "check", folder, "--format", "agent"])?;
    let wall = begin.elapsed().as_secs_f64() * 1000.0;
    match ran.code {
        Some(0 | 1) => Ok((ran, wall)),
        code => Err(io::Error::other(format!("`check` ended with {code:?}: {}", ran.stderr))),
    }
}

fn memory(folder: &str) -> io::Result<Row> {
    check(folder, 2)?;
    Ok(Row {
        what: "check: peak memory".into(),
        budget: Some(80.0),
        measured: Some(child::peak()? as f64 / 1024.0),
        unit: " MiB",
        note: "two threads".into(),
    })
}

fn times(folder: &str) -> io::Result<Vec<Row>> {
    let this = std::env::current_exe()?.display().to_string();
    let (mut cpu, mut parsed, mut single, mut double) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (ran, wall) = check(folder, 1)?;
        cpu.push(ran.cpu as f64 / 1000.0);
        single.push(wall);
        double.push(check(folder, 2)?.1);
        parsed.push(child::run(&this, &[REFERENCE, folder])?.cpu as f64 / 1000.0);
    }
    let ratio = |a: &[f64], b: &[f64]| Some(median(a.iter().zip(b).map(|(a, b)| a / b).collect()));
    let between =
        |a: &[f64], b: &[f64]| format!("{:.0} ms to {:.0} ms", median(a.to_vec()), median(b.to_vec()));
    Ok(vec![
        Row {
            what: "check, to one Markdown pass, CPU".into(),
            budget: Some(1.2),
            measured: ratio(&cpu, &parsed),
            unit: "x",
            note: between(&cpu, &parsed),
        },
        Row {
            what: "check with two threads, to one, wall".into(),
            budget: Some(0.59),
            measured: ratio(&double, &single),
            unit: "x",
            note: between(&double, &single),
        },
    ])
}

fn growth(one: &str, ten: &str) -> io::Result<Row> {
    let row = |measured, note| Row {
        what: "check of 10 times the input, instructions".into(),
        budget: Some(10.5),
        measured,
        unit: "x",
        note,
    };
    let mut counts = Vec::new();
    for folder in [one, ten] {
        let arguments = [
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            PLUGCAST,
            "check",
            folder,
            "--format",
            "agent",
        ];
        let ran = match child::run("valgrind", &arguments) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(row(None, "needs valgrind: your system's package of that name".into()));
            }
            ran => ran?,
        };
        let count =
            ran.stderr.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok());
        counts.push(count.ok_or_else(|| io::Error::other(format!("nothing was counted: {}", ran.stderr)))?);
    }
    let note = format!("{:.0} million to {:.0} million", counts[1] / 1e6, counts[0] / 1e6);
    Ok(row(Some(counts[1] / counts[0]), note))
}
