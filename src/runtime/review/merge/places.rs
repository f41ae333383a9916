//! Resolves the places of findings in the working tree, in the forms that models write.

use serde_json::Value;

use super::answer::MergedFinding;
use crate::runtime::answer::CallFailure;
use crate::runtime::changes;
use crate::runtime::git::Repository;
use crate::runtime::place::PlaceResolver;
use crate::runtime::review::findings::{Finding, FindingOwner, FindingSeverity, Misplacement, RepairClass};
use crate::runtime::review::run_folder::RunFolder;

/// Checks the place of a finding, and records what is wrong with it.
pub(super) type PlaceCheck<'a> = Box<dyn Fn(&mut Finding) -> Result<(), CallFailure> + 'a>;

/// The paths of the change that a review covers.
pub(super) fn changed_paths(
    repository: Option<&Repository>,
    folder: Option<&RunFolder>,
    base: Option<&str>,
) -> Result<Vec<String>, CallFailure> {
    let mut changed: Vec<String> = Vec::new();
    if let Some(folder) = folder {
        let scope = folder.document::<Value>("scope.json")?.unwrap_or_default();
        let files = scope["scope"]["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        changed.extend(files.iter().filter_map(|file| file["path"].as_str().map(str::to_owned)));
    }
    if let Some((repository, base)) = repository.zip(base) {
        let commit = repository.must_commit(base)?;
        let found = changes::changes_since(repository, &commit, true)?;
        changed.extend(found.changes.into_iter().map(|one| one.path));
    }
    Ok(changed)
}

/// The check for places in the working tree; without a tree, no place is valid.
pub(super) fn place_check<'a>(
    repository: Option<&'a Repository>,
    folder: Option<&RunFolder>,
    base: Option<&str>,
    changed: &[String],
) -> Result<PlaceCheck<'a>, CallFailure> {
    let Some(repository) = repository else {
        return Ok(Box::new(|finding| {
            finding.misplaced = Some(Misplacement::Invalid("no working tree".to_owned()));
            Ok(())
        }));
    };
    let resolver = PlaceResolver::new(repository, changed.iter().cloned())?;
    let from = folder.and_then(|folder| folder.record.base_sha.clone()).or_else(|| base.map(str::to_owned));
    Ok(Box::new(move |finding| {
        let mut line = (finding.line > 0).then_some(finding.line);
        let mut place = resolver.resolve(&finding.file, line)?;
        if place.is_err()
            && let Some((path, at)) = as_models_write(&finding.file)
            && let at = line.or(at)
            && let Ok(found) = resolver.resolve(path, at)?
        {
            (place, line, finding.line) = (Ok(found), at, at.unwrap_or_default());
        }
        match place {
            Ok(place) => {
                finding.file = place.path;
                let grave = finding.pre_existing && finding.severity <= FindingSeverity::P1;
                if let (true, Some(from), Some(line)) = (grave, &from, line)
                    && is_new(repository, from, &finding.file, line)?
                {
                    finding.pre_existing = false;
                }
            }
            Err(reason) => finding.misplaced = Some(Misplacement::Invalid(reason)),
        }
        if line.is_none() {
            finding.misplaced.get_or_insert(Misplacement::NoLine);
        }
        // A severe finding that cannot be located is not treated as pre-existing.
        if finding.severity <= FindingSeverity::P1 && (finding.misplaced.is_some() || line.is_none()) {
            finding.pre_existing = false;
        }
        Ok(())
    }))
}

/// Decides what happens to findings whose place is not valid; `before` are those of the merge before.
pub(super) fn settle_misplaced(merged: &mut [MergedFinding], before: &[MergedFinding]) {
    for one in merged.iter_mut().filter(|one| one.misplaced.is_some()) {
        // A repair may remove the line of a place from the first round.
        let known = before.iter().find(|known| known.id == one.id);
        if let Some(known) = known.filter(|known| known.misplaced.is_none() && known.title == one.title) {
            (one.misplaced, one.file) = (None, known.file.clone());
        } else if one.autofix_class != RepairClass::Advisory
            && one.misplaced != Some(Misplacement::HarmfulRepair)
        {
            // No fixer is sent to an invalid place.
            one.owner = one.owner.max(FindingOwner::DownstreamResolver);
        }
    }
}

/// The path and line in forms with decoration: `` `a.rs` ``, `b/a.rs`, `a.rs:6-8`, `a.rs:6:2`, `a.rs#L6`,
/// `a.rs, line 6`, `a.rs (lines 6–8)`.
fn as_models_write(file: &str) -> Option<(&str, Option<u64>)> {
    let bare = file.trim().trim_matches(['`', '"', '\'']);
    let bare = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/")).unwrap_or(bare);
    let number =
        |lines: &str| lines.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|at| *at > 0);
    let cut = bare.split_once("#L").or_else(|| bare.split_once(':')).and_then(|(path, lines)| {
        let is_place = lines.trim().chars().all(|c| c.is_ascii_digit() || ":-–L ".contains(c));
        Some((path, Some(number(lines.trim())?))).filter(|_| is_place)
    });
    let in_words = || {
        let (path, lines) = bare.rsplit_once(" line").or_else(|| bare.rsplit_once("(line"))?;
        let lines = lines.strip_prefix('s').unwrap_or(lines).trim();
        let is_place = lines.chars().all(|c| c.is_ascii_digit() || "-–) ".contains(c));
        let path = path.trim_end_matches([' ', ',', '(', ':', '`', '"', '\'']);
        Some((path, Some(number(lines)?))).filter(|_| is_place)
    };
    let (path, line) = cut.or_else(in_words).unwrap_or((bare, None));
    (!path.is_empty() && path != file).then_some((path, line))
}

/// Whether a line was added after a commit.
fn is_new(repository: &Repository, from: &str, file: &str, line: u64) -> Result<bool, CallFailure> {
    let (range, before) = (format!("-L{line},{line}"), format!("^{from}"));
    let told = repository.line(&["blame", "--no-textconv", "-s", "-l", &range, &before, "--", file])?;
    Ok(told.is_some_and(|told| !told.starts_with('^')))
}
