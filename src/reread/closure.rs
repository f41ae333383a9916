//! Closure: every path, name and variable that an emitted file mentions resolves inside the emitted bundle. The check
//! itself reads only emitted bytes and target facts. The source is consulted afterwards, to tell a reference that was
//! already dangling there (a warning) from one that this bundle lost (an error).

mod claims;
mod declarations;
mod declaring_files;
mod documents;
mod index;
mod intent;
mod lookup;
mod names;
mod origin;
mod variables;
mod verdict;

use std::cell::{LazyCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use crate::diagnostic::Diagnostic;
use crate::ledger::Ledger;
use crate::model::component::Component;
use crate::model::paths::folder;
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::read::frontmatter;
use crate::source::is_markdown;
use crate::source_format::SourceFacts;
use crate::sourcemap::{EditKind, MappedFile};
use crate::target::Target;

use claims::{BoundNames, ClaimForm, ClaimScanner};
use index::PathIndex;
use lookup::RowLookup;
use names::BundleNames;
use verdict::ClosureJudge;

pub use documents::reads_beside;

/// One emitted file, with its bytes as text.
#[derive(Debug, Clone, Copy)]
pub struct EmittedFile<'a> {
    /// The path in the bundle.
    pub path: &'a Utf8Path,
    /// The source file that it comes from, if any.
    pub from: Option<&'a Utf8Path>,
    /// Whether it is executable.
    pub executable: bool,
    /// The emitted text; `None` for a binary file.
    pub text: Option<&'a str>,
    /// What differs from the source; `None` for a copy.
    pub map: Option<&'a MappedFile>,
}

/// A file with its context.
struct FileContext<'a> {
    file: EmittedFile<'a>,
    text: &'a str,
    plugin: &'a Plugin,
    /// The component that the file belongs to, as its main file or as another one.
    owner: Option<&'a Component>,
    /// The emitted main file of that component.
    main: Option<EmittedFile<'a>>,
}

impl<'a> FileContext<'a> {
    /// The emitted folder of the plugin.
    fn root(&self) -> &'a Utf8Path {
        let path = self.file.path.as_str();
        path.match_indices('/').nth(1).map_or(self.file.path, |(end, _)| Utf8Path::new(&path[..end]))
    }

    /// The folder of the component's main file in the bundle.
    fn skill_folder(&self) -> Option<&'a Utf8Path> {
        self.main.and_then(|main| folder(main.path))
    }

    /// Whether it is the main file of its component.
    fn is_main(&self) -> bool {
        let from = self.file.from.map(Utf8Path::as_str);
        self.owner.is_some_and(|owner| from == Some(owner.path.as_str()))
    }

    /// The generated block of the component, which binds the names used in its files.
    fn block(&self) -> &'a str {
        let range = self.main.and_then(|main| Some((main.text?, block_range(main.map?)?)));
        range.and_then(|(text, range)| text.get(range)).unwrap_or_default()
    }
}

fn block_range(map: &MappedFile) -> Option<std::ops::Range<usize>> {
    let edit = map.edits.iter().find(|edit| edit.edit == EditKind::Block)?;
    Some(edit.emitted.start..edit.emitted.end)
}

/// Reports what does not resolve in the bundle `files` for `target`; `ledger` tells why something is missing.
pub fn check(
    project: &Project,
    target: &Target,
    source: &SourceFacts,
    ledger: &Ledger,
    files: &[EmittedFile<'_>],
) -> Vec<Diagnostic> {
    let left_out = project.plugins.iter().flat_map(|plugin| &plugin.files.left_out);
    let left_out = left_out.chain(&project.tree.exclusions).map(|exclusion| exclusion.path.as_path());
    let (index, sources) = (PathIndex::from_bundle(files), PathIndex::from_source(&project.tree, left_out));
    let offered = BundleNames::new(project, target, files);
    let scanner = ClaimScanner::new(project, target, source);
    let owners = owners(project);
    let by_source: BTreeMap<(&str, &str), EmittedFile<'_>> = files
        .iter()
        .filter_map(|file| Some(((plugin_of(project, file.path)?.name.as_str(), file.from?.as_str()), *file)))
        .collect();
    let mut judge = ClosureJudge {
        project,
        target,
        source,
        index: &index,
        sources: &sources,
        ledger,
        lookup: RowLookup::new(project, ledger),
        found: Vec::new(),
        regions: RefCell::default(),
    };
    for file in files {
        let Some(plugin) = plugin_of(project, file.path) else {
            documents::check_adjacent(&mut judge, &offered, &scanner, file);
            continue;
        };
        let Some(text) = file.text else { continue };
        let owner = file.from.and_then(|from| owners.get(&(plugin.name.as_str(), from.as_str())).copied());
        let main =
            owner.and_then(|owner| by_source.get(&(plugin.name.as_str(), owner.path.as_str())).copied());
        let place = FileContext { file: *file, text, plugin, owner, main };
        if is_markdown(file.path) {
            markdown(&place, &scanner, &offered, &mut judge);
        } else {
            documents::check(&mut judge, &place);
        }
    }
    judge.found
}

/// The component of every source file, by plugin; several components may share a folder.
fn owners(project: &Project) -> BTreeMap<(&str, &str), &Component> {
    let mut out = BTreeMap::new();
    for plugin in &project.plugins {
        let name = plugin.name.as_str();
        for component in &plugin.components {
            for path in &component.files {
                out.entry((name, path.as_str())).or_insert(component);
            }
        }
        let mains = plugin.components.iter();
        out.extend(mains.map(|component| ((name, component.path.as_str()), component)));
    }
    out
}

fn plugin_of<'a>(project: &'a Project, path: &Utf8Path) -> Option<&'a Plugin> {
    let name = path.strip_prefix("plugins").ok()?.components().next()?;
    project.plugins.iter().find(|plugin| plugin.name == name.as_str())
}

fn markdown(
    place: &FileContext<'_>,
    scanner: &ClaimScanner,
    offered: &BundleNames,
    judge: &mut ClosureJudge<'_>,
) {
    let block = place.file.map.and_then(block_range).unwrap_or_default();
    let (bound, binds) =
        (LazyCell::new(|| BoundNames::from_block(place.block())), offered.bound_by(judge.target));
    // Names and variables are bound only in the text that a model follows, not in fields.
    let body = if place.is_main() { frontmatter::body(place.text).start } else { 0 };
    let mut named = BTreeSet::new();
    let mut begins: BTreeMap<&str, bool> = BTreeMap::new();
    scanner.find(place.text, &mut |claim| {
        let inside = block.contains(&claim.span.start);
        let read = place.owner.is_some() && claim.span.start >= body && !inside;
        match claim.form {
            ClaimForm::Name if !offered.contains(claim.written) => {
                if read && named.insert(claim.written) {
                    judge.check_name(place, &claim, offered);
                }
            }
            // `$plugin:name` is another host's syntax for calling a skill, not the source host's.
            ClaimForm::Name if place.text[..claim.span.start].ends_with('$') => {}
            ClaimForm::Name if binds && read && !bound.binds(&claim) => judge.report_unbound(place, &claim),
            ClaimForm::Variable if read && !bound.binds(&claim) => judge.report_unbound(place, &claim),
            ClaimForm::Name | ClaimForm::Variable => {}
            _ if inside => judge.check_generated(place, &claim),
            _ => {
                let here = ClosureJudge::first_name(&claim)
                    .is_none_or(|name| *begins.entry(name).or_insert_with(|| judge.begins_here(place, name)));
                if here {
                    judge.check_path(place, &claim);
                }
            }
        }
    });
}
