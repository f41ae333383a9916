//! Where a line of a bundle comes from, and what each host gets of a line of a source.

mod documents;
mod origin;
mod outcomes;

use std::path::Path;

use crate::build::{self, BuildError};
use crate::bundle::BundleManifest;
use crate::check_session;
use crate::disk::folder::Folder;
use crate::disk::replace::OWN_FOLDER;
use crate::disk::{self, DiskError};
use crate::git::Git;
use crate::ledger::Ledger;
use crate::schema;
use crate::sourcemap::{MappedFile, SourceMap};
use crate::target::Targets;

use documents::document;
pub use documents::ledgers;
use origin::BundleDocuments;
pub use origin::FieldOrigin;
pub use outcomes::{LineEdit, LineOutcome};
use outcomes::{edit_kind, line_outcomes};

/// Why a line cannot be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The source or the bundle cannot be read.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The file or the line does not exist, or a document of the bundle is invalid.
    #[error("{message}")]
    NotFound {
        /// What is wrong.
        message: String,
        /// How to fix it.
        help: &'static str,
    },
}

impl ExplainError {
    /// Checks that `line` is one of the `lines` lines of `path`; an empty file has one.
    fn check_line(path: &str, lines: usize, line: usize) -> Result<(), Self> {
        if (1..=lines.max(1)).contains(&line) {
            return Ok(());
        }
        let message = format!("`{path}` has {lines} lines, not {line}");
        Err(Self::NotFound { message, help: "name one of them" })
    }
}

impl From<DiskError> for ExplainError {
    fn from(error: DiskError) -> Self {
        Self::Build(error.into())
    }
}

/// What is known about a line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ExplainedLine {
    /// A line of a bundle.
    Emitted {
        /// The file in the bundle.
        path: String,
        /// Where it comes from.
        origin: LineOrigin,
    },
    /// A line of a source.
    Source {
        /// The file in the source.
        path: String,
        /// What each host gets of it.
        outcomes: Vec<LineOutcome>,
    },
}

/// Where a line of a bundle comes from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LineOrigin {
    /// The same line of this file, byte for byte.
    Copied(String),
    /// A line of a source file.
    Edited {
        /// The file.
        path: String,
        /// 1-based line.
        line: usize,
        /// The kind and the reason of each edit on the line; none if it is unchanged.
        edits: Vec<(String, String)>,
    },
    /// It is generated from a field or a component.
    Generated(FieldOrigin),
    /// It is generated, and has no source.
    Required(&'static str),
}

/// Explains the 1-based `line` of `file`, which is in a bundle or in a source; `git` is git in a folder.
///
/// # Errors
/// When the file or line does not exist, or a source or document cannot be read.
pub fn explain_line(
    file: &Path,
    line: usize,
    targets: &Targets,
    git: impl Fn(&Path) -> Git,
) -> Result<ExplainedLine, ExplainError> {
    build::must_be_finished(file)?;
    let file = disk::canonical(file).map_err(|_| ExplainError::NotFound {
        message: format!("the file `{}` does not exist", file.display()),
        help: "pass a file in a bundle",
    })?;
    let bundle =
        file.ancestors().find(|folder| disk::is_file(&folder.join(OWN_FOLDER).join("sourcemap.json")));
    match bundle {
        Some(bundle) => emitted_line(&file, bundle, line, targets),
        None => {
            let root = check_session::plugin_of(&file, targets);
            let (path, outcomes) = line_outcomes(&file, &root, line, targets, git(&root))?;
            Ok(ExplainedLine::Source { path, outcomes })
        }
    }
}

fn emitted_line(
    file: &Path,
    bundle: &Path,
    line: usize,
    targets: &Targets,
) -> Result<ExplainedLine, ExplainError> {
    let path = file.strip_prefix(bundle).unwrap_or(file).to_string_lossy().into_owned();
    let opened = Folder::open(bundle)?;
    let map: Option<SourceMap> = document(&opened, "sourcemap.json", schema::SOURCEMAP)?;
    let manifest: Option<BundleManifest> = document(&opened, "manifest.json", schema::MANIFEST)?;
    let emitted = disk::read_text(file)?.unwrap_or_default();
    ExplainError::check_line(&path, emitted.lines().count(), line)?;
    let listed = manifest.iter().flat_map(|manifest| &manifest.files).find(|listed| listed.path == path);
    // A source map is only trusted for files that the manifest lists.
    let mapped = map.iter().flat_map(|map| &map.files);
    let mapped = mapped.filter(|_| listed.is_some()).find(|mapped| mapped.path == path);
    let origin = match (mapped, &map) {
        (Some(mapped), _) if mapped.from.is_some() => traced(mapped, &emitted, line)?,
        (Some(_), Some(map)) => {
            let ledger: Option<Ledger> = document(&opened, "ledger.json", schema::LEDGER)?;
            let ledger = ledger.unwrap_or_else(|| Ledger::new(Vec::new()));
            let target = manifest.as_ref().and_then(|manifest| targets.get(&manifest.target));
            let documents = BundleDocuments { folder: bundle, target, ledger: &ledger, map };
            documents.generated_origin(&path, &emitted, line)
        }
        _ => match listed.and_then(|listed| listed.from.clone()) {
            Some(from) => LineOrigin::Copied(from),
            None => {
                let message = format!("`{path}` was not written by a build");
                let help = "name a file that the bundle's manifest lists";
                return Err(ExplainError::NotFound { message, help });
            }
        },
    };
    Ok(ExplainedLine::Emitted { path, origin })
}

fn traced(mapped: &MappedFile, emitted: &str, line: usize) -> Result<LineOrigin, ExplainError> {
    let Some(trace) = mapped.trace(emitted, line) else {
        let message = format!("`{}` has no line {line}", mapped.path);
        return Err(ExplainError::NotFound { message, help: "name another" });
    };
    let edits = trace.edits.iter().map(|edit| (edit_kind(edit), edit.reason.clone())).collect();
    let path = mapped.from.clone().unwrap_or_default();
    Ok(LineOrigin::Edited { path, line: trace.source_line, edits })
}
