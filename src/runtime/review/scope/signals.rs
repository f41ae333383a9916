//! What the choice of reviewers depends on, counted; and the files that say how this project is written.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::File;
use crate::disk;
use crate::runtime::repo::surfaces::{Surface, surface};

const STANDARDS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];
const LOCKS: [&str; 14] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "flake.lock",
    "go.sum",
    "mix.lock",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];
const GENERATED: [&str; 8] =
    [".min.js", ".min.css", ".pb.go", "_pb2.py", ".generated.ts", ".g.dart", ".snap", ".map"];
const PROSE: [&str; 5] = [".md", ".mdx", ".txt", ".rst", ".adoc"];

/// What the choice of reviewers depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signals {
    /// Changed lines of what is neither a test nor generated, a lock file, prose or a binary.
    pub exec_lines: u64,
    /// Changed lines of tests.
    pub test_lines: u64,
    /// A migration of a database changed.
    pub has_migrations: bool,
    /// The dump of a database's shape changed.
    pub has_schema_dump: bool,
    /// The shape of data that others rely on changed.
    pub has_api: bool,
    /// What a person sees changed.
    pub has_views: bool,
}

/// Whether a tool writes a file of this name.
pub(super) fn generated(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    LOCKS.contains(&name)
        || GENERATED.iter().any(|ending| name.ends_with(ending))
        || folders.split('/').any(|folder| matches!(folder, "dist" | "vendor" | "node_modules"))
}

impl Signals {
    pub(super) fn of(files: &[File]) -> Self {
        let mut signals = Self::default();
        for file in files {
            let change = &file.change;
            let (path, lines) = (change.path.as_str(), change.added + change.deleted);
            let found = surface(path);
            let parts = || path.split('/');
            if found == Surface::Test {
                signals.test_lines += lines;
            } else if !file.generated && !PROSE.iter().any(|ending| path.ends_with(ending)) {
                signals.exec_lines += lines;
            }
            let migration = parts().any(|part| matches!(part, "migrations" | "migrate" | "alembic"));
            signals.has_migrations |= migration;
            let dump = parts().next_back().is_some_and(|name| matches!(name, "schema.rb" | "structure.sql"));
            signals.has_schema_dump |= dump;
            signals.has_api |= found == Surface::Api;
            signals.has_views |= found == Surface::View;
        }
        signals
    }
}

/// The files that say how the project is written, of every folder that holds a changed file, sorted.
pub(super) fn standards(top: &Path, files: &[File]) -> Vec<String> {
    let mut folders: BTreeSet<&str> = BTreeSet::from([""]);
    for file in files {
        let mut folder = file.change.path.as_str();
        while let Some(at) = folder.rfind('/') {
            folder = &folder[..at];
            if !folders.insert(folder) {
                break;
            }
        }
    }
    let names = folders.into_iter().flat_map(|folder| {
        STANDARDS
            .iter()
            .map(move |name| if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") })
    });
    let mut found: Vec<String> = names.filter(|path| disk::is_file(&top.join(path))).collect();
    found.sort();
    found
}
