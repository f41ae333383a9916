//! The environment in which a host is started: a home, fresh or given, and an empty project at the top of a separate
//! repository. Hosts look for settings, modules and instructions in every parent folder, up to the top of the
//! repository; the folder for temporary files is writable by everybody, or may be in an untrusted repository.

use std::io;
use std::path::{Path, PathBuf};

use super::observation::{Installation, LIMIT};
use super::text;
use crate::disk::plain_files;
use crate::process::ChildCommand;
use crate::temp_dir::TempFolder;

/// The files that make a folder a git repository.
const FILES: [(&str, &str); 2] = [
    ("HEAD", "ref: refs/heads/main\n"),
    ("config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];
const FOLDERS: [&str; 2] = ["objects", "refs"];

/// The home and the project of one host, removed when dropped; a given home is kept.
pub struct HostWorkspace {
    folders: TempFolder,
    home: PathBuf,
    project: PathBuf,
    installation: Installation,
}

impl HostWorkspace {
    /// Creates the project, and a home unless one is given.
    ///
    /// # Errors
    /// When they cannot be created.
    pub fn new(given: Option<&Path>, installation: &Installation) -> io::Result<Self> {
        let folders = TempFolder::new()?;
        let home = match given {
            Some(home) => home.to_owned(),
            None => folders.folder("home")?,
        };
        let project = project(&folders)?;
        Ok(Self { folders, home, project, installation: installation.clone() })
    }

    /// The parent folder of the project, where no host looks for files.
    pub fn folder(&self) -> &Path {
        self.folders.path()
    }

    /// `HOME`.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// An empty folder to work in.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The command of the host, not started yet: with a time limit, and only `PATH` and `HOME` in the environment.
    pub fn command(&self, folder: &Path) -> ChildCommand {
        let environment = [("PATH", self.installation.search_path.clone()), ("HOME", text(&self.home))];
        ChildCommand::new(&self.installation.binary, folder)
            .environment(environment)
            .limit(LIMIT)
            .killed_with_parent()
    }

    /// The message that the host could not be started.
    pub fn not_started(&self) -> String {
        format!("cannot start `{}`", self.installation.binary.display())
    }
}

/// Creates the folder `project` in `folders`.
fn project(folders: &TempFolder) -> io::Result<PathBuf> {
    let project = folders.folder("project")?;
    for folder in FOLDERS {
        plain_files::make_folder(&project.join(".git").join(folder))?;
    }
    for (name, text) in FILES {
        plain_files::write(&project.join(".git").join(name), text.as_bytes(), false)?;
    }
    Ok(project)
}
