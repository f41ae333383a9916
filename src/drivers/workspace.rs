//! The folder in which a host is started: empty, and the top of a repository of its own. Hosts look for settings,
//! modules and instructions in every folder above, up to the top of the repository; the folder for temporary files is
//! open to everybody, or lies in a repository that nobody vouches for.

use std::io;
use std::path::PathBuf;

use crate::disk::temp_dir::{self, TempFolder};

/// What git needs to take a folder for a repository.
const FILES: [(&str, &str); 2] = [
    ("HEAD", "ref: refs/heads/main\n"),
    ("config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];
const FOLDERS: [&str; 2] = ["objects", "refs"];

/// Makes the folder `project` in `folders`.
///
/// # Errors
/// When it cannot be made.
pub fn create(folders: &TempFolder) -> io::Result<PathBuf> {
    let project = folders.folder("project")?;
    for folder in FOLDERS {
        temp_dir::make_folder(&project.join(".git").join(folder))?;
    }
    for (name, text) in FILES {
        temp_dir::write(&project.join(".git").join(name), text.as_bytes(), false)?;
    }
    Ok(project)
}
