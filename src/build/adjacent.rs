//! Finds what a check reads although no build includes it: skills and plugins beside those of a marketplace or a
//! manifest, and the folders of projects. Folders that are skipped are listed with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::COMPONENT_FOLDERS;
use super::layout::{holds_components, holds_texts, is_searched, is_uninstalled};
use super::linked_components;
use super::listing::{Files, Listing};
use super::{BuildError, SourceRequest};
use crate::disk::FileSystem;
use crate::model::names;
use crate::model::plugin::{LocationForm, PluginLocation, declares_component, settings};
use crate::parallel;
use crate::read::tree::{Node, Value};
use crate::read::{frontmatter, json};
use crate::source::{ComponentKind, Exclusion, ExclusionReason, SKILL_FILE, is_markdown};
use crate::source_format::SourceFacts;
use crate::target::{ProjectFiles, Targets};

/// Plugins and skills outside of the listed plugins.
#[derive(Debug, Default)]
pub(super) struct AdjacentSources {
    /// Plugins, projects and skills.
    pub locations: Vec<PluginLocation>,
    /// Folders that hold components and are skipped.
    pub left_out: Vec<Exclusion>,
    /// Configuration files of projects.
    pub configs: Vec<Utf8PathBuf>,
}

/// Finds the sources in the listed parts of `src` that belong to none of `taken`.
///
/// # Errors
/// When the source cannot be listed.
pub(super) fn find(
    src: &Path,
    taken: &[PluginLocation],
    targets: &Targets,
    request: &SourceRequest,
    listing: &Listing<'_>,
) -> Result<AdjacentSources, BuildError> {
    let source = targets.source();
    let (files, exclusions) = listing.get()?;
    let whole = [Utf8PathBuf::new()];
    let parts = if request.parts.is_empty() { &whole } else { &request.parts[..] };
    let file_system = &request.file_system;
    let mut search = AdjacentSearch {
        file_system,
        src,
        source,
        own_projects: &targets.source_host().checks.project_folders,
        foreign: targets.iter().flat_map(|target| &target.checks.project_files).collect(),
        unread: targets
            .iter()
            .flat_map(|target| target.checks.project_unread.keys())
            .map(String::as_str)
            .collect(),
        files,
        taken: BTreeMap::new(),
        places: ComponentPaths::default(),
        skills: BTreeMap::new(),
        out: AdjacentSources::default(),
    };
    let own = parallel::map(taken.iter().collect(), listing.count(), |location| {
        parts_of_known_plugins(file_system, src, location, source)
    });
    for (location, own) in taken.iter().zip(own) {
        search.taken.insert(location.root.as_str(), own.whole);
        search.places.folders.extend(own.folders.into_iter().map(Utf8PathBuf::into_string));
        search.places.shelves.extend(own.shelves.into_iter().map(Utf8PathBuf::into_string));
    }
    search
        .out
        .left_out
        .extend(exclusions.iter().filter(|one| one.reason == ExclusionReason::Bundle).cloned());
    search.out.left_out.extend(unchecked_paths(files, targets));
    project_configs(files, targets, &mut search.out);
    search.root(taken);
    for part in parts {
        search.walk(part, 0);
    }
    Ok(search.finish(taken))
}

/// Adds the configuration files of projects, and what is not checked in them.
fn project_configs(files: &Files, targets: &Targets, out: &mut AdjacentSources) {
    for config in targets.iter().filter_map(|target| target.checks.project_config.as_ref()) {
        // Comparing the end of a path is faster than to look for its name.
        let is_named = |path: &Utf8Path| {
            config.files.iter().any(|name| path.as_str().ends_with(name) && path.file_name() == Some(name))
        };
        let is_one = |path: &&Utf8PathBuf| is_named(path) && !path.ancestors().skip(1).any(is_uninstalled);
        for path in files.iter().filter(is_one) {
            let reason = ExclusionReason::UncheckedFile(config.unchecked.clone());
            out.left_out.push(Exclusion { path: path.clone(), reason, fault: false });
            out.configs.push(path.clone());
        }
    }
}

/// The files and folders of a host's project that are not checked, with reasons.
fn unchecked_paths(files: &Files, targets: &Targets) -> BTreeSet<Exclusion> {
    let places: Vec<_> = targets.iter().flat_map(|target| &target.checks.project_unread).collect();
    let hidden = files.iter().filter(|path| path.as_str().starts_with('.') || path.as_str().contains("/."));
    let above = hidden.flat_map(|path| path.ancestors());
    let is_one = |one: &Exclusion| !one.path.ancestors().skip(1).any(is_uninstalled);
    let named = |path: &Utf8Path| {
        let (_, reason) = places.iter().find(|(place, _)| path.ends_with(place.as_str()))?;
        let reason = ExclusionReason::UncheckedFile((*reason).clone());
        Some(Exclusion { path: path.to_owned(), reason, fault: false })
    };
    above.filter_map(named).filter(is_one).collect()
}

struct AdjacentSearch<'a> {
    file_system: &'a FileSystem,
    src: &'a Path,
    source: &'a SourceFacts,
    /// Project folders that are laid out like a plugin.
    own_projects: &'a [String],
    /// Project files in formats of other hosts.
    foreign: Vec<&'a ProjectFiles>,
    /// Folders of projects that hosts read for other things than components.
    unread: Vec<&'a str>,
    files: &'a Files,
    /// Folders of plugins that are already read, and whether a plugin owns everything in its folder.
    taken: BTreeMap<&'a str, bool>,
    places: ComponentPaths,
    /// Folders of skills, by the folder that holds them.
    skills: BTreeMap<Utf8PathBuf, Vec<Utf8PathBuf>>,
    out: AdjacentSources,
}

/// The parts of a folder that belong to its plugin.
#[derive(Debug, Default)]
struct PluginExtent {
    /// Whether it owns everything in its folder, as a skill does.
    whole: bool,
    /// Component folders, with everything in them.
    folders: Vec<Utf8PathBuf>,
    /// Folders whose direct children are skills.
    shelves: Vec<Utf8PathBuf>,
}

/// The component folders of every plugin that is already read, as strings, since thousands of folders are looked up.
#[derive(Debug, Default)]
struct ComponentPaths {
    folders: BTreeSet<String>,
    shelves: BTreeSet<String>,
}

impl ComponentPaths {
    fn has(&self, folder: &Utf8Path) -> bool {
        folder.ancestors().any(|above| self.folders.contains(above.as_str()))
            || folder.parent().is_some_and(|parent| self.shelves.contains(parent.as_str()))
    }
}

impl AdjacentSearch<'_> {
    /// Adds the agents and commands at the root of a marketplace whose plugins lie elsewhere; a folder that clearly
    /// holds neither is not read.
    fn root(&mut self, taken: &[PluginLocation]) {
        if taken.iter().any(|location| location.root.as_str().is_empty()) {
            return;
        }
        for (name, kind) in [("agents", ComponentKind::Agent), ("commands", ComponentKind::Command)] {
            let name = Utf8PathBuf::from(name);
            let within = |path: &Utf8Path| taken.iter().any(|location| path.starts_with(&location.root));
            let texts = self.files.files_below(&name);
            let is_skill = |path: &Utf8PathBuf| path.file_name() == Some(SKILL_FILE);
            let is_plugin = self.files.contains(&name.join(&self.source.manifest));
            if is_plugin || within(&name) || !holds_texts(&name, self.files) {
                continue;
            }
            let has_own = || texts.iter().any(|path| !within(path) && self.is_own_component(path, kind));
            if !texts.iter().any(is_skill) && has_own() {
                self.out.locations.push(location(&name, Vec::new(), LocationForm::Loose(kind)));
            } else if !taken.iter().any(|location| location.root.starts_with(&name)) {
                let reason = ExclusionReason::Unlisted;
                self.out.left_out.push(Exclusion { path: name, reason, fault: false });
            }
        }
    }

    /// Whether a file, which must not be a link to another host's file, declares an agent or a command.
    fn is_own_component(&self, path: &Utf8Path, kind: ComponentKind) -> bool {
        let place = self.src.join(path);
        is_markdown(path)
            && self.file_system.canonical(&place).is_ok_and(|real| real == place)
            && self
                .file_system
                .read_text(&place)
                .ok()
                .flatten()
                .is_some_and(|text| declares_component(&text, kind))
    }

    fn walk(&mut self, folder: &Utf8Path, depth: usize) {
        let name = folder.file_name().unwrap_or_default();
        let taken = self.taken.get(folder.as_str()).copied();
        let whole = taken.unwrap_or_default();
        if taken.is_none() && self.unread.iter().any(|place| folder.ends_with(place)) {
            return;
        }
        if taken.is_none() && !folder.as_str().is_empty() {
            if depth > 0 && is_uninstalled(folder) {
                return self.skip(folder);
            }
            let project = self.own_projects.iter().any(|own| own == name);
            let declared = self.files.contains(&folder.join(&self.source.manifest))
                && !self.holds_hooks_of_taken(folder);
            if !project && !declared && self.files.contains(&folder.join(SKILL_FILE)) {
                let parent = folder.parent().unwrap_or(folder).to_owned();
                return self.skills.entry(parent).or_default().push(folder.to_owned());
            }
            if self.foreign.iter().any(|files| self.holds_foreign(folder, files)) {
                return self.out.locations.push(location(folder, Vec::new(), LocationForm::Foreign));
            }
            let hidden = name.starts_with('.');
            let has_settings = || settings::FILES.iter().any(|file| self.files.contains(&folder.join(file)));
            let form = if project && !declared { LocationForm::Project } else { LocationForm::Plugin };
            if declared
                || (project || !hidden)
                    && holds_components(folder, self.files, self.source)
                    && !self.holds_copies(folder)
                || project && has_settings()
            {
                return self.out.locations.push(location(folder, Vec::new(), form));
            }
        }
        // The project folder of another host also holds skills, besides files that only that host reads.
        if !is_searched(folder, depth, self.files, self.source) {
            return;
        }
        for child in self.files.children(folder, true) {
            let owned = whole || self.places.has(&child);
            let hidden = child.file_name().is_some_and(|name| name.starts_with('.'));
            // The folder of the manifest holds no components.
            let own_folder = Utf8Path::new(&self.source.manifest).parent().and_then(Utf8Path::file_name);
            if (!owned || self.taken.contains_key(child.as_str())) && child.file_name() != own_folder
                || whole && hidden
            {
                self.walk(&child, depth + 1);
            }
        }
    }

    /// Whether `folder` has a component file of a plugin that is already read, such as its hooks: a manifest there does not
    /// make it another plugin.
    fn holds_hooks_of_taken(&self, folder: &Utf8Path) -> bool {
        let Some(parent) = folder.parent().filter(|parent| self.taken.contains_key(parent.as_str())) else {
            return false;
        };
        let mut places = self.source.components.keys().filter(|place| !place.ends_with('/'));
        places.any(|place| {
            let file = parent.join(place);
            file.parent() == Some(folder) && self.files.contains(&file)
        })
    }

    /// Whether the target names `folder` for such files and it contains at least one.
    fn holds_foreign(&self, folder: &Utf8Path, files: &ProjectFiles) -> bool {
        let ending = Some(files.format.extension());
        let is_copy = || folder.parent().is_some_and(|parent| self.holds_copies(parent));
        (files.are_in(folder, false) || files.are_in(folder, true) && is_copy())
            && self.files.files_below(folder).iter().any(|path| path.extension() == ending)
    }

    /// Whether `folder` is named like a host's project folder, but for the dot, and one file in it has a field that only
    /// that host knows.
    fn holds_copies(&self, folder: &Utf8Path) -> bool {
        let marked = self.foreign.iter().filter_map(|files| Some((files, files.own_field.as_deref()?)));
        marked.into_iter().any(|(files, field)| {
            let copies = files.folders.iter().map(|one| Utf8Path::new(one.trim_start_matches('.')));
            let here = copies.filter(|one| one.parent().is_some_and(|parent| folder.ends_with(parent)));
            let folders = here.filter_map(|one| Some(folder.join(one.file_name()?)));
            folders
                .into_iter()
                .any(|inner| self.files.files_below(&inner).iter().any(|path| self.has_field(path, field)))
        })
    }

    /// Whether a file, which must not be a link, has a field of this name in its frontmatter.
    fn has_field(&self, path: &Utf8Path, field: &str) -> bool {
        let place = self.src.join(path);
        let is_own = self.file_system.canonical(&place).is_ok_and(|real| real == place);
        let text = is_own.then(|| self.file_system.read_text(&place).ok().flatten()).flatten();
        let fields = text.and_then(|text| frontmatter::parse(&text).fields);
        fields.is_some_and(|fields| fields.get(field).is_some())
    }

    fn skip(&mut self, folder: &Utf8Path) {
        let is_one = |path: &Utf8PathBuf| {
            path.file_name() == Some(SKILL_FILE) || path.ends_with(&self.source.manifest)
        };
        if self.files.files_below(folder).iter().any(is_one) {
            let (path, reason) = (folder.to_owned(), ExclusionReason::Uninstalled);
            self.out.left_out.push(Exclusion { path, reason, fault: false });
        }
    }

    fn finish(mut self, taken: &[PluginLocation]) -> AdjacentSources {
        for (parent, skills) in std::mem::take(&mut self.skills) {
            // Files beside skills in the folder of a plugin belong to the plugin, so each skill is read separately.
            let alone = parent.as_str().is_empty() || taken.iter().any(|location| location.root == parent);
            let own = self.out.locations.iter().any(|location| location.root == parent);
            match alone || own {
                true => self.out.locations.extend(
                    skills
                        .into_iter()
                        .map(|skill| location(&skill, vec![skill.clone()], LocationForm::Plugin)),
                ),
                false => self.out.locations.push(location(&parent, skills, LocationForm::Plugin)),
            }
        }
        // The target of a link is read at its real path, so a folder that holds only links adds nothing.
        let (file_system, src, files) = (self.file_system, self.src, self.files);
        let is_declared = |root: &Utf8PathBuf| files.contains(&root.join(&self.source.manifest));
        self.out.locations.retain(|location| {
            let is_own = |path: &Utf8PathBuf| {
                let path = src.join(path);
                file_system.canonical(&path).is_ok_and(|real| real == path)
            };
            let holds_own = || match location.form {
                LocationForm::Plugin if location.loose_skills.is_empty() && !is_declared(&location.root) => {
                    linked_components::holds_own(&location.root, files, file_system, src)
                }
                _ => files.files_below(&location.root).iter().any(is_own),
            };
            is_own(&location.root) && holds_own()
        });
        self.out
    }
}

/// A location named after its path, which is unique.
fn location(root: &Utf8Path, loose_skills: Vec<Utf8PathBuf>, form: LocationForm) -> PluginLocation {
    let parts: Vec<&str> = root.components().map(|part| part.as_str().trim_start_matches('.')).collect();
    let name = names::skill_name(&parts.join("-"));
    let name = Some(name.trim_matches('-').to_owned()).filter(|name| !name.is_empty());
    let name = name.or_else(|| Some("source".to_owned()));
    PluginLocation {
        root: root.to_owned(),
        name,
        entry: None,
        loose_skills,
        has_parts: false,
        is_check_only: true,
        form,
    }
}

/// The parts of its folder that belong to a plugin that is already read.
fn parts_of_known_plugins(
    file_system: &FileSystem,
    src: &Path,
    location: &PluginLocation,
    source: &SourceFacts,
) -> PluginExtent {
    if location.loose_skills.contains(&location.root) {
        return PluginExtent { whole: true, ..PluginExtent::default() };
    }
    let mut own = PluginExtent { folders: location.loose_skills.clone(), ..PluginExtent::default() };
    if location.is_shelf() {
        return own;
    }
    let places = source.components.keys().map(|place| place.trim_end_matches('/'));
    own.folders.extend(places.chain(COMPONENT_FOLDERS).map(|place| location.root.join(place)));
    let manifest = file_system.read_text(&src.join(&location.root).join(&source.manifest)).ok().flatten();
    let manifest = manifest.and_then(|text| json::parse(&text).0);
    let entry = location.entry.as_ref().map(|entry| &entry.node);
    let mut declared = Vec::new();
    for node in manifest.iter().chain(entry) {
        for key in COMPONENT_FOLDERS {
            node.get(key).into_iter().for_each(|value| strings(value, &mut declared));
        }
    }
    for path in declared {
        let parts = Utf8Path::new(&path).components().filter(|part| part.as_str() != ".");
        let folder = parts.fold(location.root.clone(), |folder, part| folder.join(part));
        if file_system.is_file(&src.join(&folder).join(SKILL_FILE)) && folder != location.root {
            own.folders.push(folder);
        } else {
            own.shelves.push(folder);
        }
    }
    own
}

fn strings(node: &Node, out: &mut Vec<String>) {
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|entry| strings(&entry.node, out)),
        Value::List(items) => items.iter().for_each(|item| strings(item, out)),
        _ => out.extend(node.as_str().map(str::to_owned)),
    }
}
