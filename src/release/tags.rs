//! Tags of releases: the version of a tag, by the tag forms of the repository.

use semver::Version;

use super::context::ReleaseContext;
use super::unit::VersionedUnit;

/// A tag and its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VersionTag {
    /// Its name.
    pub(super) name: String,
    /// The commit.
    pub(super) commit: String,
}

/// Forms of tags for a whole repository.
pub(super) const OF_ALL: [&str; 2] = ["v{version}", "{version}"];
/// Forms of tags for one plugin.
const OF_ONE: [&str; 4] =
    ["{plugin}-v{version}", "{plugin}@{version}", "{plugin}/v{version}", "{plugin}-{version}"];

/// Whether any tag is a version tag of one of the plugins.
pub(super) fn has_own(context: &ReleaseContext<'_>, tags: &[VersionTag]) -> bool {
    let names = context.units.iter().filter(|unit| unit.is_plugin).map(|unit| &unit.name);
    let forms: Vec<String> =
        names.flat_map(|name| OF_ONE.map(|form| form.replace("{plugin}", name))).collect();
    tags.iter().any(|tag| forms.iter().any(|form| version(form, &tag.name).is_some()))
}

/// The possible forms of tags of `unit`; the first one with a matching tag is used.
pub(super) fn forms(context: &ReleaseContext<'_>, unit: &VersionedUnit) -> Vec<String> {
    let tag = unit.published.tag.clone().or_else(|| unit.tag.clone());
    let mut forms = match tag {
        Some(form) => return vec![form],
        None => OF_ONE.to_vec(),
    };
    // With several plugins, such a tag would be ambiguous.
    if context.units.iter().filter(|unit| unit.is_plugin).count() <= 1 {
        forms.extend(OF_ALL);
    }
    forms.into_iter().map(|form| form.replace("{plugin}", &unit.name)).collect()
}

/// The version of `tag`, if it has this form.
pub(super) fn version(form: &str, tag: &str) -> Option<Version> {
    let (head, tail) = form.split_once("{version}")?;
    Version::parse(tag.strip_prefix(head)?.strip_suffix(tail)?).ok()
}

/// Parses the output of `for-each-ref`: name, object, and the commit of an annotated tag, one tag per line.
pub(super) fn read(listed: &str) -> Vec<VersionTag> {
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let (name, object, commit) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        let commit = if commit.is_empty() { object } else { commit };
        Some(VersionTag { name: name.to_owned(), commit: commit.to_owned() })
    };
    listed.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_a_form_name_versions() {
        let is = |form: &str, tag: &str| version(form, tag).map(|version| version.to_string());
        assert_eq!(is("v{version}", "v1.2.3").as_deref(), Some("1.2.3"));
        assert_eq!(is("one-v{version}", "one-v1.2.3-rc.1").as_deref(), Some("1.2.3-rc.1"));
        assert_eq!(is("v{version}", "one-v1.2.3"), None);
        assert_eq!(is("v{version}", "v1.2"), None);
        let tags = read("v1.0.0\taaa\t\nv1.1.0\tbbb\tccc\n");
        assert_eq!((tags[0].commit.as_str(), tags[1].commit.as_str()), ("aaa", "ccc"));
    }
}
