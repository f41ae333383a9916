//! `repo package-manager`: which program runs the scripts of a package, and how it starts the one for
//! development.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::confined_folder;
use crate::disk;
use crate::printable::line;
use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;

/// Lock files and their programs, the most specific first.
const LOCKS: [(&str, &str); 5] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
];
/// Programs that run scripts of a package.
pub const KNOWN_MANAGERS: [&str; 4] = ["pnpm", "yarn", "bun", "npm"];
/// Scripts that start a project for development, the best first.
pub const SCRIPTS: [&str; 3] = ["dev", "start", "develop"];

options! {
    /// Find the package manager that runs the scripts
    ///
    /// The field `packageManager` of `package.json` takes precedence, then the lock file next to it, then the
    /// same in the parent folders, up to the repository's top.
    ///
    /// Exit codes: 0 answered, `none` (no `package.json`) included; 1 in place of 5 under `--format sentinel`; 2 a path
    /// outside the repository; 4 a malformed `package.json`; 5 no repository, no such folder; 7 git took too long.
    pub struct Options {
        /// The folder; by default the top of the repository
        path: Option<PathBuf> = "[PATH]",
    }
    examples: ["plugcast-run repo package-manager", "plugcast-run repo package-manager apps/web"]
}

/// The answer of `repo package-manager`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`, or `none` if there is no `package.json`.
    pub status: PackageManagerStatus,
    /// `npm`, `pnpm`, `yarn` or `bun`.
    pub pm: Option<String>,
    /// The words that start the script; none if no script fits.
    pub argv: Option<Vec<String>>,
    /// How it was determined: `packageManager`, the name of a lock file, or `default`.
    pub source: Option<String>,
    /// The file that determined it, relative to the repository's top.
    pub file: Option<String>,
    /// The script: `dev`, else `start`, else `develop`.
    pub script: Option<String>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub note: Option<String>,
}

/// Whether there is a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackageManagerStatus {
    /// There is one.
    Ok,
    /// There is no `package.json`.
    None,
}

/// Runs the command.
///
/// # Errors
/// When the folder does not exist or is outside, or its `package.json` is malformed.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let folder = match &options.path {
        Some(path) => confined_folder(&repository, path)?,
        None => repository.top.clone(),
    };
    let relative = |path: &Path| path.strip_prefix(&repository.top).unwrap_or(path).display().to_string();
    let own = folder.join("package.json");
    let Some(package) = document::object_file(&own, &relative(&own))? else {
        let none = Response {
            status: PackageManagerStatus::None,
            pm: None,
            argv: None,
            source: None,
            file: None,
            script: None,
            note: Some("no `package.json`".to_owned()),
        };
        return Ok(Delivery::from_answer(&none).sentinel("__NO_PACKAGE_JSON__"));
    };
    let mut notes = Vec::new();
    let (pm, source, file) = manager(&repository.top, &folder, &package, &mut notes)?;
    let script = script(&package);
    if script != Some(SCRIPTS[0]) {
        notes.push(match script {
            Some(script) => format!("no script `dev`; using `{script}`"),
            None => "no script `dev`, `start` or `develop`".to_owned(),
        });
    }
    let tail = started(&pm, script.unwrap_or(SCRIPTS[0]))[1..].join(" ");
    let answer = Response {
        status: PackageManagerStatus::Ok,
        argv: script.map(|script| started(&pm, script)),
        source: Some(source),
        file: file.map(|file| relative(&file)),
        script: script.map(str::to_owned),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        pm: Some(pm.clone()),
    };
    Ok(Delivery::from_answer(&answer).sentinel(format!("{pm}\n{tail}")))
}

fn started(pm: &str, script: &str) -> Vec<String> {
    let words = if matches!(pm, "pnpm" | "yarn") { vec![pm, script] } else { vec![pm, "run", script] };
    words.into_iter().map(str::to_owned).collect()
}

/// The call that starts the package in a folder for development, with the text of its script; none without a script.
///
/// # Errors
/// When its `package.json` is malformed.
pub fn call(repository: &Repository, folder: &Path) -> Result<Option<(Vec<String>, String)>, CallFailure> {
    let Some(package) = document::object_file(&folder.join("package.json"), "package.json")? else {
        return Ok(None);
    };
    let (pm, ..) = manager(&repository.top, folder, &package, &mut Vec::new())?;
    let text = |name| package.get("scripts").and_then(|scripts| scripts.get(name)?.as_str());
    Ok(script(&package).map(|name| (started(&pm, name), text(name).unwrap_or_default().to_owned())))
}

/// The script that starts a package for development.
pub fn script(package: &Node) -> Option<&'static str> {
    let scripts = package.get("scripts")?;
    SCRIPTS.into_iter().find(|name| scripts.get(name).is_some_and(|script| script.as_str().is_some()))
}

/// The program, how it was determined, and in which file.
fn manager(
    top: &Path,
    folder: &Path,
    package: &Node,
    notes: &mut Vec<String>,
) -> Result<(String, String, Option<PathBuf>), CallFailure> {
    for at in folder.ancestors().take_while(|at| at.starts_with(top)) {
        let path = at.join("package.json");
        let above = if at == folder {
            None
        } else {
            document::object_file(&path, &path.strip_prefix(top).unwrap_or(&path).display().to_string())?
        };
        let package = if at == folder { Some(package) } else { above.as_ref() };
        if let Some(field) = package.and_then(|package| package.get("packageManager")?.as_str()) {
            let name = field.split('@').next().unwrap_or(field);
            if KNOWN_MANAGERS.contains(&name) {
                return Ok((name.to_owned(), "packageManager".to_owned(), Some(path)));
            }
            notes.push(format!("`packageManager` names `{}`, which is unknown", line(field)));
        }
        if let Some((lock, name)) = LOCKS.iter().find(|(lock, _)| disk::is_file(&at.join(lock))) {
            return Ok(((*name).to_owned(), (*lock).to_owned(), Some(at.join(lock))));
        }
    }
    Ok(("npm".to_owned(), "default".to_owned(), None))
}
