//! Selects a skill by its qualified name, its local name, the name in its frontmatter, or a path.

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::stage::{ENDING, StageMarks};
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::model::qualified_name::qualify;
use crate::model::similar_names;
use crate::source::{ComponentKind, SKILL_FILE};

/// A beta skill, and what it will become.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BetaSkill<'a> {
    /// Its plugin.
    pub plugin: &'a Plugin,
    /// The skill.
    pub component: &'a Component,
    /// The qualified name that it will have.
    pub stable: String,
    /// The path of its folder, relative to SRC.
    pub from: Utf8PathBuf,
    /// The new path of its folder.
    pub to: Utf8PathBuf,
    /// The names that texts may use, with their replacements.
    pub names: Vec<(String, String)>,
}

impl<'a> BetaSkill<'a> {
    fn new(plugin: &'a Plugin, component: &'a Component) -> Self {
        let from = component.folder().to_owned();
        let root = from == plugin.root;
        let folder = from.file_name().filter(|_| !root).and_then(|folder| Some((folder, stripped(folder)?)));
        let to = folder.map_or_else(|| from.clone(), |(_, stable)| from.with_file_name(stable));
        let written = component.written_name().unwrap_or_else(|| component.name.clone());
        let own = stripped(&written).map(|stable| (written.as_str(), stable));
        let mut names: Vec<(String, String)> =
            own.into_iter().chain(folder).map(|(old, new)| (old.to_owned(), new.to_owned())).collect();
        names.dedup();
        let name = stripped(&component.name).unwrap_or(&component.name);
        Self { plugin, component, stable: qualify(&plugin.name, name), from, to, names }
    }

    /// Whether its folder is renamed.
    pub fn moves(&self) -> bool {
        self.from != self.to
    }

    /// Whether the file at `path` belongs to it.
    pub fn owns(&self, path: &Utf8Path) -> bool {
        if self.from == self.plugin.root {
            return path == self.component.path || self.component.files.iter().any(|own| own == path);
        }
        path.starts_with(&self.from)
    }
}

/// The selected skill.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SkillChoice<'a> {
    /// This beta.
    Beta(Box<BetaSkill<'a>>),
    /// Nothing to do: there is no such beta, but this stable skill.
    Stable(String),
}

/// Why no beta could be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectionError {
    /// No skill has that name; this one may have been meant.
    Unknown(Option<String>),
    /// The skill is not a beta; this one is.
    NotBeta(String, Option<String>),
    /// It is a command or an agent.
    NotSkill(ComponentKind),
    /// Several betas have that name: each with its file.
    Ambiguous(Vec<(String, Utf8PathBuf)>),
}

fn stripped(name: &str) -> Option<&str> {
    name.strip_suffix(ENDING).filter(|rest| !rest.is_empty())
}

/// Selects the skill for `asked`; `place` is the path of `asked` relative to SRC, if it is a path.
///
/// # Errors
/// Why no beta could be selected.
pub fn select_skill<'a>(
    project: &'a Project,
    asked: &str,
    place: Option<&Utf8Path>,
) -> Result<SkillChoice<'a>, SelectionError> {
    let all = || {
        project.plugins.iter().flat_map(|plugin| plugin.components.iter().map(move |found| (plugin, found)))
    };
    let asked = asked.trim_start_matches(['/', '$', '@']);
    let matches = |plugin: &Plugin, component: &Component, asked: &str, place: Option<&Utf8Path>| match place
    {
        Some(place) => component.folder() == place || component.path == place,
        None => {
            let alias = component.alias();
            let also =
                alias.as_deref().is_some_and(|alias| alias == asked || qualify(&plugin.name, alias) == asked);
            component.qualified == asked || component.name == asked || also
        }
    };
    let skills: Vec<_> = all()
        .filter(|(plugin, component)| {
            component.kind == ComponentKind::Skill && matches(plugin, component, asked, place)
        })
        .collect();
    let is_beta = |plugin: &Plugin, component: &Component| {
        let stage = StageMarks::from_component(component, plugin);
        stage.is_beta() || stage.mark
    };
    let betas: Vec<_> = skills.iter().filter(|(plugin, component)| is_beta(plugin, component)).collect();
    match betas[..] {
        [(plugin, component)] => return Ok(SkillChoice::Beta(Box::new(BetaSkill::new(plugin, component)))),
        [] => {}
        _ => {
            let several =
                betas.iter().map(|(_, component)| (component.qualified.to_string(), component.path.clone()));
            return Err(SelectionError::Ambiguous(several.collect()));
        }
    }
    let every_beta = || all().filter(|(plugin, found)| is_beta(plugin, found)).map(|(_, found)| found);
    if let Some((_, component)) = skills.first() {
        let own = every_beta().find(|beta| beta.qualified == format!("{}{ENDING}", component.qualified));
        return Err(SelectionError::NotBeta(
            component.qualified.to_string(),
            own.map(|beta| beta.qualified.to_string()),
        ));
    }
    if let Some((_, other)) = all().find(|(plugin, component)| matches(plugin, component, asked, place)) {
        return Err(SelectionError::NotSkill(other.kind));
    }
    let stable_place = place.map(|place| {
        let folder =
            if place.file_name() == Some(SKILL_FILE) { place.parent().unwrap_or(place) } else { place };
        folder.file_name().and_then(stripped).map(|name| folder.with_file_name(name))
    });
    let stable = match (&stable_place, stripped(asked)) {
        (Some(None), _) | (None, None) => None,
        (Some(Some(place)), _) => all().find(|(plugin, found)| matches(plugin, found, asked, Some(place))),
        (None, Some(name)) => all()
            .find(|(plugin, found)| found.kind == ComponentKind::Skill && matches(plugin, found, name, None)),
    };
    if let Some((_, component)) = stable {
        return Ok(SkillChoice::Stable(component.qualified.to_string()));
    }
    let word = place.and_then(Utf8Path::file_name).unwrap_or(asked);
    let names: Vec<(&str, &str)> = every_beta()
        .flat_map(|beta| {
            [
                (beta.qualified.as_str(), beta.qualified.as_str()),
                (beta.name.as_str(), beta.qualified.as_str()),
            ]
        })
        .collect();
    let near = similar_names::nearest(word, names.iter().map(|(name, _)| *name));
    let meant = near
        .and_then(|near| names.iter().find(|(name, _)| *name == near))
        .map(|(_, qualified)| (*qualified).to_owned());
    Err(SelectionError::Unknown(meant))
}
