//! The files of the source by path, exact and case-insensitive, and the resolution of paths written in a text under the
//! two readings that the Agent Skills specification allows: relative to the folder of the text, and relative to the
//! folder of its skill.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};

use super::context::{PluginText, RuleContext};
use super::folded_paths::FoldedPaths;
use super::mention::{PathForm, PathMention};
use super::name_search::NameSearch;
use super::path_parts::PathParts;
use super::script_calls;
use crate::model::component::Component;
use crate::model::paths::{self as model, join};
use crate::model::project::Project;
use crate::parallel;
use crate::source::{ComponentKind, HashedPaths, by_parts, is_inside};

/// Every path of the source.
#[derive(Debug)]
pub struct SourcePaths<'a> {
    /// Sorted as text.
    files: Vec<&'a str>,
    /// The index of `known` without regard to case; few sources need it.
    folded: OnceLock<FoldedPaths>,
    /// The top-most paths of what is left out, sorted part by part.
    left_out: Vec<&'a str>,
    /// Every file, and every folder with files.
    known: Vec<&'a str>,
    /// The index of `known`.
    index: HashedPaths,
    /// The parts of paths by the root of their plugin.
    parts: BTreeMap<&'a str, PathParts<'a>>,
    /// The names of scripts that a shell cannot start by their path, by the root of their plugin.
    script_names: BTreeMap<&'a str, NameSearch>,
}

impl<'a> SourcePaths<'a> {
    /// The paths of `project`.
    pub fn new(project: &'a Project) -> Self {
        let of_plugins = project.plugins.iter().flat_map(|plugin| &plugin.files.left_out);
        let all = project.tree.exclusions.iter().chain(&project.outside).chain(of_plugins);
        let left_out: BTreeSet<&str> = all.map(|exclusion| exclusion.path.as_str()).collect();
        let mut files: Vec<&str> = project.tree.files().map(|file| file.path.as_str()).collect();
        files.sort_unstable();
        let excluded: Vec<&str> = left_out.iter().copied().collect();
        let of_plugin = |root: &'a str| {
            let paths = files_below(&files, root).iter().chain(files_below(&excluded, root));
            PathParts::from_paths(paths.map(|path| path[root.len()..].trim_start_matches('/')))
        };
        let roots = || project.plugins.iter().map(|plugin| plugin.root.as_str()).collect::<Vec<_>>();
        let parts = parallel::map(roots(), files.len(), |root| (root, of_plugin(root)));
        let parts = parts.into_iter().collect();
        let unstartable = project.tree.files().filter(|file| script_calls::is_unstartable(file));
        let mut unstartable: Vec<&str> = unstartable.map(|file| file.path.as_str()).collect();
        unstartable.sort_unstable();
        let names = |root: &'a str| Some((root, NameSearch::new(files_below(&unstartable, root))?));
        let script_names = roots().into_iter().filter_map(names).collect();
        let left_out = topmost(excluded);
        let known = with_folders(project.tree.files().map(|file| file.path.as_str()));
        let index = HashedPaths::new(&known);
        Self { files, folded: OnceLock::new(), left_out, known, index, parts, script_names }
    }

    /// Whether a file or folder of exactly that name exists, including those left out of the build.
    pub fn contains(&self, path: &Utf8Path) -> bool {
        let path = path.as_str();
        path.is_empty() || self.index.find(path, |at| self.known[at]).is_some() || self.is_left_out(path)
    }

    /// Whether the file or folder at `path`, or a folder around it, is left out. Nothing but what it holds comes between a
    /// folder and a path in it.
    fn is_left_out(&self, path: &str) -> bool {
        let after = self.left_out.partition_point(|one| by_parts(one, path).is_le());
        after.checked_sub(1).is_some_and(|last| is_inside(path, self.left_out[last]))
    }

    /// Whether a folder of exactly that name exists.
    pub fn has_folder(&self, path: &Utf8Path) -> bool {
        has_below(&self.files, path.as_str())
    }

    /// Whether `text` contains the name of a script in the plugin at `root` that a shell cannot start by its path.
    pub fn names_unstartable(&self, root: &Utf8Path, text: &str) -> bool {
        self.script_names.get(root.as_str()).is_some_and(|names| names.is_in(text))
    }

    /// The names in the plugin of `text`; `None` for a text of a project, which has other folders around it.
    pub fn parts(&self, text: &PluginText<'_>) -> Option<&PathParts<'a>> {
        let root = text.plugin.root.as_str();
        self.parts.get(root).filter(|_| is_inside(text.file.path.as_str(), root))
    }

    /// The file or folder whose name differs from `path` only in case.
    pub fn case_variant(&self, path: &Utf8Path) -> Option<&'a str> {
        let folded = self.folded.get_or_init(|| FoldedPaths::new(&self.known));
        folded.variant(path.as_str(), |at| self.known[at])
    }
}

/// Those of `paths` that are in no other one, sorted part by part.
fn topmost(mut paths: Vec<&str>) -> Vec<&str> {
    paths.retain(|path| !path.is_empty());
    paths.sort_unstable_by(|a, b| by_parts(a, b));
    let mut last: Option<&str> = None;
    paths.retain(|path| {
        let is_top = last.is_none_or(|last| !is_inside(path, last));
        last = if is_top { Some(path) } else { last };
        is_top
    });
    paths
}

/// The `files`, which are sorted part by part, and the folders around them.
fn with_folders<'a>(files: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (mut out, mut last) = (Vec::new(), "");
    for file in files {
        let ends = file.match_indices('/').map(|(end, _)| end);
        out.extend(ends.map(|end| &file[..end]).filter(|folder| !is_inside(last, folder)));
        out.push(file);
        last = file;
    }
    out
}

/// Whether any of `files`, which are sorted as text, is in `folder`.
fn has_below(files: &[&str], folder: &str) -> bool {
    let length = folder.len();
    let before = |file: &&str| match file.as_bytes().get(length) {
        None => *file <= folder,
        Some(next) => match file.as_bytes()[..length].cmp(folder.as_bytes()) {
            Ordering::Equal => *next < b'/',
            other => other.is_lt(),
        },
    };
    let first = files.get(files.partition_point(before));
    first.is_some_and(|file| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// Those of `files`, which are sorted as text, that are in `folder`.
fn files_below<'f, 'a>(files: &'f [&'a str], folder: &str) -> &'f [&'a str] {
    if folder.is_empty() {
        return files;
    }
    let head = format!("{folder}/");
    let start = files.partition_point(|file| *file < head.as_str());
    &files[start..start + files[start..].partition_point(|file| file.starts_with(&head))]
}

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathTarget {
    /// A file or folder of the same skill (of the plugin, for texts outside of skills).
    Inside {
        /// Where it is, relative to SRC.
        path: Utf8PathBuf,
        /// Whether it resolves only relative to the skill's folder, which is not the text's.
        only_from_skill: bool,
    },
    /// A file or folder whose name differs in case, as spelt on disk, relative to SRC.
    OtherCase(Utf8PathBuf),
    /// An existing file or folder outside of the skill.
    Outside(Utf8PathBuf),
    /// A missing path outside of the skill.
    MissingOutside(Utf8PathBuf),
    /// A path outside of the source.
    OutOfSource,
    /// A missing path, where it would be relative to SRC.
    Missing(Utf8PathBuf),
}

/// The folder that paths of `text` must not leave: that of its skill.
pub fn own_folder<'t>(text: &PluginText<'t>) -> &'t Utf8Path {
    match text.component {
        Some(component) if component.kind == ComponentKind::Skill => component.folder(),
        _ => &text.plugin.root,
    }
}

/// Resolves `path` as written in `text`. Both readings count; the one that finds something wins.
pub(super) fn resolve(context: &RuleContext<'_>, text: &PluginText<'_>, path: &str) -> PathTarget {
    let paths = context.paths();
    let (own, here) = (own_folder(text), text.file.path.parent().unwrap_or(Utf8Path::new("")));
    let readings = [here, own].map(|base| join(base, path));
    let is_own = |path: &&Utf8PathBuf| is_inside(path.as_str(), own.as_str());
    let both = || readings.iter().flatten();
    if let Some(found) = both().filter(is_own).find(|path| paths.contains(path)) {
        let only_from_skill = readings[0].as_ref() != Some(found);
        return PathTarget::Inside { path: found.clone(), only_from_skill };
    }
    if let Some(other) = both().filter(is_own).find_map(|path| paths.case_variant(path)) {
        return PathTarget::OtherCase(other.into());
    }
    // What one reading finds outside the plugin is not meant where the other one stays inside.
    let in_plugin = |path: &&Utf8PathBuf| is_inside(path.as_str(), text.plugin.root.as_str());
    let counts = |path: &&Utf8PathBuf| in_plugin(path) || !both().any(|path| in_plugin(&path));
    if let Some(found) = both().filter(counts).find(|path| paths.contains(path)) {
        return PathTarget::Outside(found.clone());
    }
    match both().find(is_own).or_else(|| both().find(counts)) {
        None => PathTarget::OutOfSource,
        Some(path) if is_own(&path) => PathTarget::Missing(path.clone()),
        Some(path) => PathTarget::MissingOutside(path.clone()),
    }
}

/// Resolves the path of a mention.
pub(super) fn mentioned(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    mention: &PathMention,
) -> PathTarget {
    let base = match mention.form {
        PathForm::Code | PathForm::Block | PathForm::Prose => return resolve(context, text, &mention.path),
        PathForm::Root => root(context, text, &mention.path),
        PathForm::Skill => nested_skill(context, text).unwrap_or_else(|| own_folder(text)),
    };
    let Some(path) = join(base, &mention.path) else { return PathTarget::OutOfSource };
    if context.paths().contains(&path) || text.plugin.runtime.claims(text.plugin.relative_path(&path)) {
        return PathTarget::Inside { path, only_from_skill: false };
    }
    match context.paths().case_variant(&path) {
        Some(other) => PathTarget::OtherCase(other.into()),
        None => PathTarget::Missing(path),
    }
}

/// The folder that the variable of the plugin's folder refers to. Without a manifest, the root of the plugin is a
/// guess: an ancestor folder that has `path` is preferred.
fn root<'t>(context: &RuleContext<'_>, text: &PluginText<'t>, path: &str) -> &'t Utf8Path {
    let own = text.plugin.root.as_path();
    let has_path = |root: &&Utf8Path| join(root, path).is_some_and(|path| context.paths().contains(&path));
    if text.plugin.is_declared() || has_path(&own) {
        return own;
    }
    text.file.path.ancestors().skip(1).find(has_path).unwrap_or(own)
}

/// The folder of the nested skill that contains `text`, which some hosts load as a separate skill.
fn nested_skill<'t>(context: &RuleContext<'_>, text: &PluginText<'t>) -> Option<&'t Utf8Path> {
    let own = own_folder(text);
    let inner =
        text.file.path.ancestors().skip(1).take_while(|folder| *folder != own && folder.starts_with(own));
    inner.into_iter().find(|folder| context.paths().contains(&folder.join("SKILL.md")))
}

/// The file most likely meant by `wanted`: one of the same skill, else the only one of that name in the plugin.
pub fn nearest_file<'t>(text: &PluginText<'t>, wanted: &Utf8Path) -> Option<&'t Utf8Path> {
    let own = text.component.map_or(&[][..], |component| component.files.as_slice());
    let near = model::nearest_path(wanted, own.iter().map(|path| path.as_path()));
    near.or_else(|| {
        let name = model::file_name(wanted);
        let mut same = text.plugin.files.kept.iter().filter(|path| model::file_name(path) == name);
        let first = same.next()?;
        same.next().is_none().then_some(first.as_path())
    })
}

/// How many folders may differ for a file to be suggested by its name.
const FOLDERS: usize = 2;

/// The files of the plugin that have the name of `wanted` and are nearest to it; empty if many folders have the name or
/// all are far away.
pub fn files_named<'t>(text: &PluginText<'t>, wanted: &Utf8Path) -> Vec<&'t Utf8Path> {
    let stem = wanted.file_stem().unwrap_or_default();
    let (mut nearest, mut out) = (FOLDERS + 1, Vec::new());
    if stem == "index" || stem.chars().all(|c| !c.is_lowercase()) {
        return out;
    }
    let name = model::file_name(wanted);
    for path in text.plugin.files.kept.iter().filter(|path| model::file_name(path) == name) {
        let away = model::distance(path, wanted);
        if away < nearest {
            (nearest, out) = (away, Vec::new());
        }
        if away == nearest && nearest <= FOLDERS {
            out.push(path.as_path());
        }
    }
    out
}

/// The path of `file` relative to the folder of `text`.
pub fn from_text(text: &PluginText<'_>, file: &Utf8Path) -> String {
    model::relative(text.file.path.parent().unwrap_or(Utf8Path::new("")), file)
}

/// Another skill of the plugin that the text mentions in `near` and that has `path`.
pub fn in_named_skill<'a>(
    context: &RuleContext<'a>,
    text: &PluginText<'_>,
    near: &str,
    path: &str,
) -> Option<(&'a Component, Utf8PathBuf)> {
    let own = text.component?;
    let named = context.directory().skills_named(&text.plugin.name, near);
    named
        .into_iter()
        .filter(|other| other.path != own.path)
        .filter_map(|other| {
            let there = join(other.folder(), path)?;
            context.paths().contains(&there).then_some((other, there))
        })
        .max_by_key(|(other, _)| other.name.len())
}
