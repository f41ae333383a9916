//! A configuration to begin with, for each kind of project that `repo project` knows.

use std::collections::BTreeMap;
use std::path::Path;

use super::read::LaunchConfig;
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::command_line::OptionValue;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::repo::project_kind::ProjectKind;
use crate::runtime::repo::{confined_folder, package_manager};

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
    let kind = ProjectKind::parse(kind).map_err(|_| unknown_kind(kind))?;
    let argv = match kind {
        ProjectKind::Rails => vec!["bin/dev".to_owned()],
        ProjectKind::Procfile => {
            let runner = RUNNERS.iter().find(|name| repository.environment().program(name).is_some());
            let files = ["Procfile.dev", "Procfile"];
            let file = files.iter().find(|name| disk::is_file(&folder.join(name)));
            let file = file.ok_or_else(|| missing("no `Procfile.dev` or `Procfile`"))?;
            [runner.unwrap_or(&RUNNERS[1]), "start", "-f", file].map(str::to_owned).to_vec()
        }
        _ => package_manager::call(repository, &folder)?
            .map(|(argv, _)| argv)
            .ok_or_else(|| missing("no script `dev`, `start` or `develop` in `package.json`"))?,
    };
    let cwd = folder.strip_prefix(&repository.top).unwrap_or(Path::new("")).display().to_string();
    let (program, arguments) = argv.split_first().map_or(("", &[][..]), |(program, rest)| (program, rest));
    Ok(LaunchConfig {
        name: kind.to_string(),
        runtime_executable: Some(program.to_owned()),
        runtime_args: arguments.to_vec(),
        port: Some(kind.default_port()),
        cwd: if cwd.is_empty() { ".".to_owned() } else { cwd },
        env: BTreeMap::new(),
    })
}

fn unknown_kind(name: &str) -> CallFailure {
    let known = ProjectKind::CHOICES.iter().map(|kind| kind.name).collect::<Vec<_>>().join("`, `");
    CallFailure::usage(format!("unknown kind of project `{name}`")).with_hint(format!("name `{known}`"))
}
