//! Finds the plugins of a source, in the order that the command line promises: a marketplace, a
//! plugin, one skill, a folder of plugins, a folder of skills, a marketplace of another host. Only SRC
//! and what lies directly in it is looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::BuildError;
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::walk::PassedOver;
use crate::disk::{self, walk};
use crate::model::config::{self, Config, ConfigFault};
use crate::model::manifest;
use crate::model::marketplace::{self, EntrySource, Marketplace};
use crate::model::names;
use crate::model::plugin::{self, Seat};
use crate::model::project::Project;
use crate::model::runtime::Runtime;
use crate::read::format::SourceFacts;
use crate::source::{Exclusion, LEAVES, LineIndex, OUTSIDE, SourceTree, Span, by_parts};
use crate::target::Targets;

/// What to read, and what is known beforehand.
#[derive(Debug, Clone, Default)]
pub struct SourceRequest {
    /// SRC.
    pub src: PathBuf,
    /// `--name`.
    pub name: Option<String>,
    /// Folders that this command writes.
    pub outputs: Vec<PathBuf>,
    /// The `plugcast.toml` that speaks for SRC.
    pub config: Config,
    /// Texts that take the place of files of SRC, by path relative to it: what an editor has not saved.
    pub texts: BTreeMap<Utf8PathBuf, Arc<str>>,
    /// Folders that are read as if they lay elsewhere, relative to SRC: from, and to.
    pub moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// What the walk passes over besides what the author excludes.
    pub passed_over: PassedOver,
}

/// Folders and files that make a folder a plugin.
const COMPONENT_FOLDERS: [&str; 3] = ["skills", "agents", "commands"];

/// Reads the project at `request.src`.
///
/// # Errors
/// When SRC is absent, holds no plugin, or a name is needed that nothing gives.
pub fn read(request: &SourceRequest, targets: &Targets) -> Result<(Project, Vec<Diagnostic>), BuildError> {
    if !disk::is_folder(&request.src) {
        return Err(BuildError::NoSource(request.src.clone()));
    }
    let src = disk::canonical(&request.src)?;
    let (source, owned) = (targets.source(), targets.owned());
    let mut found = Vec::new();
    let mut tree = SourceTree::default();
    let texts = &request.texts;
    let mut marketplace = read_marketplace(&src, &source.marketplace, source, texts, &mut tree, &mut found)?;
    let mut seats = match &marketplace {
        Some(marketplace) => listed(&src, marketplace, &tree, &mut found),
        None => unlisted(&src, source, request)?,
    };
    // A catalogue that was written for another host lists plugins whose skills every host reads.
    let catalogues = targets.iter().filter_map(|target| Some(target.marketplace.as_ref()?.path.as_str()));
    for path in catalogues {
        if seats.is_empty() && marketplace.is_none() {
            marketplace = read_marketplace(&src, path, source, texts, &mut tree, &mut found)?;
            seats = marketplace.iter().flat_map(|file| listed(&src, file, &tree, &mut found)).collect();
        }
    }
    if seats.is_empty() && marketplace.is_none() {
        return Err(BuildError::NoPlugin(request.src.clone()));
    }
    let roots: Vec<Utf8PathBuf> = seats.iter().map(|seat| seat.root.clone()).collect();
    let mut runtimes = BTreeMap::new();
    // In the order of paths, so that the tree only grows at its end.
    let mut by_place: Vec<&mut Seat> = seats.iter_mut().collect();
    by_place.sort_by(|a, b| by_parts(a.root.as_str(), b.root.as_str()));
    for seat in by_place {
        let inner = match seat.root.as_str() {
            "" => Config::default(),
            root => read_config(&src.join(root))?.unwrap_or_default(),
        };
        let below = |glob: &String| format!("{}/{glob}", seat.root);
        let exclude = request
            .config
            .build
            .exclude
            .iter()
            .cloned()
            .chain(inner.build.exclude.iter().map(below))
            .collect();
        let options =
            walk::WalkOptions { exclude, outputs: request.outputs.clone(), passed_over: request.passed_over };
        walk::walk(&src, &seat.root, &options, &mut tree)?;
        let inside = |path: &PathBuf| {
            Utf8PathBuf::from_path_buf(disk::canonical(path).ok()?.strip_prefix(&src).ok()?.to_owned()).ok()
        };
        runtimes.insert(seat.root.clone(), Runtime::of(&request.config.runtime, &inner.runtime, inside));
        seat.name = inner.build.name.or_else(|| seat.name.take());
    }
    for (from, to) in &request.moves {
        tree.move_folder(from, to);
        for seat in &mut seats {
            if let Some(loose) = seat.loose_skills.iter().position(|folder| folder == from) {
                seat.loose_skills.remove(loose);
                seat.loose_skills.retain(|folder| folder != to);
                seat.loose_skills.push(to.clone());
            }
        }
    }
    for (path, text) in &request.texts {
        tree.set_text(path, src.join(path), text);
    }
    report_faults(&tree, &mut found);
    let mut plugins: Vec<plugin::Plugin> = Vec::new();
    for seat in seats {
        let root = seat.root.clone();
        if let Some(mut plugin) = plugin::read(&tree, seat, &roots, source, &owned, &mut found) {
            plugin.runtime = runtimes.get(&root).cloned().unwrap_or_default();
            match plugins.iter().find(|other| other.name.eq_ignore_ascii_case(&plugin.name)) {
                Some(other) => found.push(same_name(&plugin, other)),
                None => plugins.push(plugin),
            }
        }
    }
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    let marketplace_name =
        marketplace_name(marketplace.as_ref(), &request.config, &plugins, &tree, &mut found)?;
    let mut outside = outside(&src, "".into(), &roots, marketplace.as_ref())?;
    let outputs: Vec<PathBuf> =
        request.outputs.iter().filter_map(|path| disk::canonical(path).ok()).collect();
    outside.retain(|exclusion| !outputs.iter().any(|output| output.starts_with(src.join(&exclusion.path))));
    let accepted = request.config.accept_loss.clone();
    let helpers = Vec::new();
    let mut project = Project { tree, plugins, marketplace, marketplace_name, outside, accepted, helpers };
    project.resolve(source);
    Ok((project, found))
}

/// Reads the `plugcast.toml` in `folder`, if there is one.
///
/// # Errors
/// When it does not parse, or names a program that is not there.
pub fn read_config(folder: &Path) -> Result<Option<Config>, BuildError> {
    let path = folder.join("plugcast.toml");
    let Some(text) = disk::read_text(&path)? else { return Ok(None) };
    config::parse(&text).and_then(|config| with_programs(config, folder)).map(Some).map_err(|fault| {
        let position = LineIndex::new(&text).position(&text, fault.span.start);
        BuildError::Config {
            path: path.display().to_string(),
            line: position.line,
            column: position.column,
            message: fault.message,
            help: fault.help,
        }
    })
}

/// Finds the files of `[runtime.bin]`, whose paths count from `folder`.
fn with_programs(mut config: Config, folder: &Path) -> Result<Config, ConfigFault> {
    for (name, paths) in &config.runtime.bin {
        let programs = config.runtime.programs.entry(name.get_ref().clone()).or_default();
        for (platform, path) in paths {
            let file = folder.join(path.get_ref());
            if !disk::is_file(&file) {
                let message = format!("there is no file `{}`", path.get_ref());
                let help = "the path counts from the folder of this `plugcast.toml`; build the program first, or take the line out";
                let span = Span::new(path.span().start, path.span().end);
                return Err(ConfigFault { span, message, help: Some(help.to_owned()) });
            }
            programs.insert(platform.get_ref().clone(), file);
        }
    }
    Ok(config)
}

fn read_marketplace(
    src: &Path,
    path: &str,
    source: &SourceFacts,
    texts: &BTreeMap<Utf8PathBuf, Arc<str>>,
    tree: &mut SourceTree,
    found: &mut Vec<Diagnostic>,
) -> Result<Option<Marketplace>, BuildError> {
    let path = Utf8Path::new(path);
    if !disk::is_file(&src.join(path)) {
        return Ok(None);
    }
    walk::read_one(src, path, tree)?;
    if let Some(text) = texts.get(path) {
        tree.set_text(path, src.join(path), text);
    }
    let Some(file) = tree.get(path).cloned() else { return Ok(None) };
    let (node, findings) = manifest::read_object(&file);
    found.extend(findings);
    Ok(node.map(|node| marketplace::read(&file, node, &source.remote_sources, found)))
}

fn listed(
    src: &Path,
    marketplace: &Marketplace,
    tree: &SourceTree,
    found: &mut Vec<Diagnostic>,
) -> Vec<Seat> {
    let mut seats = Vec::new();
    for entry in &marketplace.entries {
        let EntrySource::Folder(folder) = &entry.source else { continue };
        let inside = disk::canonical(&src.join(folder))
            .is_ok_and(|real| real.starts_with(src) && disk::is_folder(&real));
        if inside {
            seats.push(Seat {
                root: folder.clone(),
                name: Some(entry.name.clone()),
                entry: Some(entry.clone()),
                loose_skills: Vec::new(),
            });
        } else if let Some(file) = tree.get(&marketplace.path) {
            let span = entry.node.get("source").map_or(entry.node.span, |node| node.span);
            let message = format!("`{}` is listed at `{folder}`, where there is no folder", entry.name);
            let help = "correct the path, or remove the entry";
            found.push(
                Diagnostic::at(file, span, Severity::Error, "marketplace-source-missing", message).help(help),
            );
        }
    }
    seats
}

fn is_plugin(folder: &Path, source: &SourceFacts) -> bool {
    disk::is_file(&folder.join(&source.manifest))
        || COMPONENT_FOLDERS.iter().any(|name| disk::is_folder(&folder.join(name)))
        || source.components.keys().filter(|place| *place != "settings.json" && *place != "bin/").any(
            |place| {
                let path = folder.join(place.trim_end_matches('/'));
                if place.ends_with('/') { disk::is_folder(&path) } else { disk::is_file(&path) }
            },
        )
}

fn unlisted(src: &Path, source: &SourceFacts, request: &SourceRequest) -> Result<Vec<Seat>, BuildError> {
    let given = request.name.clone().or_else(|| request.config.build.name.clone());
    let here = |loose_skills| {
        // A manifest that is there and names nothing gets findings with their place instead.
        let has_name = disk::is_file(&src.join(&source.manifest)) && !nameless(src, source);
        match given.clone() {
            None if !has_name => Err(BuildError::NameNeeded(request.src.clone())),
            name => Ok(vec![Seat { root: Utf8PathBuf::new(), name, entry: None, loose_skills }]),
        }
    };
    if is_plugin(src, source) || disk::is_file(&src.join("SKILL.md")) {
        return here(Vec::new());
    }
    let children: Vec<String> = disk::list(src)?
        .into_iter()
        .filter(|(name, folder)| *folder && !name.starts_with('.'))
        .map(|(name, _)| name)
        .collect();
    let plugins: Vec<&String> = children.iter().filter(|name| is_plugin(&src.join(name), source)).collect();
    if !plugins.is_empty() {
        let seat = |name: &String| Seat {
            root: name.into(),
            name: Some(name.clone()),
            entry: None,
            loose_skills: Vec::new(),
        };
        return Ok(plugins.into_iter().map(seat).collect());
    }
    let skills: Vec<Utf8PathBuf> = children
        .iter()
        .filter(|name| disk::is_file(&src.join(name).join("SKILL.md")))
        .map(Utf8PathBuf::from)
        .collect();
    if skills.is_empty() { Ok(Vec::new()) } else { here(skills) }
}

/// Whether the manifest at SRC is a readable object without a `name`.
fn nameless(src: &Path, source: &SourceFacts) -> bool {
    let text = disk::read_text(&src.join(&source.manifest)).ok().flatten();
    let node = text.and_then(|text| crate::read::json::parse(&text).0);
    node.is_some_and(|node| {
        matches!(node.value, crate::read::tree::Value::Map(_)) && node.get("name").is_none()
    })
}

fn report_faults(tree: &SourceTree, found: &mut Vec<Diagnostic>) {
    for exclusion in tree.exclusions.iter().filter(|exclusion| exclusion.fault) {
        let message = format!("`{}` is left out: {}", exclusion.path, exclusion.reason);
        let rule = if exclusion.reason == LEAVES { "symlink-escape" } else { "unreadable-file" };
        let help = if exclusion.reason.starts_with("cannot be") {
            "make it readable, or exclude it under `[build]` in `plugcast.toml`"
        } else {
            "replace it by a plain file inside the source, or exclude it under `[build]` in `plugcast.toml`"
        };
        found.push(Diagnostic::whole(&exclusion.path, Severity::Error, rule, message).help(help));
    }
}

fn same_name(plugin: &plugin::Plugin, other: &plugin::Plugin) -> Diagnostic {
    let message = format!(
        "two plugins are named `{}`: `{}` and `{}`; the first counts",
        plugin.name, other.root, plugin.root
    );
    Diagnostic::whole(&plugin.root, Severity::Error, "duplicate-name", message)
        .help("rename one of them in its manifest")
}

fn marketplace_name(
    marketplace: Option<&Marketplace>,
    config: &Config,
    plugins: &[plugin::Plugin],
    tree: &SourceTree,
    found: &mut Vec<Diagnostic>,
) -> Result<String, BuildError> {
    let own = marketplace.and_then(|marketplace| {
        let node = marketplace.node.get("name")?;
        let name = node.as_str()?;
        // Hosts make a folder of it.
        let why = names::check(name).err();
        if let (Some(why), Some(file)) = (why, tree.get(&marketplace.path)) {
            let message = format!("the marketplace name `{name}` {why}");
            let finding = Diagnostic::at(file, node.span, Severity::Error, "name-format", message);
            found.push(finding.help("use letters, digits and `-`, such as `my-marketplace`"));
        }
        why.is_none().then(|| name.to_owned())
    });
    match (own.or_else(|| config.build.marketplace.clone()), plugins) {
        (Some(name), _) => Ok(name),
        (None, [plugin]) => Ok(plugin.name.clone()),
        (None, []) => Ok(String::new()),
        (None, several) => Err(BuildError::MarketplaceNameNeeded(several.len())),
    }
}

/// What lies beside the plugins, named by its top-most path.
fn outside(
    src: &Path,
    folder: &Utf8Path,
    roots: &[Utf8PathBuf],
    marketplace: Option<&Marketplace>,
) -> Result<Vec<Exclusion>, BuildError> {
    let mut out = Vec::new();
    if roots.iter().any(|root| root == folder) {
        return Ok(out);
    }
    for (name, is_folder) in disk::list(&src.join(folder))? {
        let path = if folder.as_str().is_empty() { Utf8PathBuf::from(name) } else { folder.join(name) };
        let leads = roots.iter().any(|root| root.starts_with(&path))
            || marketplace.is_some_and(|file| file.path.starts_with(&path));
        if leads && is_folder {
            out.extend(outside(src, &path, roots, marketplace)?);
        } else if marketplace.is_none_or(|file| file.path != path) {
            out.push(Exclusion { path, reason: OUTSIDE.to_owned(), fault: false });
        }
    }
    Ok(out)
}
