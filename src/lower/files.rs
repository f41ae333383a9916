//! Files that are no component: copied to the place that follows the component they belong to, or
//! dropped with the kind of component that the host cannot carry.

use super::component::{document_of, root};
use super::{Cast, Scene, fields, launcher, paths, sidecar};
use crate::bundle::draft::Draft;
use crate::bundle::{Content, Node};
use crate::ledger::{Kind, Outcome, Row};
use crate::read::frontmatter;
use crate::source::SourceFile;

/// Lowers every kept file of the plugin that is no component's main file.
pub(super) fn lower(scene: &Scene<'_>, cast: &mut Cast) {
    for path in &scene.plugin.files.kept {
        let Some(file) = scene.project.tree.get(path) else { continue };
        let own = scene.plugin.inner(path);
        let handled = own == scene.source.manifest
            || own == scene.source.marketplace
            || scene.places.mains.contains(path)
            || scene.plugin.lost.iter().any(|lost| &lost.path == path && lost.pointer.is_none());
        let program = scene.plugin.runtime.claims(own) || launcher::program(scene, path).is_some();
        if !handled && !program && !scene.generated(own) && !sidecar::handles(scene, path) {
            lower_file(scene, file, cast);
        }
    }
}

fn lower_file(scene: &Scene<'_>, file: &SourceFile, cast: &mut Cast) {
    let name = &scene.plugin.name;
    let row = Row::kept(name, Kind::File, file.path.as_str(), &file.path);
    let document = document_of(file);
    let Some(inner) = scene.places.files.get(&file.path) else { return };
    if let Some(reason) = not_carried(scene, file) {
        cast.rows.push(row.became(Outcome::Dropped, &reason));
        cast.rows.extend(
            document.iter().flat_map(|document| fields::plain(name, file, document, Some(&reason), None)),
        );
        return;
    }
    let emitted = root(scene).join(inner);
    let (row, content) = match edited(scene, file, inner) {
        Some(draft) => (
            row.to(emitted.as_str())
                .became(Outcome::Mapped, "its paths follow files that lie elsewhere on the host"),
            Content::Markdown(Box::new(draft)),
        ),
        None => {
            let row = row.to(emitted.as_str());
            let row = if scene.places.renamed.contains(&file.path) {
                row.became(
                    Outcome::Mapped,
                    "the host would load it as a skill, which it is not on the source host",
                )
            } else if scene.plugin.inner(&file.path) != inner {
                row.became(Outcome::Mapped, "it lies beside the component it belongs to")
            } else {
                row
            };
            (row, Content::CopyOf(file.origin.clone()))
        }
    };
    cast.rows.push(row);
    cast.rows.extend(
        document
            .iter()
            .flat_map(|document| fields::plain(name, file, document, None, Some(emitted.as_str()))),
    );
    cast.nodes.push(Node {
        path: emitted,
        executable: file.executable,
        content,
        from: Some(file.path.clone()),
    });
}

/// The reason of the target when the file is a component of a kind that it cannot carry.
fn not_carried(scene: &Scene<'_>, file: &SourceFile) -> Option<String> {
    let other = scene.plugin.others.iter().find(|other| other.own_file && other.path == file.path)?;
    match scene.target.components.get(&other.kind) {
        Some(facts) if facts.carried => None,
        Some(facts) => {
            Some(facts.reason.clone().unwrap_or_else(|| "the host has no such component".to_owned()))
        }
        None => Some("the target says nothing of this kind of component".to_owned()),
    }
}

fn edited(scene: &Scene<'_>, file: &SourceFile, inner: &camino::Utf8Path) -> Option<Draft> {
    let text = file.text().filter(|_| file.path.extension() == Some("md"))?;
    let mut draft = Draft::new(file, &frontmatter::parse(text));
    paths::follow(scene, file, inner, &mut draft);
    (!draft.is_unchanged()).then_some(draft)
}
