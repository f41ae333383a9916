//! `repo surfaces`: what changed since a base, file by file, with the part of an application that each
//! file belongs to.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::changes::{self, ChangedFile};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

options! {
    /// List what changed since a base, by the part of the application
    ///
    /// Deleted files are listed, too. Names are never changed, whatever they contain.
    ///
    /// Exit codes: 0 answered, an empty list included; 2 wrong call; 5 no such ref, no common commit, no
    /// repository; 7 git took too long.
    pub struct Options {
        /// The base: a branch, a tag or a commit
        base: String = "--base <REF>",
        /// Include uncommitted changes
        worktree: bool = "--worktree",
    }
    examples: ["plugcast-run repo surfaces --base origin/main", "plugcast-run repo surfaces --base main --worktree"]
}

/// The answer of `repo surfaces`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `ok`.
    pub status: SurfacesStatus,
    /// The base as it was given.
    pub base: String,
    /// The merge base of the base and HEAD.
    pub merge_base: String,
    /// What changed, in git's order.
    pub files: Vec<SurfaceFile>,
    /// Totals.
    pub totals: SurfaceTotals,
    /// Listed files that may be unchanged: git compares the output of their filter, and no filter is run here. `git
    /// status` settles it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_be_unchanged: Vec<String>,
}

/// `repo surfaces` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SurfacesStatus {
    /// Listed.
    Ok,
}

/// One changed file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SurfaceFile {
    /// Relative to the repository's top; `�` if a name is not valid UTF-8.
    pub file: String,
    /// The name's bytes in base64, if they are not valid UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_b64: Option<String>,
    /// The part of the application.
    pub surface: Surface,
    /// `A` added, `M` changed, `D` deleted, `R` renamed, `C` copied, `T` type changed, `U` in conflict.
    pub status: char,
    /// Lines added; 0 for binaries and submodules.
    pub added: u64,
    /// Lines deleted; 0 for binaries and submodules.
    pub deleted: u64,
    /// Whether git treats it as binary.
    pub binary: bool,
    /// The name before a rename or copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

/// Totals over all files.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
pub struct SurfaceTotals {
    /// Files.
    pub files: usize,
    /// Lines added and deleted.
    pub lines: u64,
    /// Binary files.
    pub binary: usize,
}

/// A part of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Tests.
    Test,
    /// Configuration and lock files.
    Config,
    /// Styles, images and other files that are served unchanged.
    Asset,
    /// What the user sees.
    View,
    /// Code that answers requests.
    Controller,
    /// Data and its migrations.
    Model,
    /// The shape of data that others rely on.
    Api,
    /// Everything else.
    Other,
}

/// Runs the command.
///
/// # Errors
/// `bad_ref`, `no_merge_base`, `not_a_repository`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let (merge_base, files, may_be_unchanged) = surfaces_since(&repository, &options.base, options.worktree)?;
    let totals = SurfaceTotals {
        files: files.len(),
        lines: files.iter().map(|file| file.added + file.deleted).sum(),
        binary: files.iter().filter(|file| file.binary).count(),
    };
    let base = options.base.clone();
    Ok(Delivery::from_answer(&Response {
        status: SurfacesStatus::Ok,
        base,
        merge_base,
        files,
        totals,
        may_be_unchanged,
    }))
}

/// The merge base with `base`, everything that changed since, and the files that may be unchanged.
///
/// # Errors
/// As [`run`].
pub fn surfaces_since(
    repository: &Repository,
    base: &str,
    worktree: bool,
) -> Result<(String, Vec<SurfaceFile>, Vec<String>), CallFailure> {
    let commit = repository.must_commit(base)?;
    let merge_base = repository.merge_base("HEAD", &commit)?.ok_or_else(|| {
        let message = format!("`{base}` and HEAD have no common commit");
        CallFailure::environment(ErrorCode::NoMergeBase, message, "name another base")
    })?;
    let found = changes::changes_since(repository, &merge_base, worktree)?;
    Ok((merge_base, found.changes.into_iter().map(file).collect(), found.unproven))
}

fn file(change: ChangedFile) -> SurfaceFile {
    let surface = if change.submodule { Surface::Other } else { surface(&change.path) };
    let ChangedFile { path, raw_b64, status, added, deleted, binary, old_path, .. } = change;
    SurfaceFile { file: path, raw_b64, surface, status, added, deleted, binary, old_path }
}

/// Folders that hold one project each.
const CONTAINERS: [&str; 6] = ["apps", "packages", "services", "libs", "modules", "engines"];

/// The part that a path belongs to: by the whole path, else by the path inside its project, else by any suffix of the
/// path. If several parts fit, the first in [`Surface`] wins.
pub fn surface(path: &str) -> Surface {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (named, page) = (by_name(name), name.starts_with("page.") || name.starts_with("layout."));
    let mut parts = path.splitn(3, '/');
    let project = match (parts.next(), parts.next(), parts.next()) {
        (Some(container), Some(_), Some(rest)) if CONTAINERS.contains(&container) => Some(rest),
        _ => None,
    };
    let folders = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let mut found = [path].into_iter().chain(project).chain(folders).map(|start| {
        let view = if page && start.starts_with("app/") { Surface::View } else { Surface::Other };
        named.min(view).min(by_folder(start))
    });
    found.find(|found| *found != Surface::Other).unwrap_or(Surface::Other)
}

/// The part according to the name of a file, wherever it is.
fn by_name(name: &str) -> Surface {
    let stem = name.split('.').next().unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ends = |endings: &[&str]| endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
    // `b` of `a.b.c`.
    let middle = name.split_once('.').and_then(|(_, rest)| rest.rsplit_once('.')).map(|(middle, _)| middle);
    let dotted = |word: &str| middle.is_some_and(|middle| middle.split('.').any(|part| part == word));
    let is = |names: &[&str]| names.contains(&name);
    if stem.ends_with("_test") || stem.ends_with("_spec") || dotted("test") || dotted("spec") {
        Surface::Test
    } else if name.starts_with(".env")
        || name.starts_with("Gemfile")
        || is(&["package.json", "tsconfig.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"])
        || is(&["bun.lock", "bun.lockb", "Cargo.lock", "composer.lock", "poetry.lock"])
        || (dotted("config") && ends(&["js", "ts", "mjs", "cjs"]))
    {
        Surface::Config
    } else if ends(&[
        "css", "scss", "sass", "less", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "avif",
    ]) {
        Surface::Asset
    } else if ends(&["proto", "graphql"]) || (matches!(stem, "openapi" | "swagger") && name.contains('.')) {
        Surface::Api
    } else {
        Surface::Other
    }
}

/// The part according to the leading folders of a path.
fn by_folder(path: &str) -> Surface {
    let Some((first, rest)) = path.split_once('/') else { return Surface::Other };
    // The second folder, if there is one.
    let second = rest.split_once('/').map_or("", |(second, _)| second);
    match (first, second) {
        ("test" | "spec" | "tests", _) => Surface::Test,
        ("config", _) => Surface::Config,
        ("public" | "static", _) | ("app", "assets") => Surface::Asset,
        ("components" | "pages", _)
        | ("app", "views" | "components")
        | ("src", "components" | "pages" | "app") => Surface::View,
        ("app", "javascript") if rest.starts_with("javascript/components/") => Surface::View,
        ("db", "") if rest == "schema.rb" => Surface::Api,
        ("routes" | "api", _) | ("app", "controllers" | "api") | ("src", "routes" | "api") => {
            Surface::Controller
        }
        ("models" | "db" | "migrations" | "prisma", _) | ("app" | "src", "models") => Surface::Model,
        ("app", "serializers") => Surface::Api,
        _ => Surface::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_their_surface() {
        for (path, wanted) in [
            ("app/views/show_spec.rb", Surface::Test),
            ("a/b.test.tsx", Surface::Test),
            ("config/app.css", Surface::Config),
            ("vite.config.ts", Surface::Config),
            ("logo.PNG", Surface::Asset),
            ("app/dashboard/page.tsx", Surface::View),
            ("apps/web/src/components/B.tsx", Surface::View),
            ("packages/api/src/models/user.ts", Surface::Model),
            ("db/schema.rb", Surface::Api),
            ("db/migrate/1_a.rb", Surface::Model),
            ("app/controllers/a.rb", Surface::Controller),
            ("proto/a.proto", Surface::Api),
            ("README.md", Surface::Other),
            ("testing.md", Surface::Other),
            ("", Surface::Other),
            ("test", Surface::Other),
            ("app/views", Surface::Other),
            ("app/javascript/components/b.js", Surface::View),
            ("app/javascript/b.js", Surface::Other),
            ("app/api/a.proto", Surface::Controller),
            ("db/schema.rb/x", Surface::Model),
            ("engines/e/app/page.ts", Surface::View),
            ("src/app/logo.svg", Surface::Asset),
        ] {
            assert_eq!(surface(path), wanted, "{path}");
        }
    }
}
