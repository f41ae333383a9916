//! The fastest other checker of such files, agnix, from the package that `requirements.txt` pins;
//! fetched with the user's own pip into the build folder. What cannot be had is said in one line.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::child;
use crate::table::median;

/// One line: how long the peer takes for `folder`, or why that is not known.
pub fn line(folder: &Path, rounds: usize) -> String {
    let pins = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/check/requirements.txt");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peer");
    let program = place.join("bin/agnix");
    let stamp = place.join("requirements.txt");
    if fs::read(&stamp).ok() != fs::read(&pins).ok() || !program.is_file() {
        let (place, pins) = (place.display().to_string(), pins.display().to_string());
        let arguments = [
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            "--target",
        ];
        let fetched = child::run("python3", &[&arguments[..], &[&place, "--upgrade", "-r", &pins]].concat());
        match fetched {
            Ok(ran) if ran.code == Some(0) => drop(fs::copy(&pins, &stamp)),
            Ok(ran) => {
                return format!("agnix is not measured: pip: {}", ran.stderr.lines().last().unwrap_or(""));
            }
            Err(error) => return format!("agnix is not measured: python3: {error}"),
        }
    }
    let (program, folder) = (program.display().to_string(), folder.display().to_string());
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    for _ in 0..rounds {
        let begin = Instant::now();
        match child::run(&program, &[&folder]) {
            Ok(ran) if matches!(ran.code, Some(0 | 1)) => cpus.push(ran.cpu as f64 / 1000.0),
            Ok(ran) => return format!("agnix is not measured: it ended with {:?}", ran.code),
            Err(error) => return format!("agnix is not measured: {error}"),
        }
        walls.push(begin.elapsed().as_secs_f64() * 1000.0);
    }
    let seen = seen(&program, &folder).map_or("does not say how many".to_owned(), |files| format!("{files}"));
    format!(
        "agnix over the same files, of which it reads {seen}: {:.0} ms, {:.0} ms of CPU",
        median(walls),
        median(cpus)
    )
}

/// How many files the peer itself says that it reads.
fn seen(program: &str, folder: &str) -> Option<u64> {
    let ran = child::run(program, &["--format", "json", folder]).ok()?;
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).ok()?;
    report.get("files_checked")?.as_u64()
}
