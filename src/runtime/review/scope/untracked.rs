//! Adds untracked files to the diff through an index file of the run: the user's index is not changed, and nothing is
//! written below `.git`.

use std::path::Path;

use crate::disk;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::child;
use crate::runtime::git::{self, Repository};
use crate::runtime::review::run_folder::RunFolder;

const INDEX: &str = "index";
const OBJECTS: &str = "objects";

/// Whether an untracked file belongs to the helper.
pub(super) fn is_of_helper(name: &str) -> bool {
    name.starts_with(".plugcast/")
}

/// Names of folders and files that tools create.
const TOOL_FOLDERS: [&str; 12] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".nyc_output",
    ".gradle",
    ".swiftpm",
    ".eslintcache",
    ".DS_Store",
];

/// Whether a file is the output of a test or check tool, and so not part of any change, by its name.
pub(super) fn is_tool_output(name: &str) -> bool {
    name.split('/').any(|part| TOOL_FOLDERS.contains(&part)) || name.ends_with(".pyc") || name == ".coverage"
}

/// The untracked and flagged files of a working tree, according to git.
#[derive(Debug, Default)]
pub(super) struct IndexFlags {
    /// Files that are neither tracked nor ignored.
    others: Vec<Vec<u8>>,
    /// Files that git is told not to check.
    pub(super) flagged: Vec<String>,
}

/// New files of a working tree.
#[derive(Debug, Default)]
pub(super) struct UntrackedFiles {
    /// The files to show in a diff, as git names them.
    names: Vec<Vec<u8>>,
    /// The output of tools.
    pub(super) tools: Vec<String>,
    /// Separate repositories, which git does not look into.
    pub(super) nested: Vec<String>,
}

impl IndexFlags {
    /// Asks git, once for all files.
    pub(super) fn read(repository: &Repository) -> Result<Self, CallFailure> {
        let words = ["ls-files", "-v", "-z", "--full-name", "--cached", "--others", "--exclude-standard"];
        let listed = repository.must(&words)?;
        let mut found = Self::default();
        for record in git::records(&listed) {
            match record.split_at_checked(2) {
                Some((b"? ", name)) => found.others.push(name.to_vec()),
                // Not checked at the user's request, or outside of the checked-out part of a sparse tree.
                Some(([tag, _], name)) if tag.is_ascii_lowercase() || *tag == b'S' => {
                    found.flagged.push(String::from_utf8_lossy(name).into_owned());
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The new files, except those left out and the helper's own.
    pub(super) fn new_files(&self, left_out: &[String]) -> UntrackedFiles {
        let left_out = order::set(left_out.iter().map(String::as_str));
        let mut found = UntrackedFiles::default();
        for name in &self.others {
            let shown = String::from_utf8_lossy(name);
            if is_of_helper(&shown) || left_out.contains(&*shown) {
                continue;
            }
            match (is_tool_output(&shown), shown.ends_with('/')) {
                (true, _) => found.tools.push(shown.into_owned()),
                (false, true) => found.nested.push(shown.into_owned()),
                (false, false) => found.names.push(name.clone()),
            }
        }
        found
    }
}

impl UntrackedFiles {
    /// The names of the files to show in a diff.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }
}

/// Runs `read` on the repository as if git tracked the new files.
pub(super) fn with_index<T>(
    repository: &Repository,
    folder: &RunFolder,
    new: &UntrackedFiles,
    read: impl FnOnce(&Repository) -> Result<T, CallFailure>,
) -> Result<T, CallFailure> {
    match indexed(repository, folder, new)? {
        None => read(repository),
        Some(indexed) => {
            let answer = read(&indexed);
            remove(folder)?;
            answer
        }
    }
}

/// The repository with an index in the run's folder that includes the new files; none if there are no new files.
fn indexed(
    repository: &Repository,
    folder: &RunFolder,
    new: &UntrackedFiles,
) -> Result<Option<Repository>, CallFailure> {
    if new.names.is_empty() {
        return Ok(None);
    }
    let mut names: Vec<u8> = Vec::new();
    for name in &new.names {
        names.extend_from_slice(name);
        names.push(0);
    }
    let path = |what: &str| -> Result<_, CallFailure> {
        let found = repository.line(&["rev-parse", "--git-path", what])?.unwrap_or_default();
        Ok(repository.top.join(found))
    };
    let (own, objects) = (folder.path.join(INDEX), folder.path.join(OBJECTS));
    let held = folder.store.lock()?;
    let index = disk::read_bytes(&path("index")?).map_err(|error| folder.store.unwritable(&error))?;
    if let Some(bytes) = index {
        held.replace(&own, &bytes)?;
    }
    let found = repository.clone().with_index(own);
    // Git stores an empty blob for each new file, which must stay out of the repository as well.
    held.claim(&objects)?;
    drop(held);
    let add = ["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
    let command = found
        .git(add)?
        .environment([
            ("GIT_OBJECT_DIRECTORY", objects.as_os_str()),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", path("objects")?.as_os_str()),
            ("GIT_LITERAL_PATHSPECS", Path::new("1").as_os_str()),
        ])
        .input(names);
    let ended = child::run(repository.environment(), "git", &command)?;
    if ended.succeeded() { Ok(Some(found)) } else { Err(repository.failed("add", &ended)) }
}

/// Removes what [`indexed`] created.
fn remove(folder: &RunFolder) -> Result<(), CallFailure> {
    let held = folder.store.lock()?;
    held.remove(&folder.path.join(INDEX))?;
    held.remove_folder(&folder.path.join(OBJECTS))
}

/// The names without the output of tools.
pub(in crate::runtime::review) fn without_tools(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !is_tool_output(name));
    names
}
