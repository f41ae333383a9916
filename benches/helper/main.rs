//! What the helper `plugcast-run` costs as a bundle ships it: to start, against `/bin/true` in the same rounds; its
//! verbs, against scripts of a shell and jq; very large input, against git and jq. And whether it is small and static.
//! Prints a table and ends with 1 when a budget is missed.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench starts programs, reads one, and prints"
)]

#[path = "../build/child.rs"]
#[expect(dead_code, reason = "the other bench needs more of it")]
mod child;
mod elf;
mod large;
mod replay;
mod spend;
#[path = "../build/table.rs"]
mod table;
#[path = "../../tests/support/tools.rs"]
#[expect(dead_code, reason = "tests fetch more of them")]
mod tools;
mod verbs;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use table::{Row, median};

/// How often each program is measured; ratios are taken in a round.
const ROUNDS: usize = 25;
/// How often it starts in a round: one start is too short for the system's clock.
const STARTS: usize = 40;
/// The program that builds the bundle; cargo's variables tell it to build the helper as releases do.
const PLUGCAST: &str = env!("CARGO_BIN_EXE_plugcast");
/// What a start is held against.
const TRUE: &str = "/bin/true";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, argument, program, rest @ ..] = arguments.as_slice()
        && argument == spend::PEAK
    {
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        return match good(program, &rest).and_then(|_| child::peak()) {
            Ok(kibibytes) => {
                println!("{kibibytes}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("bench: {error}");
                ExitCode::from(2)
            }
        };
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("run `cargo bench --bench helper`");
        return ExitCode::SUCCESS;
    }
    match bench() {
        Ok(rows) => {
            print!("\n{}\n", table::text(&rows));
            if table::all_met(&rows) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn bench() -> io::Result<Vec<Row>> {
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let helper = shipped(temporary.path())?;
    let bytes = fs::read(&helper)?;
    println!("`plugcast-run` of a bundle, {ROUNDS} rounds of {STARTS} starts, medians, user and system time");
    let needs = elf::needs(&bytes).ok_or_else(|| io::Error::other("the helper is not a 64-bit ELF file"))?;
    let note = if needs.is_empty() { "needs nothing".to_owned() } else { needs.join(", ") };
    let mebibytes = bytes.len() as f64 / f64::from(1 << 20);
    let jq = tools::jq().map_err(io::Error::other)?;
    let (folder, libraries) = (jq.folder.as_path(), jq.libraries.as_deref());
    let mut rows = vec![
        start(&helper)?,
        row("its size", 3.0, mebibytes, " MiB", format!("{} bytes", bytes.len())),
        row("loaders and libraries that it needs", 0.0, needs.len() as f64, "", note),
    ];
    rows.extend(verbs::rows(temporary.path(), &helper, folder, libraries)?);
    let jq = |name: &str, rest: &[&str]| {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/helper/shell").join(name);
        let program = program.display().to_string();
        let words = [&["-f", program.as_str()][..], rest].concat();
        let call = spend::Call::new("jq", &words, temporary.path()).first_on_path(folder);
        match libraries {
            Some(libraries) => call.with_variables([("LD_LIBRARY_PATH", libraries.to_owned())]),
            None => call,
        }
    };
    let merging = jq("merge.jq", &["findings.json"]);
    let clustering = jq("cluster.jq", &["--slurpfile", "triage", large::TRIAGE, large::FETCHED]);
    rows.extend(large::rows(temporary.path(), &helper, [&merging, &clustering])?);
    Ok(rows)
}

/// Where cargo builds.
fn target() -> PathBuf {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Says what takes long.
fn print_line(text: &str) {
    eprintln!("{text}");
}

fn row(what: &str, budget: f64, measured: f64, unit: &'static str, note: String) -> Row {
    Row { what: what.to_owned(), budget: Some(budget), measured: Some(measured), unit, note }
}

/// The program itself, in a bundle of a plugin that ships it.
fn shipped(folder: &Path) -> io::Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/refine");
    let (source, out) = (source.display().to_string(), folder.join("out").display().to_string());
    good(PLUGCAST, &["build", &source, "--to", "codex", "--out", &out])?;
    let bin = folder.join("out/codex/plugins/refine/bin");
    let below = fs::read_dir(&bin)?.filter_map(|entry| Some(entry.ok()?.path().join("plugcast-run")));
    let found = below.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| io::Error::other(format!("`{}` holds no program", bin.display())))
}

fn start(helper: &Path) -> io::Result<Row> {
    let helper = helper.display().to_string();
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let own = starts(&helper, &["--version"])?;
        let other = starts(TRUE, &[])?;
        ratios.push(own / other);
        ours.push(own);
        theirs.push(other);
    }
    let note = format!("{:.0} µs to {:.0} µs a start", median(ours), median(theirs));
    Ok(row("`plugcast-run --version`, to `/bin/true`", 3.0, median(ratios), "x", note))
}

/// Microseconds of processor time of one start.
fn starts(program: &str, arguments: &[&str]) -> io::Result<f64> {
    let mut cpu = 0;
    for _ in 0..STARTS {
        cpu += good(program, arguments)?.cpu;
    }
    Ok(cpu as f64 / STARTS as f64)
}

/// Runs `program`, which must end well.
fn good(program: &str, arguments: &[&str]) -> io::Result<child::Run> {
    let ran = child::run(program, arguments)?;
    if ran.code == Some(0) {
        return Ok(ran);
    }
    let message = format!("`{program} {}` ended with {:?}: {}", arguments.join(" "), ran.code, ran.stderr);
    Err(io::Error::other(message))
}
