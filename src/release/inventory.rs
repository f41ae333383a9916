//! The version must match the changes for users since the last release.

use std::collections::BTreeSet;

use semver::Version;

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::file_finding;
use super::history::VersionHistory;
use super::unit::VersionedUnit;
use crate::compare::{DiffReport, Impact, line};
use crate::diagnostic::{Diagnostic, RuleId, Severity};

/// The number of changes in a message above which the rest is only counted.
const MOST_NAMED: usize = 8;

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    for unit in &context.units {
        let Some(known) = context.history.unit_history(unit) else { continue };
        let Some((place, version, span)) = unit.stated() else { continue };
        let Ok(version) = Version::parse(version) else { continue };
        let Some(file) = context.files.get(&place.path) else { continue };
        let say = |severity, rule: RuleId, message: String, help: String| {
            Diagnostic::in_file(&file, span, severity, rule, message).help(help)
        };
        if let Some(other) =
            known.here.first().filter(|_| known.here.iter().all(|here| here.version != version))
        {
            let message = format!(
                "`{}` has version `{version}`, and the tag of this commit is `{}`",
                unit.name, other.tag
            );
            let help = format!("write `{}`, or move the tag", other.version);
            out.push(say(Severity::Error, RuleId::TAG_DIFFERS, message, help));
        }
        let Some(last) = &known.last else {
            out.extend(first_release(context, unit, known));
            continue;
        };
        if version < last.version {
            let message =
                format!("`{}` goes back to `{version}`: its last release is `{}`", unit.name, last.tag);
            let help = format!("write a version above `{}`", last.version);
            out.push(say(Severity::Error, RuleId::VERSION_BACK, message, help));
            continue;
        }
        let Some(difference) = known.difference.as_ref().filter(|one| one.impact != Impact::None) else {
            continue;
        };
        let needs = difference.impact;
        let changes = changes(difference);
        let least = needs.lowest_version(&last.version);
        let more = format!("`plugcast diff {}` shows everything", last.tag);
        if version == last.version {
            let message = format!("`{}` changed since `{}`: {changes}", unit.name, last.tag);
            let help = format!("the next version is at least `{least}`; {more}");
            out.push(say(Severity::Info, RuleId::UNRELEASED, message, help));
        } else if Impact::between(&last.version, &version) < needs {
            let message = format!(
                "`{version}` of `{}` is too small a step from `{}`: the changes need a {} version: {changes}",
                unit.name,
                last.tag,
                needs.word()
            );
            out.push(say(
                Severity::Error,
                RuleId::VERSION_STEP,
                message,
                format!("release it as `{least}`; {more}"),
            ));
        }
    }
    Ok(())
}

/// The finding if there is no earlier release.
fn first_release(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    known: &VersionHistory,
) -> Option<Diagnostic> {
    if !unit.is_plugin || !known.here.is_empty() {
        return None;
    }
    if context.history.shallow {
        let message = format!("no tag here names a version of `{}`, and this clone is shallow", unit.name);
        let help = "fetch the tags and the history, such as by `git fetch --tags --unshallow`";
        return Some(file_finding(unit.own_path(), Severity::Error, RuleId::TAG_MISSING, message).help(help));
    }
    let named = match unit.published.tag.as_ref().and(super::tags::forms(context, unit).first()) {
        Some(form) => format!("no tag is named like `{form}`"),
        None => format!("no tag names a version of `{}`", unit.name),
    };
    let message = format!("{named}, so this is taken as its first release");
    let help = "if there was one, fetch its tag, or say how tags are named with `tag` under `[release]`";
    Some(file_finding(unit.own_path(), Severity::Info, RuleId::FIRST_RELEASE, message).help(help))
}

/// The changes with the highest impact, each once.
fn changes(difference: &DiffReport) -> String {
    let all = difference.hosts.iter().flat_map(|host| &host.changes);
    let grave = all.filter(|change| change.impact == difference.impact);
    let lines: BTreeSet<String> = grave.map(line).collect();
    let named: Vec<&str> = lines.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = lines.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}
