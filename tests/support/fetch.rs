//! Fetches pinned npm packages into the build folder, once for all tests and processes: under a file
//! lock, into a sibling folder that is renamed when it is whole, stamped with a digest of the pins.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{print_line, root, target, tree::digest};

/// The `node_modules` folder of `tests/<set>`, fetched when it is not there.
///
/// # Errors
/// One line that says what is missing and how to get it.
pub fn modules(set: &str) -> Result<PathBuf, String> {
    let pins = root().join("tests").join(set);
    fetch(&pins, &target(), set, "npm", |place| {
        print_line(&format!("fetching the packages of tests/{set} into {}", place.display()))
    })
}

fn fetch(pins: &Path, target: &Path, set: &str, npm: &str, begin: impl Fn(&Path)) -> Result<PathBuf, String> {
    let place = target.join(set);
    let stamp = stamp(pins)?;
    fs::create_dir_all(target).map_err(|error| wrong(set, "the build folder cannot be made", error))?;
    let lock = File::create(target.join(format!("{set}.lock")))
        .map_err(|error| wrong(set, "the lock file cannot be made", error))?;
    lock.lock().map_err(|error| wrong(set, "the lock cannot be taken", error))?;
    if fs::read_to_string(place.join("stamp")).is_ok_and(|found| found == stamp) {
        return Ok(place.join("node_modules"));
    }
    begin(&place);
    let fresh = target.join(format!("{set}.new"));
    let old = target.join(format!("{set}.old"));
    for folder in [&fresh, &old] {
        remove(folder).map_err(|error| wrong(set, "a leftover cannot be removed", error))?;
    }
    install(pins, &fresh, set, npm)?;
    let finish = || {
        fs::write(fresh.join("stamp"), &stamp)?;
        if place.exists() {
            fs::rename(&place, &old)?;
        }
        fs::rename(&fresh, &place)?;
        remove(&old)
    };
    finish().map_err(|error| wrong(set, "the fetched packages cannot be put in place", error))?;
    Ok(place.join("node_modules"))
}

/// A digest over what decides which packages are fetched, and for which platform.
fn stamp(pins: &Path) -> Result<String, String> {
    let mut text = format!("{} {}\n", std::env::consts::OS, std::env::consts::ARCH);
    for name in ["package.json", "package-lock.json"] {
        let path = pins.join(name);
        let content =
            fs::read(&path).map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
        text.push_str(&digest(&content));
    }
    Ok(digest(text.as_bytes()))
}

fn install(pins: &Path, fresh: &Path, set: &str, npm: &str) -> Result<(), String> {
    let copy = || {
        fs::create_dir_all(fresh)?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(pins.join(name), fresh.join(name))?;
        }
        TempDir::new()
    };
    let home = copy().map_err(|error| wrong(set, "the pins cannot be copied", error))?;
    let mut command = Command::new(npm);
    command
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(fresh)
        .env_clear()
        .envs(environment())
        .env("HOME", home.path())
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        wrong(set, &format!("`{npm}` cannot be started; install Node.js 20 or newer with npm"), error)
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr_text = String::from_utf8_lossy(&output.stderr);
    let first = stderr_text.lines().find(|line| !line.trim().is_empty()).unwrap_or("npm said nothing");
    Err(wrong(
        set,
        "`npm ci` failed; make the npm registry that your npm configuration names reachable",
        first,
    ))
}

/// `PATH`, and what npm needs to reach the registry that the user configured.
fn environment() -> Vec<(OsString, OsString)> {
    const NETWORK: [&str; 6] =
        ["http_proxy", "https_proxy", "no_proxy", "node_extra_ca_certs", "ssl_cert_file", "ssl_cert_dir"];
    let passes = |name: &str| {
        let lower = name.to_ascii_lowercase();
        name == "PATH" || lower.starts_with("npm_config_") || NETWORK.contains(&lower.as_str())
    };
    let mut passed: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(passes)).collect();
    let configured = passed.iter().any(|(name, _)| {
        name.to_str().is_some_and(|name| name.eq_ignore_ascii_case("npm_config_userconfig"))
    });
    let own = std::env::home_dir().map(|home| home.join(".npmrc")).filter(|path| path.is_file());
    if let (false, Some(own)) = (configured, own) {
        passed.push(("NPM_CONFIG_USERCONFIG".into(), own.into()));
    }
    passed
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn wrong(set: &str, what: &str, error: impl std::fmt::Display) -> String {
    let way_out =
        if set == "hosts" { ", or set PLUGCAST_HOSTS=skip to leave the tests in real hosts out" } else { "" };
    format!("the packages of tests/{set} are not there: {what} ({error}){way_out}")
}

#[cfg(test)]
mod tests {
    use super::fetch;
    use crate::support::tree::Tree;

    fn pins() -> Tree {
        Tree::new()
            .file("pins/package.json", "{\"name\":\"pins\"}")
            .file("pins/package-lock.json", "{\"name\":\"pins\",\"lockfileVersion\":3,\"packages\":{}}")
    }

    #[test]
    fn what_is_missing_is_said_in_one_line() {
        let folder =
            pins().script("npm", "#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n").temporary();
        let pins = folder.path().join("pins");
        let no_npm = fetch(&pins, &folder.path().join("t"), "hosts", "no-such-npm", |_| {}).unwrap_err();
        assert!(no_npm.contains("install Node.js") && no_npm.contains("PLUGCAST_HOSTS=skip"), "{no_npm}");
        let npm = folder.path().join("npm");
        let unreachable =
            fetch(&pins, &folder.path().join("t"), "corpus", npm.to_str().unwrap(), |_| {}).unwrap_err();
        assert!(unreachable.contains("ENOTFOUND") && unreachable.contains("reachable"), "{unreachable}");
        assert_eq!(no_npm.lines().count() + unreachable.lines().count(), 2);
        assert!(!folder.path().join("t/hosts").exists() && !folder.path().join("t/corpus").exists());
    }

    #[test]
    fn many_at_once_fetch_once_and_changed_pins_fetch_again() {
        let npm = "#!/bin/sh\nmkdir node_modules && echo x >> ../ran && cp package.json node_modules\n";
        let folder = pins().script("npm", npm).temporary();
        let (pins, target) = (folder.path().join("pins"), folder.path().join("t"));
        let npm = folder.path().join("npm");
        let go = || fetch(&pins, &target, "hosts", npm.to_str().unwrap(), |_| {}).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(go);
            }
        });
        assert_eq!(std::fs::read_to_string(target.join("ran")).unwrap(), "x\n");
        std::fs::write(pins.join("package.json"), "{\"name\":\"other\"}").unwrap();
        let found = std::fs::read_to_string(go().join("package.json")).unwrap();
        assert_eq!(found, "{\"name\":\"other\"}");
        assert_eq!(std::fs::read_to_string(target.join("ran")).unwrap(), "x\nx\n");
    }
}
