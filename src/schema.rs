//! Names and versions of every JSON document that this project writes, and the check before one is read: a document
//! from a newer plugcast is refused with the required version.

/// Identifies one kind of JSON document and the newest version this build understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaId {
    /// The part before the slash, for example `plugcast.manifest`.
    pub name: &'static str,
    /// The newest version that this build reads, which is the one it writes.
    pub version: u32,
}

/// `.plugcast/manifest.json` of a bundle.
pub const MANIFEST: SchemaId = SchemaId { name: "plugcast.manifest", version: 1 };
/// `.plugcast/ledger.json` of a bundle.
pub const LEDGER: SchemaId = SchemaId { name: "plugcast.ledger", version: 1 };
/// `.plugcast/sourcemap.json` of a bundle.
pub const SOURCEMAP: SchemaId = SchemaId { name: "plugcast.sourcemap", version: 1 };
/// `.plugcast/verified.json` of a bundle.
pub const VERIFIED: SchemaId = SchemaId { name: "plugcast.verified", version: 1 };
/// The build cache, in the user's cache folder.
pub const BUILD_CACHE: SchemaId = SchemaId { name: "plugcast.build-cache", version: 1 };
/// What `build --format json` prints.
pub const BUILD: SchemaId = SchemaId { name: "plugcast.build", version: 1 };
/// What `check --format json` prints.
pub const CHECK: SchemaId = SchemaId { name: "plugcast.check", version: 1 };
/// A file of known findings (`check --write-baseline`).
pub const BASELINE: SchemaId = SchemaId { name: "plugcast.baseline", version: 1 };
/// What `eval --format json` prints.
pub const EVAL: SchemaId = SchemaId { name: "plugcast.eval", version: 1 };
/// What `rules --format json` prints.
pub const RULES: SchemaId = SchemaId { name: "plugcast.rules", version: 1 };
/// What `verify --format json` prints.
pub const VERIFY: SchemaId = SchemaId { name: "plugcast.verify", version: 1 };
/// What `promote --format json` prints.
pub const PROMOTE: SchemaId = SchemaId { name: "plugcast.promote", version: 1 };
/// The journal of an ongoing promotion.
pub const PROMOTING: SchemaId = SchemaId { name: "plugcast.promoting", version: 1 };
/// What `doctor --format json` prints.
pub const DOCTOR: SchemaId = SchemaId { name: "plugcast.doctor", version: 1 };
/// What `diff --format json` prints.
pub const DIFF: SchemaId = SchemaId { name: "plugcast.diff", version: 1 };
/// What `release check --format json` prints.
pub const RELEASE: SchemaId = SchemaId { name: "plugcast.release", version: 1 };
/// What any command prints under `--format json` when it ends with exit code 2.
pub const ERROR: SchemaId = SchemaId { name: "plugcast.error", version: 1 };

impl SchemaId {
    /// The value of a document's `schema` field, for example `plugcast.manifest/1`.
    pub fn tag(self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// Accepts a `schema` value that this build can read.
    ///
    /// # Errors
    /// A message with the found version and what to do, if the document is of another kind or from a newer plugcast.
    pub fn accept(self, found: &str) -> Result<(), String> {
        let (name, version) = found.rsplit_once('/').unwrap_or((found, ""));
        if name != self.name {
            return Err(format!("expected a `{}` document, found `{found}`", self.tag()));
        }
        match version.parse::<u32>() {
            Ok(version) if (1..=self.version).contains(&version) => Ok(()),
            Ok(version) => Err(format!(
                "`{found}` is newer than this plugcast ({}) understands: install a plugcast that writes version {version} of `{name}`",
                env!("CARGO_PKG_VERSION")
            )),
            Err(_) => Err(format!("`{found}` is not a schema version; expected `{}`", self.tag())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_its_own_tag_and_refuses_newer_or_other() {
        assert!(MANIFEST.accept("plugcast.manifest/1").is_ok());
        assert!(MANIFEST.accept("plugcast.manifest/2").unwrap_err().contains("newer"));
        assert!(MANIFEST.accept("plugcast.ledger/1").unwrap_err().contains("expected"));
        assert!(MANIFEST.accept("plugcast.manifest/x").is_err());
    }
}
