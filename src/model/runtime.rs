//! The programs that a plugin ships: the helper `plugcast-run`, and its own programs, as set in `[runtime]` of a
//! `plugcast.toml`; the keys of a plugin's own file take precedence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use toml::Spanned;

use super::config::ConfigFault;
use super::names;
use crate::disk::Fingerprint;
use crate::size_limits::PolishConfig;
use crate::source::Span;

/// The helper's name.
pub const HELPER: &str = "plugcast-run";

/// The platforms that a program can be shipped for.
pub const PLATFORMS: [&str; 6] =
    ["linux-aarch64", "linux-x86_64", "macos-aarch64", "macos-x86_64", "windows-aarch64", "windows-x86_64"];

/// Extensions of the launchers, which are where a caller looks for the program.
pub const LAUNCHERS: [&str; 2] = ["", ".cmd"];

/// `[runtime]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuntimeConfig {
    /// Whether the plugin ships the helper.
    pub helper: Option<bool>,
    /// Whether the helper's binary is shipped; with `false`, only the launcher is, which tells how to get the binary.
    pub ship: Option<bool>,
    /// `[runtime.bin.NAME]`: paths by platform, relative to the folder of the file.
    #[serde(default)]
    pub bin: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<String>>>,
    /// `[runtime.polish]`: limits that the helper enforces; it reads them itself, in the user's repository.
    #[serde(default)]
    pub polish: PolishConfig,
    /// `bin` with absolute paths; filled when the file is read.
    #[serde(skip)]
    pub programs: BTreeMap<String, BTreeMap<String, PathBuf>>,
}

impl RuntimeConfig {
    /// The first invalid name or platform.
    pub(super) fn fault(&self) -> Option<ConfigFault> {
        let fault = |range: std::ops::Range<usize>, message: String, help: String| {
            Some(ConfigFault { span: Span::new(range.start, range.end), message, help: Some(help) })
        };
        for (name, paths) in &self.bin {
            if let Err(why) = check(name.get_ref()) {
                let message = format!("the program name `{}` {why}", name.get_ref());
                return fault(name.span(), message, "name it with letters, digits, `-` and `_`".to_owned());
            }
            for (platform, path) in paths {
                if !PLATFORMS.contains(&platform.get_ref().as_str()) {
                    let message = format!("unknown platform `{}`", platform.get_ref());
                    return fault(platform.span(), message, format!("one of: {}", PLATFORMS.join(", ")));
                }
                if path.get_ref().is_empty() {
                    let help = "name a file, relative to the folder of this `plugcast.toml`".to_owned();
                    return fault(path.span(), "the path is empty".to_owned(), help);
                }
            }
            if paths.is_empty() {
                let help = "add `linux-x86_64 = \"path\"`, or remove the section".to_owned();
                return fault(name.span(), format!("`{}` has no binary", name.get_ref()), help);
            }
        }
        None
    }
}

fn check(name: &str) -> Result<(), &'static str> {
    names::check(name)?;
    if name.eq_ignore_ascii_case(HELPER) {
        return Err("is reserved for the helper: set `helper = true` instead");
    }
    if PLATFORMS.contains(&name) {
        return Err("is reserved for a platform's folder");
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if name.bytes().all(plain) { Ok(()) } else { Err("may contain only letters, digits, `-` and `_`") }
}

/// What one plugin ships.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runtime {
    /// Whether the plugin has the helper's launcher.
    pub helper: bool,
    /// Whether the helper's binary is shipped, if the build has one.
    pub ship: bool,
    /// Programs of the plugin's own, by name and platform.
    pub programs: BTreeMap<String, BTreeMap<String, Program>>,
}

/// A program of the plugin's own for one platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub origin: PathBuf,
    /// The same relative to SRC, if it lies there.
    pub source: Option<Utf8PathBuf>,
}

/// A helper binary that a build puts into every plugin that ships the helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperBinary {
    /// One of [`PLATFORMS`].
    pub platform: String,
    /// Its version, read from the file.
    pub version: String,
    /// The file, absolute and without links.
    pub origin: PathBuf,
    /// The fingerprint of the bytes from which the version was read.
    pub fingerprint: Fingerprint,
}

impl Runtime {
    /// What a plugin ships according to the settings for SRC and the plugin's own settings. `inside` gives a file's
    /// path relative to SRC.
    pub fn from_config(
        source: &RuntimeConfig,
        own: &RuntimeConfig,
        inside: impl Fn(&PathBuf) -> Option<Utf8PathBuf>,
    ) -> Self {
        let mut programs = source.programs.clone();
        programs.extend(own.programs.clone());
        let program = |origin: PathBuf| Program { source: inside(&origin), origin };
        let of_platforms = |(name, paths): (String, BTreeMap<String, PathBuf>)| {
            (name, paths.into_iter().map(|(platform, path)| (platform, program(path))).collect())
        };
        Self {
            helper: own.helper.or(source.helper).unwrap_or(false),
            ship: own.ship.or(source.ship).unwrap_or(true),
            programs: programs.into_iter().map(of_platforms).collect(),
        }
    }

    /// Whether a build must provide the helper's binary.
    pub fn wants_helper(&self) -> bool {
        self.helper && self.ship
    }

    /// The names that get a launcher.
    pub fn names(&self) -> Vec<&str> {
        let helper = self.helper.then_some(HELPER);
        helper.into_iter().chain(self.programs.keys().map(String::as_str)).collect()
    }

    /// Whether a file at `inner`, relative to the plugin's folder, would conflict with a launcher or a binary.
    pub fn claims(&self, inner: &Utf8Path) -> bool {
        let inner = Utf8PathBuf::from(inner.as_str().to_ascii_lowercase());
        self.names().into_iter().any(|name| {
            let launchers = LAUNCHERS.iter().map(|ending| format!("bin/{name}{ending}"));
            let binaries = PLATFORMS.iter().map(|platform| place(platform, name));
            let mut claimed =
                launchers.chain(binaries).map(|path| Utf8PathBuf::from(path.to_ascii_lowercase()));
            claimed.any(|claimed| claimed.starts_with(&inner) || inner.starts_with(&claimed))
        })
    }

    /// The programs whose file is in SRC, with the path of each in the plugin's folder.
    pub fn programs_in_source(&self) -> impl Iterator<Item = (&Utf8PathBuf, Utf8PathBuf)> {
        self.programs.iter().flat_map(|(name, paths)| {
            paths.iter().filter_map(|(platform, program)| {
                Some((program.source.as_ref()?, Utf8PathBuf::from(place(platform, name))))
            })
        })
    }
}

/// The path of the program `name` for `platform` in the plugin's folder.
pub fn place(platform: &str, name: &str) -> String {
    let ending = if platform.starts_with("windows-") { ".exe" } else { "" };
    format!("bin/{platform}/{name}{ending}")
}
