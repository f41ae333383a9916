//! Where the helper's binaries come from: beside the running `plugcast`, from a cargo build in its own checkout, or
//! from the command line. Files are identified by their bytes; nothing is run.

mod checkout;
mod program;

use std::path::PathBuf;

use super::BuildError;
use crate::disk::reader::{self, SizeLimit};
use crate::disk::{self, Fingerprint};
use crate::model::project::Project;
use crate::model::runtime::{HELPER, HelperBinary, PLATFORMS};

pub use checkout::HelperCheckout;

/// Where to look for the helper's binaries.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HelperSearchPath {
    /// Platforms and files given on the command line.
    pub given: Vec<(String, PathBuf)>,
    /// The running program.
    pub program: Option<PathBuf>,
    /// The checkout of this package that cargo runs the program in. The helper beside the program is then ignored: it
    /// is not built to be shipped.
    pub checkout: Option<HelperCheckout>,
}

/// The helper's binaries for the plugins of `project`; none if no plugin ships it, or without `places`.
///
/// # Errors
/// As [`find`].
pub fn binaries(
    project: &Project,
    places: Option<&HelperSearchPath>,
    only_existing: bool,
) -> Result<Vec<HelperBinary>, BuildError> {
    match places {
        Some(places) if project.plugins.iter().any(|plugin| plugin.runtime.wants_helper()) => {
            find(places, only_existing)
        }
        _ => Ok(Vec::new()),
    }
}

/// The helper's binaries for a build, by platform. With `only_existing`, none is built and a missing one is not an
/// error.
///
/// # Errors
/// When there is none, or a file is not a helper for its platform.
pub fn find(places: &HelperSearchPath, only_existing: bool) -> Result<Vec<HelperBinary>, BuildError> {
    let mut found = Vec::new();
    for (platform, path) in &places.given {
        found.push(binary(platform, path.clone())?);
    }
    let here = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let known = PLATFORMS.contains(&here.as_str());
    if known && found.iter().all(|binary| binary.platform != here) {
        let path = match &places.checkout {
            Some(checkout) => checkout.helper(only_existing)?,
            None => next_to_program(places),
        };
        if let Some(path) = path {
            found.push(binary(&here, path)?);
        }
    }
    if found.is_empty() && !only_existing {
        return Err(missing_binary(places, &here));
    }
    found.sort_by(|a, b| a.platform.cmp(&b.platform));
    Ok(found)
}

fn next_to_program(places: &HelperSearchPath) -> Option<PathBuf> {
    let program = places.program.as_ref()?;
    let path = program.with_file_name(format!("{HELPER}{}", std::env::consts::EXE_SUFFIX));
    disk::is_file(&path).then_some(path)
}

fn missing_binary(places: &HelperSearchPath, here: &str) -> BuildError {
    let program = places.program.as_ref().map_or("plugcast".into(), |path| path.display().to_string());
    BuildError::Helper {
        message: format!("a plugin ships `{HELPER}`, but none is next to `{program}`"),
        help: format!(
            "install both programs of plugcast into one folder (`cargo install` does), or pass `--helper {here}=PATH`, or build without one: `--helper none`"
        ),
    }
}

fn binary(platform: &str, path: PathBuf) -> Result<HelperBinary, BuildError> {
    let shown = path.display();
    let fault = |message: String, help: &str| BuildError::Helper { message, help: help.to_owned() };
    let Some(bytes) = reader::read(&path, SizeLimit::Program)? else {
        return Err(fault(format!("the file `{shown}` does not exist"), "pass the path of a `plugcast-run`"));
    };
    let wrong = match program::platforms(&bytes) {
        None => Some("not a program for a known platform".to_owned()),
        Some(of) if !of.contains(&platform) => Some(format!("a program for {}", of.join(" or "))),
        Some(_) => None,
    };
    if let Some(is) = wrong {
        let message = format!("`{shown}` is {is}, not for {platform}");
        return Err(fault(message, "pass the `plugcast-run` that was built for that platform"));
    }
    let Some(version) = program::version(&bytes) else {
        let message = format!("`{shown}` is not a `{HELPER}`: it contains no version");
        return Err(fault(message, "pass a `plugcast-run` as cargo builds it, not packed or encrypted"));
    };
    let fingerprint = Fingerprint { size: bytes.len() as u64, sha256: disk::sha256(&bytes) };
    Ok(HelperBinary { platform: platform.to_owned(), version, origin: disk::canonical(&path)?, fingerprint })
}
