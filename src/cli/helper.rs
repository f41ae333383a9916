//! `--helper`, and where a command gets its helper binaries from: the command line, or the environment of the running
//! program.

use std::path::PathBuf;

use super::CommandFailure;
use crate::build::helper::{HelperCheckout, HelperSearchPath, find};
use crate::model::project::Project;
use crate::model::runtime::{HelperBinary, PLATFORMS};
use crate::progress::Progress;

/// One `--helper`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelperOption {
    /// `none`
    None,
    /// `PLATFORM=PATH`
    Binary(String, PathBuf),
}

impl std::fmt::Display for HelperOption {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HelperOption::None => out.write_str("none"),
            HelperOption::Binary(platform, path) => write!(out, "{platform}={}", path.display()),
        }
    }
}

impl HelperOption {
    /// Reads the value of the option.
    ///
    /// # Errors
    /// A message that lists the valid values.
    pub fn parse(value: &str) -> Result<Self, String> {
        match value.split_once('=') {
            None if value == "none" => Ok(HelperOption::None),
            Some((platform, path)) if PLATFORMS.contains(&platform) && !path.is_empty() => {
                Ok(HelperOption::Binary(platform.to_owned(), PathBuf::from(path)))
            }
            Some((platform, _)) if !PLATFORMS.contains(&platform) => {
                Err(format!("unknown platform `{platform}`; platforms: {}", PLATFORMS.join(", ")))
            }
            _ => Err("expected `none` or `PLATFORM=PATH`".to_owned()),
        }
    }
}

/// The helper binaries for `project`; none if no plugin ships one. With `only_existing`, nothing is built.
///
/// # Errors
/// When a plugin ships the helper and there is none, or a given binary is invalid.
pub fn binaries(
    project: &Project,
    options: &[HelperOption],
    only_existing: bool,
    progress: &Progress,
) -> Result<Vec<HelperBinary>, CommandFailure> {
    let none = options.contains(&HelperOption::None);
    if none && options.len() > 1 {
        let help = "pass either `none` or binaries, each platform once";
        return Err(CommandFailure::usage(
            "`--helper none` cannot be combined with another `--helper`",
            help,
        ));
    }
    if none || !project.plugins.iter().any(|plugin| plugin.runtime.wants_helper()) {
        return Ok(Vec::new());
    }
    let mut given: Vec<(String, PathBuf)> = Vec::new();
    for option in options {
        let HelperOption::Binary(platform, path) = option else { continue };
        if given.iter().any(|(known, _)| known == platform) {
            let message = format!("`--helper` names two binaries for {platform}");
            return Err(CommandFailure::usage(message, "pass one per platform"));
        }
        given.push((platform.clone(), path.clone()));
    }
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    let environment = std::env::vars_os().filter_map(text).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    let program = std::env::current_exe().ok();
    let checkout = HelperCheckout::from_environment(environment, folder, progress);
    let places = HelperSearchPath { given, program, checkout };
    Ok(find(&places, only_existing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_option() {
        let parse = HelperOption::parse;
        assert_eq!(parse("none"), Ok(HelperOption::None));
        let arm = HelperOption::Binary("linux-aarch64".into(), "a=b".into());
        assert_eq!(parse("linux-aarch64=a=b"), Ok(arm));
        assert!(parse("linux-riscv=a").unwrap_err().contains("linux-aarch64, linux-x86_64"));
        assert!(parse("linux-x86_64=").is_err() && parse("all").is_err());
    }
}
