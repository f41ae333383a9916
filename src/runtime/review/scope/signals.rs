//! The signals for choosing reviewers, and the files with the project's standards.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::ScopeFile;
use crate::disk;
use crate::order;
use crate::runtime::repo::surfaces::{Surface, surface};
use crate::source::is_markdown;

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
const GENERATED_NAMES: [&str; 8] =
    [".min.js", ".min.css", ".pb.go", "_pb2.py", ".generated.ts", ".g.dart", ".snap", ".map"];
const PROSE: [&str; 5] = [".md", ".mdx", ".txt", ".rst", ".adoc"];
/// File extensions by stack.
const STACKS: [(&str, &[&str]); 5] = [
    ("typescript", &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]),
    ("python", &[".py", ".pyi"]),
    ("rust", &[".rs"]),
    ("go", &[".go"]),
    ("swift", &[".swift"]),
];
const RUBY: [&str; 4] = [".rb", ".erb", ".haml", ".rake"];

/// What the choice of reviewers depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signals {
    /// Changed lines, except in tests, generated files, lock files, prose and binaries.
    pub exec_lines: u64,
    /// Changed lines of tests.
    pub test_lines: u64,
    /// Whether a database migration changed.
    pub has_migrations: bool,
    /// Whether the dump of a database schema changed.
    pub has_schema_dump: bool,
    /// Whether the shape of data that others rely on changed.
    pub has_api: bool,
    /// Whether what the user sees changed.
    pub has_views: bool,
    /// Whether the deployment changed: containers, pipelines, infrastructure.
    pub has_deployment: bool,
    /// Whether a command line tool changed.
    pub has_cli: bool,
    /// Whether files for agents changed: skills, agents, prompts, tool servers.
    pub has_agent_files: bool,
    /// The stacks that changed files belong to, sorted: `go`, `python`, `rails`, `rust`, `swift`, `typescript`.
    pub stacks: Vec<String>,
}

/// File extensions of images, audio, video, fonts and documents.
const MEDIA: [&str; 24] = [
    "avif", "bmp", "eot", "flac", "gif", "icns", "ico", "jpeg", "jpg", "mov", "mp3", "mp4", "ogg", "otf",
    "pdf", "png", "psd", "tif", "tiff", "ttf", "wav", "webm", "webp", "woff2",
];

/// Whether a file is an image, audio, video, a font or a document, by its name.
pub(super) fn is_media(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ending == "woff" || MEDIA.contains(&ending.as_str()))
}

/// Whether a file is a binary lock file, by its name.
pub(super) fn is_binary_lock(path: &str) -> bool {
    path.rsplit('/').next() == Some("bun.lockb")
}

/// Whether a file is neither text nor a program: it contains a zero byte, has no `#!`, and is not executable.
pub(super) fn is_data(path: &Path) -> bool {
    let bytes = match disk::kind(path) {
        Some(disk::FileKind::File) if !disk::plain_files::is_executable(path) => {
            disk::read_bytes(path).ok().flatten()
        }
        _ => None,
    };
    bytes.is_some_and(|bytes| !bytes.starts_with(b"#!") && memchr::memchr(0, &bytes).is_some())
}

/// Whether a file is generated, by its name.
pub(super) fn is_generated(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    LOCKS.contains(&name)
        || GENERATED_NAMES.iter().any(|ending| name.ends_with(ending))
        || folders.split('/').any(|folder| matches!(folder, "dist" | "vendor" | "node_modules"))
}

impl Signals {
    pub(super) fn from_files(files: &[ScopeFile], top: &Path) -> Self {
        let mut signals = Self::default();
        let mut stacks = BTreeSet::new();
        let rails =
            disk::is_file(&top.join("config/application.rb")) || disk::is_file(&top.join("bin/rails"));
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
            signals.has_deployment |= is_deployment(path);
            signals.has_cli |= is_command_line(path);
            signals.has_agent_files |= is_for_agents(path);
            let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
            stacks.extend(STACKS.iter().filter(|(_, endings)| ends(endings)).map(|(name, _)| *name));
            if ends(&RUBY) && (rails || parts().any(|part| part == "app")) {
                stacks.insert("rails");
            }
        }
        signals.stacks = stacks.into_iter().map(str::to_owned).collect();
        signals
    }
}

/// The last part of a path, in lower case.
fn name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_lowercase()
}

fn is_deployment(path: &str) -> bool {
    let name = name(path);
    let folders = ["deploy", "k8s", "kubernetes", "helm", "terraform", ".circleci", ".buildkite"];
    path.starts_with(".github/workflows/")
        || path.split('/').any(|part| folders.contains(&part))
        || ["dockerfile", "docker-compose", "compose.y", "procfile", "fly.toml", "jenkinsfile", ".gitlab-ci"]
            .iter()
            .any(|start| name.starts_with(start))
        || name.ends_with(".tf")
}

fn is_command_line(path: &str) -> bool {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or(&name);
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    matches!(stem, "cli" | "commands" | "argparse")
        || folders.split('/').any(|part| matches!(part, "bin" | "cmd" | "cli" | "exe"))
}

fn is_for_agents(path: &str) -> bool {
    let name = name(path);
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    let among = |names: &[&str]| folders.split('/').any(|part| names.contains(&part));
    matches!(name.as_str(), "skill.md" | "agents.md" | "claude.md" | ".mcp.json" | "mcp.json")
        || among(&[".claude", ".codex", ".cursor", ".opencode", ".claude-plugin", "skills", "prompts"])
        || (is_markdown(&name) && among(&["agents", "commands"]))
}

/// The files with the project's standards in every folder above a changed file, sorted; and those that are links out of
/// the repository.
pub(super) fn standards(top: &Path, files: &[ScopeFile]) -> (Vec<String>, Vec<String>) {
    let mut folders: BTreeSet<&str> = order::set([""]);
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
    order::sort(&mut found);
    found.into_iter().partition(|path| disk::is_inside(top, &top.join(path)))
}
