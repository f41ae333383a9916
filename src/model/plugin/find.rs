//! Finds skills, agents and commands where the pinned source host does (Claude Code 2.1.330), takes
//! them apart and names them.

mod skills;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};

use super::{InlineCommand, LostComponent, Plugin, command_object, duplicates, fields};
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::qualify;
use crate::model::{manifest, names};
use crate::read::format::SourceFacts;
use crate::read::pointer::JsonPointer;
use crate::read::tree::{MappingEntry, Node, Value};
use crate::read::{frontmatter, salvage};
use crate::source::ComponentKind;
use crate::source::{SourceFile, SourceTree, Span, by_parts, inside};

struct ComponentFinder<'a> {
    tree: &'a SourceTree,
    plugin: &'a mut Plugin,
    found: &'a mut Vec<Diagnostic>,
    source: &'a SourceFacts,
    /// Its skills belong to no plugin of the source's.
    loose: bool,
}

/// Fills `plugin.components` and `plugin.lost`; `alone`: the loose skills are all that it has.
pub(super) fn components(
    tree: &SourceTree,
    plugin: &mut Plugin,
    (loose, alone): (&[Utf8PathBuf], bool),
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) {
    let mut finder = ComponentFinder { tree, plugin, found, source, loose: !loose.is_empty() };
    let manifest_file = tree.get(finder.plugin.root.join(&source.manifest)).cloned();
    if !alone {
        finder.skills(manifest_file.as_ref());
        finder.agents(manifest_file.as_ref());
        finder.commands(manifest_file.as_ref());
    }
    finder.loose_skills(loose);
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

    /// The same in the marketplace's entry.
    fn in_entry(&self, key: &str) -> Option<(Node, SourceFile)> {
        let node = self.plugin.added(key)?.clone();
        let file = self.tree.files().find(|file| file.path.as_str().ends_with("marketplace.json"))?;
        Some((node, file.clone()))
    }

    /// Kept files below a folder; they are sorted, so nothing else is looked at.
    fn kept_below<'b>(&'b self, folder: &'b Utf8Path) -> impl Iterator<Item = &'b Utf8PathBuf> {
        let kept = &self.plugin.files.kept;
        let start = kept.partition_point(|path| by_parts(path.as_str(), folder.as_str()).is_lt());
        kept[start..].iter().take_while(move |path| inside(path.as_str(), folder.as_str()))
    }

    /// Agents of the manifest's list, else of the default folder, and those that the marketplace's entry adds.
    fn agents(&mut self, manifest: Option<&SourceFile>) {
        let before = self.found.len();
        let own = self.in_manifest("agents", manifest).map(|list| self.agent_files(&list));
        let sound = self.found.len() == before;
        match own.filter(|_| sound) {
            Some(paths) => paths.into_iter().for_each(|path| self.agent(path, "")),
            None => {
                if !sound {
                    // The source host refuses the whole plugin for such a field, so it goes, and the default counts.
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
        let added = self.agent_files(&list).into_iter().filter(|path| !known.contains(path));
        added.for_each(|path| self.agent(path, ""));
    }

    /// The files of the components of a kind that are found.
    fn paths_of(&self, kind: ComponentKind) -> BTreeSet<Utf8PathBuf> {
        let found = self.plugin.components.iter().filter(|component| component.kind == kind);
        found.map(|component| component.path.clone()).collect()
    }

    fn agent(&mut self, path: Utf8PathBuf, prefix: &str) {
        let stem = path.file_stem().unwrap_or_default().to_owned();
        self.component(ComponentKind::Agent, path, &stem, true, Vec::new(), prefix);
    }

    /// The files that a list of agents names.
    fn agent_files(&mut self, (node, file): &(Node, SourceFile)) -> Vec<Utf8PathBuf> {
        let mut files = Vec::new();
        for (path, item) in manifest::paths(file, &self.plugin.root.clone(), node, self.found) {
            if path.extension() != Some("md") {
                let help = "name each file, such as `./agents/name.md`; those in `agents/` are found without being named";
                let why = "does not point to a file that ends in `.md`";
                self.found.push(manifest::misplaced(file, &item, why, help));
            } else if self.tree.get(&path).is_none() {
                self.found.push(manifest::absent(file, &item, &path));
            } else if !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Commands that the manifest declares, else those of the default folder, and those that the marketplace's entry adds.
    fn commands(&mut self, manifest: Option<&SourceFile>) {
        let default = self.plugin.root.join("commands");
        let (own, added) = (self.in_manifest("commands", manifest), self.in_entry("commands"));
        // One that is listed by its path has the name of its file, also where its folder is listed, too (2.1.330).
        let listed = own.iter().chain(&added).flat_map(|list| self.listed_files(list)).collect();
        // A path that is refused goes, and the default counts.
        if own.is_none_or(|list| !self.declared_commands(&list, &listed) && list.0.as_str().is_some()) {
            self.commands_below(&default, &listed);
        }
        if let Some(list) = added {
            let known = self.paths_of(ComponentKind::Command);
            self.declared_commands(&list, &known.union(&listed).cloned().collect());
        }
    }

    /// The files that a field names by their paths.
    fn listed_files(&self, (node, file): &(Node, SourceFile)) -> Vec<Utf8PathBuf> {
        let paths = manifest::paths(file, &self.plugin.root, node, &mut Vec::new());
        paths.into_iter().map(|(path, _)| path).filter(|path| self.tree.get(path).is_some()).collect()
    }

    /// Commands of a field, once each; those below a folder but for files that are `known`. Whether it names a path.
    fn declared_commands(
        &mut self,
        (node, file): &(Node, SourceFile),
        known: &BTreeSet<Utf8PathBuf>,
    ) -> bool {
        if let Value::Map(entries) = &node.value {
            entries.iter().for_each(|entry| self.command_object(entry, file));
        }
        let paths = manifest::paths(file, &self.plugin.root.clone(), node, self.found);
        let mut done = self.paths_of(ComponentKind::Command);
        for (path, item) in &paths {
            if self.tree.get(path).is_some() {
                if !done.insert(path.clone()) {
                    continue;
                }
                let stem = path.file_stem().unwrap_or_default().to_owned();
                self.component(ComponentKind::Command, path.clone(), &stem, false, Vec::new(), "");
            } else if self.tree.has_folder(path) {
                self.commands_below(path, known);
            } else {
                self.found.push(manifest::absent(file, item, path));
            }
        }
        !paths.is_empty()
    }

    fn commands_below(&mut self, root: &Utf8Path, known: &BTreeSet<Utf8PathBuf>) {
        let files = self.markdown_below(root);
        let own_folder = |path: &Utf8PathBuf| {
            let folder =
                path.parent().filter(|folder| path.file_name() == Some("SKILL.md") && *folder != root);
            folder.map(Utf8Path::to_owned)
        };
        let skills: BTreeSet<Utf8PathBuf> = files.iter().filter_map(own_folder).collect();
        for path in files.into_iter().filter(|path| !known.contains(path)) {
            // A folder with a skill in it is that skill, with all that lies in it (2.1.330).
            let skill = path.ancestors().skip(1).filter_map(|folder| skills.get(folder)).last().cloned();
            let (prefix, stem) = match skill {
                Some(folder) if path != folder.join("SKILL.md") => continue,
                Some(folder) => nested_name(root, &Utf8PathBuf::from(format!("{folder}.md"))),
                None => nested_name(root, &path),
            };
            self.component(ComponentKind::Command, path, &stem, false, Vec::new(), &prefix);
        }
    }

    /// A command that the manifest declares by name, with a file or with its text.
    fn command_object(&mut self, entry: &MappingEntry, file: &SourceFile) {
        let listed = self.plugin.manifest.as_ref().is_none_or(|manifest| manifest.path != file.path);
        let base = self.plugin.entry.as_ref().filter(|_| listed).map(|entry| entry.pointer.clone());
        let pointer = base.unwrap_or_default().key("commands").key(&entry.key);
        if let Err(why) = command_name(&entry.key, listed) {
            let message = format!("the name `{}` {why}", entry.key);
            let help = "use letters, digits and `-`, such as `my-name`";
            self.found.push(
                Diagnostic::at(file, entry.key_span, Severity::Error, "name-format", message.clone())
                    .help(help),
            );
            return self.lose(ComponentKind::Command, &entry.key, &file.path, Some(pointer), &message);
        }
        let Some(source) = entry.node.get("source") else {
            return if listed { self.unread_text(entry, file) } else { self.inline(entry, file, pointer) };
        };
        for (path, item) in manifest::paths(file, &self.plugin.root.clone(), source, self.found) {
            if self.tree.get(&path).is_some() {
                let known = self.plugin.components.len();
                self.component(ComponentKind::Command, path, &entry.key, false, Vec::new(), "");
                for command in &mut self.plugin.components[known..] {
                    command.declared = command_object::fields(entry, file, &pointer);
                }
            } else {
                self.found.push(manifest::absent(file, &item, &path));
            }
        }
    }

    /// A command whose text stands in the marketplace's entry: the source host shows none (2.1.330).
    fn unread_text(&mut self, entry: &MappingEntry, file: &SourceFile) {
        let message = format!("the source host shows no command `{}`: it has no `source`", entry.key);
        let help =
            "write its text to a file that `source` names; only a plugin's own manifest can hold a text";
        self.found.push(
            Diagnostic::at(file, entry.span(), Severity::Warning, "component-format", message).help(help),
        );
    }

    /// A command whose text stands in the manifest.
    fn inline(&mut self, entry: &MappingEntry, file: &SourceFile, pointer: JsonPointer) {
        let name = entry.key.clone();
        let refused = match (names::check_component(&name), entry.node.get("content").and_then(Node::as_str))
        {
            (Err(why), _) => format!("the name `{name}` {why}"),
            (Ok(()), None) => format!("the command `{name}` has neither `source` nor `content` as text"),
            (Ok(()), Some(content)) => {
                self.plugin.inline.push(InlineCommand {
                    qualified: qualify(&self.plugin.name, &name),
                    name,
                    path: file.path.clone(),
                    span: entry.span(),
                    declared: command_object::fields(entry, file, &pointer),
                    pointer,
                    content: content.to_owned(),
                    references: OnceLock::new(),
                });
                return;
            }
        };
        let help = "write `{ \"source\": \"./commands/…\" }` or `{ \"content\": \"…\" }`";
        self.found.push(
            Diagnostic::at(file, entry.span(), Severity::Error, "component-format", &refused).help(help),
        );
        self.lose(ComponentKind::Command, &name, &file.path, Some(pointer), &refused);
    }

    fn markdown_below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        self.kept_below(folder).filter(|path| path.extension() == Some("md")).cloned().collect()
    }

    fn lose(
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
        let Some(text) = file.text() else {
            self.found.push(manifest::not_text(file));
            return self.lose(
                kind,
                &format!("{}:{prefix}{fallback}", self.plugin.name),
                &path,
                None,
                "the file is not valid UTF-8",
            );
        };
        let limit = self.source.component_limit;
        if text.len() > limit {
            let message = format!("the file has more than {limit} bytes, and the source host skips it");
            self.found.push(
                Diagnostic::whole(&file.path, Severity::Error, "unreadable-file", message.clone())
                    .help("move what it holds into files beside it that it names"),
            );
            return self.lose(
                kind,
                &format!("{}:{prefix}{fallback}", self.plugin.name),
                &path,
                None,
                &message,
            );
        }
        let mut document = frontmatter::parse(text);
        if let Some(dialect) = &self.source.dialect {
            document = salvage::as_read_by(document, text, dialect);
        }
        self.found.extend(manifest::findings(file, &document.faults));
        if text.contains("\r\n") {
            let at = text.find("\r\n").unwrap_or(0);
            let message = "the file has Windows line endings";
            let help = "save it with LF line endings; a build does not change them";
            let span = Span::new(at, at + 2);
            self.found.push(
                Diagnostic::at(file, span, Severity::Warning, "windows-line-endings", message).help(help),
            );
        }
        let qualified = |name: &str| format!("{}:{prefix}{name}", self.plugin.name);
        if document.unreadable() {
            let reason = "its frontmatter is more than this reader takes";
            return self.lose(kind, &qualified(fallback), &path, None, reason);
        }
        let mut component = Component {
            kind,
            name: String::new(),
            qualified: String::new(),
            path: path.clone(),
            document,
            files,
            declared: BTreeMap::new(),
            here: Default::default(),
            references: OnceLock::new(),
        };
        self.found.extend(fields::wrong_types(file, &component));
        let own = component
            .field("name")
            .filter(|_| named)
            .and_then(Node::scalar)
            .filter(|name| !name.trim().is_empty());
        let name = match own {
            Some(name) if kind == ComponentKind::Skill => names::shown(name.trim()),
            // A block of YAML ends with a line break, which no caller writes.
            Some(name) => name.trim_matches(char::is_control).to_owned(),
            None => fallback.to_owned(),
        };
        // A skill's folder has its name on every host.
        let check = if kind == ComponentKind::Skill { names::check } else { names::check_component };
        let mut checked =
            std::iter::once(name.as_str()).chain(prefix.split(':').filter(|part| !part.is_empty()));
        if let Some((part, why)) = checked.find_map(|part| check(part).err().map(|why| (part, why))) {
            let message = format!("the name `{part}` {why}");
            let help = "use letters, digits and `-`, such as `my-name`";
            self.found.push(
                Diagnostic::at(file, component.name_span(), Severity::Error, "name-format", message.clone())
                    .help(help),
            );
            self.lose(kind, &qualified(&name), &path, None, &message);
            if let Some(lost) = self.plugin.lost.last_mut() {
                lost.misnamed = true;
            }
            return;
        }
        component.qualified = qualified(&name);
        component.name = format!("{prefix}{name}");
        self.plugin.components.push(component);
    }
}

/// Why a command that is declared by `name` cannot have it. One of the marketplace's entry becomes a file of its name.
///
/// # Errors
/// The reason, to be put after "the name `x`".
pub(super) fn command_name(name: &str, listed: bool) -> Result<(), &'static str> {
    if listed { names::check(name) } else { names::check_component(name) }
}

fn nested_name(root: &Utf8Path, path: &Utf8Path) -> (String, String) {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let prefix =
        inner.parent().into_iter().flat_map(Utf8Path::components).map(|part| format!("{part}:")).collect();
    (prefix, inner.file_stem().unwrap_or_default().to_owned())
}
