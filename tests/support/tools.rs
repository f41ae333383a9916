//! Programs that tests run and that are no npm package. One that the machine has is used; else the
//! package of a Debian is unpacked into the build folder, where nothing of the machine changes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{say, target};

/// A program that was found or fetched.
pub struct Tool {
    /// The folder that holds it.
    pub folder: PathBuf,
    /// The folder with the libraries that it needs, where the machine may not have them.
    pub libraries: Option<PathBuf>,
}

/// The folder that holds `gh`.
///
/// # Errors
/// One line that says how to get it.
pub fn gh() -> Result<PathBuf, String> {
    find("gh", "gh", "install the GitHub CLI (https://cli.github.com)")
}

/// `jq`, which benches hold the helper against.
///
/// # Errors
/// One line that says how to get it.
pub fn jq() -> Result<Tool, String> {
    let folder = find("jq", "jq", "install jq (https://jqlang.org)")?;
    let place = target().join("tools/jq/usr");
    let fetched = folder.starts_with(&place).then(|| place.join("lib"));
    let triple = |entry: PathBuf| entry.join("libjq.so.1").is_file().then_some(entry);
    let inside = fetched.and_then(|lib| fs::read_dir(lib).ok()).into_iter().flatten().flatten();
    Ok(Tool { folder, libraries: inside.map(|entry| entry.path()).find_map(triple) })
}

fn find(program: &str, package: &str, otherwise: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(folder) = std::env::split_paths(&path).find(|folder| folder.join(program).is_file()) {
        return Ok(folder);
    }
    let place = target().join("tools").join(package);
    let there = place.join("usr/bin");
    let failed =
        |what: String| format!("`{program}`, which tests run, is not there, and {what}: {otherwise}");
    fs::create_dir_all(target())
        .map_err(|error| failed(format!("the build folder cannot be made: {error}")))?;
    let lock = File::create(target().join("tools.lock"));
    let lock = lock.map_err(|error| failed(format!("its lock cannot be made: {error}")))?;
    lock.lock().map_err(|error| failed(format!("its lock cannot be taken: {error}")))?;
    if there.join(program).is_file() {
        return Ok(there);
    }
    say(&format!("fetching the package `{package}` into {}", place.display()));
    unpack(package, &place).map_err(failed)?;
    there
        .join(program)
        .is_file()
        .then_some(there)
        .ok_or_else(|| failed(format!("`{package}` does not hold it")))
}

/// Unpacks a package with apt and dpkg, with every other one that apt would install with it; the lists of packages are
/// brought up to date where it is unknown.
fn unpack(package: &str, place: &Path) -> Result<(), String> {
    let fresh = place.with_extension("new");
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh).map_err(|error| format!("its folder cannot be made: {error}"))?;
    let install = ["-s", "install", "--no-install-recommends", package];
    let mut simulated = run("apt-get", &install, &fresh);
    if simulated.is_err() {
        // Only root may; anybody else sees what the second attempt says.
        let _ = run("apt-get", &["update"], &fresh);
        simulated = run("apt-get", &install, &fresh);
    }
    let named = simulated?;
    let more = named.lines().filter_map(|line| line.strip_prefix("Inst ")?.split(' ').next());
    let mut download = vec!["download", package];
    download.extend(more.filter(|name| *name != package));
    if run("apt-get", &download, &fresh).is_err() {
        let _ = run("apt-get", &["update"], &fresh);
        run("apt-get", &download, &fresh)?;
    }
    let entries = fs::read_dir(&fresh).map_err(|error| format!("its folder cannot be read: {error}"))?;
    let archives: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    if archives.is_empty() {
        return Err("apt fetched nothing".to_owned());
    }
    for archive in archives {
        run("dpkg-deb", &["--extract", &archive.display().to_string(), "."], &fresh)?;
    }
    // One that lacks the program would stand in the way.
    let _ = fs::remove_dir_all(place);
    fs::rename(&fresh, place).map_err(|error| format!("it cannot be put in place: {error}"))
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let ended = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let ended = ended.map_err(|error| format!("`{program}` cannot be started ({error})"))?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(format!("`{program} {}` failed ({said})", arguments.join(" ")))
}
