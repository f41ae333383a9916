//! Where runs and records are: one folder per repository, and others where a sandbox makes that one unwritable.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{NAME, Store, UNTRACKED_FOLDERS};
use crate::disk;
use crate::runtime::answer::CallFailure;
use crate::runtime::git::{self, Repository, records};

/// Where runs and records may be stored, in order of preference: only the folder that was named; else that of the main
/// working tree, of this one, of the working directory.
///
/// # Errors
/// When git fails.
pub fn places(repository: &Repository, named: Option<&Path>) -> Result<Vec<PathBuf>, CallFailure> {
    let environment = repository.environment();
    if let Some(named) = named {
        return Ok(vec![environment.path(named)]);
    }
    // Only a linked working tree has a main one elsewhere; git's own folder may be anywhere.
    let folders = repository.must(&["rev-parse", "--git-dir", "--git-common-dir"])?;
    let mut folders = folders.split(|byte| *byte == b'\n');
    let is_linked = folders.next() != folders.next();
    let main = match is_linked {
        // That of a bare repository may be gone: git lists it until it is pruned.
        true => {
            let mut trees = repository.worktrees()?.into_iter();
            trees.find(|(path, bare)| !bare && disk::is_folder(path)).map(|(path, _)| path)
        }
        false => None,
    };
    let mut places = Vec::new();
    for folder in
        [main.unwrap_or_else(|| repository.top.clone()), repository.top.clone(), environment.folder.clone()]
    {
        let place = folder.join(NAME);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// Where runs and records may be found: also below the tracked folders of this working tree, since a sandbox that began
/// in one of them could write nowhere else.
///
/// # Errors
/// When git fails.
pub fn places_to_read(repository: &Repository, named: Option<&Path>) -> Result<Vec<PathBuf>, CallFailure> {
    let mut found = places(repository, named)?;
    if named.is_some() {
        return Ok(found);
    }
    let listed = repository.must(&["ls-files", "-z", "--full-name"])?;
    let mut folders = BTreeSet::new();
    for file in records(&listed).map(git::path) {
        let mut above = file.ancestors().skip(1).filter(|folder| *folder != Path::new(""));
        // With a folder, those above it were found, too.
        while above.next().is_some_and(|folder| folders.insert(folder.to_owned())) {}
    }
    for folder in folders {
        let place = repository.top.join(folder).join(NAME);
        // The repository may track one as an example.
        let is_own = disk::is_folder(&place.join(UNTRACKED_FOLDERS[0]))
            && Store::new(place.clone(), repository.environment()).open().is_ok();
        if is_own && !found.contains(&place) {
            found.push(place);
        }
    }
    Ok(found)
}
