//! A branch must not change what only a release may change: versions, the generated changelog, and configured files.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobSetBuilder};

use super::changelog;
use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::file_finding;
use super::found_version::FoundVersion;
use super::unit::{VersionPlace, VersionedUnit};
use super::values;
use crate::diagnostic::{Applicability, Diagnostic, FixEdit, RuleId, Severity};
use crate::model::config::{OwnedFiles, RECORDS};
use crate::source::{Span, line_end};

/// The id of this finding, shared with the rule of `check` that needs no history.
const RULE: RuleId = RuleId::RELEASE_OWNED;

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let Some(base) = &context.history.base else { return Ok(()) };
    let automated = context.units.iter().any(|unit| unit.automated);
    let mut usual = vec![OwnedFiles::Versions];
    if automated {
        usual.push(OwnedFiles::Changelog);
        usual.extend(RECORDS.map(|path| OwnedFiles::Matching(path.to_owned())));
    }
    let owned = |unit: &VersionedUnit| unit.published.owned.clone().unwrap_or_else(|| usual.clone());
    versions(context, base, out)?;
    let mut paths: Vec<Utf8PathBuf> = Vec::new();
    let of_changelogs = context.units.iter().filter(|unit| owned(unit).contains(&OwnedFiles::Changelog));
    paths.extend(of_changelogs.filter_map(|unit| changelog::path(context, unit)));
    let mut globs = GlobSetBuilder::new();
    let mut all: Vec<OwnedFiles> = context.units.iter().flat_map(owned).collect();
    all.sort();
    all.dedup();
    for owned in &all {
        let OwnedFiles::Matching(glob) = owned else { continue };
        globs.add(Glob::new(glob).map_err(|error| ReleaseError::Config {
            message: format!("invalid glob `{glob}` in `[release] owned`: {}", error.kind()),
            help: "write `versions`, `changelog`, or a glob such as `docs/generated/**`".to_owned(),
        })?);
    }
    let none = |error: globset::Error| ReleaseError::Config {
        message: format!("the globs in `[release] owned` cannot be used: {error}"),
        help: "write fewer or simpler ones".to_owned(),
    };
    let globs = globs.build().map_err(none)?;
    for path in context.git.changed_since(base)? {
        if globs.is_match(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    paths.dedup();
    for path in paths {
        // A changed version in it is already reported with its place.
        let is_reported = out.iter().any(|found| found.rule == RULE && path.as_str() == found.path);
        if !is_reported {
            out.extend(report_changed(context, base, &path)?);
        }
    }
    Ok(())
}

/// Whether a release sets the versions of `unit`, so that this branch must not write `version` at `place`.
///
/// # Errors
/// When git cannot be asked.
pub(super) fn is_forbidden(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    place: &VersionPlace,
    version: &str,
) -> Result<bool, ReleaseError> {
    let Some(base) = context.history.base.as_deref().filter(|_| owns_versions(unit)) else {
        return Ok(false);
    };
    Ok(version_before(context, base, place)?.is_some_and(|before| before != version))
}

/// Whether a release sets the versions of `unit`.
fn owns_versions(unit: &VersionedUnit) -> bool {
    unit.published.owned.as_ref().is_none_or(|owned| owned.contains(&OwnedFiles::Versions))
}

/// The version that the base has at `place`.
fn version_before(
    context: &ReleaseContext<'_>,
    base: &str,
    place: &VersionPlace,
) -> Result<Option<String>, ReleaseError> {
    let Some(text) = context.git.text(base, &place.path)? else { return Ok(None) };
    let mut before = values::find(place.path.as_str(), &text, &place.at).into_iter();
    let Some(FoundVersion::Version(before, _)) = before.nth(place.turn) else { return Ok(None) };
    Ok(Some(before))
}

/// Reports versions that differ from those of the base.
fn versions(context: &ReleaseContext<'_>, base: &str, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    for unit in context.units.iter().filter(|unit| owns_versions(unit)) {
        for place in &unit.places {
            let (FoundVersion::Version(now, span), Some(file)) =
                (&place.found, context.files.get(&place.path))
            else {
                continue;
            };
            let Some(before) = version_before(context, base, place)?.filter(|before| before != now) else {
                continue;
            };
            let message = format!(
                "{} says version `{now}` of `{}`, where the base says `{before}`: a release sets versions",
                place.what, unit.name
            );
            let edit = FixEdit {
                path: place.path.to_string(),
                start: span.start,
                end: span.end,
                replacement: before.clone(),
            };
            let found = Diagnostic::in_file(&file, *span, Severity::Error, RULE, message);
            let found = found.help(format!("set it to `{before}`; the release raises it"));
            out.push(found.fix(Applicability::Unsafe, vec![edit]));
        }
    }
    Ok(())
}

/// Reports a file that differs from the base.
fn report_changed(
    context: &ReleaseContext<'_>,
    base: &str,
    path: &Utf8Path,
) -> Result<Option<Diagnostic>, ReleaseError> {
    let before = context.git.text(base, path)?;
    let message = format!("`{path}` is written by a release, but this branch changes it");
    let help = format!("revert it, such as with `git checkout {} -- {path}`", context.base.unwrap_or("BASE"));
    let Some(file) = context.files.get(path) else {
        let gone = before.is_some().then(|| file_finding(path, Severity::Error, RULE, message).help(help));
        return Ok(gone);
    };
    let (text, before) = (file.text().unwrap_or_default(), before.unwrap_or_default());
    if text == before {
        return Ok(None);
    }
    let mut at = 0;
    for (line, old) in
        text.split_inclusive('\n').zip(before.split_inclusive('\n').map(Some).chain(std::iter::repeat(None)))
    {
        if Some(line) != old {
            break;
        }
        at += line.len();
    }
    let end = line_end(text, at);
    Ok(Some(Diagnostic::in_file(&file, Span::new(at, end), Severity::Error, RULE, message).help(help)))
}
