//! Everything with its own version: every plugin, and every package that release automation versions separately; with
//! all places that state this version.

use camino::{Utf8Path, Utf8PathBuf};

use super::automation::{self, FILES};
use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::published_values::PublishedValues;
use super::unit::{VersionPlace, VersionedUnit};
use super::values::{self, VersionLocation};
use super::version_places::version_places;
use crate::model::config::RECORDS;
use crate::model::plugin::Plugin;
use crate::read::json;
use crate::read::tree::Node;

/// Files of package tools with a version.
const PACKAGES: [&str; 3] = ["package.json", "Cargo.toml", "pyproject.toml"];

/// Finds everything that has a version.
///
/// # Errors
/// When the configuration of a plugin cannot be read.
pub(super) fn find(context: &ReleaseContext<'_>) -> Result<Vec<VersionedUnit>, ReleaseError> {
    let record = RECORDS.iter().map(Utf8PathBuf::from).find(|path| context.files.get(path).is_some());
    let mut units: Vec<VersionedUnit> =
        context.project.plugins.iter().map(|plugin| plugin_unit(context, plugin)).collect();
    let mut packages: Vec<String> = Vec::new();
    let keys = |path: &Utf8Path, of: fn(Node) -> Option<Node>| -> Vec<String> {
        let node = context.files.get(path).and_then(|file| json::parse(file.text()?).0).and_then(of);
        node.map(|node| node.entries().iter().map(|entry| entry.key.clone()).collect()).unwrap_or_default()
    };
    if let Some(record) = &record {
        packages.extend(keys(record, Some));
    }
    for path in FILES {
        packages.extend(keys(Utf8Path::new(path), |node| node.get("packages").cloned()));
    }
    packages.sort();
    packages.dedup();
    for package in &packages {
        let root = if package == "." {
            Utf8PathBuf::new()
        } else {
            Utf8PathBuf::from(package.trim_end_matches('/'))
        };
        let at = match units.iter().position(|unit| unit.root == root) {
            Some(at) => at,
            None => {
                units.push(package_unit(context, &root));
                units.len() - 1
            }
        };
        let unit = &mut units[at];
        unit.automated = true;
        if let Some(record) = &record {
            let what = format!("`{record}`");
            // The record of the last release takes precedence over later edits.
            unit.places.splice(0..0, place(context, record.clone(), Some(package), what));
        }
        automation::apply(context, package, unit);
    }
    for unit in units.iter_mut().filter(|unit| !unit.automated) {
        let own = unit.name.clone();
        unit.places.retain(|place| !is_another_package(context, place, &own));
    }
    for unit in &mut units {
        let is_apart = unit.is_plugin && unit.root != context.config_place;
        let own = is_apart.then_some((context.top.as_path(), unit.root.as_path()));
        let whole = (&context.config.release, context.config_place.as_path());
        unit.published = PublishedValues::load(whole, &unit.name, own)?;
        for (path, key) in unit.published.versions.clone().into_iter().filter(|_| unit.is_plugin) {
            let what = format!("`{path}`");
            unit.places.extend(version_places(context, &path, &VersionLocation::Key(key), &what, true));
        }
    }
    Ok(units)
}

/// The place of a key that may state the version.
fn place(
    context: &ReleaseContext<'_>,
    path: Utf8PathBuf,
    key: Option<&str>,
    what: String,
) -> Vec<VersionPlace> {
    version_places(context, &path, &VersionLocation::Key(key.map(str::to_owned)), &what, false)
}

fn plugin_unit(context: &ReleaseContext<'_>, plugin: &Plugin) -> VersionedUnit {
    let root = context.place.join(&plugin.root);
    let root = if root.as_str() == "." {
        Utf8PathBuf::new()
    } else {
        Utf8PathBuf::from(root.as_str().trim_end_matches('/'))
    };
    let own = root.join(&context.targets.source().manifest);
    let mut places = Vec::new();
    if context.files.get(&own).is_some() {
        places.extend(place(context, own, None, "the plugin's manifest".to_owned()));
    }
    if let (Some(entry), Some(listing)) = (&plugin.entry, &context.project.marketplace) {
        let path = context.place.join(&listing.path);
        let what = "its entry in the marketplace";
        places.extend(version_places(
            context,
            &path,
            &VersionLocation::Entry(entry.name.clone()),
            what,
            false,
        ));
    }
    if plugin.entry.is_none() {
        places.extend(entry_above(context, &plugin.name, &root));
    }
    for path in context.targets.sibling_manifests() {
        let path = root.join(path);
        if context.files.get(&path).is_some() {
            let what = format!("`{path}`");
            places.extend(place(context, path, None, what));
        }
    }
    places.extend(catalogues(context, &plugin.name));
    places.extend(packages(context, &root));
    VersionedUnit {
        name: plugin.name.clone(),
        root,
        is_plugin: true,
        places,
        tag: None,
        changelog: None,
        automated: false,
        published: PublishedValues::default(),
    }
}

/// The entry of a plugin in the nearest marketplace above it, if SRC is only that plugin.
fn entry_above(context: &ReleaseContext<'_>, name: &str, root: &Utf8Path) -> Vec<VersionPlace> {
    let marketplace = &context.targets.source().marketplace;
    for folder in root.ancestors().skip(1) {
        let path = folder.join(marketplace);
        let node = context.files.get(&path).and_then(|file| json::parse(file.text()?).0);
        let Some(node) = node else { continue };
        let base =
            node.get("metadata").and_then(|metadata| metadata.get("pluginRoot")).and_then(Node::as_str);
        let inner = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
        let leads_here = |entry: &&Node| {
            let listed = entry.get("source").and_then(Node::as_str).map(inner);
            let own = entry.get("name").and_then(Node::as_str) == Some(name);
            own && listed.is_some_and(|listed| {
                folder.join(&listed) == root
                    || folder.join(inner(base.unwrap_or_default())).join(&listed) == root
            })
        };
        if node
            .get("plugins")
            .and_then(Node::items)
            .unwrap_or_default()
            .iter()
            .any(|entry| leads_here(&entry))
        {
            let what = format!("its entry in `{path}`");
            return version_places(context, &path, &VersionLocation::Entry(name.to_owned()), &what, false);
        }
    }
    Vec::new()
}

/// The entries of a plugin in marketplaces for other hosts.
fn catalogues(context: &ReleaseContext<'_>, name: &str) -> Vec<VersionPlace> {
    let source = context.targets.source();
    let known = context.targets.iter().filter_map(|target| Some(target.marketplace.as_ref()?.path.as_str()));
    let file = Utf8Path::new(&source.marketplace).file_name().unwrap_or_default();
    let foreign = source.foreign.iter().filter(|place| Utf8Path::new(place).extension().is_none());
    let foreign = foreign.map(|folder| Utf8Path::new(folder).join(file));
    let mut paths: Vec<Utf8PathBuf> = known.map(Utf8PathBuf::from).chain(foreign).collect();
    paths.retain(|path| path.as_str() != source.marketplace);
    paths.sort();
    paths.dedup();
    let there = paths.into_iter().map(|path| context.place.join(path));
    there
        .filter(|path| context.files.get(path).is_some())
        .flat_map(|path| {
            let what = format!("its entry in `{path}`");
            version_places(context, &path, &VersionLocation::Entry(name.to_owned()), &what, false)
        })
        .collect()
}

/// The files of package tools in a folder; a private package without a version has none.
fn packages(context: &ReleaseContext<'_>, root: &Utf8Path) -> Vec<VersionPlace> {
    let paths = PACKAGES.iter().map(|name| root.join(name));
    let there = paths.filter(|path| context.files.get(path).is_some());
    there
        .flat_map(|path| {
            let what = format!("`{path}`");
            place(context, path, None, what)
        })
        .collect()
}

/// Whether a place belongs to a separate package with its own name and version, which is only in the same folder as the
/// plugin called `plugin`: the two names share no word.
fn is_another_package(context: &ReleaseContext<'_>, place: &VersionPlace, plugin: &str) -> bool {
    let name = package_name(context, place);
    let words =
        |name: &str| name.to_lowercase().split(['-', '_', '/', '@', '.']).map(str::to_owned).collect();
    let plugin: Vec<String> = words(plugin);
    name.is_some_and(|name| {
        let package: Vec<String> = words(name.rsplit('/').next().unwrap_or(&name));
        let holds = |all: &[String], part: &[String]| all.windows(part.len().max(1)).any(|here| here == part);
        !holds(&package, &plugin) && !holds(&plugin, &package)
    })
}

/// Words, besides host names, by which the name of a package may differ from that of its plugin.
const AFFIXES: [&str; 9] =
    ["plugin", "plugins", "skill", "skills", "agent", "agents", "marketplace", "mcp", "server"];

/// Whether a place certainly states the version of the plugin called `plugin`: it is not a package, or one of that
/// name.
pub(super) fn is_of_that_name(context: &ReleaseContext<'_>, place: &VersionPlace, plugin: &str) -> bool {
    let is_of_host =
        |word: &str| context.targets.iter().any(|target| target.name.split('-').any(|part| part == word));
    let own_words = |name: &str| {
        let words = name.split(['-', '_', '.']).map(str::to_lowercase);
        words.filter(|word| !AFFIXES.contains(&word.as_str()) && !is_of_host(word)).collect::<Vec<_>>()
    };
    let name = package_name(context, place);
    name.is_none_or(|name| own_words(name.rsplit('/').next().unwrap_or(&name)) == own_words(plugin))
}

/// The name in the file of a package tool.
fn package_name(context: &ReleaseContext<'_>, place: &VersionPlace) -> Option<String> {
    let file = place.path.file_name().filter(|file| PACKAGES.contains(file)).map(|_| &place.path)?;
    let text = context.files.get(file)?;
    values::package_name(text.path.as_str(), text.text()?)
}

fn package_unit(context: &ReleaseContext<'_>, root: &Utf8Path) -> VersionedUnit {
    let name = root.file_name().map_or_else(
        || context.top.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        str::to_owned,
    );
    VersionedUnit {
        name,
        root: root.to_owned(),
        is_plugin: false,
        places: packages(context, root),
        tag: None,
        changelog: None,
        automated: true,
        published: PublishedValues::default(),
    }
}
