//! `repo`: what a skill must know of the repository it works in, and of the project inside.

pub mod base;
pub mod ide;
pub mod package_manager;
pub mod port;
pub mod project;
pub mod size;
pub mod surfaces;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::answer::{Failure, Said, USAGE};
use super::git::Repository;
use super::surroundings::Surroundings;
use crate::disk;

/// The commands of `repo`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Base(base::Options),
    Surfaces(surfaces::Options),
    #[command(subcommand)]
    /// Tell whether work is small enough to go on with
    Size(size::Verb),
    Project(project::Options),
    PackageManager(package_manager::Options),
    Port(port::Options),
    Ide(ide::Options),
}

impl Verb {
    /// The command in words.
    pub fn command(&self) -> &'static str {
        match self {
            Verb::Base(_) => "repo base",
            Verb::Surfaces(_) => "repo surfaces",
            Verb::Size(size::Verb::Item(_)) => "repo size item",
            Verb::Size(size::Verb::Batch(_)) => "repo size batch",
            Verb::Project(_) => "repo project",
            Verb::PackageManager(_) => "repo package-manager",
            Verb::Port(_) => "repo port",
            Verb::Ide(_) => "repo ide",
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// As the command says.
    pub fn run(&self, surroundings: &Surroundings) -> Result<Said, Failure> {
        match self {
            Verb::Base(options) => base::run(options, surroundings),
            Verb::Surfaces(options) => surfaces::run(options, surroundings),
            Verb::Size(verb) => size::run(verb, surroundings),
            Verb::Project(options) => project::run(options, surroundings),
            Verb::PackageManager(options) => package_manager::run(options, surroundings),
            Verb::Port(options) => port::run(options, surroundings),
            Verb::Ide(options) => Ok(ide::run(options, surroundings)),
        }
    }
}

/// A folder that the command line names, relative to the working directory, links resolved; it must lie
/// in the repository.
///
/// # Errors
/// `no_folder` when it is not there, `outside_repository` when it leaves.
pub fn confined(repository: &Repository, given: &Path) -> Result<PathBuf, Failure> {
    let path = repository.surroundings().path(given);
    let found = disk::canonical(&path).ok().filter(|path| disk::is_folder(path)).ok_or_else(|| {
        Failure::environment("no_folder", format!("`{}` is no folder", given.display()), "check the path")
    })?;
    if found.starts_with(&repository.top) {
        Ok(found)
    } else {
        let message = format!("`{}` lies outside the repository", given.display());
        Err(Failure::new(USAGE, "outside_repository", message, "name a folder inside it"))
    }
}
