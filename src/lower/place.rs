//! The path of every file of a plugin in the plugin's emitted folder.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::ledger::ComponentKind;
use crate::model::component::Component;
use crate::model::names;
use crate::model::plugin::{InlineCommand, OtherBody, Plugin};
use crate::model::qualified_name::{QualifiedName, last_of};
use crate::source::{PathMap, is_lowercase_markdown, is_markdown};
use crate::source_format::SourceFacts;
use crate::target::Target;

/// Emitted paths, relative to the plugin's emitted folder.
#[derive(Debug, Default)]
pub struct OutputPaths {
    /// By source path.
    pub files: PathMap<Utf8PathBuf>,
    /// Source paths of the components' main files.
    pub mains: PathMap<()>,
    /// Main files of components, by kind and qualified name.
    pub components: BTreeMap<(ComponentKind, QualifiedName), Utf8PathBuf>,
    /// Components that share the file of another one, by kind and qualified name.
    pub repeated: BTreeSet<(ComponentKind, QualifiedName)>,
    /// Source paths of files that were renamed so that the host does not load them.
    pub renamed: PathMap<()>,
    /// Whether any file has moved.
    pub moved: bool,
    /// Second paths of files beside a skill that has moved or is at the plugin's root: those by which hooks, servers,
    /// agents and commands refer to them.
    pub extra_paths: PathMap<Utf8PathBuf>,
    /// Installable files of agents, by qualified name.
    pub installables: BTreeMap<QualifiedName, Utf8PathBuf>,
    /// Indices of skills in `plugin.components`, by the source paths of the files beside their main file.
    pub skills: PathMap<usize>,
}

impl OutputPaths {
    /// Assigns a path to every kept file of `plugin`.
    pub fn new(plugin: &Plugin, target: &Target) -> Self {
        let mut places = Self::default();
        let mut taken = BTreeMap::new();
        let contested = case_conflicts(plugin, target);
        for path in &plugin.files.kept {
            places.files.insert(path, plugin.relative_path(path).to_owned());
        }
        for (at, component) in plugin.components.iter().enumerate() {
            for file in &component.files {
                places.skills.insert_new(file, at);
            }
            // The source host also loads an agent in a folder of commands as a command.
            let shared = target.source.is_some().then_some(component.path.as_path());
            let main = distinct_path(&mut taken, shared, |number| {
                main_path(plugin, component, number, target, contested.contains(component.path.as_path()))
            });
            if places.mains.contains(&component.path) && places.files.get(&component.path) == Some(&main) {
                places.repeated.insert((component.kind, component.qualified.clone()));
            }
            if let Some(facts) =
                target.agent.installable.as_ref().filter(|_| component.kind == ComponentKind::Agent)
            {
                let name = |number: &str| format!("{}{number}", component.name);
                let path_of =
                    |number: &str| fill_pattern(&facts.path, &plugin.name, &name(number), &component.path);
                let path = distinct_path(&mut taken, None, path_of);
                places.installables.insert(component.qualified.clone(), path);
            }
            if component.kind == ComponentKind::Skill {
                places.follow_skill(plugin, component, &main);
            }
            places.files.insert(&component.path, main.clone());
            places.mains.insert(&component.path, ());
            places.components.insert((component.kind, component.qualified.clone()), main);
        }
        for other in plugin.others.iter().filter(|other| other.kind == ComponentKind::Workflow) {
            let key = (ComponentKind::Workflow, QualifiedName::new(&plugin.name, &other.name));
            places.components.entry(key).or_insert_with(|| plugin.relative_path(&other.path).to_owned());
        }
        for (source, inner) in plugin.runtime.programs_in_source() {
            if let Some(place) = places.files.get_mut(source) {
                *place = inner;
            }
        }
        for lost in plugin.lost.iter().filter(|lost| lost.pointer.is_none()) {
            // Other hosts may read a skill that a component of the same name hides.
            let is_hidden =
                |other: &&Component| other.kind == ComponentKind::Skill && other.path == lost.path;
            // The source host does not hide a skill whose name differs in case.
            let hides = |skill: &Component| {
                let mut others = plugin.components.iter().filter(|other| other.kind != ComponentKind::Agent);
                target.source.is_some() && others.any(|other| other.qualified == skill.qualified)
            };
            match plugin.shadowed.iter().find(is_hidden) {
                None => places.files.remove(&lost.path),
                Some(skill) if !hides(skill) => places.hide_skill(&lost.path, target),
                Some(_) => {}
            }
        }
        places.rename_nested(plugin, target);
        if let Some(source) = &target.source {
            places.rename_linked(plugin);
            places.rename_beside_skills(plugin, source);
            places.hide_root_skill(plugin, target);
        }
        places.move_converted(target);
        places.moved = places
            .files
            .iter()
            .any(|(source, emitted)| plugin.relative_path(source).as_str() != emitted.as_str());
        places
    }

    /// Places the files of a skill beside its main file, which goes to `main`.
    fn follow_skill(&mut self, plugin: &Plugin, skill: &Component, main: &Utf8Path) {
        let folder = main.parent().unwrap_or(Utf8Path::new(""));
        let shared = match skill.folder() == plugin.root {
            true => shares_root(plugin),
            false => plugin.relative_path(skill.folder()) != folder && runs_files(plugin),
        };
        for file in &skill.files {
            if shared {
                self.extra_paths.insert(file, plugin.relative_path(file).to_owned());
            }
            let inner = file.strip_prefix(skill.folder()).unwrap_or(file);
            self.files.insert(file, folder.join(inner));
        }
    }

    /// Renames other files that the host would load as a skill: those with the name of a skill file in the folders of
    /// skills, and on some hosts anywhere below.
    fn rename_nested(&mut self, plugin: &Plugin, target: &Target) {
        let pattern = Utf8Path::new(&target.skill.path);
        let depth = |path: &Utf8Path| path.components().count();
        let Some(name) = pattern.file_name() else { return };
        let searched = pattern.components().next().map(|part| part.as_str().to_owned()).unwrap_or_default();
        let emitted_paths = self.files.iter_mut().chain(self.extra_paths.iter_mut());
        for (source, emitted) in emitted_paths {
            if emitted.file_name() == Some(name)
                && emitted.starts_with(&searched)
                && (target.host.nested_skill_files || depth(emitted) == depth(pattern))
                && !self.mains.contains(source)
                && !(target.source.is_some() && plugin.shadowed.iter().any(|other| other.path == source))
            {
                *emitted = emitted.with_file_name(unlisted(pattern));
                self.renamed.insert(source, ());
            }
        }
    }

    /// Renames files that the source host skips because they are links: a bundle has the file itself.
    fn rename_linked(&mut self, plugin: &Plugin) {
        for path in plugin.linked.iter().filter(|path| !self.mains.contains(path)) {
            if let Some(emitted) = self.files.get_mut(path) {
                *emitted = format!("{emitted}.linked").into();
                self.renamed.insert(path, ());
            }
        }
    }

    /// Renames files that the source host would load from the bundle but not from the source, whose folders are not
    /// those of a plugin.
    fn rename_beside_skills(&mut self, plugin: &Plugin, source: &SourceFacts) {
        let texts = |path: &Utf8Path| path.starts_with("agents") || path.starts_with("commands");
        let documents = |path: &Utf8Path| {
            let kinds = source.components.iter().filter(|(_, kind)| **kind != ComponentKind::Executable);
            kinds.into_iter().any(|(place, _)| path.starts_with(place.trim_end_matches('/')))
        };
        for (path, emitted) in self.files.iter_mut().filter(|_| plugin.has_only_loose_skills) {
            if texts(emitted) && is_markdown(&*emitted) || documents(emitted) {
                *emitted = format!("{emitted}.plain").into();
                self.renamed.insert(path, ());
            }
        }
    }

    /// Hides a skill file in the plugin's own folder that the source host does not read because of a folder of skills,
    /// if the bundle has no such folder.
    fn hide_root_skill(&mut self, plugin: &Plugin, target: &Target) {
        let pattern = Utf8Path::new(&target.skill.path);
        let (Some(name), Some(folder)) = (pattern.file_name(), pattern.components().next()) else { return };
        let path = plugin.root.join(name);
        let is_there = self.files.values().any(|emitted| emitted.starts_with(folder.as_str()));
        if !is_there && !self.mains.contains(&path) {
            self.hide_skill(&path, target);
        }
    }

    /// Gives a skill that another component hides a name that the host does not load.
    fn hide_skill(&mut self, path: &Utf8Path, target: &Target) {
        if let Some(emitted) = self.files.get_mut(path) {
            *emitted = emitted.with_file_name(unlisted(Utf8Path::new(&target.skill.path)));
            self.renamed.insert(path, ());
        }
    }

    /// Moves files out of a folder that the host would convert to skills; no component of the plugin is there.
    fn move_converted(&mut self, target: &Target) {
        let Some((folder, elsewhere)) = &target.host.converted_folder else { return };
        for (source, emitted) in self.files.iter_mut() {
            let Ok(inner) = emitted.strip_prefix(folder) else { continue };
            if is_markdown(inner) {
                *emitted = Utf8Path::new(elsewhere).join(inner);
                self.renamed.insert(source, ());
            }
        }
    }
}

/// The name of a skill's main file that the host must not load: `SKILL.nested.md`.
fn unlisted(pattern: &Utf8Path) -> String {
    format!("{}.nested.{}", pattern.file_stem().unwrap_or_default(), pattern.extension().unwrap_or("md"))
}

/// Whether hooks or servers may refer to files by the plugin's folder.
fn runs_files(plugin: &Plugin) -> bool {
    plugin.others.iter().any(|other| matches!(other.body, OtherBody::Hook(_) | OtherBody::Server(_)))
}

/// Whether components other than skills may refer to files by the plugin's folder.
fn shares_root(plugin: &Plugin) -> bool {
    let other = |component: &Component| component.kind != ComponentKind::Skill;
    !plugin.others.is_empty() || !plugin.inline.is_empty() || plugin.components.iter().any(other)
}

/// The path that `path_of` returns without a number, or with the first number that makes it unique: several names can
/// become the same part of a path. Components from one `source` share a path.
fn distinct_path<'a>(
    taken: &mut BTreeMap<String, Option<&'a Utf8Path>>,
    source: Option<&'a Utf8Path>,
    path_of: impl Fn(&str) -> Utf8PathBuf,
) -> Utf8PathBuf {
    let mut path = path_of("");
    for number in 2.. {
        match taken.get(path.as_str().to_lowercase().as_str()) {
            Some(first) if source.is_none() || *first != source => path = path_of(&format!("-{number}")),
            _ => break,
        }
    }
    taken.insert(path.as_str().to_lowercase(), source);
    path
}

/// Files with an extension in upper case, which is part of the name on the source host, beside a file that differs only
/// in case.
fn case_conflicts<'a>(plugin: &'a Plugin, target: &Target) -> BTreeSet<&'a Utf8Path> {
    let mains = plugin.components.iter().map(|component| component.path.as_path());
    let (plain, other): (Vec<_>, Vec<_>) = mains.partition(|path| is_lowercase_markdown(path));
    if target.source.is_none() || other.is_empty() {
        return BTreeSet::new();
    }
    let plain: BTreeSet<String> = plain.iter().map(|path| path.as_str().to_lowercase()).collect();
    other.into_iter().filter(|path| plain.contains(&path.as_str().to_lowercase())).collect()
}

/// The path of a component's main file; `number` is appended to each name in it. To a `contested` extension another one
/// is appended, so that the component keeps its name.
fn main_path(
    plugin: &Plugin,
    component: &Component,
    number: &str,
    target: &Target,
    contested: bool,
) -> Utf8PathBuf {
    let pattern = match component.kind {
        ComponentKind::Agent => &target.agent.path,
        ComponentKind::Command => &target.command.path,
        _ => &target.skill.path,
    };
    let added = target.source.as_ref().and_then(|_| added_path(plugin, component));
    let mut own = added.unwrap_or_else(|| plugin.relative_path(&component.path).to_owned());
    // A file that names its component is renamed with it; a skill file is not.
    if let Some(name) = own.file_name().filter(|_| contested) {
        own = own.with_file_name(format!("{name}.md"));
    }
    let renamed = component.host_override.renamed.as_ref();
    if let Some(renamed) = renamed {
        own = own.with_file_name(format!("{}.md", names::segment(last_of(&renamed.to))));
    }
    let as_named = renamed.is_some_and(|renamed| renamed.at.is_none());
    // Folder names are part of the name too; only user settings keep them unchanged.
    let part = |part: &str| match as_named || target.source.is_none() && names::unwritable(part).is_some() {
        true => names::segment(part),
        false => part.to_owned(),
    };
    let mut own: Utf8PathBuf = own.components().map(|name| part(name.as_str())).collect();
    if !number.is_empty() {
        own = own.with_file_name(format!("{}{number}.md", own.file_stem().unwrap_or_default()));
    }
    fill_pattern(pattern, &plugin.name, &format!("{}{number}", component.name), &own)
}

/// The path of the main file of a component of any plugin, unless another one has taken it.
pub(super) fn usual_path(plugin: &Plugin, component: &Component, target: &Target) -> Utf8PathBuf {
    main_path(plugin, component, "", target, false)
}

/// The path at which the source host finds, by default, an agent or a command that only the marketplace's entry adds: a
/// list in the manifest would replace the default folder.
fn added_path(plugin: &Plugin, component: &Component) -> Option<Utf8PathBuf> {
    let parts: Vec<String> = component.name.split(':').map(names::segment).collect();
    let (key, file) = match component.kind {
        ComponentKind::Agent => ("agents", component.path.file_name()?.to_owned()),
        ComponentKind::Command => ("commands", format!("{}.md", parts.join("/"))),
        _ => return None,
    };
    plugin.added_by_entry(key)?;
    let own = plugin.manifest.as_ref().and_then(|manifest| manifest.node.get(key));
    let is_default = plugin.relative_path(&component.path).starts_with(key);
    (own.is_none() && !is_default).then(|| Utf8Path::new(key).join(file))
}

/// The path of the file for a command whose text is in a manifest.
pub(super) fn inline_path(plugin: &Plugin, command: &InlineCommand, target: &Target) -> Utf8PathBuf {
    let own = Utf8Path::new("commands").join(format!("{}.md", names::segment(&command.name)));
    fill_pattern(&target.command.path, &plugin.name, &command.name, &own)
}

/// A path pattern of a target: `{path}`, `{plugin}`, `{name}` (as a folder) and `{dashed}`.
pub fn fill_pattern(pattern: &str, plugin: &str, name: &str, path: &Utf8Path) -> Utf8PathBuf {
    pattern
        .replace("{path}", path.as_str())
        .replace("{plugin}", plugin)
        .replace("{name}", &names::segment(name))
        .replace("{dashed}", &names::dashed_name(name))
        .into()
}

/// The relative path from the folder of `file` up to the plugin's folder: `../..`, or `.` if `file` is directly in it.
pub fn path_to_root(file: &Utf8Path) -> String {
    let depth = file.components().count().saturating_sub(1);
    if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") }
}
