//! Reads `plugcast.toml`: the one of a folder, or the nearest one that applies to a source.

use std::path::{Path, PathBuf};

use super::{BuildError, config_fault, containment};
use crate::disk::FileSystem;
use crate::model::config::{self, Config};
use crate::source::last_line;

/// Reads the `plugcast.toml` in `folder`, if there is one.
///
/// # Errors
/// When it does not parse, or names a missing program or a path outside of `folder`.
pub fn read_config(folder: &Path) -> Result<Option<Config>, BuildError> {
    read_config_in(&FileSystem::default(), folder, folder)
}

/// The same in a `file_system`; the paths in the settings must not leave `src`, a source or repository.
///
/// # Errors
/// As [`read_config`].
pub fn read_config_in(
    file_system: &FileSystem,
    folder: &Path,
    src: &Path,
) -> Result<Option<Config>, BuildError> {
    let path = folder.join("plugcast.toml");
    containment::settings(file_system, &path, src)?;
    let Some(bytes) = file_system.read_settings(&path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|error| not_utf_8(&path, error.as_bytes()))?;
    let read = config::parse(&text).and_then(|config| {
        containment::check(file_system, &config, folder, src)?;
        containment::with_programs(file_system, config, folder, src)
    });
    match read {
        Ok(config) => Ok(Some(Config { path, ..config })),
        Err(fault) => Err(config_fault::in_file(&Config { text, path, ..Config::default() }, fault)),
    }
}

/// The nearest configuration of `src` with its folder, from there up to the first folder that `is_top`.
///
/// # Errors
/// As [`read_config`].
pub fn nearest_config(
    file_system: &FileSystem,
    src: &Path,
    is_top: impl Fn(&Path) -> bool,
) -> Result<Option<(Config, PathBuf)>, BuildError> {
    for folder in src.ancestors() {
        if let Some(config) = read_config_in(file_system, folder, folder)? {
            return Ok(Some((config, folder.to_owned())));
        }
        if is_top(folder) {
            break;
        }
    }
    Ok(None)
}

/// The configuration that applies to `src` and its folder: the nearest one up to the repository's top.
///
/// # Errors
/// As [`read_config`].
pub fn config_of(file_system: &FileSystem, src: &Path) -> Result<(Config, PathBuf), BuildError> {
    let Ok(start) = file_system.canonical(src) else { return Ok((Config::default(), PathBuf::new())) };
    let is_top = |folder: &Path| file_system.kind(&folder.join(".git")).is_some();
    let nearest = nearest_config(file_system, &start, is_top)?;
    Ok(nearest.unwrap_or_default())
}

fn not_utf_8(path: &Path, bytes: &[u8]) -> BuildError {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    BuildError::Config {
        path: path.display().to_string(),
        line: valid.matches('\n').count() + 1,
        column: last_line(valid).chars().count() + 1,
        message: "not valid UTF-8".to_owned(),
        help: Some("save the file as UTF-8".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use camino::Utf8Path;

    use super::*;
    use crate::disk::memory::{MemoryNode, MemoryTree};

    /// Folders above a repository are looked up in the same file system as the repository.
    #[test]
    fn the_search_in_a_commit_ends_at_the_top_of_its_repository() {
        let settings =
            MemoryNode::File { bytes: Arc::from(&b"[build]\nname = \"above\"\n"[..]), executable: false };
        let folder = |path| (Utf8Path::new(path), MemoryNode::Folder(Vec::new()));
        let nodes =
            [(Utf8Path::new("plugcast.toml"), settings), folder("a/.git"), folder("a/b"), folder("c")];
        let file_system = FileSystem::with_tree(MemoryTree::new(nodes));
        let name_for = |folder| {
            let (config, _) = config_of(&file_system, &Path::new(MemoryTree::TOP).join(folder)).unwrap();
            config.build.name
        };
        assert_eq!(name_for("c").as_deref(), Some("above"));
        assert_eq!(name_for("a/b"), None);
    }
}
