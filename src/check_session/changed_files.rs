//! `--since REF`: the changed files, as reported by git, and the findings in the source before the change. The working
//! tree (staged, committed or new files) is compared with the merge base of this branch and REF.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use super::{CheckError, CheckSession, SessionOptions, TextOverlay, causes, mark};
use crate::check::scope::{ChangesSince, CheckScope};
use crate::compare;
use crate::disk;
use crate::git::{CommitSnapshot, DIFF, Git, GitError, paths};

/// The changes of the source since `reference`, from `git` in the folder of the source, with the findings at that
/// commit and warnings about settings of that commit that cannot be used.
///
/// # Errors
/// When there is no git, no repository, no such commit, or not enough history.
pub fn changes(
    session: &CheckSession<'_>,
    git: &Git,
    reference: &str,
    options: &SessionOptions<'_>,
) -> Result<(ChangesSince, Vec<String>), CheckError> {
    let base = base(git, reference)?;
    let changed = changed_paths(git, &base)?;
    let config = session.config_folder.join("plugcast.toml");
    let settings = config.to_str().filter(|_| disk::kind(&config).is_some());
    let settings = settings.map(|config| git.answer(&[&DIFF[..], &["-z", &base, "--", config]].concat()));
    let other_settings = settings.transpose()?.is_some_and(|paths| !paths.is_empty());
    let mut remarks = Vec::new();
    // Without a change, no finding can be new.
    let before = match changed.is_empty() && !other_settings {
        true => None,
        // If that commit has no readable source, every finding is new.
        false => Some(
            findings_at_base(session, git, (&base, reference), options, &mut remarks)?.unwrap_or_default(),
        ),
    };
    Ok((ChangesSince { changed, before }, remarks))
}

fn base(git: &Git, reference: &str) -> Result<String, GitError> {
    git.in_work_tree("leave `--since` out, or check a clone")?;
    git.base(reference, &git.commit(reference)?)
}

/// The paths that changed, relative to SRC.
fn changed_paths(git: &Git, base: &str) -> Result<BTreeSet<Utf8PathBuf>, GitError> {
    let listed = git.answer(&[&DIFF[..], &["-z", "--relative", base, "--", "."]].concat())?;
    let mut all: BTreeSet<Utf8PathBuf> = paths(&listed).collect();
    all.extend(paths(&git.answer(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?));
    Ok(all)
}

/// The fingerprints and causes of the findings in the source at the commit `base`, with the settings of that commit as
/// far as they are usable; `None` if it has no readable source.
fn findings_at_base(
    session: &CheckSession<'_>,
    git: &Git,
    (base, reference): (&str, &str),
    options: &SessionOptions<'_>,
    remarks: &mut Vec<String>,
) -> Result<Option<BTreeSet<String>>, CheckError> {
    let folder = git.place()?;
    if !git.has_folder(base, &folder)? {
        return Ok(None);
    }
    let mut snapshot = CommitSnapshot::load(git, (base, reference), &folder, "plugcast.toml", None)?;
    let name = session.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let options = SessionOptions {
        to: options.to.clone(),
        no_ignore: options.no_ignore,
        no_baseline: true,
        parts: session.parts().to_vec(),
        select: options.select,
        ignore: options.ignore,
        folder_name: name,
        progress: options.progress.clone(),
        ..SessionOptions::default()
    };
    let fingerprints = |snapshot: &CommitSnapshot| {
        let options = SessionOptions { file_system: snapshot.file_system().clone(), ..options.clone() };
        let mut then = CheckSession::new(snapshot.folder(), &options, session.targets)?;
        let read = then.read(TextOverlay::new())?;
        let mut examined = then.examine(read, &CheckScope::default());
        mark(&mut examined.findings, &examined.project);
        let causes = causes(&examined.findings, &examined.project);
        let found = examined.findings.diagnostics.into_iter();
        Ok::<_, CheckError>(found.filter_map(|found| found.fingerprint).chain(causes).collect())
    };
    let found = fingerprints(&snapshot);
    snapshot.must_be_whole()?;
    if let Ok(found) = found {
        return Ok(Some(found));
    }
    // Drop settings of that commit that cannot be used, then those that only `check` reads.
    let name = options.folder_name.as_deref().unwrap_or_default();
    if let Ok(past) = compare::read_commit(&mut snapshot, (name, reference), session.targets) {
        remarks.extend(past.remarks);
    }
    if let Ok(found) = fingerprints(&snapshot) {
        return Ok(Some(found));
    }
    let (folder, top) = (snapshot.folder().to_owned(), snapshot.top().to_owned());
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(&top)) {
        snapshot.remove(&folder.join("plugcast.toml"));
    }
    let Ok(found) = fingerprints(&snapshot) else { return Ok(None) };
    *remarks =
        vec![format!("warning: `{reference}:plugcast.toml` is ignored: it names unknown hosts or rules")];
    Ok(Some(found))
}
