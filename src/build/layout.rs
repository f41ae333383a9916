//! The layout of a source without a marketplace: a plugin, one skill, or every plugin and skill below it, at any depth
//! that hosts or installers of skills accept, judged by the files that a build would read.

use std::collections::BTreeSet;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::{COMPONENT_FOLDERS, is_plugin};
use super::listing::{Files, Listing};
use super::{BuildError, SourceRequest};
use crate::disk::FileSystem;
use crate::model::names;
use crate::model::plugin::{LocationForm, PluginLocation};
use crate::read::intent::in_examples;
use crate::read::{frontmatter, json};
use crate::source::{SKILL_FILE, is_markdown};
use crate::source_format::SourceFacts;
use crate::target::Targets;

/// Folders deeper than this are searched only if a skill or a manifest is in them: OpenCode 1.18.33 finds skills at any
/// depth, Codex 0.169.0 six levels deep.
const DEPTH: usize = 6;
/// Folders of tests, whose skills may be broken on purpose, and of documentation with translated copies.
const UNINSTALLED_FOLDERS: [&str; 8] =
    ["test", "tests", "__tests__", "fixtures", "testdata", "evals", "doc", "docs"];

/// What is below a folder.
#[derive(Debug, Default)]
struct Layout {
    /// Folders of plugins.
    plugins: Vec<Utf8PathBuf>,
    /// Folders of skills that belong to no plugin.
    skills: Vec<Utf8PathBuf>,
}

/// The plugins of a source without a marketplace.
///
/// # Errors
/// When the source cannot be listed.
pub(super) fn locations(
    src: &Path,
    targets: &Targets,
    request: &SourceRequest,
    listing: &Listing<'_>,
) -> Result<Vec<PluginLocation>, BuildError> {
    let file_system = &request.file_system;
    let source = targets.source();
    let given = request.name.clone().or_else(|| request.config.build.name.clone());
    let has_manifest = file_system.is_file(&src.join(&source.manifest));
    let here = |loose_skills| {
        // A manifest without a name is reported with its position instead.
        let own = || {
            (!has_manifest)
                .then(|| foreign_name(file_system, src, source).unwrap_or_else(|| request.own_name()))
        };
        PluginLocation {
            root: Utf8PathBuf::new(),
            name: given.clone().or_else(own),
            entry: None,
            loose_skills,
            has_parts: false,
            is_check_only: false,
            form: LocationForm::Plugin,
        }
    };
    if !has_manifest && file_system.is_file(&src.join(SKILL_FILE)) {
        return Ok(vec![here(vec![Utf8PathBuf::new()])]);
    }
    let folders = &targets.source_host().checks.project_folders;
    if request.everything && !has_manifest && folders.iter().any(|folder| src.ends_with(folder)) {
        return Ok(vec![PluginLocation { form: LocationForm::Project, ..here(Vec::new()) }]);
    }
    let has_parts = is_plugin(file_system, src, source) && !has_skill_by_that_name(file_system, src);
    let has_foreign = || source.foreign_manifests.iter().any(|path| file_system.is_file(&src.join(path)));
    if has_manifest || has_parts && has_foreign() {
        return Ok(vec![here(Vec::new())]);
    }
    // Without a manifest, a server or a skill at the top of a project does not make everything below it part of one
    // plugin.
    let found = find_below(&listing.get()?.0, source, has_parts);
    let location = |root: Utf8PathBuf| {
        // The source host refuses a manifest without a name.
        let has_manifest = file_system.is_file(&src.join(&root).join(&source.manifest));
        let name = root.file_name().filter(|_| !has_manifest).map(str::to_owned);
        PluginLocation {
            root,
            name,
            entry: None,
            loose_skills: Vec::new(),
            has_parts: false,
            is_check_only: false,
            form: LocationForm::Plugin,
        }
    };
    let mut locations: Vec<PluginLocation> = found.plugins.into_iter().map(location).collect();
    if has_parts || !found.skills.is_empty() {
        locations.push(PluginLocation { has_parts, ..here(found.skills) });
    }
    // A plugin that was made for another host only.
    if locations.is_empty() && foreign_name(file_system, src, source).is_some() {
        locations.push(here(Vec::new()));
    }
    Ok(locations)
}

/// The name in the manifest of another host, if it is valid for a plugin.
fn foreign_name(file_system: &FileSystem, src: &Path, source: &SourceFacts) -> Option<String> {
    let name = |path: &String| {
        let text = file_system.read_text(&src.join(path)).ok().flatten()?;
        let fields = match is_markdown(path) {
            true => frontmatter::parse(&text).fields,
            false => json::parse(&text).0,
        };
        fields?.get("name")?.as_str().map(str::to_owned)
    };
    source.foreign_manifests.iter().find_map(name).filter(|name| names::check_installable(name).is_ok())
}

/// Whether a plugin, or a skill that belongs to none, lies neither at SRC nor directly in it.
pub fn is_deep(location: &PluginLocation) -> bool {
    let is_deep = |path: &Utf8PathBuf| path.components().count() > 1;
    match location.is_shelf() {
        true => location.loose_skills.iter().all(is_deep),
        false => is_deep(&location.root),
    }
}

/// Whether a folder with the name of a component folder is itself a skill.
fn has_skill_by_that_name(file_system: &FileSystem, src: &Path) -> bool {
    let names = ["themes", "output-styles", "workflows", "monitors"];
    let mut names = names.iter().chain(&COMPONENT_FOLDERS);
    names.any(|name| file_system.is_file(&src.join(name).join(SKILL_FILE)))
}

/// Finds the plugins and skills among `files`. If the source `has_parts` of a plugin, those in its own component
/// folders belong to it and are skipped.
fn find_below(files: &Files, source: &SourceFacts, has_parts: bool) -> Layout {
    let mut layout = Layout::default();
    if !has_parts {
        find_plugins(Utf8Path::new(""), 0, files, source, &mut layout);
        return layout;
    }
    let places = source.components.keys().filter_map(|place| place.split('/').next());
    let own: BTreeSet<&str> = places.chain(COMPONENT_FOLDERS).collect();
    for child in files.children(Utf8Path::new(""), false) {
        if !own.contains(child.as_str()) || files.contains(&child.join(&source.manifest)) {
            find_plugins(&child, 1, files, source, &mut layout);
        }
    }
    // Tests, examples and documentation are plain files of the plugin.
    let is_installed = |folder: &Utf8PathBuf| {
        !folder.ancestors().any(|above| !above.as_str().is_empty() && is_uninstalled(above))
    };
    layout.plugins.retain(is_installed);
    layout.skills.retain(is_installed);
    layout
}

/// Whether `folder` is one for tests, examples or documentation.
pub(super) fn is_uninstalled(folder: &Utf8Path) -> bool {
    UNINSTALLED_FOLDERS.contains(&folder.file_name().unwrap_or_default())
        || in_examples(&folder.join(SKILL_FILE))
}

fn find_plugins(folder: &Utf8Path, depth: usize, files: &Files, source: &SourceFacts, out: &mut Layout) {
    if depth > 0 {
        if files.contains(&folder.join(&source.manifest)) {
            return out.plugins.push(folder.to_owned());
        }
        if files.contains(&folder.join(SKILL_FILE)) {
            return out.skills.push(folder.to_owned());
        }
        if holds_components(folder, files, source) {
            return out.plugins.push(folder.to_owned());
        }
    }
    if !is_searched(folder, depth, files, source) {
        return;
    }
    for child in files.children(folder, false) {
        find_plugins(&child, depth + 1, files, source, out);
    }
}

/// Whether folders in `folder`, which lies `depth` levels deep, may be plugins or skills.
pub(super) fn is_searched(folder: &Utf8Path, depth: usize, files: &Files, source: &SourceFacts) -> bool {
    let is_sign = |path: &str| path.ends_with(SKILL_FILE) || path.ends_with(source.manifest.as_str());
    depth < DEPTH || files.files_below(folder).iter().any(|path| is_sign(path.as_str()))
}

/// Whether a folder without a manifest has skills, agents, commands, hooks or servers where a plugin has them.
pub(super) fn holds_components(folder: &Utf8Path, files: &Files, source: &SourceFacts) -> bool {
    let skills = folder.join("skills");
    let is_skill = |child: Utf8PathBuf| files.contains(&child.join(SKILL_FILE));
    // A skill or plugin with such a name is not a component folder.
    let marks = [SKILL_FILE, source.manifest.as_str()];
    let own = |name: &str| !marks.iter().any(|file| files.contains(&folder.join(name).join(file)));
    own("skills") && files.children(&skills, false).into_iter().any(is_skill)
        || ["agents", "commands"].into_iter().any(|name| own(name) && holds_texts(&folder.join(name), files))
        || own("hooks") && files.contains(&folder.join("hooks/hooks.json"))
        || files.contains(&folder.join(".mcp.json"))
}

/// Whether a folder holds Markdown but no code, which would make it a source folder of that name.
pub(super) fn holds_texts(folder: &Utf8Path, files: &Files) -> bool {
    let is_code = |path: &Utf8PathBuf| {
        matches!(path.extension(), Some("ts" | "tsx" | "rs" | "go"))
            || matches!(path.file_name(), Some("index.js" | "__init__.py"))
    };
    let files = files.files_below(folder);
    files.iter().any(is_markdown) && !files.iter().any(is_code)
}
