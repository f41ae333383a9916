//! Finds pipes, sockets, devices and oversized files in place of files that git reads in a repository and its working
//! tree: git blocks on a named pipe, reads a device to its end, and loads a whole file into memory.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::reader::{self, SizeLimit};

/// The files that git reads in every folder of a working tree.
const NAMES: [&str; 3] = [".gitattributes", ".gitignore", ".gitmodules"];
/// The maximum size of such a file, the same as git's limit for `.gitattributes`: 100 MiB.
const LARGEST: u64 = 100 * 1024 * 1024;
/// The maximum number of folders to search.
const MOST: usize = 20_000;

/// The message and the help about a file that is found here.
pub const SPECIAL: (&str, &str) =
    ("is not a regular file of at most 100 MiB, and git reads it", "look at it, and remove it");

/// The first of these files in one folder that is a pipe, a socket, a device or too large.
pub fn special_file_in(folder: &Path) -> Option<PathBuf> {
    // Git does not follow links here.
    let is_special = |path: &PathBuf| {
        fs::symlink_metadata(path)
            .is_ok_and(|meta| is_special(meta.file_type()) || meta.is_file() && meta.len() > LARGEST)
    };
    NAMES.iter().map(|name| folder.join(name)).find(is_special)
}

/// The first such file that git reads when it is run in `folder`: above it, below it, in the repository, or named by
/// its configuration.
pub fn special_file_for(folder: &Path) -> Option<PathBuf> {
    let top = folder.ancestors().find(|above| fs::symlink_metadata(above.join(".git")).is_ok());
    let above = folder.ancestors().take_while(|above| top.is_some_and(|top| above.starts_with(top)));
    let repository = top.map(|top| top.join(".git"));
    let repository = repository.as_deref();
    above
        .filter_map(special_file_in)
        .next()
        .or_else(|| repository.and_then(special_file_in_repository))
        .or_else(|| special_file_below(folder))
}

fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}

/// The first of these files in or below a folder, except in `.git`.
fn special_file_below(top: &Path) -> Option<PathBuf> {
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

/// The first special file in `.git` or the folder to which it refers, or in the configuration.
fn special_file_in_repository(git: &Path) -> Option<PathBuf> {
    let kind = fs::metadata(git).ok()?.file_type();
    if is_special(kind) {
        return Some(git.to_owned());
    }
    let text = |path: &Path| {
        let bytes = reader::read(path, SizeLimit::Settings).ok().flatten()?;
        String::from_utf8(bytes).ok()
    };
    let mut open = vec![git.to_owned()];
    if kind.is_file() {
        // For a linked working tree: its own folder, and that of the repository.
        let named = text(git)?;
        let own = git.parent()?.join(named.strip_prefix("gitdir: ")?.trim_end());
        let shared = text(&own.join("commondir")).map(|shared| own.join(shared.trim_end()));
        open = shared.into_iter().chain([own]).collect();
    }
    let configurations: Vec<PathBuf> =
        open.iter().flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name))).collect();
    for _ in 0..MOST {
        let Some(folder) = open.pop() else { break };
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Git follows links here, and has its own socket, to which it only connects.
            let Ok(kind) = fs::metadata(&path).map(|meta| meta.file_type()) else { continue };
            if is_special(kind) && path.extension().is_none_or(|extension| extension != "ipc") {
                return Some(path);
            }
            if kind.is_dir() && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            }
        }
    }
    let named = |configuration: &PathBuf| special_file_named_in(configuration, &text(configuration)?);
    configurations.iter().find_map(named)
}

/// The first value of a configuration that is the path of a special file.
fn special_file_named_in(configuration: &Path, text: &str) -> Option<PathBuf> {
    let folder = configuration.parent()?;
    let values = text.lines().filter_map(|line| line.split_once('=')).map(|(_, value)| value.trim());
    let mut paths = values.flat_map(|value| {
        let value = value.trim_matches('"');
        [Some(folder), folder.parent()].into_iter().flatten().map(move |base| base.join(value))
    });
    paths.find(|path| fs::metadata(path).is_ok_and(|meta| is_special(meta.file_type())))
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
        let ignored = top.path().join(".gitignore");
        fs::File::create(&ignored).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(special_file_in(top.path()), Some(ignored));
    }

    #[test]
    fn a_pipe_is_found_above_in_the_repository_and_where_the_configuration_names_it() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a/b");
        let git = top.path().join(".git");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("config"), "[include]\n\tpath = \"../named\"\n").unwrap();
        assert_eq!(special_file_for(&deep), None);
        for pipe in [".gitignore", "a/.gitattributes", ".git/info/exclude", ".git/HEAD", "named"] {
            let pipe = top.path().join(pipe);
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
            let found = special_file_for(&deep).and_then(|found| found.canonicalize().ok());
            assert_eq!(found, pipe.canonicalize().ok());
            fs::remove_file(&pipe).unwrap();
        }
    }
}
