//! Finds the binaries of the hosts: the one that the caller passes, else the host's usual command on the search path.
//! OpenCode also needs ripgrep, which the Codex package contains.

use std::path::{Path, PathBuf};

use super::observation::Installation;
use super::{DRIVERS, Driver, text};
use crate::disk::plain_files;
use crate::progress::Progress;

/// The name for ripgrep among the passed binaries.
pub const RIPGREP: &str = "rg";

/// Why a host cannot be started: what is missing, and how to install it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MissingHost {
    /// What is missing.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// Where to look for binaries.
#[derive(Debug, Clone, Default)]
pub struct HostSearch {
    /// Binaries that the caller passes: host (or [`RIPGREP`]) and path.
    pub named: Vec<(String, PathBuf)>,
    /// Folders as in `PATH`, separated by colons.
    pub search_path: String,
    /// Receives the progress of the host.
    pub progress: Progress,
}

impl HostSearch {
    /// The binary of a driver's host, with the `PATH` that the host gets.
    ///
    /// # Errors
    /// When the host's binary, or ripgrep where the host needs it, is not found.
    pub fn installation(&self, driver: &dyn Driver) -> Result<Installation, MissingHost> {
        let host = driver.host();
        let binary = self.binary(host, driver.command()).ok_or_else(|| MissingHost {
            message: format!("host `{host}` not found"),
            help: format!(
                "install it with `npm install -g {}@{}`, or pass its path with `--host-bin {host}=PATH`",
                driver.package(),
                driver.pinned()
            ),
        })?;
        if !plain_files::is_executable(&binary) {
            return Err(MissingHost {
                message: format!("`{}` is not an executable file", binary.display()),
                help: format!("name the binary of host `{host}` with `--host-bin {host}=PATH`"),
            });
        }
        let mut search_path = self.search_path.clone();
        if driver.needs_ripgrep() && self.on_path(RIPGREP).is_none() {
            let folder =
                self.ripgrep().and_then(|found| found.parent().map(text)).ok_or_else(|| MissingHost {
                    message: format!("host `{host}` needs ripgrep, but `{RIPGREP}` was not found"),
                    help: format!("install ripgrep, or pass its path with `--host-bin {RIPGREP}=PATH`"),
                })?;
            search_path = if search_path.is_empty() { folder } else { format!("{folder}:{search_path}") };
        }
        Ok(Installation { binary, search_path, progress: self.progress.clone() })
    }

    fn binary(&self, name: &str, command: &str) -> Option<PathBuf> {
        let named = self.named.iter().find(|(host, _)| host == name);
        // A host runs in another folder, where a relative path would be wrong.
        named
            .map(|(_, path)| plain_files::absolute(path).unwrap_or_else(|_| path.clone()))
            .or_else(|| self.on_path(command))
    }

    /// A command on the search path.
    pub fn on_path(&self, command: &str) -> Option<PathBuf> {
        let folders = self.search_path.split(':').filter(|folder| folder.starts_with('/'));
        folders.map(|folder| Path::new(folder).join(command)).find(|path| plain_files::is_executable(path))
    }

    /// Ripgrep as passed, else the one in the package of a Codex binary.
    fn ripgrep(&self) -> Option<PathBuf> {
        let named = self.named.iter().find(|(name, _)| name == RIPGREP).map(|(_, path)| path.clone());
        named.filter(|path| plain_files::is_executable(path)).or_else(|| {
            DRIVERS.iter().filter(|driver| driver.carries_ripgrep()).find_map(|driver| {
                let binary = plain_files::absolute(&self.binary(driver.host(), driver.command())?).ok()?;
                binary.ancestors().skip(1).take(6).find_map(ripgrep_in_package)
            })
        })
    }
}

/// Ripgrep at its paths in the Codex package (0.169.0), relative to the folder of the native binary, of the package
/// that contains it, or of the package that users install.
fn ripgrep_in_package(folder: &Path) -> Option<PathBuf> {
    let under = |folder: &Path| {
        let vendor = folder.join("vendor");
        plain_files::names_in(&vendor)
            .into_iter()
            .map(move |triple| vendor.join(triple).join("codex-path/rg"))
    };
    let scope = folder.join("node_modules/@openai");
    let siblings = plain_files::names_in(&scope)
        .into_iter()
        .flat_map(|package| under(&scope.join(package)).collect::<Vec<_>>());
    let mut places = std::iter::once(folder.join("codex-path/rg")).chain(under(folder)).chain(siblings);
    places.find(|path| plain_files::is_executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ripgrep_in_a_package_and_commands_on_the_path() {
        let scratch = crate::temp_dir::TempFolder::new().unwrap();
        let package = scratch.path().join("node_modules/@openai/codex-linux-x64/vendor/triple");
        plain_files::write(&package.join("bin/codex"), b"", true).unwrap();
        plain_files::write(&package.join("codex-path/rg"), b"", true).unwrap();
        for folder in [package.clone(), package.join("../.."), scratch.path().to_path_buf()] {
            assert!(ripgrep_in_package(&folder).is_some(), "{}", folder.display());
        }
        let search = HostSearch {
            named: Vec::new(),
            search_path: text(&package.join("bin")),
            progress: Progress::default(),
        };
        assert_eq!(search.on_path("codex"), Some(package.join("bin/codex")));
        assert_eq!(search.on_path("claude"), None);
    }

    #[test]
    fn says_how_to_get_what_is_missing() {
        let missing = HostSearch::default().installation(DRIVERS[0]).unwrap_err();
        assert!(missing.help.contains("npm install -g") && missing.help.contains("--host-bin"));
    }
}
