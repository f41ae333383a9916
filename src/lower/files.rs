//! Files that are no component: copied to the place that follows the component they belong to, or
//! dropped with the kind of component that the host cannot carry.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::component::{document_of, root};
use super::{Cast, Scene, fields, paths, sidecar};
use crate::bundle::draft::Draft;
use crate::bundle::{Content, Node};
use crate::ledger::{Kind, Outcome, Row};
use crate::read::frontmatter;
use crate::source::SourceFile;

/// Lowers every kept file of the plugin that is no component's main file.
pub(super) fn lower(scene: &Scene<'_>, cast: &mut Cast) {
    let sidecars = sidecar::handled(scene);
    let lost = scene.plugin.lost.iter().filter(|lost| lost.pointer.is_none());
    let lost: BTreeSet<&Utf8Path> = lost.map(|lost| lost.path.as_path()).collect();
    let others = scene.plugin.others.iter().filter(|other| other.own_file).rev();
    let others: BTreeMap<&Utf8Path, &str> =
        others.map(|other| (other.path.as_path(), other.kind.as_str())).collect();
    for path in &scene.plugin.files.kept {
        let Some(file) = scene.project.tree.get(path) else { continue };
        let own = scene.plugin.inner(path);
        let handled = own == scene.source.manifest
            || own == scene.source.marketplace
            || scene.places.mains.contains(path)
            || lost.contains(path.as_path())
            || sidecars.contains(path.as_path());
        if !handled && !scene.generated(own) {
            lower_file(scene, file, others.get(path.as_path()).copied(), cast);
        }
    }
}

/// `kind` is that of the components which are all that the file holds.
fn lower_file(scene: &Scene<'_>, file: &SourceFile, kind: Option<&str>, cast: &mut Cast) {
    let name = &scene.plugin.name;
    let row = Row::kept(name, Kind::File, file.path.as_str(), &file.path);
    let document = document_of(file);
    let Some(inner) = scene.places.files.get(&file.path) else { return };
    if let Some(reason) = kind.and_then(|kind| not_carried(scene, kind)) {
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

/// The reason of the target when it cannot carry components of `kind`.
fn not_carried(scene: &Scene<'_>, kind: &str) -> Option<String> {
    match scene.target.components.get(kind) {
        Some(facts) if facts.carried => None,
        Some(facts) => {
            Some(facts.reason.clone().unwrap_or_else(|| "the host has no such component".to_owned()))
        }
        None => Some("the target says nothing of this kind of component".to_owned()),
    }
}

fn edited(scene: &Scene<'_>, file: &SourceFile, inner: &camino::Utf8Path) -> Option<Draft> {
    let text = file.text().filter(|_| scene.places.moved && file.path.extension() == Some("md"))?;
    let mut draft = Draft::new(file, &frontmatter::parse(text));
    paths::follow(scene, file, inner, &mut draft);
    (!draft.is_unchanged()).then_some(draft)
}
