//! Files that git tracks although a `.gitignore` matches them: hosts install a plugin from a clone of its repository,
//! so they are part of it.

use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;

use super::SourceRequest;
use crate::git::paths;

/// `request` with these files of `src` among those that it includes; `None` if there are none, or if git cannot tell.
pub(super) fn included(request: &SourceRequest, src: &Path) -> Option<SourceRequest> {
    let git = request.git.as_ref()?;
    let is_top = |folder: &Path| request.file_system.kind(&folder.join(".git")).is_some();
    // Without a repository, git has no answer.
    src.ancestors().find(|folder| is_top(folder))?;
    let ask = ["ls-files", "-z", "--cached", "--ignored", "--exclude-per-directory=.gitignore", "--", "."];
    let listed = git.answer(&ask).ok().filter(|listed| !listed.is_empty())?;
    let outputs = request.outputs.iter().filter_map(|path| request.file_system.canonical(path).ok());
    let outputs: Vec<PathBuf> = outputs.filter(|output| !src.starts_with(output)).collect();
    let is_output = |path: &Utf8PathBuf| outputs.iter().any(|output| src.join(path).starts_with(output));
    let tracked = paths(&listed).filter(|path| !is_output(path));
    let mut request = request.clone();
    request.config.build.include.extend(tracked.map(|path| globset::escape(path.as_str())));
    Some(request)
}
