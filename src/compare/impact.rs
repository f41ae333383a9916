//! Which version a change needs, by semantic versioning: users call skills, agents and commands by name, so
//! one that is gone or has another name breaks them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::difference::ItemChange;
use crate::source::ComponentKind;

/// The version that a change needs, smallest first.
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

/// How files begin that no host reads.
const ABOUT: [&str; 5] = ["README", "CHANGELOG", "LICENSE", "NOTICE", "CONTRIBUTING"];

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

    /// Of a change of one thing of that name.
    pub fn from_change(change: ItemChange, kind: ComponentKind, name: &str) -> Self {
        if kind == ComponentKind::File {
            // What tells people about a plugin changes nothing of it.
            return if ABOUT.iter().any(|about| name.starts_with(about)) {
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
            // A beta is called by nobody who may rely on it.
            ItemChange::Removed if name.ends_with("-beta") => Impact::Minor,
            ItemChange::Removed | ItemChange::Renamed if called => Impact::Major,
            ItemChange::Added | ItemChange::Removed | ItemChange::Renamed | ItemChange::Promoted => {
                Impact::Minor
            }
            ItemChange::Changed => Impact::Patch,
        }
    }

    /// Of the step from one version to another; a step that is none, or goes back, has none. Before 1.0.0 a
    /// minor version may break, as semantic versioning has it, and a patch may add.
    pub fn between(old: &semver::Version, new: &semver::Version) -> Self {
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
            let version = |text| semver::Version::parse(text).unwrap();
            assert_eq!(Impact::between(&version(old), &version(new)), wanted, "{old} to {new}");
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
