//! Components that are no skills, agents or commands: found by file and by manifest field, so that
//! none of them is passed over.

use camino::Utf8PathBuf;

use super::Plugin;
use crate::read::format::SourceFacts;
use crate::source::{SourceTree, Span};

/// A component of another kind.
#[derive(Debug, Clone)]
pub struct OtherComponent {
    /// The kind, as target files call it.
    pub kind: String,
    /// A name for it: the plugin's and its own.
    pub name: String,
    /// The file that declares it, relative to SRC.
    pub path: Utf8PathBuf,
    /// Where in the manifest it is declared.
    pub pointer: Option<String>,
    /// The bytes that declare it.
    pub span: Option<Span>,
}

/// Fills `plugin.others`.
pub(super) fn find(tree: &SourceTree, plugin: &mut Plugin, source: &SourceFacts) {
    let mut out = Vec::new();
    for (place, kind) in &source.components {
        for path in &plugin.files.kept {
            let inner = plugin.inner(path);
            let hit = if place.ends_with('/') {
                inner.starts_with(place.trim_end_matches('/'))
            } else {
                inner == place
            };
            if hit && tree.get(path).is_some() {
                let name = format!("{}:{}", plugin.name, inner.file_name().unwrap_or(place));
                out.push(OtherComponent {
                    kind: kind.clone(),
                    name,
                    path: path.clone(),
                    pointer: None,
                    span: None,
                });
            }
        }
    }
    for (field, kind) in &source.manifest_components {
        let Some(manifest) = &plugin.manifest else { continue };
        if let Some(entry) = manifest.node.entry(field) {
            out.push(OtherComponent {
                kind: kind.clone(),
                name: format!("{}:{field}", plugin.name),
                path: manifest.path.clone(),
                pointer: Some(format!("/{field}")),
                span: Some(entry.span()),
            });
        }
    }
    plugin.others = out;
}
