//! What `server start` starts: the command, its environment, its folder and its port.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Options;
use crate::runtime::answer::{CallFailure, USAGE};
use crate::runtime::command_line::OptionValue;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::launch::read::{self, LaunchConfig};
use crate::runtime::launch::{listening, scripts, stub};
use crate::runtime::repo::project;
use crate::runtime::repo::project_kind::ProjectKind;

/// What is started.
pub(super) struct LaunchPlan {
    pub argv: Vec<String>,
    pub environment: Vec<(OsString, OsString)>,
    pub folder: PathBuf,
    pub port: u16,
}

/// What to start, from the configuration or the kind of project.
pub(super) fn plan(
    options: &Options,
    tree: &Repository,
    warnings: &mut Vec<String>,
) -> Result<LaunchPlan, CallFailure> {
    let config = match &options.r#type {
        Some(kind) => {
            let config = stub::stub(tree, kind, options.dir.as_deref()).map_err(|failure| {
                let hint = "write a configuration with `launch write`, and start that";
                if failure.error.code == ErrorCode::NoCommand { failure.with_hint(hint) } else { failure }
            })?;
            if !options.allow_public_host {
                scripts::must_be_private(tree, &config)?;
            }
            config
        }
        None => configured(options, tree, warnings)?,
    };
    let port = options.port.or(config.port).ok_or_else(|| {
        let hint = "pass the port that `repo port` finds with `--port`";
        CallFailure::new(USAGE, ErrorCode::NoPort, format!("`{}` does not set a port", config.name), hint)
    })?;
    let folder = if config.cwd == "." { tree.top.clone() } else { tree.top.join(&config.cwd) };
    if !crate::disk::is_folder(&folder) {
        let message = format!("`{}` is not a folder", config.cwd);
        return Err(CallFailure::environment(ErrorCode::NoFolder, message, "create it, or fix `cwd`")
            .in_file(read::FILE, None, None));
    }
    let program = config.runtime_executable.clone().unwrap_or_default();
    let found = if program.contains('/') {
        Some(folder.join(program.trim_start_matches("./"))).filter(|path| crate::disk::is_file(path))
    } else {
        tree.environment().program(&program)
    };
    let found = found.ok_or_else(|| {
        let message = format!("`{program}` was not found");
        CallFailure::environment(
            ErrorCode::CommandMissing,
            message,
            "install it, or correct `runtimeExecutable`",
        )
    })?;
    let told = listening::words(tree, &config, &folder, port, options.allow_public_host)?;
    let words = config.runtime_args.iter().cloned().chain(told);
    let argv = std::iter::once(found.display().to_string()).chain(words).collect();
    Ok(LaunchPlan {
        argv,
        environment: server_environment(
            options.r#type.as_deref().and_then(|kind| ProjectKind::parse(kind).ok()),
            tree.environment(),
            &config,
            &folder,
            (port, options.port.is_some()),
        ),
        folder,
        port,
    })
}

/// The configuration of the file.
fn configured(
    options: &Options,
    tree: &Repository,
    warnings: &mut Vec<String>,
) -> Result<LaunchConfig, CallFailure> {
    let wanted = read::Options { name: options.name.clone(), allow_public_host: options.allow_public_host };
    let (read, _) = read::answer(&wanted, tree)?;
    warnings.extend(read.warnings);
    match read.config {
        Some(config) if config.runtime_executable.is_some() => Ok(config),
        None if read.names.len() > 1 => {
            let message = format!("`{}` has several configurations", read::FILE);
            let hint = format!("name one of `{}`", read.names.join("`, `"));
            Err(CallFailure::new(USAGE, ErrorCode::SeveralConfigs, message, hint).in_file(
                read::FILE,
                None,
                None,
            ))
        }
        _ => {
            let message = format!("`{}` does not say what to start", read::FILE);
            let hint = "write it with `launch write`, or pass the `--type` of `repo project`";
            Err(CallFailure::environment(ErrorCode::NoCommand, message, hint).in_file(read::FILE, None, None))
        }
    }
}

/// The user's environment with the variables of the configuration, the port, and the address if the framework uses it,
/// whether it was named or has a configuration file.
fn server_environment(
    kind: Option<ProjectKind>,
    environment: &Environment,
    config: &LaunchConfig,
    folder: &Path,
    (port, is_named): (u16, bool),
) -> Vec<(OsString, OsString)> {
    let mut all: BTreeMap<OsString, OsString> = environment.variables().cloned().collect();
    let port = (OsString::from("PORT"), OsString::from(port.to_string()));
    all.extend([port.clone()]);
    let found = project::in_folder(folder, ".").into_iter().map(|found| found.r#type);
    if found.chain(kind).filter_map(ProjectKind::framework).any(|framework| framework.heeds_host) {
        all.insert("HOST".into(), "127.0.0.1".into());
    }
    all.extend(config.env.iter().map(|(key, value)| (key.into(), value.into())));
    // Another port than that of the configuration is for this start alone.
    all.extend(is_named.then_some(port));
    all.into_iter().collect()
}
