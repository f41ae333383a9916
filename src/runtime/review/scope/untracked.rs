//! New files that git does not track, made part of the diff by an index file of the run: the user's own index stays
//! as it is, and nothing is written below `.git`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::disk;
use crate::runtime::answer::Failure;
use crate::runtime::child;
use crate::runtime::git::{self, Repository};
use crate::runtime::review::run_folder::RunFolder;

const INDEX: &str = "index";
const OBJECTS: &str = "objects";

/// Whether a file that git does not track is one of the helper's.
pub(super) fn is_ours(name: &str) -> bool {
    name.starts_with(".plugcast/")
}

/// Does something with the repository as if git knew of the new files that were not left out.
pub(super) fn with<T>(
    repository: &Repository,
    folder: &RunFolder,
    left_out: &[String],
    look: impl FnOnce(&Repository) -> Result<T, Failure>,
) -> Result<T, Failure> {
    match indexed(repository, folder, left_out)? {
        None => look(repository),
        Some(indexed) => {
            let looked = look(&indexed);
            remove(folder)?;
            looked
        }
    }
}

/// The repository with an index in the run's folder that knows of every new file but those that were left out; none
/// where there is no such file.
fn indexed(
    repository: &Repository,
    folder: &RunFolder,
    left_out: &[String],
) -> Result<Option<Repository>, Failure> {
    let listed = repository.must(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let left_out: BTreeSet<&str> = left_out.iter().map(String::as_str).collect();
    let mut names: Vec<u8> = Vec::new();
    for name in git::records(&listed) {
        let shown = String::from_utf8_lossy(name);
        if !is_ours(&shown) && !left_out.contains(&*shown) {
            names.extend_from_slice(name);
            names.push(0);
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let path = |what: &str| -> Result<_, Failure> {
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
    let ended = child::run(repository.surroundings(), "git", &command)?;
    if ended.succeeded() { Ok(Some(found)) } else { Err(repository.failed("add", &ended)) }
}

/// Removes what [`indexed`] made.
fn remove(folder: &RunFolder) -> Result<(), Failure> {
    let held = folder.store.lock()?;
    held.remove(&folder.path.join(INDEX))?;
    held.remove_folder(&folder.path.join(OBJECTS))
}
