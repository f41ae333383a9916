//! `--since REF`: which files changed, by asking the user's git. The working tree counts, staged,
//! committed or new, against the commit where this branch left REF.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use super::look::Look;
use crate::check::changed::affected;
use crate::check::scope::Affected;
use crate::cli::{Failure, git};
use crate::git::{DIFF, GitError, paths};
use crate::model::project::Project;

/// What changed in the source since `reference`, with what depends on it.
///
/// # Errors
/// When there is no git, no repository, no such commit, or not enough history.
pub(super) fn changes(look: &Look, project: &Project, reference: &str) -> Result<Option<Affected>, Failure> {
    let changed = changed(look, reference);
    let changed = changed.map_err(|error| Failure { code: "since".into(), ..Failure::from(error) })?;
    Ok(changed.map(|changed| affected(project, changed)))
}

/// The paths that changed; `None` when the settings did, so that every finding may.
fn changed(look: &Look, reference: &str) -> Result<Option<BTreeSet<Utf8PathBuf>>, GitError> {
    let git = git(&look.root);
    git.in_work_tree("leave `--since` out, or check a clone")?;
    let base = git.base(reference, &git.commit(reference)?)?;
    let changed = |rest: &[&str]| git.answer(&[&DIFF[..], rest].concat());
    let config = look.config_folder.join("plugcast.toml");
    if let Some(config) = config.to_str().filter(|_| config.exists())
        && !changed(&["-z", &base, "--", config])?.is_empty()
    {
        return Ok(None);
    }
    let mut all: BTreeSet<Utf8PathBuf> = paths(&changed(&["-z", "--relative", &base, "--", "."])?).collect();
    all.extend(paths(&git.answer(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?));
    Ok(Some(all))
}
