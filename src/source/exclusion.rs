//! Why paths of a source are excluded from a build. Code compares the reason, users read its sentence.

use std::fmt;

use camino::Utf8PathBuf;
use serde::Serialize;

/// A path of the source that is excluded from the build, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exclusion {
    /// Path relative to SRC, with `/`; a folder includes its content.
    pub path: Utf8PathBuf,
    /// Why.
    pub reason: ExclusionReason,
    /// Whether it cannot be intentional (a link out of the tree, an unreadable file).
    pub fault: bool,
}

/// Why a path is excluded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExclusionReason {
    /// Version-control data.
    VersionControl,
    /// A `.gitignore` of the source.
    Ignored,
    /// `[build] exclude` in `plugcast.toml`.
    Setting,
    /// Installed packages.
    Packages,
    /// The output folder of the build.
    Output,
    /// A bundle.
    Bundle,
    /// Outside of all plugins.
    OutsidePlugins,
    /// A staged text that never replaced its file.
    UnfinishedChange,
    /// A link to a file outside the source.
    LinkLeavesSource,
    /// A link to a folder above it.
    LinkLoop,
    /// A link without a target, with the error.
    BrokenLink(String),
    /// More folders deep than this.
    TooDeep(usize),
    /// Neither a file nor a folder.
    NotAFile,
    /// A name that is not UTF-8.
    InvalidName,
    /// A file that is larger than a source may be.
    TooLarge,
    /// A file that makes the source larger than it may be.
    TooLargeTogether,
    /// A file that cannot be read, with the error.
    Unreadable(String),
    /// A folder that cannot be listed, with the error.
    Unlistable(String),
    /// A folder whose `.gitignore` cannot be read, with the error.
    UnreadableIgnoreFile(String),
    /// A marketplace file that cannot be used, which has a separate finding.
    UnusableMarketplace,
    /// A lockfile at the root of a plugin.
    Lockfile,
    /// A file of the author's tools.
    BuildFile,
    /// A manifest or folder of another host.
    ForeignFile,
    /// Skills and plugins that are not installed.
    Uninstalled,
    /// Components at the root of a marketplace, in none of its plugins.
    Unlisted,
    /// A file of a host's project that is not checked, for the reason that the target gives.
    UncheckedFile(String),
    /// A plugin with the name of another one.
    TakenName(String),
}

/// Reasons that change without a change of the source: a build folder, installed packages, the checkout itself.
const TRANSIENT: [ExclusionReason; 6] = [
    ExclusionReason::VersionControl,
    ExclusionReason::Ignored,
    ExclusionReason::Output,
    ExclusionReason::Bundle,
    ExclusionReason::OutsidePlugins,
    ExclusionReason::UnfinishedChange,
];

impl ExclusionReason {
    /// Whether it changes without a change of the source. Ledgers that differ only in such rows are equivalent.
    pub fn is_transient(&self) -> bool {
        TRANSIENT.contains(self)
    }
}

impl fmt::Display for ExclusionReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::VersionControl => "version-control data is not part of a plugin",
            Self::Ignored => "a `.gitignore` of the source ignores it",
            Self::Setting => "`[build] exclude` names it",
            Self::Packages => "it contains installed packages",
            Self::Output => "it is the output folder of this build",
            Self::Bundle => "it is a bundle that a build wrote",
            Self::OutsidePlugins => "it is not part of any plugin",
            Self::UnfinishedChange => "an interrupted change left it behind",
            Self::LinkLeavesSource => "the link leaves the source",
            Self::LinkLoop => "the link leads back into a folder above it",
            Self::BrokenLink(error) => return write!(out, "the link cannot be followed: {error}"),
            Self::TooDeep(depth) => return write!(out, "it is more than {depth} folders deep"),
            Self::NotAFile => "it is neither a file nor a folder",
            Self::InvalidName => "its name is not valid UTF-8",
            Self::TooLarge => "is larger than 512 MiB",
            Self::TooLargeTogether => "with it the files of the source are larger than 512 MiB in total",
            Self::Unreadable(error) => return write!(out, "cannot be read: {error}"),
            Self::Unlistable(error) => return write!(out, "cannot be listed: {error}"),
            Self::UnreadableIgnoreFile(error) => {
                return write!(out, "its `.gitignore` cannot be read: {error}");
            }
            Self::UnusableMarketplace => "it cannot be read",
            Self::Lockfile => "a lockfile at the root makes the source host install packages",
            Self::BuildFile => "it serves the author's tools, and no host reads it",
            Self::ForeignFile => "it is another host's own file",
            Self::Uninstalled => "it belongs to tests, examples or documentation",
            Self::Unlisted => "no plugin of the marketplace contains it",
            Self::UncheckedFile(reason) => reason,
            Self::TakenName(name) => return write!(out, "another plugin is named `{name}`"),
        })
    }
}
