//! Finds and names the skills of a plugin.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::ComponentFinder;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::QualifiedName;
use crate::model::{manifest, names};
use crate::read::tree::Node;
use crate::source::{ComponentKind, SKILL_FILE, SourceFile, by_parts};

impl ComponentFinder<'_> {
    /// Finds and names skills as the source host does (2.1.330): skills in the default folder, or in a listed parent
    /// folder, are named after their folder; a skill whose own folder is listed is named by its frontmatter. The list
    /// in the entry of a plugin at the marketplace's root replaces everything else.
    pub(super) fn skills(&mut self, manifest: Option<&SourceFile>) {
        let root = self.plugin.root.clone();
        let default = root.join("skills");
        let (own, entry) = (self.in_manifest("skills", manifest), self.in_entry("skills"));
        let some = |(node, _): &(Node, SourceFile)| node.items().is_none_or(|items| !items.is_empty());
        let replaced = root.as_str().is_empty() && entry.as_ref().is_some_and(some);
        let lists: Vec<(Node, SourceFile)> = own.filter(|_| !replaced).into_iter().chain(entry).collect();
        let (mut folders, mut listed, mut scanned) = (Vec::new(), Vec::new(), !replaced);
        for (node, file) in &lists {
            for (path, item) in manifest::skill_folders(file, &root, node, self.found) {
                let inside = self.children(&path);
                scanned |= path == root || path == default;
                if self.tree.get(path.join(SKILL_FILE)).is_some() {
                    listed.push(path);
                } else if self.tree.get(&path).is_some() {
                    let help = "use the folder that contains the `SKILL.md`";
                    let why = "points to a file, but must point to a folder of skills";
                    self.found.push(manifest::misplaced(file, &item, why, help));
                } else if inside.is_empty() && path != root {
                    self.found.push(manifest::missing_path(file, &item, &path));
                } else {
                    folders.extend(inside);
                }
            }
        }
        // A skill file in the default folder makes the folder one skill.
        let is_one = self.tree.get(default.join(SKILL_FILE)).is_some();
        let by_default = if scanned && !is_one { self.children(&default) } else { Vec::new() };
        if scanned && is_one {
            listed.push(default.clone());
        }
        listed.retain(|folder| !by_default.contains(folder));
        folders.extend(by_default);
        folders.extend(listed.iter().cloned());
        let is_there = || {
            let tree = self.tree;
            tree.has_folder(&default) || tree.get(&default).is_some() || tree.empty_folders.contains(&default)
        };
        if folders.is_empty() && lists.is_empty() && self.tree.get(root.join(SKILL_FILE)).is_some() {
            match is_there() {
                true => self.found.push(beside_skills(&root)),
                false => folders.push(root),
            }
        }
        folders.sort_by(|a, b| by_parts(a.as_str(), b.as_str()));
        folders.dedup_by(|a, b| a.as_str() == b.as_str());
        for folder in folders {
            self.skill(&folder, listed.contains(&folder));
        }
    }

    /// Folders directly below `folder` that hold a skill file.
    fn children(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let names = self.tree.child_folders(folder);
        names
            .into_iter()
            .map(|name| folder.join(name))
            .filter(|path| self.tree.get(path.join(SKILL_FILE)).is_some())
            .collect()
    }

    /// Adds the skill in `folder`; if `named`, the name in its frontmatter takes precedence.
    pub(super) fn skill(&mut self, folder: &Utf8Path, named: bool) {
        let is_root = folder == self.plugin.root;
        let fallback =
            names::skill_name(folder.file_name().filter(|_| !is_root).unwrap_or(&self.plugin.name));
        let files = if is_root && self.loose {
            self.files_below(folder)
        } else if is_root {
            self.beside_root_skill()
        } else {
            self.files_below(folder)
        };
        // The plugin's own folder, which may be a clone, does not name a skill.
        self.component(ComponentKind::Skill, folder.join(SKILL_FILE), &fallback, is_root || named, files, "");
    }

    /// Adds skills that belong to no plugin. Only their folders distinguish skills with the same name, so such a name
    /// is prefixed with the parent folder.
    pub(super) fn loose_skills(&mut self, folders: &[Utf8PathBuf]) {
        let key = |component: &Component| component.name.to_ascii_lowercase();
        let others = self.plugin.components.iter().filter(|component| component.kind != ComponentKind::Agent);
        let mut taken: BTreeSet<String> = others.map(key).collect();
        for folder in folders {
            let at = self.plugin.components.len();
            self.skill(folder, false);
            let Some(component) = self.plugin.components.get_mut(at) else { continue };
            let (first, mut above) = (component.qualified.clone(), folder.ancestors().skip(1));
            while taken.contains(&key(component)) {
                let Some(name) = above.next().and_then(Utf8Path::file_name) else { break };
                component.name = format!("{}-{}", names::skill_name(name), component.name);
            }
            component.qualified = QualifiedName::new(&self.plugin.name, &component.name);
            taken.insert(key(component));
            if component.qualified != first
                && let Some(file) = self.tree.get(&component.path)
            {
                let message =
                    format!("duplicate name `{first}`; this skill becomes `{}`", component.qualified);
                let finding = Diagnostic::in_file(
                    file,
                    component.name_span(),
                    Severity::Warning,
                    RuleId::DUPLICATE_NAME,
                    message,
                );
                self.found.push(finding.help("rename one of them"));
            }
        }
    }

    fn files_below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let main = folder.join(SKILL_FILE);
        self.plugin.files.kept_below(folder).filter(|path| **path != main).cloned().collect()
    }

    /// A skill at the root of the plugin owns every file that is not in one of the plugin's own places.
    fn beside_root_skill(&self) -> Vec<Utf8PathBuf> {
        let own = |inner: &Utf8Path| {
            let places = self.source.components.keys().map(|place| place.trim_end_matches('/'));
            let folders = [
                self.source.manifest.as_str(),
                self.source.marketplace.as_str(),
                "agents",
                "commands",
                SKILL_FILE,
            ];
            places.chain(folders).any(|place| inner.starts_with(place))
        };
        self.plugin.files.kept.iter().filter(|path| !own(self.plugin.relative_path(path))).cloned().collect()
    }
}

/// Reports a skill file in the plugin's own folder, which is not read because there is a folder `skills` (2.1.330).
fn beside_skills(root: &Utf8Path) -> Diagnostic {
    let message = "this file is not a skill: the source host does not read it if there is a folder `skills`";
    let found =
        Diagnostic::for_file(root.join(SKILL_FILE), Severity::Warning, RuleId::FLAT_SKILL_FILE, message);
    found.help("move it to `skills/<name>/SKILL.md`, or remove the folder `skills`")
}
