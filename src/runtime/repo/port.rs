//! `repo port`: the port of the project's development server, from the project's files.

pub(in crate::runtime) mod commands;
mod compose;
mod javascript;
mod prose;
mod settings;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::project_kind::{DEFAULT_PORT, FRAMEWORKS, ProjectKind};
use super::{confined_folder, package_manager, project};
use crate::runtime::answer::{CallFailure, Delivery, ShownText};
use crate::runtime::command_line::{OptionValue, options};
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::listeners::{self, ListeningProcess};

options! {
    /// Find the port of the development server
    ///
    /// In this order: `--port`; a line of AGENTS.md or CLAUDE.md about the dev server; the framework's
    /// configuration; `config/puma.rb`; the `web` line of `Procfile.dev` or `Procfile`; the compose file; the
    /// chosen script of `package.json`; `.env.local`, `.env.development`, `.env`; the default of the kind of
    /// project. Only literal numbers count, never computed ones.
    ///
    /// Exit codes: 0 answered; 2 no port, or a path outside the repository; 4 a malformed `package.json` or
    /// compose file; 5 no repository, no such folder, or a sandbox that hides who listens; 7 git took too
    /// long.
    pub struct Options {
        /// The folder; by default the top of the repository
        path: Option<PathBuf> = "[PATH]",
        /// The port, if it is known
        port: Option<u16> = "--port <PORT>" { range: Some((1, 65535)) },
        /// The kind of project as `repo project` names it; by default it is detected
        r#type: Option<String> = "--type <TYPE>",
        /// Show which process listens there
        check: bool = "--check",
        /// Find a free port: this one, or one above it
        free: bool = "--free",
    }
    examples: ["plugcast-run repo port", "plugcast-run repo port apps/web --check", "plugcast-run repo port --free"]
}

/// The answer of `repo port`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: PortStatus,
    /// The port.
    #[serde(flatten)]
    pub found: PortCandidate,
    /// The kind of project that was assumed; none if unknown.
    pub r#type: Option<String>,
    /// Everything that names a port, the most specific first.
    pub candidates: Vec<PortCandidate>,
    /// With `--check`: which process listens there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_use: Option<PortUse>,
    /// What was skipped.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// `repo port` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortStatus {
    /// Found.
    Ok,
}

/// Which process listens on the port.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PortUse {
    /// This process.
    Process(ListeningProcess),
    /// None: `null`.
    Nobody,
}

/// A port and its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PortCandidate {
    /// The port.
    pub port: u16,
    /// The source: `option`, `prose`, `config`, `puma`, `procfile`, `compose`, `package.json`, `env`,
    /// `default`, or `free` for a free port that was searched for.
    pub source: String,
    /// The file that names it, relative to the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Collects what names a port.
#[derive(Debug, Default)]
struct PortSearch {
    candidates: Vec<PortCandidate>,
    warnings: Vec<String>,
}

impl PortSearch {
    /// Adds a number from a file, if it is a port.
    fn add(&mut self, number: &str, source: &str, file: &str, line: usize) {
        match number.parse::<u16>() {
            Ok(port @ 1..) => self.candidates.push(PortCandidate {
                port,
                source: source.to_owned(),
                file: Some(file.to_owned()),
                line: Some(line),
            }),
            _ => self.warnings.push(format!("`{number}` in `{file}`, line {line}, is not a port")),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// When the folder does not exist or is outside, or a file is malformed.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let folder = match &options.path {
        Some(path) => confined_folder(&repository, path)?,
        None => repository.top.clone(),
    };
    let (kind, kind_name) = match &options.r#type {
        Some(name) => (ProjectKind::parse(name).ok(), Some(name.clone()).filter(|name| !is_no_kind(name))),
        None => {
            let found = project::in_folder(&folder, ".");
            let kind = if let [one] = &found[..] { Some(one.r#type) } else { None };
            (kind, kind.map(|kind| kind.to_string()))
        }
    };
    let mut search = PortSearch::default();
    if let Some(port) = options.port {
        search.candidates.push(PortCandidate { port, source: "option".to_owned(), file: None, line: None });
    }
    search_folder(&folder, kind, &mut search)?;
    let default = kind.map_or(DEFAULT_PORT, ProjectKind::default_port);
    search.candidates.push(PortCandidate {
        port: default,
        source: "default".to_owned(),
        file: None,
        line: None,
    });
    let mut best = search.candidates[0].clone();
    if options.free {
        let port = listeners::free_port(environment, best.port)?;
        best = PortCandidate { port, source: "free".to_owned(), file: None, line: None };
    }
    let in_use = match options.check {
        true => Some(listeners::on_port(environment, best.port)?.map_or(PortUse::Nobody, PortUse::Process)),
        false => None,
    };
    let port = best.port;
    let answer = Response {
        status: PortStatus::Ok,
        found: best,
        r#type: kind_name,
        candidates: search.candidates,
        in_use,
        warnings: search.warnings,
    };
    Ok(Delivery::from_answer(&answer).sentinel(port.to_string()))
}

/// Whether the name of a kind, as `repo project` answers it, stands for none.
fn is_no_kind(name: &str) -> bool {
    matches!(name, "none" | "unknown")
}

/// Searches every place where a kind of project may name its port, the most specific first; all places for an
/// unknown kind.
fn search_folder(
    folder: &Path,
    kind: Option<ProjectKind>,
    search: &mut PortSearch,
) -> Result<(), CallFailure> {
    let may_be = |one: ProjectKind| kind.is_none_or(|kind| kind == one);
    let frameworks = || FRAMEWORKS.iter().filter(move |framework| may_be(framework.kind));
    prose::search_files(folder, search)?;
    for stem in frameworks().flat_map(|framework| framework.port_files) {
        javascript::search_files(folder, stem, search)?;
    }
    if may_be(ProjectKind::Rails) {
        settings::puma(folder, search)?;
    }
    if may_be(ProjectKind::Rails) || may_be(ProjectKind::Procfile) {
        commands::procfile(folder, search)?;
        compose::search_files(folder, search)?;
    }
    if frameworks().next().is_some() {
        package(folder, search)?;
    }
    settings::environment(folder, search)
}

/// The script of `package.json` that starts the project.
fn package(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    const NAME: &str = "package.json";
    let path = folder.join(NAME);
    let Some(package) = document::object_file(&path, NAME)? else { return Ok(()) };
    let Some(name) = package_manager::script(&package) else { return Ok(()) };
    let script = package.get("scripts").and_then(|scripts| scripts.get(name));
    let Some((node, words)) = script.and_then(|node| Some((node, node.as_str()?))) else {
        return Ok(());
    };
    if let Some(number) = commands::port(words) {
        let text = document::project_text(&path)?.unwrap_or_default();
        search.add(&number, NAME, NAME, document::place(&text, node.span.start).0);
    }
    Ok(())
}
