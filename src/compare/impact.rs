//! The version change that a change requires, by semantic versioning: users call skills, agents and commands by name,
//! so removing or renaming one is a breaking change.

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::difference::ItemChange;
use crate::source::ComponentKind;

/// The version change that a change requires, smallest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Impact {
    /// None.
    #[default]
    None,
    /// `1.2.3` to `1.2.4`.
    Patch,
    /// `1.2.3` to `1.3.0`.
    Minor,
    /// `1.2.3` to `2.0.0`.
    Major,
}

/// Prefixes of the names of files that no host reads.
const DOCUMENT_PREFIXES: [&str; 5] = ["README", "CHANGELOG", "LICENSE", "NOTICE", "CONTRIBUTING"];

impl Impact {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Impact::None => "no new",
            Impact::Patch => "patch",
            Impact::Minor => "minor",
            Impact::Major => "major",
        }
    }

    /// The impact of a change of one item of that name.
    pub fn from_change(change: ItemChange, kind: ComponentKind, name: &str) -> Self {
        if kind == ComponentKind::File {
            // Files about a plugin for people do not change its behavior.
            return if DOCUMENT_PREFIXES.iter().any(|about| name.starts_with(about)) {
                Impact::None
            } else {
                Impact::Patch
            };
        }
        let called = matches!(
            kind,
            ComponentKind::Plugin | ComponentKind::Skill | ComponentKind::Agent | ComponentKind::Command
        );
        match change {
            // Nobody may rely on the name of a beta.
            ItemChange::Removed if name.ends_with("-beta") => Impact::Minor,
            ItemChange::Removed | ItemChange::Renamed if called => Impact::Major,
            ItemChange::Added | ItemChange::Removed | ItemChange::Renamed | ItemChange::Promoted => {
                Impact::Minor
            }
            ItemChange::Changed => Impact::Patch,
        }
    }

    /// The impact that the step from one version to another allows; `None` for equal or decreasing versions. Before
    /// 1.0.0 a minor version may break and a patch may add, as in semantic versioning.
    pub fn between(old: &Version, new: &Version) -> Self {
        let early = old.major == 0;
        if new <= old {
            Impact::None
        } else if new.major > old.major {
            Impact::Major
        } else if new.minor > old.minor {
            if early { Impact::Major } else { Impact::Minor }
        } else if early && new.patch > old.patch {
            Impact::Minor
        } else {
            Impact::Patch
        }
    }

    /// The lowest version after `last` that allows this impact.
    pub fn lowest_version(self, last: &Version) -> Version {
        let (major, minor, patch) = (last.major, last.minor, last.patch);
        match (self, major) {
            (Impact::Major, 1..) => Version::new(major + 1, 0, 0),
            (Impact::Major, 0) | (Impact::Minor, 1..) => Version::new(major, minor + 1, 0),
            _ => Version::new(major, minor, patch + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_the_impact_that_semantic_versioning_gives_them() {
        for (old, new, wanted) in [
            ("1.2.3", "1.2.3", Impact::None),
            ("1.2.3", "1.2.2", Impact::None),
            ("1.2.3", "1.2.4", Impact::Patch),
            ("1.2.3", "1.3.0", Impact::Minor),
            ("1.2.3", "2.0.0", Impact::Major),
            ("0.2.3", "0.3.0", Impact::Major),
            ("0.2.3", "0.2.4", Impact::Minor),
            ("0.2.3", "1.0.0", Impact::Major),
            ("1.0.0-rc.1", "1.0.0", Impact::Patch),
        ] {
            let version = |text| Version::parse(text).unwrap();
            assert_eq!(Impact::between(&version(old), &version(new)), wanted, "{old} to {new}");
        }
    }

    #[test]
    fn the_lowest_version_has_the_impact() {
        for last in ["0.2.3", "1.2.3"] {
            let last = Version::parse(last).unwrap();
            for needs in [Impact::Patch, Impact::Minor, Impact::Major] {
                assert!(Impact::between(&last, &needs.lowest_version(&last)) >= needs, "{last} {needs:?}");
            }
        }
    }

    #[test]
    fn what_is_called_by_name_breaks_its_users() {
        assert_eq!(
            Impact::from_change(ItemChange::Removed, ComponentKind::Skill, "demo:plan"),
            Impact::Major
        );
        assert_eq!(
            Impact::from_change(ItemChange::Renamed, ComponentKind::Agent, "demo:plan"),
            Impact::Major
        );
        assert_eq!(
            Impact::from_change(ItemChange::Added, ComponentKind::Command, "demo:plan"),
            Impact::Minor
        );
        assert_eq!(Impact::from_change(ItemChange::Removed, ComponentKind::Hook, "demo:plan"), Impact::Minor);
        assert_eq!(
            Impact::from_change(ItemChange::Changed, ComponentKind::Skill, "demo:plan"),
            Impact::Patch
        );
        assert_eq!(
            Impact::from_change(ItemChange::Removed, ComponentKind::Skill, "demo:plan-beta"),
            Impact::Minor
        );
        assert_eq!(
            Impact::from_change(ItemChange::Removed, ComponentKind::File, "scripts/a.sh"),
            Impact::Patch
        );
        assert_eq!(Impact::from_change(ItemChange::Changed, ComponentKind::File, "README.md"), Impact::None);
    }
}
