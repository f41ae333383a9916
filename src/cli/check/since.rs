//! `--since REF`: which files changed, by asking the user's git, and what is found in the source as it was. The working
//! tree counts, staged, committed or new, against the commit where this branch left REF.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use super::look::{Look, LookOptions, Texts, mark};
use crate::check::scope::{Scope, Since};
use crate::cli::{Failure, Global, git};
use crate::git::{DIFF, Git, GitError, Snapshot, paths};

/// What changed in the source since `reference`, and what was found there.
///
/// # Errors
/// When there is no git, no repository, no such commit, or not enough history.
pub(super) fn changes(
    look: &Look,
    reference: &str,
    options: &LookOptions<'_>,
    global: &Global,
) -> Result<Since, Failure> {
    let git = git(&look.root);
    let failed = |error: GitError| Failure { code: "since".into(), ..Failure::from(error) };
    let base = base(&git, reference).map_err(failed)?;
    let changed = changed(&git, &base).map_err(failed)?;
    let config = look.config_folder.join("plugcast.toml");
    let settings = config.to_str().filter(|_| config.exists());
    let settings = settings.map(|config| git.answer(&[&DIFF[..], &["-z", &base, "--", config]].concat()));
    let other_settings = settings.transpose().map_err(failed)?.is_some_and(|paths| !paths.is_empty());
    // Where nothing changed, nothing is caused.
    let before = match changed.is_empty() && !other_settings {
        true => None,
        // Where there was no source that can be read, everything is new.
        false => Some(before(look, &git, (&base, reference), options, global)?.unwrap_or_default()),
    };
    Ok(Since { changed, before })
}

fn base(git: &Git, reference: &str) -> Result<String, GitError> {
    git.in_work_tree("leave `--since` out, or check a clone")?;
    git.base(reference, &git.commit(reference)?)
}

/// The paths that changed, relative to SRC.
fn changed(git: &Git, base: &str) -> Result<BTreeSet<Utf8PathBuf>, GitError> {
    let listed = git.answer(&[&DIFF[..], &["-z", "--relative", base, "--", "."]].concat())?;
    let mut all: BTreeSet<Utf8PathBuf> = paths(&listed).collect();
    all.extend(paths(&git.answer(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?));
    Ok(all)
}

/// The fingerprints of what is found in the source of the commit `base`, by the settings of that time; `None` where it
/// had none that can be read.
fn before(
    look: &Look,
    git: &Git,
    (base, reference): (&str, &str),
    options: &LookOptions<'_>,
    global: &Global,
) -> Result<Option<BTreeSet<String>>, Failure> {
    let failed = |error: GitError| Failure { code: "since".into(), ..Failure::from(error) };
    let folder = git.place().map_err(failed)?;
    if !git.has_folder(base, &folder).map_err(failed)? {
        return Ok(None);
    }
    let snapshot = Snapshot::of(git, (base, reference), &folder, "plugcast.toml").map_err(failed)?;
    let name = look.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let options = LookOptions {
        to: options.to,
        no_ignore: options.no_ignore,
        no_baseline: true,
        parts: look.parts().to_vec(),
        select: options.select,
        ignore: options.ignore,
        folder_name: name,
        ..LookOptions::default()
    };
    let Ok(mut then) = Look::new(snapshot.folder(), &options, global) else { return Ok(None) };
    let Ok(read) = then.read(Texts::new()) else { return Ok(None) };
    let mut examined = then.examine(read, &Scope::default());
    mark(&mut examined.findings, &examined.project);
    Ok(Some(examined.findings.diagnostics.into_iter().filter_map(|found| found.fingerprint).collect()))
}
