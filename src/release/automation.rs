//! The configuration of release automation for a package: the form of its tags, the path of its changelog, and the
//! other files with its version, in every form that release-please 17 supports.

use camino::Utf8PathBuf;

use super::context::ReleaseContext;
use super::found_version::FoundVersion;
use super::unit::VersionPlace;
use super::unit::VersionedUnit;
use super::values::VersionLocation;
use super::version_places::version_places;
use crate::disk;
use crate::read::json;
use crate::read::tree::{Node, Value};
use crate::source::Span;

/// The configuration files, relative to the top.
pub(super) const FILES: [&str; 2] = ["release-please-config.json", ".github/release-please-config.json"];

/// Applies the configuration of `package`.
pub(super) fn apply(context: &ReleaseContext<'_>, package: &str, unit: &mut VersionedUnit) {
    let read = |path: &&'static str| {
        Some((*path, json::parse(context.files.get(camino::Utf8Path::new(path))?.text()?).0?))
    };
    let Some((told, node)) = FILES.iter().find_map(read) else { return };
    let own = node.get("packages").and_then(|packages| packages.get(package));
    let setting = |key: &str| own.and_then(|own| own.get(key)).or_else(|| node.get(key));
    let flag = |key: &str, default: bool| match setting(key).map(|node| &node.value) {
        Some(Value::Bool(value)) => *value,
        _ => default,
    };
    let text = |key: &str| setting(key).and_then(Node::as_str).map(str::to_owned);
    let component = text("component")
        .or_else(|| text("package-name").map(|name| name.rsplit('/').next().unwrap_or_default().to_owned()))
        .unwrap_or_else(|| unit.name.clone());
    let v = if flag("include-v-in-tag", true) { "v" } else { "" };
    let separator = text("tag-separator").unwrap_or_else(|| "-".to_owned());
    unit.tag = Some(if flag("include-component-in-tag", true) && !component.is_empty() {
        format!("{component}{separator}{v}{{version}}")
    } else {
        format!("{v}{{version}}")
    });
    let path = text("changelog-path").unwrap_or_else(|| "CHANGELOG.md".to_owned());
    let path = unit.root.join(path.trim_start_matches("./"));
    if !flag("skip-changelog", false) {
        unit.changelog = Some(path);
    }
    for extra in setting("extra-files").and_then(Node::items).unwrap_or_default() {
        let found = match extra_file(extra) {
            Ok((path, _)) if !disk::is_inside(&context.top, &context.top.join(place_of(unit, path))) => {
                vec![misunderstood(told, extra.span, format!("`{path}` leads out of the repository"))]
            }
            Ok((path, at)) => entry_places(context, unit, path, at),
            Err(why) => vec![misunderstood(told, extra.span, why)],
        };
        unit.places.extend(found);
    }
}

/// The file that an entry names, relative to the top.
fn place_of(unit: &VersionedUnit, path: &str) -> Utf8PathBuf {
    let from_top = path.starts_with('/');
    let path = path.trim_start_matches('/').trim_start_matches("./");
    if from_top { Utf8PathBuf::from(path) } else { unit.root.join(path) }
}

/// The places of one entry of `extra-files`, except for those that are already known.
fn entry_places(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    path: &str,
    at: VersionLocation,
) -> Vec<VersionPlace> {
    let path = place_of(unit, path);
    let mut found = version_places(context, &path, &at, &format!("`{path}`"), true);
    let version = |place: &VersionPlace| match place.found {
        FoundVersion::Version(_, span) => Some((place.path.clone(), span)),
        _ => None,
    };
    found.retain(|place| {
        version(place).is_none_or(|here| unit.places.iter().all(|one| version(one).as_ref() != Some(&here)))
    });
    found
}

/// The file of one entry and the location of the version in it, or why that is unknown.
fn extra_file(extra: &Node) -> Result<(&str, VersionLocation), String> {
    if let Some(path) = extra.as_str() {
        return Ok((path, VersionLocation::Usual));
    }
    let text = |key: &str| extra.get(key).and_then(Node::as_str);
    let Some(path) = text("path") else { return Err("it has no `path`".to_owned()) };
    if extra.get("glob").is_some_and(|glob| glob.value == Value::Bool(true)) {
        return Err(format!("`{path}` is a glob, and files are looked up by their names"));
    }
    let steps = || text("jsonpath").ok_or_else(|| "it has no `jsonpath`".to_owned());
    let at = match text("type") {
        Some("json") => VersionLocation::Json(steps()?.to_owned()),
        Some("yaml") => VersionLocation::Yaml(steps()?.to_owned()),
        Some("toml") => VersionLocation::Toml(steps()?.to_owned()),
        Some("xml") => {
            VersionLocation::Xml(text("xpath").ok_or_else(|| "it has no `xpath`".to_owned())?.to_owned())
        }
        Some("pom") => VersionLocation::Xml("/project/version".to_owned()),
        Some("generic") => VersionLocation::Marked,
        None if text("jsonpath").is_some() => VersionLocation::Json(steps()?.to_owned()),
        None => VersionLocation::Usual,
        Some(other) => return Err(format!("unknown type `{other}`")),
    };
    Ok((path, at))
}

/// A fault for an entry that is not understood.
fn misunderstood(told: &str, span: Span, why: String) -> VersionPlace {
    VersionPlace {
        path: told.into(),
        what: format!("`{told}`"),
        at: VersionLocation::Usual,
        turn: 0,
        found: FoundVersion::Fault(span, format!("of this entry of `extra-files` {why}")),
        required: false,
    }
}
