//! Finds and names the commands of a plugin (Claude Code 2.1.330).

use std::collections::BTreeSet;
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};

use super::{ComponentFinder, nested_name};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::plugin::{InlineCommand, command_object};
use crate::model::qualified_name::QualifiedName;
use crate::model::{manifest, names};
use crate::read::pointer::JsonPointer;
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::{ComponentKind, SKILL_FILE, SourceFile, is_lowercase_markdown};

impl ComponentFinder<'_> {
    /// Finds the commands that the manifest declares, or else those in the default folder, and those that the
    /// marketplace's entry adds.
    pub(super) fn commands(&mut self, manifest: Option<&SourceFile>) {
        let default = self.plugin.root.join("commands");
        let (own, added) = (self.in_manifest("commands", manifest), self.in_entry("commands"));
        // A command that is listed by its path is named after its file, even if its folder is listed too.
        let files = |list: &(Node, SourceFile)| self.listed_files(list);
        let own_files: BTreeSet<Utf8PathBuf> = own.iter().flat_map(files).collect();
        let listed: BTreeSet<Utf8PathBuf> = added.iter().flat_map(files).chain(own_files.clone()).collect();
        // If a single path is refused, the default folder applies, in which an entry renames nothing.
        if own.is_none_or(|list| !self.declared_commands(&list, &listed) && list.0.as_str().is_some()) {
            self.commands_below(&default, &own_files, "");
        }
        if let Some(list) = added {
            let known = self.paths_of(ComponentKind::Command);
            self.declared_commands(&list, &known.union(&listed).cloned().collect());
        }
    }

    /// The files that a field names by their paths.
    fn listed_files(&self, list: &(Node, SourceFile)) -> Vec<Utf8PathBuf> {
        self.listed_paths(list).into_iter().filter(|path| self.tree.get(path).is_some()).collect()
    }

    /// The files and folders that a field names by their paths.
    pub(super) fn listed_paths(&self, (node, file): &(Node, SourceFile)) -> Vec<Utf8PathBuf> {
        let sources = node.entries().iter().filter_map(|entry| entry.node.get("source"));
        let lists = std::iter::once(node).chain(sources);
        let paths = lists.flat_map(|list| manifest::paths(file, &self.plugin.root, list, &mut Vec::new()));
        paths.map(|(path, _)| path).collect()
    }

    /// Adds the commands of a field, once each; below a folder, files that are `known` are skipped. Returns whether the
    /// field names a path.
    fn declared_commands(
        &mut self,
        (node, file): &(Node, SourceFile),
        known: &BTreeSet<Utf8PathBuf>,
    ) -> bool {
        if let Value::Map(entries) = &node.value {
            entries.iter().for_each(|entry| self.command_object(entry, file, known));
        }
        let paths = manifest::paths(file, &self.plugin.root.clone(), node, self.found);
        for (path, item) in &paths {
            let stem = path.file_stem().unwrap_or_default().to_owned();
            self.command_at(path, &stem, (item, file), known);
        }
        !paths.is_empty()
    }

    /// Adds the commands at a path that a field names: a file as the command `stem`, or those in a folder.
    fn command_at(
        &mut self,
        path: &Utf8Path,
        stem: &str,
        (item, file): (&Node, &SourceFile),
        known: &BTreeSet<Utf8PathBuf>,
    ) {
        if self.tree.get(path).is_none() {
            match self.tree.has_folder(path) {
                true => self.commands_below(path, known, path.file_name().unwrap_or_default()),
                false => self.found.push(manifest::missing_path(file, item, path)),
            }
        } else if !is_lowercase_markdown(path) {
            let help = "name a folder, or a file that ends in `.md`";
            let why =
                "is neither a folder nor a file that ends in `.md`, so the source host shows no command";
            let finding = manifest::misplaced(file, item, why, help);
            self.found.push(Diagnostic { severity: Severity::Warning, ..finding });
        } else if let Some(first) = self.command(path, stem, "") {
            let message =
                format!("the source host shows this file only once, as `{first}`, and not as `{stem}`");
            let finding =
                Diagnostic::in_file(file, item.span, Severity::Warning, RuleId::COMPONENT_FORMAT, message);
            self.found.push(finding.help("give each command a separate file, or remove the entry"));
        }
    }

    /// Adds a file as a command. A file that is a command already, perhaps through a link, is shown under its first
    /// name; that name is returned if it differs.
    fn command(&mut self, path: &Utf8Path, stem: &str, prefix: &str) -> Option<QualifiedName> {
        let origin = self.tree.get(path)?.origin.clone();
        let name = QualifiedName::new(&self.plugin.name, &format!("{prefix}{stem}"));
        match self.commands.get(&origin) {
            Some(first) => Some(first.clone()).filter(|first| *first != name),
            None => {
                self.commands.insert(origin, name);
                self.component(ComponentKind::Command, path.to_owned(), stem, false, Vec::new(), prefix);
                None
            }
        }
    }

    /// Adds the commands in a folder; a skill file directly in it is named after the folder.
    fn commands_below(&mut self, root: &Utf8Path, known: &BTreeSet<Utf8PathBuf>, name: &str) {
        let files: Vec<Utf8PathBuf> =
            self.markdown_below(root).into_iter().filter(|path| !known.contains(path)).collect();
        // The source host accepts it in lower case too.
        let is_skill =
            |path: &Utf8PathBuf| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE));
        let own_folder =
            |path: &Utf8PathBuf| path.parent().filter(|_| is_skill(path)).map(Utf8Path::to_owned);
        let skills: BTreeSet<Utf8PathBuf> = files.iter().filter_map(own_folder).collect();
        let mut done = BTreeSet::new();
        for path in files {
            // A folder with a skill file is one skill, with everything in it.
            let skill = path.ancestors().skip(1).filter_map(|folder| skills.get(folder)).last().cloned();
            let (prefix, stem) = match skill {
                Some(folder) if path.parent() != Some(&folder) || !is_skill(&path) => continue,
                Some(folder) if !done.insert(folder.clone()) => continue,
                Some(folder) if folder == root => (String::new(), self.folder_name(root, name)),
                Some(folder) => nested_name(root, &Utf8PathBuf::from(format!("{folder}.md"))),
                None => nested_name(root, &path),
            };
            self.command(&path, &stem, &prefix);
        }
    }

    /// The name of a folder; for the plugin's own folder, which may be a clone, the plugin's name.
    fn folder_name(&self, folder: &Utf8Path, name: &str) -> String {
        let own = folder.file_name().filter(|_| folder != self.plugin.root);
        own.unwrap_or(if name.is_empty() { &self.plugin.name } else { name }).to_owned()
    }

    /// Adds a command that the manifest declares by name, with a file or with its text.
    fn command_object(&mut self, entry: &MappingEntry, file: &SourceFile, known: &BTreeSet<Utf8PathBuf>) {
        let listed = self.plugin.manifest.as_ref().is_none_or(|manifest| manifest.path != file.path);
        let base = self.plugin.entry.as_ref().filter(|_| listed).map(|entry| entry.pointer.clone());
        let pointer = base.unwrap_or_default().key("commands").key(&entry.key);
        if let Err(why) = command_name(&entry.key, listed) {
            let message = format!("the name `{}` {why}", entry.key);
            let help = "use letters, digits and `-`, such as `my-name`";
            self.found.push(
                Diagnostic::in_file(
                    file,
                    entry.key_span,
                    Severity::Error,
                    RuleId::NAME_FORMAT,
                    message.clone(),
                )
                .help(help),
            );
            return self.record_lost(ComponentKind::Command, &entry.key, &file.path, Some(pointer), &message);
        }
        let Some(source) = entry.node.get("source") else {
            return if listed { self.unread_text(entry, file) } else { self.inline(entry, file, pointer) };
        };
        for (path, item) in manifest::paths(file, &self.plugin.root.clone(), source, self.found) {
            let before = self.plugin.components.len();
            self.command_at(&path, &entry.key, (&item, file), known);
            let is_file = self.tree.get(&path).is_some();
            for command in self.plugin.components[before..].iter_mut().filter(|_| is_file) {
                command.declared = command_object::fields(entry, file, &pointer);
            }
        }
    }

    /// Reports a command whose text is in the marketplace's entry: the source host does not show it (2.1.330).
    fn unread_text(&mut self, entry: &MappingEntry, file: &SourceFile) {
        let message = format!("the source host shows no command `{}`: it has no `source`", entry.key);
        let help =
            "move its text to a file that `source` names; only a plugin's own manifest can contain a text";
        self.found.push(
            Diagnostic::in_file(file, entry.span(), Severity::Warning, RuleId::COMPONENT_FORMAT, message)
                .help(help),
        );
    }

    /// Adds a command whose text is in the manifest.
    fn inline(&mut self, entry: &MappingEntry, file: &SourceFile, pointer: JsonPointer) {
        let name = entry.key.clone();
        let refused = match (names::check_component(&name), entry.node.get("content").and_then(Node::as_str))
        {
            (Err(why), _) => format!("the name `{name}` {why}"),
            (Ok(()), None) => format!("the command `{name}` has neither `source` nor `content` as text"),
            (Ok(()), Some(content)) => {
                self.plugin.inline.push(InlineCommand {
                    qualified: QualifiedName::new(&self.plugin.name, &name),
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
            Diagnostic::in_file(file, entry.span(), Severity::Error, RuleId::COMPONENT_FORMAT, &refused)
                .help(help),
        );
        self.record_lost(ComponentKind::Command, &name, &file.path, Some(pointer), &refused);
    }
}

/// Why a command that is declared by `name` cannot have that name. A command in the marketplace's entry becomes a file
/// of that name.
///
/// # Errors
/// The reason, to be put after "the name `x`".
pub(in crate::model::plugin) fn command_name(name: &str, listed: bool) -> Result<(), &'static str> {
    if listed { names::check(name) } else { names::check_component(name) }
}
