//! What a build of one plugin for one host produces, before and after it is on disk: nodes in
//! memory, and the manifest that lists every emitted file.

pub mod verification;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document written to `.plugcast/manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `plugcast.manifest/1`.
    pub schema: String,
    /// The version of plugcast that built the bundle.
    pub plugcast: String,
    /// The host that the bundle is for.
    pub target: String,
    /// Digest over the source files that entered the build.
    pub source_digest: String,
    /// sha256 over the sorted `path\0mode\0sha256` of `files`.
    pub digest: String,
    /// Every emitted file, sorted by path.
    pub files: Vec<ManifestFile>,
    /// Helper binaries, which are inputs and stay outside the digest.
    pub helpers: Vec<ManifestHelper>,
}

/// One emitted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManifestFile {
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Permission bits in octal: `0644` or `0755`.
    pub mode: String,
    /// Size in bytes.
    pub size: u64,
    /// sha256 of the content, in hexadecimal.
    pub sha256: String,
    /// The source file relative to SRC; absent when the file is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// One helper binary in the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManifestHelper {
    /// The plugin that carries it.
    pub plugin: String,
    /// Path relative to the bundle, with `/`.
    pub path: String,
    /// Permission bits in octal.
    pub mode: String,
    /// For example `linux-x86_64`.
    pub platform: String,
    /// The helper's own version.
    pub version: String,
    /// sha256 of the content, in hexadecimal.
    pub sha256: String,
}
