//! Complete bundles in a separate folder, for a command that needs them: a source with an error is refused.

use std::path::Path;

use super::{Source, components_of};
use crate::build::helper::{self, HelperSearchPath};
use crate::build::{self, BuildError, SourceRequest};
use crate::diagnostic::Severity;
use crate::disk::folder::Folder;
use crate::process::interrupt;
use crate::target::{Target, Targets};

/// Compiles the source of `request` for `hosts`, and writes their bundles below `out`.
///
/// # Errors
/// When there is no host, nothing could be built, or a finding is an error.
pub fn write_complete(
    request: &SourceRequest,
    hosts: &[&Target],
    targets: &Targets,
    helper: Option<&HelperSearchPath>,
    out: &Path,
) -> Result<(), BuildError> {
    if hosts.is_empty() {
        return Err(BuildError::no_host(targets));
    }
    let progress = &request.progress;
    let mut source = Source::read(request, targets)?;
    source.project.helpers = helper::binaries(&source.project, helper, false)?;
    let mut diagnostics = std::mem::take(&mut source.findings);
    let out = Folder::open(out)?;
    for target in hosts {
        interrupt::check().map_err(|_| BuildError::Interrupted)?;
        progress.begin(format!("{}: compiling", target.host.title), components_of(&source.project));
        let mut bundle = source.bundle(target)?;
        diagnostics.append(&mut bundle.record.diagnostics);
        progress.begin(format!("{}: writing", target.host.title), bundle.files.len());
        build::write(&bundle, &out, progress)?;
    }
    match diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(first) => Err(BuildError::Faulty { path: first.path, line: first.line, message: first.message }),
        None => Ok(()),
    }
}
