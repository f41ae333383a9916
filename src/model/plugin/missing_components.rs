//! Skills that lie too deep below a plugin's folder of skills for the source host to find them.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::Plugin;
use crate::source::SKILL_FILE;

impl Plugin {
    /// Skill files below `skills/<folder>/`, which hosts do not search; a skill file within another skill is a template
    /// or an example of that skill. An author who lists some of them in the manifest has left the others out on
    /// purpose.
    pub fn unfound_skills(&self) -> Vec<&Utf8Path> {
        let is_deep = |path: &Utf8Path| {
            let inner = self.relative_path(path);
            inner.starts_with("skills")
                && inner.file_name() == Some(SKILL_FILE)
                && inner.components().count() > 3
        };
        if self.components.iter().any(|component| is_deep(&component.path)) {
            return Vec::new();
        }
        let mut deep: Vec<&Utf8Path> =
            self.files.kept.iter().map(|path| path.as_path()).filter(|path| is_deep(path)).collect();
        if deep.is_empty() {
            return deep;
        }
        // A large plugin has thousands of both.
        let paths: BTreeSet<&Utf8Path> = self.components.iter().map(|component| &*component.path).collect();
        let skills = self.components.iter().filter(|component| component.path.ends_with(SKILL_FILE));
        let mut folders: BTreeSet<&Utf8Path> = skills.map(|skill| skill.folder()).collect();
        folders.extend(self.lost.iter().filter_map(|lost| lost.path.parent()));
        // A folder `skills` within a skill is meant for further skills.
        let is_own = |path: &Utf8Path, folder: &Utf8Path| {
            let inner = path.strip_prefix(folder).unwrap_or(path);
            folders.contains(folder) && !(inner.starts_with("skills") && inner.components().count() == 3)
        };
        deep.retain(|path| !paths.contains(path) && !path.ancestors().any(|folder| is_own(path, folder)));
        deep
    }

    /// The message and the help about such files; `None` if there are none.
    pub fn about_unfound_skills(&self) -> Option<(String, String)> {
        let skills: Vec<&Utf8Path> =
            self.unfound_skills().into_iter().map(|path| self.relative_path(path)).collect();
        let first = skills.first()?;
        let message = match skills.len() - 1 {
            0 => format!("`{first}` is not a skill: hosts find skills directly below `skills/` only"),
            more => {
                format!(
                    "`{first}` and {more} more are not skills: hosts find skills directly below `skills/` only"
                )
            }
        };
        let mut folders: Vec<String> = skills
            .iter()
            .filter_map(|path| path.parent()?.parent())
            .map(|folder| format!("`./{folder}`"))
            .collect();
        folders.sort();
        folders.dedup();
        let folders = match folders.len() {
            1..=3 => folders.join(", "),
            _ => format!("{} and {} more folders", folders[..2].join(", "), folders.len() - 2),
        };
        let help =
            format!("list {folders} under `skills` in the manifest, or move each skill to `skills/<name>`");
        Some((message, help))
    }
}
