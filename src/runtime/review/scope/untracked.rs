//! New files that git does not track, made part of the diff by an index file of the run: the user's own index stays
//! as it is, and nothing is written below `.git`.

use std::path::Path;

use crate::disk;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::child;
use crate::runtime::git::{self, Repository};
use crate::runtime::review::run_folder::RunFolder;

const INDEX: &str = "index";
const OBJECTS: &str = "objects";

/// Whether a file that git does not track is one of the helper's.
pub(super) fn is_ours(name: &str) -> bool {
    name.starts_with(".plugcast/")
}

/// Folders and files that tools make while they run, by their names.
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

/// Whether a tool that runs a project's tests or checks makes a file of this name, which is not part of any change.
pub(super) fn is_tool_output(name: &str) -> bool {
    name.split('/').any(|part| TOOL_FOLDERS.contains(&part)) || name.ends_with(".pyc") || name == ".coverage"
}

/// What git's index says of the files of a working tree.
#[derive(Debug, Default)]
pub(super) struct IndexFlags {
    /// Files that git does not track and does not ignore.
    others: Vec<Vec<u8>>,
    /// Files that git is told to look at no more.
    pub(super) flagged: Vec<String>,
}

/// New files of a working tree.
#[derive(Debug, Default)]
pub(super) struct UntrackedFiles {
    /// Those that a diff is to show, as git names them.
    names: Vec<Vec<u8>>,
    /// Those that tools made.
    pub(super) tools: Vec<String>,
    /// Repositories of their own, which git does not look into.
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
                // Not looked at by a wish of the user's, or as it is in no part of the tree that is checked out.
                Some(([tag, _], name)) if tag.is_ascii_lowercase() || *tag == b'S' => {
                    found.flagged.push(String::from_utf8_lossy(name).into_owned());
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The new files but those that were left out and the helper's own.
    pub(super) fn new_files(&self, left_out: &[String]) -> UntrackedFiles {
        let left_out = order::set(left_out.iter().map(String::as_str));
        let mut found = UntrackedFiles::default();
        for name in &self.others {
            let shown = String::from_utf8_lossy(name);
            if is_ours(&shown) || left_out.contains(&*shown) {
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
    /// The names of those that a diff is to show.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }
}

/// Does something with the repository as if git knew of the new files.
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

/// The repository with an index in the run's folder that knows of the new files; none where there is no such file.
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
    // Git notes an empty blob for each new file, which must not go into the repository either.
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

/// Removes what [`indexed`] made.
fn remove(folder: &RunFolder) -> Result<(), CallFailure> {
    let held = folder.store.lock()?;
    held.remove(&folder.path.join(INDEX))?;
    held.remove_folder(&folder.path.join(OBJECTS))
}

/// The names without those of files that tools make.
pub(in crate::runtime::review) fn without_tools(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !is_tool_output(name));
    names
}
