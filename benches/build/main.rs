//! What a build costs, against what copying, hashing and parsing the same files costs on the same
//! machine in the same minute. Prints a table and ends with 1 when a budget is missed.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench writes its input, starts the program, and prints"
)]

mod child;
mod plugin;
mod reference;
mod table;
mod words;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use reference::Work;
use table::{Row, median};

/// How often each command runs; every round runs each of them once, and ratios are taken in a round.
const ROUNDS: usize = 15;
/// The program that is measured, as `cargo bench` builds it: the release profile.
const PLUGCAST: &str = env!("CARGO_BIN_EXE_plugcast");
/// The argument that makes this program a part of the floor itself, which no build can leave out: one Markdown pass over the source, and sha256 over what
/// was emitted.
const FLOOR: &str = "--parse-and-hash";
/// The argument that only writes the plugin, for a profiler: `cargo bench -- --write FOLDER`.
const WRITE: &str = "--write";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1).map(Path::new);
    if let [_, argument, source, bundle] = arguments.as_slice()
        && argument == FLOOR
    {
        let events = reference::walk(Path::new(source), Work { hash: false, parse: true });
        let files = reference::walk(Path::new(bundle), Work { hash: true, parse: false });
        return done(files.and_then(|files| Ok((files.0, events?.1))).map(|(files, events)| {
            println!("{files} {events}");
        }));
    }
    if let Some(folder) = after(WRITE) {
        return done(plugin::write(folder, 1).map(|size| println!("{size:?}")));
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("run `cargo bench`");
        return ExitCode::SUCCESS;
    }
    match bench() {
        Ok(rows) => {
            print!("\n{}\n", table::text(&rows));
            if table::all_met(&rows) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => done(Err(error)),
    }
}

fn done(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn bench() -> io::Result<Vec<Row>> {
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let place = Place { root: temporary.path().to_owned() };
    let size = plugin::write(&place.root.join("in"), 1)?;
    plugin::write(&place.root.join("in10"), 10)?;
    println!(
        "a plugin of {} files, {:.2} MB: {} agents, {} skills; {ROUNDS} rounds, medians, user and system time",
        size.files,
        size.bytes as f64 / 1e6,
        size.agents,
        size.skills
    );
    let mut rows = vec![memory(&place)?];
    rows.extend(times(&place)?);
    rows.push(growth(&place)?);
    Ok(rows)
}

/// Where a bench works.
struct Place {
    root: PathBuf,
}

impl Place {
    fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.root.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Runs `program`, which must end well.
fn good(program: &str, arguments: &[&str]) -> io::Result<child::Run> {
    ended_well(program, arguments, child::run(program, arguments)?)
}

/// Runs a build with the build cache in `cache`.
fn build_beside(arguments: &[&str], cache: &Path) -> io::Result<child::Run> {
    ended_well(PLUGCAST, arguments, child::run_beside(PLUGCAST, arguments, cache)?)
}

fn ended_well(program: &str, arguments: &[&str], ran: child::Run) -> io::Result<child::Run> {
    if ran.code == Some(0) {
        return Ok(ran);
    }
    Err(io::Error::other(format!(
        "`{program} {}` ended with {:?}: {}",
        arguments.join(" "),
        ran.code,
        ran.stderr
    )))
}

fn memory(place: &Place) -> io::Result<Row> {
    // The first children of this process, so that the peak is theirs.
    let cache = place.root.join("cache");
    for _ in 0..2 {
        let build = ["build", &place.path("in"), "--to", "codex", "--out", &place.path("out")];
        build_beside(&build, &cache)?;
    }
    let peak = child::peak()? as f64 / 1024.0;
    Ok(Row {
        what: "build: peak memory".into(),
        budget: Some(20.0),
        measured: Some(peak),
        unit: " MiB",
        note: "first and unchanged".into(),
    })
}

fn times(place: &Place) -> io::Result<Vec<Row>> {
    let source = place.path("in");
    let this = std::env::current_exe()?.display().to_string();
    let (mut copy, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let (mut emitted_copy, mut emitted_reference) = (Vec::new(), Vec::new());
    // Nothing is removed between rounds: for some seconds after that, ext4 looks for places of new files
    // many times as long, and the ratios would be about that.
    for round in 0..ROUNDS {
        let (copied, out) = (place.path(&format!("copy-{round}")), place.path(&format!("out-{round}")));
        let folder = place.root.join(format!("out-{round}/codex"));
        let build = ["build", &source, "--to", "codex", "--out", &out, "--format", "json"];
        copy.push(good("cp", &["-r", &source, &copied])?.cpu as f64 / 1000.0);
        // What one round remembers would spare the next one a write.
        let cache = place.root.join(format!("cache-{round}"));
        first.push(build_beside(&build, &cache)?.cpu as f64 / 1000.0);
        let (bundle, bundle_copy) = (folder.display().to_string(), place.path(&format!("bundle-{round}")));
        emitted_copy.push(good("cp", &["-r", &bundle, &bundle_copy])?.cpu as f64 / 1000.0);
        emitted_reference.push(good(&this, &[FLOOR, &source, &bundle])?.cpu as f64 / 1000.0);
        let before = written(&folder)?;
        let unchanged = build_beside(&build, &cache)?;
        again.push(unchanged.cpu as f64 / 1000.0);
        if before != written(&folder)? || !unchanged.stdout.replace(' ', "").contains("\"written\":0") {
            return Err(io::Error::other("a build without a change has written something"));
        }
    }
    let ratio = |a: &[f64], b: &dyn Fn(usize) -> f64| {
        Some(median(a.iter().enumerate().map(|(at, a)| a / b(at)).collect()))
    };
    let (build, unchanged, copied) = (median(first.clone()), median(again.clone()), median(copy.clone()));
    Ok(vec![
        Row {
            what: "build, to `cp -r` of the source".into(),
            budget: Some(3.3),
            measured: ratio(&first, &|at| copy[at]),
            unit: "x",
            note: format!("{build:.1} ms to {copied:.1} ms"),
        },
        Row {
            what: "build, to the floor".into(),
            budget: Some(1.25),
            measured: ratio(&first, &|at| emitted_copy[at] + emitted_reference[at]),
            unit: "x",
            note: format!(
                "{build:.1} ms to {:.1} ms for `cp -r` of the bundle + {:.1} ms for its sha256 and one Markdown pass over the source",
                median(emitted_copy.clone()),
                median(emitted_reference.clone())
            ),
        },
        Row {
            what: "build without a change, to the first".into(),
            budget: Some(0.5),
            measured: ratio(&again, &|at| first[at]),
            unit: "x",
            note: format!("{unchanged:.1} ms to {build:.1} ms, nothing written"),
        },
    ])
}

/// What would differ after a write: the folder itself, and when each of its entries was made.
fn written(folder: &Path) -> io::Result<Vec<(PathBuf, std::time::SystemTime)>> {
    let mut out = vec![(folder.to_owned(), fs::metadata(folder)?.modified()?)];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            out.extend(written(&path)?);
        } else {
            out.push((path.clone(), fs::metadata(&path)?.modified()?));
        }
    }
    out.sort();
    Ok(out)
}

fn growth(place: &Place) -> io::Result<Row> {
    let what = "build of 10 times the input, instructions".to_owned();
    let row = |measured, note| Row { what, budget: Some(10.5), measured, unit: "x", note };
    let mut counts = Vec::new();
    for name in ["in", "in10"] {
        place.remove("out")?;
        let (source, out) = (place.path(name), place.path("out"));
        let count = [
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            PLUGCAST,
            "build",
            &source,
            "--to",
            "codex",
            "--out",
            &out,
        ];
        let ran = match child::run("valgrind", &count) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(row(
                    None,
                    "needs valgrind: `apt-get install valgrind`, or your system's package of that name"
                        .into(),
                ));
            }
            ran => ran?,
        };
        let count =
            ran.stderr.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok());
        counts.push(
            count.ok_or_else(|| io::Error::other(format!("callgrind has not counted: {}", ran.stderr)))?,
        );
    }
    Ok(row(
        Some(counts[1] / counts[0]),
        format!("{:.0} million to {:.0} million", counts[1] / 1e6, counts[0] / 1e6),
    ))
}
