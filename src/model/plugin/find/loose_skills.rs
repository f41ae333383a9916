//! Agents and commands in a folder that belongs to no plugin: only texts that clearly declare one, since such a folder
//! also contains pages for people.

use std::collections::BTreeMap;

use super::ComponentFinder;
use crate::diagnostic::Diagnostic;
use crate::model::plugin::{Plugin, duplicates};
use crate::source::{ComponentKind, SourceFile, SourceTree};
use crate::source_format::SourceFacts;

/// The fields that identify an agent or a command; both have a `description`.
const OWN_FIELDS: [(ComponentKind, &[&str]); 2] = [
    (ComponentKind::Agent, &["description", "tools", "model"]),
    (ComponentKind::Command, &["description", "allowed-tools", "argument-hint"]),
];

/// The maximum number of frontmatter lines that are searched.
const LINES: usize = 60;

/// Whether `text` begins with frontmatter, valid or not, that has a field of a component of that kind.
pub fn declares_component(text: &str, kind: ComponentKind) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let opened = lines.next().is_some_and(|line| line.trim_end() == "---");
    let is_own = |line: &str| {
        let of_kind = OWN_FIELDS.iter().filter(|(own, _)| *own == kind);
        let mut names = of_kind.flat_map(|(_, names)| names.iter());
        names.any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    opened && lines.take(LINES).take_while(|line| !line.starts_with("---")).any(is_own)
}

/// Fills `plugin.components` with the texts in its folder that clearly declare a `kind`.
pub(in crate::model::plugin) fn components(
    tree: &SourceTree,
    plugin: &mut Plugin,
    kind: ComponentKind,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) {
    let root = plugin.root.clone();
    let mut finder = ComponentFinder { tree, plugin, found, source, loose: false, commands: BTreeMap::new() };
    for path in finder.markdown_below(&root) {
        if tree.get(&path).and_then(SourceFile::text).is_some_and(|text| declares_component(text, kind)) {
            let (prefix, stem) = super::nested_name(&root, &path);
            finder.component(kind, path, &stem, kind == ComponentKind::Agent, Vec::new(), &prefix);
        }
    }
    duplicates::refuse(tree, finder.plugin, finder.found);
    finder.plugin.components.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_plainly_a_component_by_the_fields_of_its_frontmatter() {
        let (agent, command) = (ComponentKind::Agent, ComponentKind::Command);
        assert!(declares_component("---\nname: a\ndescription: \"never closed\n---\nText.\n", agent));
        assert!(declares_component("\u{feff}---\r\nallowed-tools: Read\r\n---\r\n", command));
        assert!(!declares_component("# Agents\n\ndescription: what they are\n", agent));
        assert!(!declares_component("---\ntitle: Commands\n---\ndescription: what they do\n", command));
        assert!(!declares_component("---\nallowed-tools: Read\n---\n", agent));
    }
}
