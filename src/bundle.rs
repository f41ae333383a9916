//! The result of a build for one host, before and after it is on disk: nodes in memory, and the manifest that lists
//! every emitted file.

pub mod draft;
mod shown_names;
pub mod source_verification;
pub mod verification;

use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use draft::MarkdownDraft;

use crate::diagnostic::HostId;
use crate::disk::{self, Fingerprint};

/// A placeholder in a document for the emitted body of a Markdown file.
pub const BODY: &str = "\0body";

/// The content of one file of a bundle; `emit` turns it into bytes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NodeContent {
    /// The bytes of this file.
    CopyOf(PathBuf),
    /// This text.
    Text(String),
    /// This text, with a generated block.
    Generated {
        /// The text without the block.
        text: String,
        /// The byte offset at which the block is inserted.
        at: usize,
        /// The block.
        block: draft::Block,
    },
    /// A whole text from a template of the target, with the values that fill it.
    Page(draft::BlockLine),
    /// A JSON document.
    Json(serde_json::Value),
    /// A TOML document; leaves that are [`BODY`] hold the body of the draft as it is emitted.
    Toml {
        /// An object.
        document: serde_json::Value,
        /// The Markdown file whose body it carries.
        body: Option<Box<MarkdownDraft>>,
    },
    /// A YAML document.
    Yaml(serde_json::Value),
    /// A Markdown file with edits.
    Markdown(Box<MarkdownDraft>),
}

impl NodeContent {
    /// `value` in the format of the extension of `path`: TOML, YAML, else JSON.
    pub fn document(path: &Utf8Path, value: serde_json::Value) -> Self {
        match path.extension() {
            Some("toml") => NodeContent::Toml { document: value, body: None },
            Some("yaml" | "yml") => NodeContent::Yaml(value),
            _ => NodeContent::Json(value),
        }
    }
}

/// One file of a bundle before it is written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BundleNode {
    /// Path relative to the bundle, with `/`.
    pub path: Utf8PathBuf,
    /// Mode 0755 instead of 0644.
    pub executable: bool,
    /// The content.
    pub content: NodeContent,
    /// The source file relative to SRC; `None` when the file is generated.
    pub from: Option<Utf8PathBuf>,
}

/// One program of a bundle before it is written: an input that is copied unchanged.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HelperFile {
    /// The plugin that carries it.
    pub plugin: String,
    /// Path relative to the bundle, with `/`.
    pub path: Utf8PathBuf,
    /// For example `linux-x86_64`.
    pub platform: String,
    /// The version of plugcast's helper; unknown for a plugin's own program.
    pub version: Option<String>,
    /// The file that is copied, absolute, with symlinks resolved.
    pub origin: PathBuf,
    /// The fingerprint of its bytes, if it was read.
    pub fingerprint: Option<Fingerprint>,
}

/// The document written to `.plugcast/manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BundleManifest {
    /// `plugcast.manifest/1`.
    pub schema: String,
    /// The version of plugcast that built the bundle.
    pub plugcast: String,
    /// The host that the bundle is for.
    #[schemars(with = "String")]
    pub target: HostId,
    /// Digest over the source files that entered the build.
    pub source_digest: String,
    /// sha256 over the sorted `path\0mode\0sha256` of `files`.
    pub digest: String,
    /// Every emitted file, sorted by path.
    pub files: Vec<ManifestFile>,
    /// Helper binaries and the plugins' own programs, sorted by path. They are inputs and not part of the digest.
    pub helpers: Vec<ManifestHelper>,
}

/// The permission bits of an emitted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FileMode {
    /// A file that is only read.
    #[serde(rename = "0644")]
    Plain,
    /// A file that can also be started.
    #[serde(rename = "0755")]
    Executable,
}

impl FileMode {
    /// The mode of a file that is `executable`, or not.
    pub fn from_executable(executable: bool) -> Self {
        if executable { Self::Executable } else { Self::Plain }
    }

    /// Whether the file can be started.
    pub fn is_executable(self) -> bool {
        self == Self::Executable
    }

    /// The bits in octal.
    pub fn octal(self) -> &'static str {
        match self {
            Self::Plain => "0644",
            Self::Executable => "0755",
        }
    }
}

/// One emitted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ManifestFile {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Permission bits in octal: `0644` or `0755`.
    #[schemars(with = "String")]
    pub mode: FileMode,
    /// Size in bytes.
    pub size: u64,
    /// sha256 of the content, in hexadecimal.
    pub sha256: String,
    /// The source file relative to SRC; absent when the file is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl ManifestFile {
    /// sha256 over the sorted `path\0mode\0sha256\n` of `files`.
    pub fn digest(files: &[Self]) -> String {
        let mut lines: Vec<String> = files
            .iter()
            .map(|file| [&*file.path, "\0", file.mode.octal(), "\0", &file.sha256, "\n"].concat())
            .collect();
        lines.sort();
        disk::sha256(lines.concat().as_bytes())
    }
}

impl ManifestHelper {
    /// Whether two helpers are equivalent: by version if both have one, else by content.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let same_program = match (&self.version, &other.version) {
            (Some(version), Some(other)) => version == other,
            _ => self.sha256 == other.sha256,
        };
        self.plugin == other.plugin && self.platform == other.platform && same_program
    }
}

/// One helper binary in the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ManifestHelper {
    /// The plugin that carries it.
    pub plugin: String,
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Permission bits in octal.
    #[schemars(with = "String")]
    pub mode: FileMode,
    /// For example `linux-x86_64`.
    pub platform: String,
    /// The helper's own version; absent for a plugin's own program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// sha256 of the content, in hexadecimal.
    pub sha256: String,
}
