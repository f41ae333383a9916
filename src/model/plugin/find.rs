//! Finds skills, agents and commands where the pinned source host does (Claude Code 2.1.330), parses them and names
//! them.

pub(super) mod commands;
pub(in crate::model) mod loose_skills;
mod skills;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::{LostComponent, Plugin, duplicates, fields};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::QualifiedName;
use crate::model::{manifest, names};
use crate::read::pointer::JsonPointer;
use crate::read::tree::Node;
use crate::read::{frontmatter, salvage};
use crate::source::{ComponentKind, SourceFile, SourceTree, Span, is_lowercase_markdown, is_markdown};
use crate::source_format::SourceFacts;

struct ComponentFinder<'a> {
    tree: &'a SourceTree,
    plugin: &'a mut Plugin,
    found: &'a mut Vec<Diagnostic>,
    source: &'a SourceFacts,
    /// Whether its skills belong to no plugin of the source.
    loose: bool,
    /// The names of commands, by the location of their file.
    commands: BTreeMap<PathBuf, QualifiedName>,
}

/// The files that a list of a manifest or of a marketplace names.
struct ListedFiles {
    files: Vec<Utf8PathBuf>,
    /// Whether the source host refuses the list.
    is_refused: bool,
}

/// Fills `plugin.components` and `plugin.lost`; `alone` tells that it has nothing but the loose skills.
pub(super) fn components(
    tree: &SourceTree,
    plugin: &mut Plugin,
    (loose, alone): (&[Utf8PathBuf], bool),
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) {
    let mut finder =
        ComponentFinder { tree, plugin, found, source, loose: !loose.is_empty(), commands: BTreeMap::new() };
    let manifest_file = tree.get(finder.plugin.root.join(&source.manifest)).cloned();
    if !alone {
        finder.skills(manifest_file.as_ref());
        finder.agents(manifest_file.as_ref());
        finder.commands(manifest_file.as_ref());
        finder.unsearched(ComponentKind::Agent, "agents", manifest_file.as_ref());
        finder.unsearched(ComponentKind::Command, "commands", manifest_file.as_ref());
    }
    finder.loose_skills(loose);
    finder.linked();
    duplicates::refuse(finder.tree, finder.plugin, finder.found);
    finder.plugin.components.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
}

impl ComponentFinder<'_> {
    /// The value of a component field in the manifest, with the file that holds it.
    fn in_manifest(&self, key: &str, manifest: Option<&SourceFile>) -> Option<(Node, SourceFile)> {
        let usable =
            |manifest: &&manifest::PluginManifest| !manifest.refused.iter().any(|refused| refused == key);
        let own = self.plugin.manifest.as_ref().filter(usable)?;
        Some((own.node.get(key)?.clone(), manifest?.clone()))
    }

    /// The same for the marketplace's entry.
    fn in_entry(&self, key: &str) -> Option<(Node, SourceFile)> {
        let node = self.plugin.added_by_entry(key)?.clone();
        let file = self.tree.files().find(|file| file.path.as_str().ends_with("marketplace.json"))?;
        Some((node, file.clone()))
    }

    /// Finds the agents in the manifest's list, or else in the default folder, and those that the marketplace's entry
    /// adds.
    fn agents(&mut self, manifest: Option<&SourceFile>) {
        let own = self.in_manifest("agents", manifest).map(|list| self.agent_files(&list));
        match own {
            Some(ListedFiles { files, is_refused: false }) => {
                files.into_iter().for_each(|path| self.agent(path, ""));
            }
            own => {
                if own.is_some() {
                    // The source host refuses the whole plugin for such a field, so it is dropped, and the default
                    // applies.
                    let manifests = self.plugin.manifest.iter_mut();
                    manifests.for_each(|manifest| manifest.refused.push("agents".to_owned()));
                }
                let root = self.plugin.root.join("agents");
                for path in self.markdown_below(&root) {
                    let (prefix, _) = nested_name(&root, &path);
                    self.agent(path, &prefix);
                }
            }
        }
        let Some(list) = self.in_entry("agents") else { return };
        let known = self.paths_of(ComponentKind::Agent);
        let added = self.agent_files(&list).files.into_iter().filter(|path| !known.contains(path));
        added.for_each(|path| self.agent(path, ""));
    }

    /// Reports texts in the default folder of a kind that are plain files, since the manifest lists others.
    fn unsearched(&mut self, kind: ComponentKind, field: &str, manifest: Option<&SourceFile>) {
        let Some(list) = self.in_manifest(field, manifest) else { return };
        let (folder, known) = (self.plugin.root.join(field), self.paths_of(kind));
        if self.listed_paths(&list).iter().any(|path| folder.starts_with(path)) {
            return;
        }
        let is_plain = |path: &Utf8PathBuf| !known.contains(path) && !self.plugin.linked.contains(path);
        let mut others =
            self.plugin.files.kept_below(&folder).filter(|path| is_markdown(path) && is_plain(path));
        let Some(first) = others.next().map(|path| self.plugin.relative_path(path)) else { return };
        let why = format!("the manifest's `{field}` replaces the folder");
        let message = match others.count() {
            0 => format!("`{first}` is not loaded: {why}"),
            more => format!("`{first}` and {more} more are not loaded: {why}"),
        };
        let finding =
            Diagnostic::in_file(&list.1, list.0.span, Severity::Info, RuleId::COMPONENT_FORMAT, message);
        self.found.push(finding.help("list each of them that hosts should offer"));
    }

    /// The files of the components of a kind that were found so far.
    fn paths_of(&self, kind: ComponentKind) -> BTreeSet<Utf8PathBuf> {
        let found = self.plugin.components.iter().filter(|component| component.kind == kind);
        found.map(|component| component.path.clone()).collect()
    }

    fn agent(&mut self, path: Utf8PathBuf, prefix: &str) {
        let stem = stem(&path).to_owned();
        self.component(ComponentKind::Agent, path, &stem, true, Vec::new(), prefix);
    }

    /// The files that a list of agents names.
    fn agent_files(&mut self, (node, file): &(Node, SourceFile)) -> ListedFiles {
        let before = self.found.len();
        let paths = manifest::paths(file, &self.plugin.root.clone(), node, self.found);
        let mut is_refused = self.found.len() > before;
        // The source host shows a file only once, even if a link to it is listed too.
        let (mut files, mut origins) = (Vec::new(), BTreeSet::new());
        for (path, item) in paths {
            if !is_lowercase_markdown(&path) {
                let help =
                    "name each file, such as `./agents/name.md`; files in `agents/` are found by default";
                let why = "does not point to a file that ends in `.md`";
                self.found.push(manifest::misplaced(file, &item, why, help));
                is_refused = true;
            } else if self.tree.get(&path).is_none() {
                // A missing file is left out of the list, as the source host does (2.1.330).
                self.found.push(manifest::missing_path(file, &item, &path));
            } else if self.tree.get(&path).is_some_and(|file| origins.insert(file.origin.clone())) {
                files.push(path);
            }
        }
        ListedFiles { files, is_refused }
    }

    /// Reports files that are not agents or commands because they are links, unless they are listed by path.
    fn linked(&mut self) {
        for component in &self.plugin.components {
            self.plugin.linked.remove(&component.path);
        }
        self.found.extend(self.plugin.linked.iter().map(|path| {
            let message = "this is a link, which the source host does not load as an agent or a command";
            let found = Diagnostic::for_file(path, Severity::Warning, RuleId::LINKED_COMPONENT, message);
            found.help("replace the link with a file")
        }));
        self.merge_linked_skills();
        self.linked_skills();
    }

    /// Keeps one of the skills that are one file with one name: the source host lists it once (Claude Code 2.1.330). The one
    /// in the default folder stays where it is in a bundle.
    fn merge_linked_skills(&mut self) {
        if self.tree.links.is_empty() {
            return;
        }
        let default = self.plugin.root.join("skills");
        let mut skills: Vec<&Component> = self
            .plugin
            .components
            .iter()
            .filter(|component| component.kind == ComponentKind::Skill)
            .collect();
        skills.sort_by_key(|skill| (!skill.path.starts_with(&default), self.is_linked(&skill.path)));
        let (mut known, mut again) = (BTreeSet::new(), BTreeSet::new());
        for skill in skills {
            let Some(file) = self.tree.get(&skill.path) else { continue };
            if !known.insert((&file.origin, &skill.qualified)) {
                again.insert(skill.path.clone());
            }
        }
        self.plugin.components.retain(|component| !again.contains(&component.path));
    }

    /// Whether a file is a link, or lies behind one.
    fn is_linked(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|part| self.tree.links.contains_key(part))
    }

    /// Reports skills that are links to another skill of the plugin: the source host lists one of them, the first in the
    /// order of the file system (Claude Code 2.1.330), and other hosts list all.
    fn linked_skills(&mut self) {
        if self.tree.links.is_empty() {
            return;
        }
        let skills = self.plugin.components.iter().filter(|component| component.kind == ComponentKind::Skill);
        let files = skills.filter_map(|skill| self.tree.get(&skill.path));
        let mut by_origin: BTreeMap<&Path, Vec<&SourceFile>> = BTreeMap::new();
        files.for_each(|file| by_origin.entry(&file.origin).or_default().push(file));
        for names in by_origin.into_values().filter(|names| names.len() > 1) {
            let Some(own) = names.iter().copied().find(|file| !self.is_linked(&file.path)) else { continue };
            let links = names.into_iter().filter(|file| file.path != own.path);
            self.found.extend(links.map(|file| {
                let message =
                    format!("this is a link to `{}`: the source host lists one of the two names", own.path);
                let found =
                    Diagnostic::for_file(&file.path, Severity::Warning, RuleId::LINKED_COMPONENT, message);
                found.help("replace the link with a separate skill, or remove it")
            }));
        }
    }

    /// The texts below `folder` in which the source host looks for agents or commands (2.1.330): with any case of their
    /// extension, and no links except those out of the plugin, which it replaces with the file when it installs the
    /// plugin.
    fn markdown_below(&mut self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let texts = self.plugin.files.kept_below(folder).filter(|path| is_markdown(path));
        let link = |path: &Utf8PathBuf| {
            let mut parts = path.ancestors().take_while(|part| *part != folder);
            parts.find_map(|part| self.tree.links.get(part)).filter(|to| to.starts_with(&self.plugin.root))
        };
        let (linked, texts) = texts.cloned().partition(|path| link(path).is_some());
        self.plugin.linked.extend::<Vec<Utf8PathBuf>>(linked);
        texts
    }

    fn record_lost(
        &mut self,
        kind: ComponentKind,
        name: &str,
        path: &Utf8Path,
        pointer: Option<JsonPointer>,
        reason: &str,
    ) {
        let (name, path, reason) = (name.to_owned(), path.to_owned(), reason.to_owned());
        self.plugin.lost.push(LostComponent { kind, name, path, pointer, reason, misnamed: false });
    }

    fn component(
        &mut self,
        kind: ComponentKind,
        path: Utf8PathBuf,
        fallback: &str,
        named: bool,
        files: Vec<Utf8PathBuf>,
        prefix: &str,
    ) {
        let Some(file) = self.tree.get(&path) else { return };
        let qualified = |name: &str| QualifiedName::new(&self.plugin.name, &format!("{prefix}{name}"));
        let text = match component_text(file, self.source.component_limit, self.found) {
            Ok(text) => text,
            Err(reason) => return self.record_lost(kind, &qualified(fallback), &path, None, &reason),
        };
        let mut document = frontmatter::parse(text);
        if let Some(dialect) = &self.source.dialect {
            document = salvage::as_read_by(document, text, dialect);
        }
        self.found.extend(manifest::findings(file, &document.faults));
        self.found.extend(windows_line_endings(file, text));
        if document.unreadable() {
            let reason = "its frontmatter exceeds the limits of the reader";
            return self.record_lost(kind, &qualified(fallback), &path, None, reason);
        }
        let mut component = Component {
            kind,
            name: String::new(),
            qualified: QualifiedName::default(),
            path: path.clone(),
            document: document.into(),
            files,
            declared: BTreeMap::new(),
            host_override: Default::default(),
            references: OnceLock::new(),
            shared: OnceLock::new(),
        };
        self.found.extend(fields::wrong_types(file, &component));
        let own = component
            .field("name")
            .filter(|_| named)
            .and_then(Node::scalar)
            .filter(|name| !name.trim().is_empty());
        let name = match own {
            Some(name) if kind == ComponentKind::Skill => names::skill_name(name.trim()),
            // A YAML block scalar ends with a line break, which is not part of the name.
            Some(name) => name.trim_matches(char::is_control).to_owned(),
            None => fallback.to_owned(),
        };
        if let Some(reason) = refused_name(kind, &name, prefix) {
            let help = "use letters, digits and `-`, such as `my-name`";
            let at = component.name_span();
            let finding = Diagnostic::in_file(file, at, Severity::Error, RuleId::NAME_FORMAT, reason.clone());
            self.found.push(finding.help(help));
            let (name, pointer) = (qualified(&name).into(), None);
            return self.plugin.lost.push(LostComponent {
                kind,
                name,
                path,
                pointer,
                reason,
                misnamed: true,
            });
        }
        component.qualified = qualified(&name);
        component.name = format!("{prefix}{name}");
        self.plugin.components.push(component);
    }
}

/// The text of a component's file, which must be text and no longer than the source host reads.
///
/// # Errors
/// Why no host gets the component.
fn component_text<'a>(
    file: &'a SourceFile,
    limit: usize,
    found: &mut Vec<Diagnostic>,
) -> Result<&'a str, String> {
    let Some(text) = file.text() else {
        found.push(manifest::not_text(file));
        return Err("the file is not valid UTF-8".to_owned());
    };
    if file.is_repaired() {
        found.push(Diagnostic { severity: Severity::Warning, ..manifest::not_text(file) });
    }
    if text.len() > limit {
        let message = format!("the file has more than {limit} bytes, and the source host skips it");
        let finding =
            Diagnostic::for_file(&file.path, Severity::Error, RuleId::UNREADABLE_FILE, message.clone());
        found.push(finding.help("move parts of it into separate files, and name those in it"));
        return Err(message);
    }
    Ok(text)
}

fn windows_line_endings(file: &SourceFile, text: &str) -> Option<Diagnostic> {
    let at = memmem::find(text.as_bytes(), b"\r\n")?;
    let message = "the file has Windows line endings";
    let span = Span::new(at, at + 2);
    let finding = Diagnostic::in_file(file, span, Severity::Warning, RuleId::WINDOWS_LINE_ENDINGS, message);
    Some(finding.help("save it with LF line endings; a build does not change them"))
}

/// Why a component cannot have its name, or be in the folders of `prefix`.
fn refused_name(kind: ComponentKind, name: &str, prefix: &str) -> Option<String> {
    // On every host, the name of a skill becomes its folder.
    let check = if kind == ComponentKind::Skill { names::check } else { names::check_component };
    let mut parts = std::iter::once(name).chain(prefix.split(':').filter(|part| !part.is_empty()));
    parts.find_map(|part| Some(format!("the name `{part}` {}", check(part).err()?)))
}

/// The folders between `root` and a component, and its name from its file; an extension in upper case is part of the
/// name.
fn nested_name(root: &Utf8Path, path: &Utf8Path) -> (String, String) {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let prefix =
        inner.parent().into_iter().flat_map(Utf8Path::components).map(|part| format!("{part}:")).collect();
    (prefix, stem(inner).to_owned())
}

fn stem(path: &Utf8Path) -> &str {
    let name = path.file_name().unwrap_or_default();
    name.strip_suffix(".md").unwrap_or(name)
}
