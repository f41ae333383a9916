//! `--helper`, and where a command gets its helper binaries from: the command line, or the environment of the running
//! program.

use std::path::PathBuf;

use super::CommandFailure;
use crate::build::helper::{HelperCheckout, HelperSearchPath};
use crate::model::runtime::PLATFORMS;
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

/// Where a build looks for the helper binaries; `None` if it ships none.
///
/// # Errors
/// When the options contradict each other.
pub fn search_path(
    options: &[HelperOption],
    progress: &Progress,
) -> Result<Option<HelperSearchPath>, CommandFailure> {
    if options.contains(&HelperOption::None) {
        if options.len() == 1 {
            return Ok(None);
        }
        let help = "pass either `none` or binaries, each platform once";
        return Err(CommandFailure::usage(
            "`--helper none` cannot be combined with another `--helper`",
            help,
        ));
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
    Ok(Some(HelperSearchPath { given, program, checkout }))
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
