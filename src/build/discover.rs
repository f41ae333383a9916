//! Finds the plugins of a source, in the documented order: a marketplace, a plugin with a manifest, one skill, a plugin
//! by its components, every plugin and skill below it (`layout`), a marketplace of another host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::catalogue::{find_own_plugins, listed_plugins, read_marketplace, read_one, readme};
use super::config_file::read_config_in;
use super::listing::Listing;
use super::{BuildError, SourceRequest, adjacent, layout, linked_components, tracked_files};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::disk::replace::OWN_FOLDER;
use crate::disk::{self, FileSystem, walk};
use crate::model::config::Config;
use crate::model::marketplace::{EntrySource, Marketplace, MarketplaceEntry};
use crate::model::plugin::PluginLocation;
use crate::model::runtime::Runtime;
use crate::parallel;
use crate::source::{Exclusion, ExclusionReason, SKILL_FILE, SourceFile, SourceTree, by_parts};
use crate::source_format::SourceFacts;
use crate::target::Targets;

/// The component folders that make the folder around them a plugin.
pub const COMPONENT_FOLDERS: [&str; 3] = ["skills", "agents", "commands"];

/// How many files a plugin is assumed to have before it is read.
pub(super) const FILES_OF_PLUGIN: usize = 32;

/// The README of a plugin, or of a source with several.
pub const README: &str = "README.md";

/// The plugins and files at SRC, before they are interpreted.
#[derive(Debug)]
#[non_exhaustive]
pub struct DiscoveredSource {
    /// Every file that is read.
    pub tree: SourceTree,
    /// The README above all plugins, if it was requested.
    pub(super) readme: Option<SourceFile>,
    /// Files and folders outside of the plugins.
    pub(super) outside: Vec<Exclusion>,
    /// Skills and plugins that a check skips.
    pub(super) left_out: Vec<Exclusion>,
    /// The text of each plugin's own `plugcast.toml`, by the plugin's folder.
    pub(super) settings: BTreeMap<Utf8PathBuf, String>,
    pub(super) locations: Vec<PluginLocation>,
    /// Folders of plugins, in path order.
    pub(super) roots: Vec<Utf8PathBuf>,
    /// Each plugin's own settings, and the programs that it ships.
    pub(super) of_roots: BTreeMap<Utf8PathBuf, (Config, Runtime)>,
    pub(super) marketplace: Option<Marketplace>,
    pub(super) found: Vec<Diagnostic>,
}

/// Checks that the source exists, before it is read.
///
/// # Errors
/// When it is not a folder.
pub fn must_be_there(src: &Path) -> Result<(), BuildError> {
    match disk::is_folder(src) {
        true => Ok(()),
        false => Err(BuildError::NoSource(src.to_owned())),
    }
}

/// Finds the plugins at `request.src` and reads their files.
///
/// # Errors
/// When SRC is absent or holds no plugin.
pub fn discover(request: &SourceRequest, targets: &Targets) -> Result<DiscoveredSource, BuildError> {
    let file_system = &request.file_system;
    if !file_system.is_folder(&request.src) {
        return Err(BuildError::NoSource(request.src.clone()));
    }
    let src = file_system.canonical(&request.src)?;
    if ["HEAD", "objects", "refs"].iter().all(|name| file_system.kind(&src.join(name)).is_some()) {
        return Err(BuildError::GitDirectory(request.src.clone()));
    }
    let folders = walk::FolderCache::default();
    let found = discover_in(&src, request, targets, &folders);
    // Most sources have nothing that is ignored, and git takes longer to start than a small build.
    let tracked = if folders.has_ignored() { tracked_files::included(request, &src) } else { None };
    tracked.map_or(found, |request| discover_in(&src, &request, targets, &folders))
}

fn discover_in(
    src: &Path,
    request: &SourceRequest,
    targets: &Targets,
    folders: &walk::FolderCache,
) -> Result<DiscoveredSource, BuildError> {
    let file_system = &request.file_system;
    let PluginPlaces { mut tree, marketplace, mut locations, left_out, mut found } =
        PluginPlaces::find(src, request, targets, folders)?;
    let mut roots: Vec<Utf8PathBuf> = locations.iter().map(|location| location.root.clone()).collect();
    roots.sort_by(|a, b| by_parts(a.as_str(), b.as_str()));
    roots.dedup();
    let walked = parallel::map(roots.iter().collect(), roots.len() * FILES_OF_PLUGIN, |root| {
        read_folder(src, root, request, folders)
    });
    let (mut of_roots, mut settings) = (BTreeMap::new(), BTreeMap::new());
    // In path order, so that files are only appended to the tree.
    for (root, walked) in roots.iter().zip(walked) {
        let walked = walked?;
        tree.append(walked.tree);
        settings.insert(root.clone(), walked.config.text.clone());
        of_roots.insert(root.clone(), (walked.config, walked.runtime));
    }
    linked_components::read_once(&mut tree, &mut locations, &targets.source().manifest);
    for location in &mut locations {
        let name = of_roots.get(&location.root).and_then(|(config, _)| config.build.name.clone());
        location.name = name.or_else(|| location.name.take());
    }
    for (from, to) in &request.moves {
        tree.move_folder(from, to);
        for location in &mut locations {
            if let Some(loose) = location.loose_skills.iter().position(|folder| folder == from) {
                location.loose_skills.remove(loose);
                location.loose_skills.retain(|folder| folder != to);
                location.loose_skills.push(to.clone());
            }
        }
    }
    for (path, text) in &request.texts {
        tree.set_text(path, src.join(path), text);
    }
    tree.enforce_size_limit();
    report_faults(&tree, &mut found);
    let readme = match request.readme && !roots.iter().any(|root| root.as_str().is_empty()) {
        true => readme(file_system, src, &request.texts)?,
        false => None,
    };
    let mut outside = outside_plugins(file_system, src, "".into(), &roots, marketplace.as_ref())?;
    let outputs: Vec<PathBuf> =
        request.outputs.iter().filter_map(|path| file_system.canonical(path).ok()).collect();
    outside.retain(|exclusion| !outputs.iter().any(|output| output.starts_with(src.join(&exclusion.path))));
    Ok(DiscoveredSource {
        tree,
        readme,
        outside,
        left_out,
        settings,
        locations,
        roots,
        of_roots,
        marketplace,
        found,
    })
}

/// Where the plugins of a source lie, before their files are read.
struct PluginPlaces {
    /// Holds only the marketplace file and the configuration files of projects.
    tree: SourceTree,
    marketplace: Option<Marketplace>,
    locations: Vec<PluginLocation>,
    /// Skills and plugins that a check skips.
    left_out: Vec<Exclusion>,
    found: Vec<Diagnostic>,
}

impl PluginPlaces {
    /// Finds the plugins in the folder `src`.
    ///
    /// # Errors
    /// When there is none.
    fn find(
        src: &Path,
        request: &SourceRequest,
        targets: &Targets,
        folders: &walk::FolderCache,
    ) -> Result<Self, BuildError> {
        let file_system = &request.file_system;
        let source = targets.source();
        let (mut found, mut tree) = (Vec::new(), SourceTree::default());
        let texts = &request.texts;
        let whole = request.parts.is_empty();
        let mut marketplace = match whole {
            true => {
                read_marketplace(file_system, src, &source.marketplace, source, texts, &mut tree, &mut found)?
            }
            false => None,
        };
        if let Some(file) = &mut marketplace {
            find_own_plugins(file_system, src, source, texts, file)?;
        }
        // A marketplace file beside a manifest that lists no plugin of this source: its faults must not keep the plugin
        // from being read.
        let is_here = |entry: &MarketplaceEntry| matches!(entry.source, EntrySource::Folder(_));
        let lists = marketplace.as_ref().is_some_and(|file| file.entries.iter().any(is_here));
        let aside = !lists && file_system.is_file(&src.join(&source.manifest));
        if aside {
            found.iter_mut().for_each(|finding| finding.severity = finding.severity.max(Severity::Warning));
        }
        if let Some(file) = tree.get(&source.marketplace).filter(|_| marketplace.is_none()) {
            let (path, reason) = (file.path.clone(), ExclusionReason::UnusableMarketplace);
            tree.exclusions.push(Exclusion { path, reason, fault: false });
        }
        let listing = Listing::new(src, request, folders);
        let mut locations = match &marketplace {
            Some(marketplace) if !aside => listed_plugins(file_system, src, marketplace, &tree, &mut found),
            _ if whole => layout::locations(src, targets, request, &listing)?,
            _ => Vec::new(),
        };
        // For plugins deep below SRC, a catalogue is more reliable than file names.
        let deep = whole && marketplace.is_none() && locations.iter().all(layout::is_deep);
        // A catalogue that was written for another host lists plugins whose skills every host reads.
        let catalogues = targets.iter().filter_map(|target| Some(target.marketplace.as_ref()?.path.as_str()));
        for path in catalogues {
            if deep && marketplace.is_none() {
                marketplace = read_marketplace(file_system, src, path, source, texts, &mut tree, &mut found)?;
                let Some(_) = marketplace else { continue };
                locations = marketplace
                    .iter()
                    .flat_map(|file| listed_plugins(file_system, src, file, &tree, &mut found))
                    .collect();
            }
        }
        let (mut left_out, mut has_configs) = (Vec::new(), false);
        if request.everything {
            let more = adjacent::find(src, &locations, targets, request, &listing)?;
            locations.extend(more.locations);
            left_out = more.left_out;
            for path in &more.configs {
                read_one(file_system, src, path.as_str(), texts, &mut tree)?;
            }
            has_configs = !more.configs.is_empty();
        }
        if locations.is_empty() && marketplace.is_none() && !has_configs {
            return Err(project(src, request, targets, listing.count()));
        }
        Ok(Self { tree, marketplace, locations, left_out, found })
    }
}

/// The error for a source without a plugin; it names a host's project folder in the source that could be built instead.
fn project(src: &Path, request: &SourceRequest, targets: &Targets, files: usize) -> BuildError {
    let folders = targets.iter().flat_map(|target| &target.checks.project_folders);
    let mut folders = folders.filter_map(|folder| folder.split('/').next());
    let holds = |name: &&str| is_plugin(&request.file_system, &src.join(name), targets.source());
    match folders.find(holds) {
        Some(name) => BuildError::OnlyProject { src: request.src.clone(), project: request.src.join(name) },
        None => BuildError::NoPlugin { src: request.src.clone(), files },
    }
}

/// A plugin's folder before its files are interpreted.
struct PluginFolder {
    tree: SourceTree,
    /// Its own `plugcast.toml`.
    config: Config,
    runtime: Runtime,
}

/// Reads the files below `root`.
fn read_folder(
    src: &Path,
    root: &Utf8Path,
    request: &SourceRequest,
    folders: &walk::FolderCache,
) -> Result<PluginFolder, BuildError> {
    let file_system = &request.file_system;
    let inner = match root.as_str() {
        "" => Config::default(),
        root => read_config_in(file_system, &src.join(root), src)?.unwrap_or_default(),
    };
    let below = |glob: &String| format!("{root}/{glob}");
    let exclude = request.config.build.exclude.iter().cloned();
    let exclude = exclude.chain(inner.build.exclude.iter().map(below)).collect();
    let include = request.config.build.include.iter().cloned();
    let include = include.chain(inner.build.include.iter().map(below)).collect();
    let outputs = request.outputs.clone();
    let skip_policy = request.skip_policy;
    let progress = request.progress.clone();
    let options = walk::WalkOptions {
        folders: folders.clone(),
        file_system: file_system.clone(),
        exclude,
        include,
        outputs,
        skip_policy,
        without_bundles: true,
        progress,
    };
    let mut tree = SourceTree::default();
    walk::walk(src, root, &options, &mut tree)?;
    let inside = |path: &PathBuf| {
        let real = file_system.canonical(path).ok()?;
        Utf8PathBuf::from_path_buf(real.strip_prefix(src).ok()?.to_owned()).ok()
    };
    let runtime = Runtime::from_config(&request.config.runtime, &inner.runtime, inside);
    Ok(PluginFolder { tree, config: inner, runtime })
}

/// The `roots`, which are in path order, that are `folder` or are in it.
pub(super) fn roots_below<'a>(roots: &'a [Utf8PathBuf], folder: &Utf8Path) -> &'a [Utf8PathBuf] {
    let start = roots.partition_point(|root| by_parts(root.as_str(), folder.as_str()).is_lt());
    let inside = |root: &Utf8PathBuf| root.starts_with(folder);
    let end = roots[start..].partition_point(inside);
    &roots[start..start + end]
}

/// Whether a folder that was given as a source is a plugin: it has a manifest, or a component of any kind. A plugin in
/// it that is called like a component folder is a plugin, not a component.
pub(super) fn is_plugin(file_system: &FileSystem, folder: &Path, source: &SourceFacts) -> bool {
    let has_manifest = |folder: &Path| file_system.is_file(&folder.join(&source.manifest));
    let holds = |place: &str| {
        let path = folder.join(place.trim_end_matches('/'));
        let top = place.split('/').next().unwrap_or_default();
        let is_there =
            if place.ends_with('/') { file_system.is_folder(&path) } else { file_system.is_file(&path) };
        is_there && !has_manifest(&folder.join(top))
    };
    let mut places = source.components.keys().filter(|place| *place != "settings.json" && *place != "bin/");
    has_manifest(folder)
        || COMPONENT_FOLDERS.iter().any(|name| holds(&format!("{name}/")))
        || places.any(|place| holds(place))
}

/// Whether `folder` holds a plugin, a marketplace or settings, not counting those inside bundles.
pub fn is_source(folder: &Path, targets: &Targets) -> bool {
    let source = targets.source();
    let catalogues = targets.iter().filter_map(|target| Some(target.marketplace.as_ref()?.path.as_str()));
    let mut files = catalogues.chain([source.marketplace.as_str(), "plugcast.toml"]);
    let has_plugin = |folder: &Path| {
        is_plugin(&FileSystem::default(), folder, source) || disk::is_file(&folder.join(SKILL_FILE))
    };
    files.any(|file| disk::is_file(&folder.join(file)))
        || has_plugin(folder)
        || children(folder).unwrap_or_default().iter().any(|name| has_plugin(&folder.join(name)))
}

/// The folders directly below `src` that may hold a plugin: neither hidden folders nor bundles.
fn children(src: &Path) -> Result<Vec<String>, BuildError> {
    let is_bundle = |name: &str| disk::is_file(&src.join(name).join(OWN_FOLDER).join("manifest.json"));
    // A link that leads out of the source does not belong to it.
    let inside = |name: &str| disk::is_inside(src, &src.join(name));
    let folders = disk::list(src)?
        .into_iter()
        .filter(|(name, folder)| *folder && !name.starts_with('.') && inside(name));
    Ok(folders.map(|(name, _)| name).filter(|name| !is_bundle(name)).collect())
}

fn report_faults(tree: &SourceTree, found: &mut Vec<Diagnostic>) {
    for exclusion in tree.exclusions.iter().filter(|exclusion| exclusion.fault) {
        let message = format!("`{}` is skipped: {}", exclusion.path, exclusion.reason);
        let rule = match exclusion.reason {
            ExclusionReason::LinkLeavesSource => RuleId::SYMLINK_ESCAPE,
            _ => RuleId::UNREADABLE_FILE,
        };
        let help = match exclusion.reason {
            ExclusionReason::TooLarge | ExclusionReason::TooLargeTogether => {
                "make it smaller, or exclude it under `[build]` in `plugcast.toml`"
            }
            ExclusionReason::Unreadable(_) | ExclusionReason::Unlistable(_) => {
                "make it readable, or exclude it under `[build]` in `plugcast.toml`"
            }
            _ => {
                "replace it with a regular file inside the source, or exclude it under `[build]` in `plugcast.toml`"
            }
        };
        found.push(Diagnostic::for_file(&exclusion.path, Severity::Error, rule, message).help(help));
    }
}

/// Everything outside of the plugins, each by its top-most path.
fn outside_plugins(
    file_system: &FileSystem,
    src: &Path,
    folder: &Utf8Path,
    roots: &[Utf8PathBuf],
    marketplace: Option<&Marketplace>,
) -> Result<Vec<Exclusion>, BuildError> {
    let mut out = Vec::new();
    if roots_below(roots, folder).first().is_some_and(|root| root == folder) {
        return Ok(out);
    }
    for (name, is_folder) in file_system.list(&src.join(folder))? {
        let path = if folder.as_str().is_empty() { Utf8PathBuf::from(name) } else { folder.join(name) };
        let leads = !roots_below(roots, &path).is_empty()
            || marketplace.is_some_and(|file| file.path.starts_with(&path));
        if leads && is_folder {
            out.extend(outside_plugins(file_system, src, &path, roots, marketplace)?);
        } else if marketplace.is_none_or(|file| file.path != path) {
            out.push(Exclusion { path, reason: ExclusionReason::OutsidePlugins, fault: false });
        }
    }
    Ok(out)
}
