//! Skills that lie too deep below a plugin's folder of skills for the source host to find them.

use camino::{Utf8Path, Utf8PathBuf};

use super::Plugin;

/// What a skill's file is called.
const SKILL_FILE: &str = "SKILL.md";

impl Plugin {
    /// Files of skills below `skills/<folder>/`, which hosts do not search; one within another skill is a template or an
    /// example of that skill. Who lists some of them in the manifest has left the others out.
    pub fn unfound_skills(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        let is_within = |path: &Utf8Path| {
            self.components.iter().any(|component| {
                component.path == *path
                    || component.path.ends_with(SKILL_FILE) && path.starts_with(component.folder())
            }) || self
                .lost
                .iter()
                .any(|lost| lost.path.parent().is_some_and(|folder| path.starts_with(folder)))
        };
        let is_deep = |path: &Utf8Path| {
            let inner = self.inner(path);
            inner.starts_with("skills")
                && inner.file_name() == Some(SKILL_FILE)
                && inner.components().count() > 3
        };
        let are_chosen = self.components.iter().any(|component| is_deep(&component.path));
        let kept = self.files.kept.iter().filter(move |_| !are_chosen);
        kept.filter(move |path| is_deep(path) && !is_within(path))
    }

    /// How many such files there are, and what to do so that hosts find the skills.
    pub fn about_unfound_skills(&self) -> Option<(String, String)> {
        let skills: Vec<&Utf8Path> = self.unfound_skills().map(|path| self.inner(path)).collect();
        let first = skills.first()?;
        let message = match skills.len() - 1 {
            0 => format!("`{first}` is no skill: hosts find skills directly below `skills/` only"),
            more => {
                format!(
                    "`{first}` and {more} more are no skills: hosts find skills directly below `skills/` only"
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
