//! A configuration to begin with, for each kind of project that `repo project` knows.

use std::collections::BTreeMap;
use std::path::Path;

use super::read::LaunchConfig;
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::repo::{confined_folder, package_manager, port};

/// Kinds of project that a script of `package.json` starts.
const SCRIPTED: [&str; 6] = ["next", "nuxt", "remix", "vite", "sveltekit", "astro"];
/// Programs that run a Procfile, the preferred one first.
const RUNNERS: [&str; 2] = ["overmind", "foreman"];

/// The configuration of a kind of project in a folder; by default the repository's top.
///
/// # Errors
/// `usage` for an unknown kind; `no_command` if nothing starts it; `no_folder` and `outside_repository`.
pub fn stub(repository: &Repository, kind: &str, given: Option<&Path>) -> Result<LaunchConfig, CallFailure> {
    let folder = match given {
        Some(given) => confined_folder(repository, given)?,
        None => repository.top.clone(),
    };
    let missing = |what: &str| {
        let message = format!("{what}: it is unknown how the project starts");
        CallFailure::environment(
            ErrorCode::NoCommand,
            message,
            "give the configuration on standard input, without `--type`",
        )
    };
    let argv = match kind {
        "rails" => vec!["bin/dev".to_owned()],
        "procfile" => {
            let runner = RUNNERS.iter().find(|name| repository.environment().program(name).is_some());
            let files = ["Procfile.dev", "Procfile"];
            let file = files.iter().find(|name| disk::is_file(&folder.join(name)));
            let file = file.ok_or_else(|| missing("there is no `Procfile.dev` or `Procfile`"))?;
            [runner.unwrap_or(&RUNNERS[1]), "start", "-f", file].map(str::to_owned).to_vec()
        }
        kind if SCRIPTED.contains(&kind) => package_manager::call(repository, &folder)?
            .map(|(argv, _)| argv)
            .ok_or_else(|| missing("there is no script `dev`, `start` or `develop` in `package.json`"))?,
        _ => {
            let known = SCRIPTED.join("`, `");
            let hint = format!("name `rails`, `procfile`, `{known}`");
            return Err(CallFailure::usage(format!("unknown kind of project `{kind}`")).with_hint(hint));
        }
    };
    let cwd = folder.strip_prefix(&repository.top).unwrap_or(Path::new("")).display().to_string();
    let (program, arguments) = argv.split_first().map_or(("", &[][..]), |(program, rest)| (program, rest));
    Ok(LaunchConfig {
        name: kind.to_owned(),
        runtime_executable: Some(program.to_owned()),
        runtime_args: arguments.to_vec(),
        port: Some(port::default_port(Some(kind))),
        cwd: if cwd.is_empty() { ".".to_owned() } else { cwd },
        env: BTreeMap::new(),
    })
}
