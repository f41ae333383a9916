//! Files that git reads in every folder of a working tree, where something stands in their place that is no file: git
//! waits for a named pipe, and reads a device to its end.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::path::{Path, PathBuf};

/// The files that git reads.
const NAMES: [&str; 3] = [".gitattributes", ".gitignore", ".gitmodules"];
/// How many folders are looked into.
const MOST: usize = 20_000;

/// The first of these files in one folder that is a pipe, a socket or a device.
pub fn special_file_in(folder: &Path) -> Option<PathBuf> {
    let is_special = |path: &PathBuf| {
        let kind = fs::symlink_metadata(path).map(|meta| meta.file_type());
        kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir() && !kind.is_symlink())
    };
    NAMES.iter().map(|name| folder.join(name)).find(is_special)
}

/// The first of these files in a folder or below it, git's own folder left out.
pub fn special_file_below(top: &Path) -> Option<PathBuf> {
    let mut open = vec![top.to_owned()];
    for _ in 0..MOST {
        let folder = open.pop()?;
        if let Some(found) = special_file_in(&folder) {
            return Some(found);
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(folders.filter(|entry| entry.file_name() != ".git").map(|entry| entry.path()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_found_in_any_folder() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(top.path().join(".gitignore"), "x").unwrap();
        assert_eq!(special_file_below(top.path()), None);
        let pipe = deep.join(".gitattributes");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(special_file_below(top.path()), Some(pipe.clone()));
        assert_eq!((special_file_in(top.path()), special_file_in(&deep)), (None, Some(pipe)));
    }
}
