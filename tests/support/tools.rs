//! Programs that tests run and that npm does not have. The machine's own is used; if it is missing, Debian's
//! package is unpacked into the build folder, which changes nothing on the machine.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{print_line, target};

/// A program that was found or fetched.
pub struct Tool {
    /// The folder that holds it.
    pub folder: PathBuf,
    /// The folders with the libraries that it needs, as a search path, where it was fetched.
    pub libraries: Option<String>,
}

/// Where a program is in its package.
const USUAL: &str = "usr/bin";

/// The folder that holds `gh`.
///
/// # Errors
/// One line that says how to get it.
pub fn gh() -> Result<PathBuf, String> {
    find(("gh", "gh", USUAL), "install the GitHub CLI (https://cli.github.com)").map(|tool| tool.folder)
}

/// A headless Chromium, as the program to start.
///
/// # Errors
/// One line that says how to get it.
pub fn chromium() -> Result<(PathBuf, Option<String>), String> {
    if let Some(folder) = on_path("chromium") {
        return Ok((folder.join("chromium"), None));
    }
    let name = "chromium-headless-shell";
    // What the package has in the usual place starts the one of the machine.
    let found = find((name, name, "usr/lib/chromium"), "install Chromium (https://www.chromium.org)")?;
    Ok((found.folder.join(name), found.libraries))
}

/// The folder that holds `foreman`, which runs a Procfile.
///
/// # Errors
/// One line that says how to get it.
pub fn foreman() -> Result<PathBuf, String> {
    let found =
        find(("foreman", "ruby-foreman", USUAL), "install foreman (https://rubygems.org/gems/foreman)")?;
    let Some(libraries) = found.libraries else { return Ok(found.folder) };
    // An unpacked Ruby is told where its own files are.
    let place = target().join("tools/ruby-foreman/usr");
    let script = format!(
        "#!/bin/sh\nset -e\nexport LD_LIBRARY_PATH='{libraries}' GEM_PATH='{place}/share/rubygems-integration/all'\n\
         RUBYLIB=$(find '{place}/lib' -path '*/ruby/*' \\( -name '[0-9]*.[0-9]*' -o -name vendor_ruby \\) -type d | tr '\\n' ':')\n\
         export RUBYLIB PATH='{place}/bin':$PATH\nexec ruby '{place}/bin/foreman' \"$@\"\n",
        place = place.display()
    );
    let own = target().join("tools/ruby-foreman/told");
    let written = fs::create_dir_all(&own).and_then(|()| {
        let path = own.join("foreman");
        let fresh = own.join(format!("foreman.{}", std::process::id()));
        fs::write(&fresh, script)?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755))?;
        fs::rename(&fresh, &path)
    });
    written.map(|()| own).map_err(|error| format!("`foreman` cannot be made ready: {error}"))
}

/// `jq`, which benches hold the helper against.
///
/// # Errors
/// One line that says how to get it.
pub fn jq() -> Result<Tool, String> {
    find(("jq", "jq", USUAL), "install jq (https://jqlang.org)")
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find(|folder| folder.join(program).is_file())
}

/// A program of the machine, else of a package that is unpacked, where it is in the folder `inside`.
fn find((program, package, inside): (&str, &str, &str), otherwise: &str) -> Result<Tool, String> {
    if let Some(folder) = on_path(program) {
        return Ok(Tool { folder, libraries: None });
    }
    let place = target().join("tools").join(package);
    let folder = place.join(inside);
    let failed =
        |what: String| format!("`{program}`, which tests run, is not there, and {what}: {otherwise}");
    fs::create_dir_all(target())
        .map_err(|error| failed(format!("the build folder cannot be made: {error}")))?;
    let lock = File::create(target().join("tools.lock"));
    let lock = lock.map_err(|error| failed(format!("its lock cannot be made: {error}")))?;
    lock.lock().map_err(|error| failed(format!("its lock cannot be taken: {error}")))?;
    if !folder.join(program).is_file() {
        print_line(&format!("fetching the package `{package}` into {}", place.display()));
        unpack(package, &place).map_err(failed)?;
    }
    if !folder.join(program).is_file() {
        return Err(failed(format!("`{package}` does not hold it")));
    }
    Ok(Tool { folder, libraries: Some(libraries(&place.join("usr/lib"), 2).join(":")) })
}

/// The folders with libraries down to a depth.
fn libraries(folder: &Path, depth: usize) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    inside.sort();
    let is_library = |path: &PathBuf| path.to_string_lossy().contains(".so");
    let mut found = Vec::new();
    if inside.iter().any(is_library) {
        found.push(folder.display().to_string());
    }
    if depth > 0 {
        found.extend(inside.iter().filter(|path| path.is_dir()).flat_map(|path| libraries(path, depth - 1)));
    }
    found
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
    let printed = String::from_utf8_lossy(&ended.stderr);
    let printed = printed.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(format!("`{program} {}` failed ({printed})", arguments.join(" ")))
}
