//! Reads a source from a commit. A `plugcast.toml` of a commit can no longer be corrected, so an invalid one is ignored
//! with a warning.

use std::path::{Path, PathBuf};

use super::side;
use crate::build::{self, BuildError, SourceRequest};
use crate::diagnostic::{Diagnostic, HostSelection};
use crate::disk::walk::SkipPolicy;
use crate::git::CommitSnapshot;
use crate::model::config::Config;
use crate::model::project::Project;
use crate::target::Targets;

/// The source of a commit.
#[derive(Debug)]
#[non_exhaustive]
pub struct CommitSource {
    /// The plugins.
    pub project: Project,
    /// The findings in them.
    pub found: Vec<Diagnostic>,
    /// The hosts that its settings name.
    pub to: HostSelection,
    /// Warnings about ignored settings.
    pub remarks: Vec<String>,
}

/// Reads the source in `snapshot`, which is the folder `name` at the commit that the user calls `reference`.
///
/// # Errors
/// As [`crate::compile::Source::read`]; the message names the commit.
pub fn read_commit(
    snapshot: &mut CommitSnapshot,
    (name, reference): (&str, &str),
    targets: &Targets,
) -> Result<CommitSource, BuildError> {
    let src = snapshot.folder().to_owned();
    let mut remarks = Vec::new();
    loop {
        let (path, line, column, message) = match read(snapshot, name, targets) {
            Ok((project, found, Config { mut build, path, .. })) => {
                let unknown = build.to.remove_unknown(|host| targets.get(host).is_some());
                let inner = path_in_commit(&path, snapshot);
                remarks.extend(unknown.into_iter().map(|host| {
                    format!(
                        "warning: `{reference}:{inner}` builds for the host `{host}`, which is unknown now"
                    )
                }));
                return Ok(CommitSource { project, found, to: build.to, remarks });
            }
            Err(BuildError::Config { path, line, column, message, .. }) => (path, line, column, message),
            Err(BuildError::GitDirectory(_)) => {
                return Err(BuildError::GitDirectory(PathBuf::from(reference)));
            }
            Err(BuildError::NoPlugin { files, .. }) => {
                return Err(BuildError::NoPlugin { src: PathBuf::from(reference), files });
            }
            Err(BuildError::OnlyProject { project, .. }) => {
                let inner = project.strip_prefix(&src).unwrap_or(&project).display();
                let project = PathBuf::from(format!("{reference}:{inner}"));
                return Err(BuildError::OnlyProject { src: PathBuf::from(reference), project });
            }
            Err(other) => return Err(other),
        };
        let file = src.join(&path);
        let inner = path_in_commit(&file, snapshot);
        remarks.push(format!(
            "warning: `{reference}:{inner}` is ignored: line {line}, column {column}: {message}"
        ));
        // The snapshot is private; without this file the next attempt gets further.
        if !snapshot.remove(&file) {
            return Err(BuildError::Config {
                path: format!("{reference}:{inner}"),
                line,
                column,
                message,
                help: None,
            });
        }
    }
}

/// The path of a file of the snapshot, as in git.
fn path_in_commit(file: &Path, snapshot: &CommitSnapshot) -> String {
    file.strip_prefix(snapshot.top()).unwrap_or(file).display().to_string()
}

fn read(
    snapshot: &CommitSnapshot,
    name: &str,
    targets: &Targets,
) -> Result<(Project, Vec<Diagnostic>, Config), BuildError> {
    let src = snapshot.folder().to_owned();
    let nearest = build::nearest_config(snapshot.file_system(), &src, |folder| folder == snapshot.top())?;
    let config = nearest.unwrap_or_default().0;
    // Bundles inside of a source are not part of it.
    let outputs = vec![src.join(config.build.out.as_deref().unwrap_or("dist"))];
    let skip_policy = SkipPolicy::IgnoredAndPackages;
    let file_system = snapshot.file_system().clone();
    let request = SourceRequest {
        file_system,
        src,
        config: config.clone(),
        outputs,
        skip_policy,
        ..SourceRequest::default()
    };
    let (project, found) = side::source(request, name, targets)?;
    Ok((project, found, config))
}
