//! `repo project`: the kind of web project in a folder, detected by the files that each framework requires.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::confined_folder;
use super::project_kind::{FRAMEWORKS, ProjectKind};
use crate::disk::{self, FileKind};
use crate::order;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;

/// Folders that contain no separate project.
const SKIPPED: [&str; 12] = [
    "node_modules",
    ".git",
    "vendor",
    "dist",
    "build",
    "coverage",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    "tmp",
    "fixtures",
];
/// How deep below the folder to search for projects.
const DEPTH: usize = 3;
/// The maximum number of folders to search.
const MOST_FOLDERS: usize = 20_000;

options! {
    /// Detect the kind of web project
    ///
    /// Checks the folder itself, then its subfolders to a depth of three. Knows `rails`, `next`, `vite`,
    /// `nuxt`, `astro`, `remix`, `sveltekit` and `procfile`.
    ///
    /// Exit codes: 0 answered, `unknown` included; 1 in place of 5 under `--format sentinel`; 2 a path outside the
    /// repository; 5 no repository, no such folder; 7 git took too long.
    pub struct Options {
        /// The folder; by default the top of the repository
        path: Option<PathBuf> = "[PATH]",
    }
    examples: ["plugcast-run repo project", "plugcast-run repo project apps/web"]
}

/// The answer of `repo project`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// How many were found.
    pub status: ProjectStatus,
    /// What was found, sorted.
    pub hits: Vec<FoundProject>,
}

/// How many projects there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectStatus {
    /// One.
    Single,
    /// Several, or one folder that looks like several.
    Multiple,
    /// None.
    Unknown,
}

/// One project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct FoundProject {
    /// `rails`, `next`, `vite`, `nuxt`, `astro`, `remix`, `sveltekit` or `procfile`.
    #[schemars(with = "String")]
    pub r#type: ProjectKind,
    /// Relative to the given folder, else to the current one; `.` for the folder itself.
    pub dir: String,
    /// The files that identify it.
    pub evidence: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// When the folder does not exist or is outside.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let folder = match &options.path {
        Some(path) => confined_folder(&repository, path)?,
        None => repository.top.clone(),
    };
    let mut hits = find(&folder);
    let status = match hits.len() {
        0 => ProjectStatus::Unknown,
        1 => ProjectStatus::Single,
        _ => ProjectStatus::Multiple,
    };
    let words = words(&hits);
    if options.path.is_none() {
        // Below the top, too, other commands take the folder as it is.
        let here = disk::canonical(&environment.folder).unwrap_or_default();
        let here = here.strip_prefix(&repository.top).unwrap_or(Path::new(""));
        hits.iter_mut().for_each(|hit| hit.dir = from_folder(here, Path::new(&hit.dir)));
    }
    Ok(Delivery::from_answer(&Response { status, hits }).sentinel(words))
}

/// The path from one folder to another, both relative to the top.
fn from_folder(here: &Path, dir: &Path) -> String {
    let dir = dir.strip_prefix(".").unwrap_or(dir);
    let shared = here.components().zip(dir.components()).take_while(|(one, other)| one == other).count();
    let up = here.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(dir.components().skip(shared)).collect();
    match path.display().to_string() {
        path if path.is_empty() => ".".to_owned(),
        // Not an option of the commands that take it.
        path if path.starts_with('-') => format!("./{path}"),
        path => path,
    }
}

/// The answer as older scripts expect it: `next`, `next@apps/web`, `multiple`, `multiple:a@x,b@y`, `unknown`.
fn words(hits: &[FoundProject]) -> String {
    let at = |hit: &FoundProject| format!("{}@{}", hit.r#type, crate::printable::line(&hit.dir));
    match hits {
        [] => "unknown".to_owned(),
        [one] if one.dir == "." => one.r#type.to_string(),
        [one] => at(one),
        several if several.iter().all(|hit| hit.dir == ".") => "multiple".to_owned(),
        several => format!("multiple:{}", several.iter().map(at).collect::<Vec<_>>().join(",")),
    }
}

/// The projects in a folder, else in the folders below it.
pub fn find(folder: &Path) -> Vec<FoundProject> {
    let mut hits = in_folder(folder, ".");
    if hits.is_empty() {
        find_below(folder, "", 1, &mut { MOST_FOLDERS }, &mut hits);
    }
    order::sort(&mut hits);
    hits
}

fn find_below(folder: &Path, dir: &str, depth: usize, left: &mut usize, hits: &mut Vec<FoundProject>) {
    // A folder that cannot be listed has nothing to start.
    for (name, is_folder) in disk::list(folder).unwrap_or_default() {
        let path = folder.join(&name);
        // Links are not followed.
        if !is_folder || SKIPPED.contains(&name.as_str()) || disk::kind(&path) != Some(FileKind::Folder) {
            continue;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        let dir = if dir.is_empty() { name } else { format!("{dir}/{name}") };
        hits.extend(in_folder(&path, &dir));
        if depth < DEPTH {
            find_below(&path, &dir, depth + 1, left, hits);
        }
    }
}

/// The kinds of project that a folder itself looks like.
pub fn in_folder(folder: &Path, dir: &str) -> Vec<FoundProject> {
    let there = |name: &str| disk::is_file(&folder.join(name));
    let hit = |kind: ProjectKind, evidence: Vec<String>| FoundProject {
        r#type: kind,
        dir: dir.to_owned(),
        evidence,
    };
    let mut hits = Vec::new();
    let mut is_on_vite = false;
    for framework in &FRAMEWORKS {
        let names = framework.endings.iter().map(|ending| format!("{}.{ending}", framework.configuration));
        let files: Vec<String> = names.filter(|name| there(name)).collect();
        if !files.is_empty() {
            hits.push(hit(framework.kind, files));
            is_on_vite |= framework.is_on_vite;
        }
    }
    if is_on_vite {
        hits.retain(|hit| hit.r#type != ProjectKind::Vite);
    }
    let (dev, gemfile) = (there("bin/dev"), there("Gemfile"));
    if dev && gemfile {
        hits.push(hit(ProjectKind::Rails, vec!["bin/dev".to_owned(), "Gemfile".to_owned()]));
    } else {
        let files: Vec<String> =
            ["Procfile", "Procfile.dev"].into_iter().filter(|name| there(name)).map(str::to_owned).collect();
        if !files.is_empty() {
            hits.push(hit(ProjectKind::Procfile, files));
        }
        // Alone, `bin/dev` may belong to anything; next to a framework, it is a second way to start.
        if dev && !hits.is_empty() {
            hits.push(hit(ProjectKind::Rails, vec!["bin/dev".to_owned()]));
        }
    }
    hits
}
