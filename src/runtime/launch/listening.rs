//! The options passed to a script besides the variable `PORT`, since some servers ignore that variable.

use std::path::Path;

use super::read::LaunchConfig;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::Repository;
use crate::runtime::repo::package_manager;
use crate::runtime::repo::port::commands;

/// Characters that join several commands in a script.
const COMMAND_SEPARATORS: [char; 5] = ['&', '|', ';', '`', '\n'];

/// The words appended to the command of a configuration; none unless the command only runs the script of the package.
///
/// # Errors
/// When `package.json` is malformed.
pub fn words(
    repository: &Repository,
    config: &LaunchConfig,
    folder: &Path,
    port: u16,
    public: bool,
) -> Result<Vec<String>, CallFailure> {
    // If it is not a package manager, a malformed `package.json` does not matter.
    if !config
        .runtime_executable
        .as_deref()
        .is_some_and(|name| package_manager::KNOWN_MANAGERS.contains(&name))
    {
        return Ok(Vec::new());
    }
    let Some((argv, script)) = package_manager::call(repository, folder)? else { return Ok(Vec::new()) };
    let own = config.runtime_executable.iter().chain(&config.runtime_args);
    if !own.eq(&argv) {
        return Ok(Vec::new());
    }
    let mut words = options(&script, port, public);
    // npm consumes options before `--` itself.
    if argv[0] == "npm" && !words.is_empty() {
        words.insert(0, "--".to_owned());
    }
    Ok(words)
}

/// The options that make the server of a script listen there.
fn options(script: &str, port: u16, public: bool) -> Vec<String> {
    let mut words = script.split_whitespace();
    let (program, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or("dev"));
    let has = |names: &[&str]| {
        script.split_whitespace().any(|word| names.contains(&word.split('=').next().unwrap_or(word)))
    };
    match program {
        _ if script.contains(COMMAND_SEPARATORS) => Vec::new(),
        "vite" | "astro" if commands::port(script).is_none() && !has(&["--port"]) => {
            vec!["--port".to_owned(), port.to_string()]
        }
        "next" if verb == "dev" && !public && !has(&["-H", "--hostname"]) => {
            ["-H", "127.0.0.1"].map(str::to_owned).to_vec()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_script_that_is_the_server_itself_is_told() {
        for (script, told) in [
            ("vite", "--port 4000"),
            ("vite dev --open", "--port 4000"),
            ("astro dev", "--port 4000"),
            ("next dev --turbopack", "-H 127.0.0.1"),
            // With two ports, Astro uses its own.
            ("astro dev --port 4321", ""),
            ("vite --port $PORT", ""),
            ("next dev -H 0.0.0.0", ""),
            ("next dev --hostname=localhost", ""),
            ("next start", ""),
            ("vite & node api.js", ""),
            ("concurrently vite api", ""),
            ("", ""),
        ] {
            assert_eq!(options(script, 4000, false).join(" "), told, "{script}");
        }
        assert_eq!(options("next dev", 4000, true), [""; 0]);
    }
}
