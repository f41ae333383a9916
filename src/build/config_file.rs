//! `plugcast.toml`: the one of a folder, and the nearest one that applies to a source.

use std::path::{Path, PathBuf};

use super::{BuildError, config_fault, containment};
use crate::disk;
use crate::model::config::{self, Config};

/// Reads the `plugcast.toml` in `folder`, if there is one.
///
/// # Errors
/// When it does not parse, or names a program that is not there or a path outside of `folder`.
pub fn read_config(folder: &Path) -> Result<Option<Config>, BuildError> {
    read_config_in(folder, folder)
}

/// The same in the source or repository `src`, which its paths must not leave.
///
/// # Errors
/// As [`read_config`].
pub fn read_config_in(folder: &Path, src: &Path) -> Result<Option<Config>, BuildError> {
    let path = folder.join("plugcast.toml");
    containment::settings(&path, src)?;
    let Some(bytes) = disk::read_settings(&path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|error| not_utf_8(&path, error.as_bytes()))?;
    let read = config::parse(&text).and_then(|config| {
        containment::check(&config, folder, src)?;
        containment::with_programs(config, folder, src)
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
    src: &Path,
    is_top: impl Fn(&Path) -> bool,
) -> Result<Option<(Config, PathBuf)>, BuildError> {
    for folder in src.ancestors() {
        if let Some(config) = read_config(folder)? {
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
pub fn config_of(src: &Path) -> Result<(Config, PathBuf), BuildError> {
    let Ok(start) = disk::canonical(src) else { return Ok((Config::default(), PathBuf::new())) };
    let nearest = nearest_config(&start, |folder| folder.join(".git").exists())?;
    Ok(nearest.unwrap_or_default())
}

fn not_utf_8(path: &Path, bytes: &[u8]) -> BuildError {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    BuildError::Config {
        path: path.display().to_string(),
        line: valid.matches('\n').count() + 1,
        column: valid.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
        message: "not valid UTF-8".to_owned(),
        help: Some("save the file as UTF-8".to_owned()),
    }
}
