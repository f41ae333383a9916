//! Enumerates what a source holds and what therefore needs a ledger row.

use std::path::Path;

use serde_json::Value;

use super::components::{Component, Root, component_kind, marketplace, roots};
use super::markdown::{self, Names};
use crate::support::tree::{Entry, Tree};

/// One thing that needs a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Need {
    /// The source file, relative to SRC.
    pub path: String,
    /// What it is.
    pub what: NeedKind,
}

/// What needs a row.
#[derive(Debug, PartialEq, Eq)]
pub enum NeedKind {
    /// The file itself.
    File,
    /// A component: its kind as ledgers write it, and what its name ends with.
    Component(&'static str, String),
    /// A field, by JSON pointer.
    Field(String),
    /// A name in the text, at a byte offset.
    Text(String, usize),
}

impl NeedKind {
    /// The kind in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            NeedKind::File => "file",
            NeedKind::Component(kind, _) => kind,
            NeedKind::Field(_) => "field",
            NeedKind::Text(..) => "text",
        }
    }
}

impl Need {
    fn new(path: &str, what: NeedKind) -> Self {
        Self { path: path.to_owned(), what }
    }

    /// The complaint when no row meets the need.
    pub fn sentence(&self) -> String {
        let path = &self.path;
        match &self.what {
            NeedKind::File => format!("{path}: the file has no row"),
            NeedKind::Component(kind, name) => format!("{path}: the {kind} `{name}` has no row"),
            NeedKind::Field(pointer) => format!("{path}: the field `{pointer}` has no row"),
            NeedKind::Text(text, offset) => format!("{path}: `{text}` at byte {offset} has no row"),
        }
    }
}

/// Everything below SRC that needs a row. `plugins` are the names of the plugins in the bundle; they
/// name the plugin whose source carries no name.
pub fn needs(source: &Path, plugins: &[String]) -> Vec<Need> {
    let tree = Tree::read(source);
    let mut needs: Vec<Need> = tree.entries().map(|(path, _)| Need::new(path, NeedKind::File)).collect();
    let roots = roots(&tree, plugins);
    let names = Names::from_roots(&roots);
    for manifest in marketplace(&tree).into_iter().chain([".claude-plugin/plugin.json"]) {
        fields_of_json(&tree, manifest, &mut needs);
    }
    for root in &roots {
        if !root.folder.is_empty() {
            fields_of_json(&tree, &root.path(".claude-plugin/plugin.json"), &mut needs);
        }
        for component in &root.components {
            let what = NeedKind::Component(component.kind, component.name.clone());
            needs.push(Need::new(&component.path, what));
        }
        markdown_of(&tree, root, &names, &mut needs);
    }
    needs.sort_by(|a, b| (&a.path, format!("{:?}", a.what)).cmp(&(&b.path, format!("{:?}", b.what))));
    needs.dedup();
    needs
}

/// Fields and references of the Markdown files that belong to a plugin's components.
fn markdown_of(tree: &Tree, root: &Root, names: &Names, needs: &mut Vec<Need>) {
    for (path, entry) in tree.entries().filter(|(path, _)| root.holds(path)) {
        let Entry::File { content, .. } = entry else { continue };
        let Ok(text) = std::str::from_utf8(content) else { continue };
        let Some(kind) = component_kind(root, path) else { continue };
        if matches!(kind, Component::Skill | Component::Agent | Component::Command) {
            for key in markdown::frontmatter_keys(text) {
                needs.push(Need::new(path, NeedKind::Field(format!("/{}", escape(&key)))));
            }
        }
        for (name, offset) in markdown::references(text, kind, names) {
            needs.push(Need::new(path, NeedKind::Text(name, offset)));
        }
    }
}

/// The top-level keys of a JSON file, and those of every entry of `plugins`.
fn fields_of_json(tree: &Tree, path: &str, needs: &mut Vec<Need>) {
    let Some(Value::Object(object)) = json(tree, path) else { return };
    for (key, value) in &object {
        if let (true, Value::Array(entries)) = (path.ends_with("marketplace.json") && key == "plugins", value)
        {
            for (index, entry) in entries.iter().enumerate() {
                for key in entry.as_object().into_iter().flat_map(|entry| entry.keys()) {
                    needs.push(Need::new(path, NeedKind::Field(format!("/plugins/{index}/{}", escape(key)))));
                }
            }
        } else {
            needs.push(Need::new(path, NeedKind::Field(format!("/{}", escape(key)))));
        }
    }
}

/// A JSON file of the tree, if it is one.
pub fn json(tree: &Tree, path: &str) -> Option<Value> {
    let Entry::File { content, .. } = tree.get(path)? else { return None };
    let text = std::str::from_utf8(content).ok()?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// A key as a step of a JSON pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
