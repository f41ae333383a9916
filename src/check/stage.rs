//! The stage of a skill: beta by its folder, its name, or the mark in its description.

use super::directory::ComponentDirectory;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::source::ComponentKind;

/// The suffix of beta names.
pub const ENDING: &str = "-beta";
/// The prefix of beta descriptions.
pub const MARK: &str = "[BETA]";

/// The beta marks of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageMarks {
    /// Whether the folder ends in `-beta`.
    pub folder: bool,
    /// Whether the frontmatter name ends in `-beta`; without one, the name of the folder.
    pub name: bool,
    /// Whether the description starts with `[BETA]`.
    pub mark: bool,
}

impl StageMarks {
    /// The marks of `component`; none if it is not a skill.
    pub fn from_component(component: &Component, plugin: &Plugin) -> Self {
        let is_skill = component.kind == ComponentKind::Skill;
        let own = component.folder().as_str() != plugin.root.as_str();
        let folder = component.folder().file_name().filter(|_| own);
        let is_marked = || {
            let description = component.written_text("description").unwrap_or_default();
            let start = description.trim_start().get(..MARK.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(MARK))
        };
        let written = component.written_name();
        Self {
            folder: is_skill && folder.is_some_and(|folder| folder.ends_with(ENDING)),
            name: is_skill && written.as_deref().unwrap_or(&component.name).ends_with(ENDING),
            mark: is_skill && is_marked(),
        }
    }

    /// Whether the folder or the name marks it as a beta.
    pub fn is_beta(self) -> bool {
        self.folder || self.name
    }
}

/// The beta of the skill or command that is named `qualified`, if the build has one.
pub fn beta_of<'a>(directory: &ComponentDirectory<'a>, qualified: &str) -> Option<&'a Component> {
    directory.skill(&format!("{qualified}{ENDING}"))
}
