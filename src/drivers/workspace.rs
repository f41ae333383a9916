//! Where a host is started: in a home, fresh or given, and in an empty project that is the top of a repository of its
//! own. Hosts look for settings, modules and instructions in every folder above, up to the top of the repository; the
//! folder for temporary files is open to everybody, or lies in a repository that nobody vouches for.

use std::io;
use std::path::{Path, PathBuf};

use super::observation::{Installation, LIMIT};
use super::text;
use crate::disk::plain_files;
use crate::process::ChildCommand;
use crate::temp_dir::TempFolder;

/// What git needs to take a folder for a repository.
const FILES: [(&str, &str); 2] = [
    ("HEAD", "ref: refs/heads/main\n"),
    ("config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
];
const FOLDERS: [&str; 2] = ["objects", "refs"];

/// The home and the project of one host, gone when dropped; a given home stays.
pub struct HostWorkspace {
    folders: TempFolder,
    home: PathBuf,
    project: PathBuf,
    installation: Installation,
}

impl HostWorkspace {
    /// Makes the project, and a home unless one is given.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn new(given: Option<&Path>, installation: &Installation) -> io::Result<Self> {
        let folders = TempFolder::new()?;
        let home = match given {
            Some(home) => home.to_owned(),
            None => folders.folder("home")?,
        };
        let project = project(&folders)?;
        Ok(Self { folders, home, project, installation: installation.clone() })
    }

    /// The folder that the project lies in, where no host looks for anything by itself.
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

    /// The host, not started yet: a limit, and nothing of the environment but `PATH` and `HOME`.
    pub fn command(&self, folder: &Path) -> ChildCommand {
        let environment = [("PATH", self.installation.search_path.clone()), ("HOME", text(&self.home))];
        ChildCommand::new(&self.installation.binary, folder).environment(environment).limit(LIMIT).guarded()
    }

    /// Says, of a host that did not start, which one it is.
    pub fn not_started(&self) -> String {
        format!("cannot start `{}`", self.installation.binary.display())
    }
}

/// Makes the folder `project` in `folders`.
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
