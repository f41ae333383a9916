//! Versions must exist, be semantic versions, and be equal everywhere.

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::file_finding;
use super::found_version::FoundVersion;
use super::ownership;
use super::unit::{VersionPlace, VersionedUnit};
use super::units;
use super::values::VersionLocation;
use crate::diagnostic::{Applicability, Diagnostic, FixEdit, RuleId, Severity};

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    for unit in &context.units {
        for place in &unit.places {
            readable(context, place, out);
        }
        match unit.stated() {
            None => report_missing(unit, out),
            Some((first, version, span)) => {
                let Some(file) = context.files.get(&first.path) else { continue };
                if semver::Version::parse(version).is_err() {
                    let message =
                        format!("the version `{version}` of `{}` is not a semantic version", unit.name);
                    let wrong =
                        Diagnostic::in_file(&file, span, Severity::Error, RuleId::VERSION_FORMAT, message);
                    out.push(wrong.help("write three numbers, such as `1.2.3`"));
                }
                for place in &unit.places {
                    let FoundVersion::Version(other, at) = &place.found else { continue };
                    let Some(there) = context.files.get(&place.path).filter(|_| other != version) else {
                        continue;
                    };
                    let message = format!(
                        "{} says version `{other}` of `{}`, {} says `{version}`",
                        place.what, unit.name, first.what
                    );
                    let differs =
                        Diagnostic::in_file(&there, *at, Severity::Error, RuleId::VERSION_DIFFERS, message)
                            .with_related(&file, span, "the version that takes precedence");
                    if ownership::is_forbidden(context, unit, place, version)? {
                        let help = format!("write `{other}` in both: a release raises versions");
                        out.push(differs.help(help));
                        continue;
                    }
                    let edit = FixEdit {
                        path: place.path.to_string(),
                        start: at.start,
                        end: at.end,
                        replacement: version.to_owned(),
                    };
                    // A newer version was raised by somebody who may have forgotten the rest; a package whose name
                    // differs from the plugin may have its own version.
                    let is_sure = is_newer(version, other)
                        && (unit.automated || units::is_of_that_name(context, place, &unit.name));
                    let applicability = if is_sure { Applicability::Safe } else { Applicability::Unsafe };
                    let flags = match applicability {
                        Applicability::Safe => "--fix",
                        _ => "--fix --unsafe-fixes",
                    };
                    let differs =
                        differs.help(format!("write `{version}` in both, or run it with `{flags}`"));
                    out.push(differs.fix(applicability, vec![edit]));
                }
            }
        }
    }
    Ok(())
}

/// Whether both are semantic versions, and the first is the newer one.
fn is_newer(one: &str, other: &str) -> bool {
    let (one, other) = (semver::Version::parse(one), semver::Version::parse(other));
    one.is_ok_and(|one| other.is_ok_and(|other| one > other))
}

/// Reports a place that cannot be read, or that must state a version and does not.
fn readable(context: &ReleaseContext<'_>, place: &VersionPlace, out: &mut Vec<Diagnostic>) {
    match (&place.found, context.files.get(&place.path)) {
        (FoundVersion::Fault(span, why), Some(file)) => {
            let message = format!("the version in `{}` cannot be read: {why}", place.path);
            let fault = Diagnostic::in_file(&file, *span, Severity::Error, RuleId::VERSION_FILE, message);
            let help = match place.at {
                VersionLocation::Key(_) => {
                    "correct the file; `[release] versions` in `plugcast.toml` takes JSON, YAML and TOML files, as `PATH#key.key` too, and files that hold a version alone"
                }
                VersionLocation::Entry(_) => "correct the file",
                _ => "fix it, or its entry in `extra-files`",
            };
            out.push(fault.help(help));
        }
        (_, None) if place.required => {
            let message =
                format!("the file `{}` does not exist, which should contain the version", place.path);
            let help = "add it, or remove it from the configuration";
            out.push(file_finding(&place.path, Severity::Error, RuleId::VERSION_FILE, message).help(help));
        }
        (FoundVersion::Nothing, Some(file)) if place.required => {
            let message = format!("`{}` has no version where the configuration looks for one", place.path);
            let help = "add it, or remove the file from the configuration";
            out.push(file_finding(&file.path, Severity::Error, RuleId::VERSION_FILE, message).help(help));
        }
        _ => {}
    }
}

fn report_missing(unit: &VersionedUnit, out: &mut Vec<Diagnostic>) {
    if unit.places.iter().any(|place| matches!(place.found, FoundVersion::Fault(..))) {
        return;
    }
    let message = format!("no version found for `{}`", unit.name);
    let help =
        "add `\"version\": \"1.0.0\"` to its manifest, or to its entry in the marketplace where it has none";
    out.push(file_finding(unit.own_path(), Severity::Error, RuleId::VERSION_MISSING, message).help(help));
}
